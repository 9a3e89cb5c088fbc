import { isObject } from "@assent/core/data";
import { isPublicKey, type Signed } from "./keys.ts";

/** A version of the policy of a group of machines, as the team's key signs it. */
export interface PolicyVersion {
  readonly is: "policy";
  readonly organisation: string;
  readonly group: string;
  /** 1, 2, 3 … in its group. */
  readonly version: number;
  /** Hash of the version before it; null of the first one. */
  readonly previous: string | null;
  /** ISO 8601, as all times here. */
  readonly made: string;
  /** Until when it holds without news; null: for good. */
  readonly expires: string | null;
  /** Who may say that it is still the newest one, and so let it hold as long again; and until when at most. */
  readonly renewal: { readonly key: string; readonly until: string } | null;
  /** The text of the policy file. */
  readonly policy: string;
}

/** The old key says which one follows it, and the new one that it does. */
export interface KeyChange {
  readonly is: "key";
  readonly organisation: string;
  /** Public keys. */
  readonly from: string;
  readonly to: string;
  /** The last version of each group that the old key signed. */
  readonly last: Readonly<Record<string, number>>;
  readonly made: string;
}

export interface SignedKeyChange extends Signed<KeyChange> {
  /** The new key's signature of the same. */
  readonly proof: string;
}

/** The server says that a version was the newest of its group then. It extends how long that version holds, and nothing else. */
export interface PolicyHeartbeat {
  readonly is: "heartbeat";
  readonly organisation: string;
  readonly group: string;
  readonly version: number;
  readonly hash: string;
  readonly at: string;
}

/** What the person who has the team's key wants of the server. */
export interface PolicyCommand {
  readonly is: "command";
  readonly organisation: string;
  readonly what: "push" | "rotate" | "release" | "list" | "records" | "passkeys";
  /** SHA-256 of what comes with it, base64url; of a release the hash of the version. */
  readonly about: string | null;
  readonly group: string | null;
  readonly version: number | null;
  readonly percent: number | null;
  readonly days: number | null;
  readonly at: string;
}

export const MOST_POLICY_BYTES = 1 << 20;
const MOST_VERSION = 1_000_000;

export const isGroupName = (value: unknown): value is string => typeof value === "string" && /^[a-z0-9][a-z0-9-]{0,62}$/.test(value);
export const isVersionNumber = (value: unknown): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= MOST_VERSION;
const isId = (value: unknown): value is string => typeof value === "string" && /^[\w-]{22}$/.test(value);
const isHash = (value: unknown): value is string => typeof value === "string" && /^[\w-]{43}$/.test(value);

/** As `toISOString` writes it, and nothing else: one time has one text. */
export function isTime(value: unknown): value is string {
  if (typeof value !== "string" || value.length !== 24) return false;
  const time = Date.parse(value);
  return !Number.isNaN(time) && new Date(time).toISOString() === value;
}

const POLICY_FIELDS = "expires group is made organisation policy previous renewal version";
const CHANGE_FIELDS = "from is last made organisation to";
const HEARTBEAT_FIELDS = "at group hash is organisation version";
const COMMAND_FIELDS = "about at days group is organisation percent version what";
const fieldsOf = (value: object): string => Object.keys(value).toSorted().join(" ");
const isNull = (value: unknown): value is null => value === null;

function isPolicyVersion(value: unknown): value is PolicyVersion {
  if (!isObject(value) || fieldsOf(value) !== POLICY_FIELDS) return false;
  const { renewal, policy } = value;
  return (
    value["is"] === "policy" &&
    isId(value["organisation"]) &&
    isGroupName(value["group"]) &&
    isVersionNumber(value["version"]) &&
    (value["version"] === 1 ? isNull(value["previous"]) : isHash(value["previous"])) &&
    isTime(value["made"]) &&
    (isNull(value["expires"]) || (isTime(value["expires"]) && value["expires"] >= value["made"])) &&
    (renewal === null ||
      (isObject(renewal) && fieldsOf(renewal) === "key until" && isPublicKey(renewal["key"]) && isTime(renewal["until"]))) &&
    typeof policy === "string" &&
    policy.length <= MOST_POLICY_BYTES &&
    !/\0|\p{Surrogate}/u.test(policy)
  );
}

function isKeyChange(value: unknown): value is KeyChange {
  if (!isObject(value) || fieldsOf(value) !== CHANGE_FIELDS) return false;
  const { from, to, last } = value;
  return (
    value["is"] === "key" &&
    isId(value["organisation"]) &&
    isPublicKey(from) &&
    isPublicKey(to) &&
    from !== to &&
    isTime(value["made"]) &&
    isObject(last) &&
    Object.entries(last).every(([group, version]) => isGroupName(group) && isVersionNumber(version))
  );
}

function isHeartbeat(value: unknown): value is PolicyHeartbeat {
  return (
    isObject(value) &&
    fieldsOf(value) === HEARTBEAT_FIELDS &&
    value["is"] === "heartbeat" &&
    isId(value["organisation"]) &&
    isGroupName(value["group"]) &&
    isVersionNumber(value["version"]) &&
    isHash(value["hash"]) &&
    isTime(value["at"])
  );
}

const COMMANDS: readonly unknown[] = ["push", "rotate", "release", "list", "records", "passkeys"];
const isWhole = (value: unknown, most: number): boolean =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= most;

function isCommand(value: unknown): value is PolicyCommand {
  return (
    isObject(value) &&
    fieldsOf(value) === COMMAND_FIELDS &&
    value["is"] === "command" &&
    isId(value["organisation"]) &&
    COMMANDS.includes(value["what"]) &&
    (isNull(value["about"]) || isHash(value["about"])) &&
    (isNull(value["group"]) || isGroupName(value["group"])) &&
    (isNull(value["version"]) || isVersionNumber(value["version"])) &&
    (isNull(value["percent"]) || isWhole(value["percent"], 100)) &&
    (isNull(value["days"]) || isWhole(value["days"], 90)) &&
    isTime(value["at"])
  );
}

const isEnvelope = (value: unknown, fields: string): value is Readonly<Record<string, unknown>> =>
  isObject(value) && fieldsOf(value) === fields && typeof value["key"] === "string" && typeof value["signature"] === "string";

const SIGNED = "key signature statement";

/** Whether a value that came has the form of a signed policy; who signed it is another question, as below. */
export const isSignedPolicy = (value: unknown): value is Signed<PolicyVersion> =>
  isEnvelope(value, SIGNED) && isPolicyVersion(value["statement"]);
export const isSignedHeartbeat = (value: unknown): value is Signed<PolicyHeartbeat> =>
  isEnvelope(value, SIGNED) && isHeartbeat(value["statement"]);
export const isSignedCommand = (value: unknown): value is Signed<PolicyCommand> =>
  isEnvelope(value, SIGNED) && isCommand(value["statement"]);
export const isSignedKeyChange = (value: unknown): value is SignedKeyChange =>
  isEnvelope(value, "key proof signature statement") && typeof value["proof"] === "string" && isKeyChange(value["statement"]);
