import {
  followKeys,
  FOR_GOOD,
  hashStatement,
  keyIdOf,
  NO_TEAM_POLICY,
  openSealed,
  type PolicyHeartbeat,
  type PolicyPin,
  type PolicyVersion,
  readPin,
  readSealed,
  sealText,
  type Signed,
  spanOf,
  whyNotPinned,
} from "@assent/guard/signature";
import { ensureFolder, errorCode, type Machine, openState, stateFolder, withLock, writeAtomic, readText } from "@assent/guard/state";
import { askServer } from "./client.ts";
import type { TeamMembership } from "./membership.ts";
import { PolicyAnswer, type PolicyAsk, PolicyTold, readMessage } from "./protocol/index.ts";

const MOST = 2 << 20;
const LOCK_MS = 5000;
const LONGEST_STEP_MS = 3_600_000;

const folderOf = (machine: Machine): string => `${stateFolder(machine)}/team-member`;
const fileOf = (machine: Machine): string => `${folderOf(machine)}/policy.jsonc`;
const pinFile = (machine: Machine): string => `${folderOf(machine)}/pin.json`;

/** What this machine has of its team's policy. */
export interface HeldPolicy {
  readonly group: string;
  /** Ids of the keys that sign, the newest last. */
  readonly keys: readonly string[];
  /** Absent: there is none yet. */
  readonly version?: number;
  readonly hash?: string;
  /** Milliseconds since 1970; absent: for good. */
  readonly until?: number;
  /** Why it does not count: what would be allowed asks until it is there again. */
  readonly problem?: string;
}

/** Undefined: what it is held against is missing or damaged. */
export function readHeld(machine: Machine): HeldPolicy | undefined {
  const pinText = readText(pinFile(machine), MOST);
  const pin = pinText === undefined ? undefined : readPin(pinText);
  if (pin === undefined) return undefined;
  const base = { group: pin.group, keys: pin.keys.map(({ key }) => keyIdOf(key)) };
  const text = readText(fileOf(machine), MOST);
  const read = text === undefined ? { why: "is missing" } : readSealed(text, pinText);
  if ("why" in read) return { ...base, problem: read.why };
  const sealed = text === undefined ? undefined : openSealed(text);
  if (sealed === undefined || read.span === undefined) return base;
  const { statement } = sealed.signed;
  const until = read.span.until === FOR_GOOD ? {} : { until: read.span.until };
  return { ...base, version: statement.version, hash: hashStatement(statement), ...until };
}

/** A reason where it cannot be written. For a machine that has just joined, or whose person has agreed to a key. */
export function writePin(machine: Machine, pin: PolicyPin): string | undefined {
  const state = openState(machine);
  if ("problem" in state) return state.problem;
  try {
    ensureFolder(folderOf(machine));
    writeAtomic(pinFile(machine), `${JSON.stringify(pin)}\n`);
    if (readText(fileOf(machine), MOST) === undefined) writeAtomic(fileOf(machine), NO_TEAM_POLICY);
    return undefined;
  } catch (error) {
    return `${folderOf(machine)} cannot be written: ${errorCode(error)}`;
  }
}

export function readTeamPin(machine: Machine): PolicyPin | undefined {
  const text = readText(pinFile(machine), MOST);
  return text === undefined ? undefined : readPin(text);
}

export interface PolicyFetched {
  readonly is: "none" | "current" | "changed" | "kept" | "away";
  readonly version?: number;
  readonly problem?: string;
}

/**
 * Asks the team's server for the policy of this machine, and keeps it where everything that judges reads it. What cannot be verified, is
 * older than what was seen, or of another group or team is not taken: what is here holds on.
 */
export async function fetchTeamPolicy(machine: Machine, membership: TeamMembership, now: () => number = Date.now): Promise<PolicyFetched> {
  const first = await fetchOnce(machine, membership, now);
  // What it has now is told at once, so that the server shows who is behind.
  if (first.is === "changed" || first.is === "kept") await ask(membership, machine, first.problem);
  return first;
}

function ask(membership: TeamMembership, machine: Machine, problem?: string) {
  const held = readHeld(machine);
  const told = problem ?? held?.problem ?? (held === undefined ? "what it is held against is damaged" : undefined);
  const body: PolicyAsk = {
    v: 1,
    ...(held?.version === undefined || held.hash === undefined ? {} : { have: { version: held.version, hash: held.hash } }),
    ...(told === undefined ? {} : { problem: told.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, " ").slice(0, 300) }),
  };
  return askServer(membership, "POST", "/v1/policy", PolicyAnswer, body);
}

/** What of its team's policy this machine does not have yet. */
export interface PolicyWaiting {
  readonly version: number;
  /** Why this machine does not take it; absent: nobody has fetched it yet. */
  readonly why?: string;
}

/** Asks the server, and takes nothing. Undefined: nothing waits, or the server is away. */
export async function policyWaiting(machine: Machine, membership: TeamMembership): Promise<PolicyWaiting | undefined> {
  const [asked, held, pin] = [await ask(membership, machine), readHeld(machine), readTeamPin(machine)];
  if (asked.is !== "answered" || pin === undefined) return undefined;
  const { signed, changes } = asked.message;
  if (signed === undefined || (held?.hash !== undefined && hashStatement(signed.statement) === held.hash)) return undefined;
  const why = pin.keys.length === 0 ? undefined : whyNotPinned(signed, followKeys(pin, changes));
  return { version: signed.statement.version, ...(why === undefined ? {} : { why }) };
}

async function fetchOnce(machine: Machine, membership: TeamMembership, now: () => number): Promise<PolicyFetched> {
  const asked = await ask(membership, machine);
  if (asked.is === "away") return { is: "away", problem: `the server is away: ${asked.why}` };
  if (asked.is === "refused") return { is: "kept", problem: asked.why };
  return keepAnswer(machine, asked.message, now());
}

function keepAnswer(machine: Machine, answer: PolicyAnswer, now: number): PolicyFetched {
  try {
    const taken = withLock(`${folderOf(machine)}/policy.lock`, LOCK_MS, () => takeAnswer(machine, answer, now));
    return taken ?? { is: "kept", problem: "another process is writing the policy" };
  } catch (error) {
    return { is: "kept", problem: `${folderOf(machine)} cannot be written: ${errorCode(error)}` };
  }
}

/**
 * Takes the policy that the server's stream of events told (`PolicyTold`), verified like one that was asked for. Undefined: it told none, and
 * is to be asked. The server hears what the machine has when that asks the next time.
 */
export function takeToldPolicy(machine: Machine, data: string, now: () => number = Date.now): PolicyFetched | undefined {
  const read = readMessage(PolicyTold, data);
  return "problem" in read || read.message.answer === undefined ? undefined : keepAnswer(machine, read.message.answer, now());
}

/** INVARIANT: under the lock, so that nobody who was told an older version writes it behind a newer one. */
export function takeAnswer(machine: Machine, { key, changes, signed, heartbeat }: PolicyAnswer, now: number): PolicyFetched {
  const pin = readTeamPin(machine);
  if (pin === undefined)
    return { is: "kept", problem: "what the team's keys are is not known here any more: leave the team, then join it again" };
  // The first key of a team is taken at the server's word, as a machine takes it that joins once there is one; what follows it never is.
  if (pin.keys.length === 0) {
    if (key === undefined) return { is: "none" };
    keep(pinFile(machine), `${JSON.stringify({ ...pin, keys: [{ key, last: null }] })}\n`);
    return takeAnswer(
      machine,
      { v: 1, is: "policy", changes, ...(signed === undefined ? {} : { signed }), ...(heartbeat === undefined ? {} : { heartbeat }) },
      now,
    );
  }
  const followed = followKeys(pin, changes);
  const why = signed === undefined ? undefined : whyNotPinned(signed, followed);
  const problem = why === undefined ? {} : { problem: `the policy that the server has ${why}` };
  const before = readText(fileOf(machine), MOST);
  const held = before === undefined ? undefined : openSealed(before);
  if (signed !== undefined && why === undefined) {
    const isSame = held !== undefined && hashStatement(held.signed.statement) === hashStatement(signed.statement);
    // Keys first, what is refused from now on last: whoever is killed in between leaves what can be verified.
    keep(pinFile(machine), `${JSON.stringify(followed)}\n`);
    keep(fileOf(machine), sealText({ signed, heartbeat: latest(signed, isSame ? held.heartbeat : undefined, heartbeat, now) }));
    const { version } = signed.statement;
    const least = { version, hash: hashStatement(signed.statement) };
    keep(pinFile(machine), `${JSON.stringify({ ...followed, least })}\n`);
    return { is: isSame ? "current" : "changed", version };
  }
  if (held === undefined || whyNotPinned(held.signed, pin) !== undefined) {
    if (why === undefined && before === NO_TEAM_POLICY && pin.least.version === 0) {
      keep(pinFile(machine), `${JSON.stringify(followed)}\n`);
      return { is: "none" };
    }
    return { is: "kept", problem: problem.problem ?? "the policy is damaged here, and the server does not send it again" };
  }
  if (whyNotPinned(held.signed, followed) === undefined) keep(pinFile(machine), `${JSON.stringify(followed)}\n`);
  keep(fileOf(machine), sealText({ signed: held.signed, heartbeat: latest(held.signed, held.heartbeat, heartbeat, now) }));
  return { is: why === undefined ? "current" : "kept", version: held.signed.statement.version, ...problem };
}

function keep(file: string, text: string): void {
  if (readText(file, MOST) !== text) writeAtomic(file, text);
}

/**
 * The heartbeat that is kept: a newer one, once it extends the time by a good part, so that the file changes seldom. One of a time that
 * has not come is none: a server could say them for years to come.
 */
function latest(
  signed: Signed<PolicyVersion>,
  held: Signed<PolicyHeartbeat> | undefined,
  come: Signed<PolicyHeartbeat> | undefined,
  now: number,
): Signed<PolicyHeartbeat> | undefined {
  if (come === undefined) return held;
  const [before, after] = [spanOf({ signed, heartbeat: held }), spanOf({ signed, heartbeat: come })];
  const { expires, made } = signed.statement;
  const step = expires === null ? 0 : Math.min((Date.parse(expires) - Date.parse(made)) / 10, LONGEST_STEP_MS);
  // The clock was set back since: only what is said now counts.
  if (now < before.since) return after.since <= now ? come : held;
  return after.since <= now && after.until >= before.until + step ? come : held;
}
