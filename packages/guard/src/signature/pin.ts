import { isObject, parseObject } from "@assent/core/data";
import { hashStatement, isPublicKey, isSignedBy, keyIdOf, type Signed } from "./keys.ts";
import {
  isGroupName,
  isSignedHeartbeat,
  isSignedPolicy,
  type PolicyHeartbeat,
  type PolicyVersion,
  type SignedKeyChange,
} from "./statements.ts";

/** What a machine holds a team's policies against. It lies in the machine's state, where agents cannot write. */
export interface PolicyPin {
  readonly v: 1;
  readonly organisation: string;
  readonly group: string;
  /** Keys that sign, the newest last; an older one counts up to the last version that it signed. None: no policy is taken. */
  readonly keys: readonly { readonly key: string; readonly last: number | null }[];
  /** What is older is refused. Version 0: there was none. */
  readonly least: { readonly version: number; readonly hash: string | null };
}

/** What a machine's file holds as long as its team has no policy. */
export const NO_TEAM_POLICY = "// The team that this machine belongs to has no policy yet.\n{}\n";
const SEAL = "\n//seal ";

/** Reads the text of a pin; undefined: it is none. */
export function readPin(text: string): PolicyPin | undefined {
  const value: unknown = parseObject(text);
  return isPin(value) ? value : undefined;
}

function isPin(value: unknown): value is PolicyPin {
  if (!isObject(value) || value["v"] !== 1 || typeof value["organisation"] !== "string" || !isGroupName(value["group"])) return false;
  const { keys, least } = value;
  const known: readonly unknown[] | undefined = Array.isArray(keys) ? keys : undefined;
  const isCount = (count: unknown): boolean => typeof count === "number" && Number.isInteger(count) && count >= 0;
  return (
    known?.every((one) => isObject(one) && isPublicKey(one["key"]) && (one["last"] === null || isCount(one["last"]))) === true &&
    isObject(least) &&
    isCount(least["version"]) &&
    (least["hash"] === null || typeof least["hash"] === "string")
  );
}

/** What a machine keeps: a version, and when the server last said that it was the newest. */
export interface SealedPolicy {
  readonly signed: Signed<PolicyVersion>;
  readonly heartbeat?: Signed<PolicyHeartbeat> | undefined;
}

/** A policy file of a team: its text as it was signed, and in a comment behind it all that it is verified by. */
export function sealText({ signed: { statement, key, signature }, heartbeat }: SealedPolicy): string {
  const { policy, ...rest } = statement;
  return `${policy}${SEAL}${JSON.stringify({ signed: { statement: rest, key, signature }, heartbeat })}\n`;
}

/** What `sealText` made; undefined: it is not that, or not whole. */
export function openSealed(text: string): SealedPolicy | undefined {
  const at = text.lastIndexOf(SEAL);
  if (at < 0 || !text.endsWith("\n")) return undefined;
  const value = parseObject(text.slice(at + SEAL.length));
  if (!isObject(value?.["signed"]) || !isObject(value["signed"]["statement"])) return undefined;
  const signed: unknown = { ...value["signed"], statement: { ...value["signed"]["statement"], policy: text.slice(0, at) } };
  const { heartbeat } = value;
  if (!isSignedPolicy(signed) || (heartbeat !== undefined && !isSignedHeartbeat(heartbeat))) return undefined;
  return { signed, heartbeat };
}

/** For good, as far as programs can say it. */
export const FOR_GOOD = Date.UTC(9999, 0, 1);
/** A clock may be off by so much. */
const CLOCK_MS = 300_000;

/** Between which times a policy holds as it is, milliseconds since 1970. Outside of them what is unknown asks. */
export interface PolicySpan {
  /** A clock before it was set back, or was wrong then. */
  readonly since: number;
  readonly until: number;
}

/** As the version says itself, and as long again from a heartbeat for exactly it, by the key that it names for that. */
export function spanOf({ signed: { statement }, heartbeat }: SealedPolicy): PolicySpan {
  const { expires, made, renewal } = statement;
  const begin = Date.parse(made);
  const own = { since: begin - CLOCK_MS, until: expires === null ? FOR_GOOD : Date.parse(expires) };
  if (expires === null || renewal === null || heartbeat === undefined || !isSignedBy(heartbeat, renewal.key)) return own;
  const { organisation, group, version, hash, at } = heartbeat.statement;
  const isOfIt =
    organisation === statement.organisation &&
    group === statement.group &&
    version === statement.version &&
    hash === hashStatement(statement);
  const said = Date.parse(at);
  if (!isOfIt || said < begin) return own;
  const until = Math.min(said + (own.until - begin), Date.parse(renewal.until));
  return until <= own.until ? own : { since: said - CLOCK_MS, until };
}

/** Why a version may not be used by a machine with this pin; undefined: it may. */
export function whyNotPinned(signed: Signed<PolicyVersion>, { organisation, group, keys, least }: PolicyPin): string | undefined {
  const { statement } = signed;
  const at = keys.findIndex(({ key }) => keyIdOf(key) === signed.key);
  const known = keys[at];
  if (known === undefined) return "is signed by a key that this machine does not know";
  if (!isSignedBy(signed, known.key)) return "is not what its key signed";
  if (statement.organisation !== organisation) return "is of another team";
  if (statement.group !== group) return `is of the group ${statement.group}, and this machine belongs to ${group}`;
  if (known.last !== null && statement.version > known.last) return "is signed by a key that was replaced before";
  if (statement.version < least.version) return `is version ${statement.version}, older than ${least.version}, which was seen already`;
  if (statement.version === least.version && least.hash !== null && hashStatement(statement) !== least.hash)
    return `is another version ${statement.version} than the one that was seen already`;
  if (statement.version === least.version + 1 && least.hash !== null && statement.previous !== least.hash)
    return `does not follow version ${least.version}, which was seen already`;
  return undefined;
}

/** What the text of a team's policy file is, read from the disk: why it may not be used, or between which times it holds. */
export function readSealed(
  text: string,
  pinText: string | undefined,
): { readonly why: string } | { readonly span: PolicySpan | undefined } {
  const pin = pinText === undefined ? undefined : readPin(pinText);
  if (pin === undefined) return { why: "cannot be verified: what the team's keys are is not known here any more" };
  if (text === NO_TEAM_POLICY)
    return pin.least.version === 0 ? { span: undefined } : { why: "is not here yet: `assent team send` fetches it" };
  const sealed = openSealed(text);
  const why = sealed === undefined ? "is not whole: its signature is missing" : whyNotPinned(sealed.signed, pin);
  return sealed === undefined || why !== undefined ? { why: why ?? "" } : { span: spanOf(sealed) };
}

/** The pin with all keys that follow its newest one, and those before its oldest that it vouches for. What does not fit is left out. */
export function followKeys(pin: PolicyPin, changes: readonly SignedKeyChange[]): PolicyPin {
  const mine = changes.filter((change) => isKeyChangeOf(change, pin.organisation));
  const keys = [...pin.keys];
  const isNew = (key: string): boolean => keys.every((one) => one.key !== key);
  // Each step adds a key that was not there: it ends.
  for (;;) {
    const newest = keys.at(-1);
    const next = mine.find(({ statement }) => statement.from === newest?.key && isNew(statement.to));
    if (newest === undefined || next === undefined) break;
    const last = lastOf(next, pin.group);
    keys.splice(-1, 1, { key: newest.key, last: Math.max(last, pin.least.version) }, { key: next.statement.to, last: null });
  }
  for (;;) {
    const [oldest] = keys;
    const before = mine.find(({ statement }) => statement.to === oldest?.key && isNew(statement.from));
    if (before === undefined) break;
    keys.unshift({ key: before.statement.from, last: lastOf(before, pin.group) });
  }
  return { ...pin, keys };
}

const lastOf = ({ statement: { last } }: SignedKeyChange, group: string): number => (Object.hasOwn(last, group) ? (last[group] ?? 0) : 0);

/** Whether both keys signed the change. */
export function isKeyChangeOf(change: SignedKeyChange, organisation: string): boolean {
  const { statement, proof } = change;
  return (
    statement.organisation === organisation &&
    isSignedBy(change, statement.from) &&
    isSignedBy({ statement, key: keyIdOf(statement.to), signature: proof }, statement.to)
  );
}
