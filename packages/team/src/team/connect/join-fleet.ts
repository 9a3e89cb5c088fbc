import { messageOf, type Machine } from "@assent/guard/state";
import { fleetFile, type FleetJoining, fleetMark, isFleetDue, readJoining, writeJoining } from "../fleet/index.ts";
import { joinByFleetFile, type Joined, newSecret } from "../join.ts";
import { membershipMark } from "../membership-mark.ts";
import { holdSending, type TeamSender } from "./sender.ts";

/** The first wait and the longest, where the server is away and where it says no; each wait is twice the one before. Milliseconds. */
const WAITS = { away: [10_000, 900_000], refused: [60_000, 6 * 3_600_000] } as const;
/** Who is killed while it tries is waited for no longer. */
const TRYING_MS = 300_000;

/**
 * Joins by root's file where this machine belongs to no team and it is time to try, and keeps what came of it. True: it belongs to one now.
 * Nobody waits for it, and it never throws.
 */
export async function joinFleetWhenDue(machine: Machine, by: TeamSender["by"]): Promise<boolean> {
  try {
    if (membershipMark(machine) !== "") return true;
    if (!isFleetDue(machine, Date.now())) return false;
    const held = holdSending(machine, by);
    if (held.is !== "held") return false;
    try {
      // Another process may have done it until now.
      return membershipMark(machine) !== "" || (isFleetDue(machine, Date.now()) && (await tryToJoin(machine)));
    } finally {
      held.close();
    }
  } catch {
    return false;
  }
}

async function tryToJoin(machine: Machine): Promise<boolean> {
  const mark = fleetMark(machine);
  const before = readJoining(machine);
  const at = Date.now();
  const known = before?.mark === mark && before.is !== "left" ? before : undefined;
  const tries = (known?.tries ?? 0) + 1;
  const trying: FleetJoining = {
    is: "trying",
    mark,
    // Who was let in and did not stay does not come back by the same one.
    secret: known !== undefined && known.is !== "refused" ? known.secret : newSecret(),
    tries,
    at,
    next: at + TRYING_MS,
    why: known?.why ?? "",
  };
  // Where it cannot be kept that it was tried, each hook would try it.
  if (writeJoining(machine, trying) !== undefined) return false;
  let joined: Joined;
  try {
    joined = await joinByFleetFile(machine, {});
  } catch (error) {
    joined = { is: "away", why: messageOf(error) };
  }
  if (joined.is === "joined") return true;
  const is = joined.is === "away" ? "away" : "refused";
  const [first, longest] = WAITS[is];
  // Not all machines at the same moment.
  const wait = Math.min(longest, first * 2 ** Math.min(tries - 1, 20)) * (0.75 + 0.5 * Math.random());
  const now = Date.now();
  writeJoining(machine, { ...trying, is, at: now, next: now + Math.round(Math.max(wait, joined.retryAfterMs ?? 0)), why: joined.why });
  return false;
}

/** A person took this machine out: it does not join by itself again, as long as root's file stays what it is. */
export function noteLeft(machine: Machine): void {
  const mark = fleetMark(machine);
  const now = Date.now();
  if (mark !== "") writeJoining(machine, { is: "left", mark, secret: "", tries: 0, at: now, next: now, why: "" });
}

/** How it goes with joining by root's file; undefined: there is none, or this machine belongs to a team. */
export interface FleetProgress {
  readonly file: string;
  readonly is: FleetJoining["is"] | "new";
  readonly tries: number;
  readonly why: string | undefined;
  /** When it is tried again; undefined: at the next hook call, or never. */
  readonly next: string | undefined;
}

/** For people: what root's file came to, where this machine belongs to no team. */
export function fleetProgress(machine: Machine): FleetProgress | undefined {
  const mark = fleetMark(machine);
  if (mark === "" || membershipMark(machine) !== "") return undefined;
  const file = fleetFile(machine);
  const joining = readJoining(machine);
  if (joining?.mark !== mark) return { file, is: "new", tries: 0, why: undefined, next: undefined };
  const { is, tries, why, next } = joining;
  const when = is === "left" || next <= Date.now() ? undefined : new Date(next).toISOString();
  return { file, is, tries, why: why === "" ? undefined : why, next: when };
}
