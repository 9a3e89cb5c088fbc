import { createHmac } from "node:crypto";
import { nextLogBatch, type LogPosition, type SpoolLine } from "@assent/guard/audit";
import { type Machine, stateFolder } from "@assent/guard/state";
import { type ServerAnswer, askServer } from "./client.ts";
import { lineSent, type SentLevel } from "./level.ts";
import { readMembership, readProgress, type TeamMembership, type TeamProgress, writeProgress } from "./membership.ts";
import {
  type ChainPoint,
  chainRecords,
  chainStart,
  isStorable,
  type LogRecord,
  LogTaken,
  MachineState,
  MESSAGE_LIMITS,
  PROTOCOL,
} from "./protocol/index.ts";

export interface TeamSend {
  readonly machine: Machine;
  readonly membership: TeamMembership;
  /** Goes on as decisions are made, until `ended`. */
  readonly follow: boolean;
  /** Resolves true when it is to end, false when the time is over. */
  readonly ended: (milliseconds: number) => Promise<boolean>;
  /** For people. */
  readonly notice: (text: string) => void;
}

export interface TeamSent {
  readonly records: number;
  /** Why not all of it was sent. */
  readonly problem?: string;
}

const RECORDS = 500;
/** Escapes make a message longer than its texts. */
const BYTES = MESSAGE_LIMITS.messageBytes / 4;
const POLL_MS = 1000;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 300_000;
/** A server that lets a machine begin anew more often in a row is none to go on with. */
const MOST_MOVES = 5;
/** To go back to, where a server has lost what it said it had. */
const MOST_MARKS = 200;

/**
 * Sends the log of this machine, in order, a batch at a time. The log itself is the spool. Who is killed in between sends
 * the same again: a record's salt follows from its number, so that it has the same hash, and the server has it once.
 */
export async function sendToTeam({ machine, membership, follow, ended, notice }: TeamSend): Promise<TeamSent> {
  let progress = readProgress(machine) ?? startOf(membership, 1, membership.from);
  let records = 0;
  let most = RECORDS;
  let pause = 0;
  let moves = 0;
  for (;;) {
    const tried = await sendNext(machine, membership, progress, most, notice);
    if (tried.is === "nothing") {
      if (!follow || (await ended(POLL_MS))) return { records };
      continue;
    }
    const { told, tooLarge } = tried;
    moves = told.is === "moved" ? moves + 1 : 0;
    const step = moves > MOST_MOVES ? CONTRADICTION : told;
    if (step.is === "again") {
      if (tooLarge && most > 1) {
        most = Math.ceil(most / 2);
        continue;
      }
      if (!follow) return { records, problem: step.why };
      if (pause === 0) notice(`${step.why}; the log keeps what is not sent`);
      pause = Math.min(LONGEST_PAUSE_MS, Math.max(FIRST_PAUSE_MS, pause * 2, step.pauseMs ?? 0));
      // Not all machines at the same moment.
      if (await ended(pause * (0.8 + 0.4 * Math.random()))) return { records, problem: step.why };
      continue;
    }
    if (step.notice !== undefined) notice(step.notice);
    if (pause > 0) notice("the server takes records again");
    pause = 0;
    most = RECORDS;
    if (step.is === "taken") records += tried.records;
    progress = step.progress;
    const problem = writeProgress(machine, progress);
    if (problem !== undefined) return { records, problem };
  }
}

type Tried =
  | { readonly is: "nothing" }
  | { readonly is: "tried"; readonly told: NextStep; readonly records: number; readonly tooLarge: boolean };

/** One batch of at most so many records. */
async function sendNext(
  machine: Machine,
  membership: TeamMembership,
  progress: TeamProgress,
  most: number,
  notice: TeamSend["notice"],
): Promise<Tried> {
  const folder = stateFolder(machine);
  const at = progress.marks.at(-1) ?? markAt(membership, progress.epoch, membership.from);
  let read = nextLogBatch(folder, at.place, { lines: most, bytes: BYTES });
  if (read.lines.length === 0) return { is: "nothing" };
  const agreed = await agreeOnLevel(machine, membership, progress.epoch, at);
  if (agreed.is === "again") return { is: "tried", told: agreed, records: 0, tooLarge: false };
  const { level } = agreed;
  if (agreed.most < read.lines.length) read = nextLogBatch(folder, at.place, { lines: agreed.most, bytes: BYTES });
  const { lines, next, lost } = read;
  if (lost > 0) notice(`${lost} records were dropped from the log before they could be sent`);
  const batch = lines.map((line, nth) => recordOf(line, level, membership.salt, progress.epoch, at.seq + nth + 1));
  const last = chainRecords(at, batch).at(-1);
  if (last === undefined) return { is: "nothing" };
  const asked = await sendBatch(membership, progress.epoch, at, batch, last.hash);
  const told = await whatNext(asked, membership, progress, { seq: last.seq, hash: last.hash, place: next, level });
  return { is: "tried", told, records: batch.length, tooLarge: asked.is === "refused" && asked.status === 413 };
}

type Agreed = { readonly is: "agreed"; readonly level: SentLevel; readonly most: number } | TryLater;

/**
 * The level of the next batch: the one that the machine's person wants. But what the server may have taken by the old one, before its
 * answer was lost, is sent by that once more, and no record beside it: by another level it would be another record under its number.
 */
async function agreeOnLevel(machine: Machine, membership: TeamMembership, epoch: number, at: Mark): Promise<Agreed> {
  const now = readMembership(machine);
  // Where it left meanwhile, no more than was said before.
  const wanted = (typeof now === "string" ? membership : now).level ?? "full";
  const before = at.level ?? "full";
  if (wanted === before) return { is: "agreed", level: wanted, most: RECORDS };
  const known = await askServer(membership, "GET", "/v1/machine", MachineState);
  if (known.is !== "answered") return notTaken(known);
  const { head } = known.message;
  const taken = head === undefined || head.epoch !== epoch ? 0 : head.seq - at.seq;
  return taken > 0 ? { is: "agreed", level: before, most: taken } : { is: "agreed", level: wanted, most: RECORDS };
}

const startOf = (membership: TeamMembership, epoch: number, place: LogPosition): TeamProgress => ({
  v: 1,
  epoch,
  marks: [markAt(membership, epoch, place)],
});

/** Where a chain begins. */
const markAt = ({ machine, level }: TeamMembership, epoch: number, place: LogPosition): Mark => ({
  ...chainStart(machine, epoch),
  place,
  ...(level === undefined ? {} : { level }),
});

type Mark = TeamProgress["marks"][number];
type TryLater = { readonly is: "again"; readonly why: string; readonly pauseMs?: number };
type NextStep = { readonly is: "taken" | "moved"; readonly progress: TeamProgress; readonly notice?: string } | TryLater;

async function whatNext(asked: ServerAnswer<LogTaken>, membership: TeamMembership, progress: TeamProgress, sent: Mark): Promise<NextStep> {
  if (asked.is !== "answered") return notTaken(asked);
  const { message } = asked;
  if (message.is === "damaged") return { is: "again", why: "the batch was damaged on its way" };
  if (message.is === "taken") {
    const { epoch, seq, hash } = message.head;
    // What it says it has must be what was sent.
    if (epoch !== progress.epoch || seq < sent.seq || (seq === sent.seq && hash !== sent.hash)) return CONTRADICTION;
    return { is: "taken", progress: { ...progress, marks: [...progress.marks, sent].slice(-MOST_MARKS) } };
  }
  const known = message.is === "gap" && message.head?.epoch === progress.epoch ? message.head.seq : -1;
  const left = progress.marks.filter(({ seq }) => seq <= known);
  if (left.length > 0 && left.length < progress.marks.length)
    return { is: "moved", progress: { ...progress, marks: left }, notice: "the server lacks records that it had: they are sent again" };
  // A new chain, behind all that the server knows of.
  const newest = await askServer(membership, "GET", "/v1/machine", MachineState);
  if (newest.is !== "answered") return notTaken(newest);
  const epoch = (newest.message.head?.epoch ?? 0) + 1;
  if (message.is === "gap")
    return {
      is: "moved",
      progress: startOf(membership, epoch, membership.from),
      notice: "the server lacks records that it had: all that is left of the log is sent again, as a new chain",
    };
  return {
    is: "moved",
    // From where it has come so far: what the server has of another way stays there, too.
    progress: startOf(membership, epoch, progress.marks.at(-1)?.place ?? membership.from),
    notice: `the server has other records of this machine from ${message.seq} on (a copy of this machine?): both are kept, and a new chain begins`,
  };
}

const CONTRADICTION: TryLater = { is: "again", why: "the server contradicts itself" };

function notTaken(asked: Exclude<ServerAnswer<unknown>, { readonly is: "answered" }>): TryLater {
  if (asked.is === "refused")
    return {
      is: "again",
      why: asked.status === 401 ? "the server does not know this machine any more: `assent team leave`, then join again" : asked.why,
    };
  const pause = asked.retryAfterMs === undefined ? {} : { pauseMs: asked.retryAfterMs };
  return { is: "again", why: `the server is away: ${asked.why}`, ...pause };
}

function sendBatch(
  membership: TeamMembership,
  epoch: number,
  { seq, hash }: ChainPoint,
  records: readonly LogRecord[],
  last: string,
): Promise<ServerAnswer<LogTaken>> {
  return askServer(membership, "POST", "/v1/log", LogTaken, { v: PROTOCOL, epoch, after: { seq, hash }, records, hash: last });
}

/** The line as it is in the log, its number and hash included where all of it is sent: so the two can be held against each other. */
function recordOf({ text, link }: SpoolLine, level: SentLevel, key: string, epoch: number, seq: number): LogRecord {
  const salt = createHmac("sha256", Buffer.from(key, "base64url"))
    .update(`${epoch}\n${seq}\n`)
    .digest()
    .subarray(0, 16)
    .toString("base64url");
  const body = lineSent(text, level);
  const fits = body !== undefined && Buffer.byteLength(body) <= MESSAGE_LIMITS.recordBytes && isStorable(body);
  return { salt, body: fits ? body : JSON.stringify({ v: 1, log: "not-sent", seq: link?.seq }) };
}
