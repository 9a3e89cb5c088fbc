import { closeSync, constants, fstatSync, openSync, statSync } from "node:fs";
import { SELF_TEST, SELF_TEST_COMMANDS } from "@assent/core/data";
import { linkOf } from "./chain.ts";
import { bytesOf, filesOfLog } from "./files.ts";
import { readRecord, type LogEntry } from "./read.ts";
import { isoTime } from "./time.ts";

/** Which records are wanted. All that is given must hold. */
export interface Query {
  /** Milliseconds since 1970. */
  readonly since?: number;
  readonly agent?: string;
  readonly session?: string;
  /** Refused: by the verdict, or by what the host was told. */
  readonly denied?: boolean;
  /** A program that the request would have started. */
  readonly command?: string;
  /** What concerns a person: not what runs were allowed without a question. */
  readonly brief?: boolean;
}

export interface FoundRecord {
  /** The line as it is stored, without the line break. */
  readonly line: string;
  readonly entry: LogEntry;
}

const CHUNK = 4 << 20;
const BREAK = 0x0a;

/** Matching records, oldest first. A part of a file is held at a time. */
export function* query(folder: string, wanted: Query): Generator<FoundRecord> {
  for (const file of filesSince(folder, wanted.since)) yield* inFile(file, wanted);
}

/** The last `count` matching records, oldest first. Reads backwards, and only as far as it must. */
export function lastOf(folder: string, wanted: Query, count: number): readonly FoundRecord[] {
  const found: FoundRecord[] = [];
  for (const file of filesSince(folder, wanted.since).toReversed()) {
    if (found.length >= count) break;
    const parts: FoundRecord[] = [];
    for (const part of backwards(file)) {
      parts.unshift(...matching(part, wanted));
      if (found.length + parts.length >= count) break;
    }
    found.unshift(...parts);
  }
  return count === 0 ? [] : found.slice(-count);
}

function filesSince(folder: string, since: number | undefined): readonly string[] {
  const files = filesOfLog(folder).map((name) => `${folder}/${name}`);
  // A file's last record is as old as its last change.
  return files.filter((file) => {
    const stats = statSync(file, { throwIfNoEntry: false });
    return stats?.isFile() === true && (since === undefined || stats.mtimeMs >= since);
  });
}

const open = (file: string): number => openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);

function* inFile(file: string, wanted: Query): Generator<FoundRecord> {
  const descriptor = open(file);
  try {
    const { size } = fstatSync(descriptor);
    let rest: Buffer = Buffer.alloc(0);
    for (let at = wanted.since === undefined ? 0 : startOf(descriptor, size, wanted.since); at < size; at += CHUNK) {
      const bytes = Buffer.concat([rest, bytesOf(descriptor, at, Math.min(size, at + CHUNK))]);
      const end = bytes.lastIndexOf(BREAK) + 1;
      yield* matching(bytes.subarray(0, end), wanted);
      rest = bytes.subarray(end);
    }
  } finally {
    closeSync(descriptor);
  }
}

/** Parts of whole lines, the last first. */
function* backwards(file: string): Generator<Buffer> {
  const descriptor = open(file);
  try {
    let { size: to } = fstatSync(descriptor);
    let rest: Buffer = Buffer.alloc(0);
    while (to > 0) {
      const from = Math.max(0, to - CHUNK);
      const bytes = Buffer.concat([bytesOf(descriptor, from, to), rest]);
      const start = from === 0 ? 0 : bytes.indexOf(BREAK) + 1;
      // No line break in all of it: a longer part.
      if (start === 0 && from > 0) rest = bytes;
      else {
        yield bytes.subarray(start, bytes.lastIndexOf(BREAK) + 1);
        rest = bytes.subarray(0, start);
      }
      to = from;
    }
  } finally {
    closeSync(descriptor);
  }
}

const TIME_BYTES = 64;
const ROUGHLY = 1 << 16;

/** An offset before the first record that is not older than `since`. Records lie in the order in which they were written, nearly. */
function startOf(descriptor: number, size: number, since: number): number {
  let low = 0;
  let high = size;
  while (high - low > ROUGHLY) {
    const middle = Math.floor((low + high) / 2);
    const bytes = bytesOf(descriptor, middle, Math.min(size, middle + ROUGHLY));
    const start = bytes.indexOf(BREAK) + 1;
    const time = timeIn(bytes.toString("latin1", start, start + TIME_BYTES));
    // A minute earlier: who waits for the lock writes a little later than he judged.
    if (time === undefined || time >= isoTime(since - 60_000)) high = middle;
    else low = middle;
  }
  if (low === 0) return 0;
  const bytes = bytesOf(descriptor, low, Math.min(size, low + ROUGHLY));
  return low + bytes.indexOf(BREAK) + 1;
}

const timeIn = (start: string): string | undefined => /^\{"v":1,"time":"([\dTZ:.+-]{24,32})"/.exec(start)?.[1];

function* matching(lines: Buffer, wanted: Query): Generator<FoundRecord> {
  const least = wanted.since === undefined ? "" : isoTime(wanted.since);
  for (const line of candidates(lines, wanted)) {
    // Anybody can write a line; a decision is a record of the chain.
    if (linkOf(line) === undefined) continue;
    const text = line.toString("utf8");
    const entry = readRecord(text);
    if (entry !== undefined && entry.time >= least && isWanted(entry, wanted)) yield { line: text, entry };
  }
}

/** What is wanted, but for the time. */
/** `assent doctor` tried a hook: whoever names its session sees it, as no agent wanted it. */
const isOwnProbe = ({ session, subject }: LogEntry): boolean =>
  session === SELF_TEST && Object.values<string>(SELF_TEST_COMMANDS).includes(subject);

export function isWanted(entry: LogEntry, { agent, session, denied, command, brief }: Query): boolean {
  if (brief === true && entry.point === "run" && entry.answer === "allow" && entry.answered === "") return false;
  if (agent !== undefined && entry.agent !== agent && entry.subagent !== agent) return false;
  if (session !== undefined ? entry.session !== session : isOwnProbe(entry)) return false;
  if (denied === true && entry.verdict !== "deny" && entry.answer !== "deny") return false;
  return command === undefined || entry.programs.includes(command);
}

/** Lines that may match: reading a line as JSON costs a hundred times what it costs to find some bytes in it. */
function* candidates(lines: Buffer, { denied, agent, session, command }: Query): Generator<Buffer> {
  const text = denied === true ? '":"deny"' : (session ?? agent ?? command);
  // What is escaped in a line is not found by its bytes.
  if (text === undefined || (denied !== true && !/^[\w.:@-]+$/.test(text))) {
    yield* all(lines);
    return;
  }
  const needle = Buffer.from(text);
  for (let at = lines.indexOf(needle); at !== -1;) {
    const start = lines.lastIndexOf(BREAK, at) + 1;
    const end = lines.indexOf(BREAK, at);
    if (end === -1) return;
    yield lines.subarray(start, end);
    at = lines.indexOf(needle, end);
  }
}

function* all(lines: Buffer): Generator<Buffer> {
  for (let start = 0, end = lines.indexOf(BREAK); end !== -1; start = end + 1, end = lines.indexOf(BREAK, start))
    yield lines.subarray(start, end);
}
