import { fields } from "./files.ts";
import type { LogEntry } from "./read.ts";
import { isoTime } from "./time.ts";

const BREAK = 0x0a;

/** Which records are shown. All that is given must hold. */
export interface LogFilter {
  /** The verdict, or what the host was told, is one of these. */
  readonly verdicts?: readonly string[];
  /** True: it went ahead confined; false: it did not. */
  readonly confined?: boolean;
  readonly agent?: string;
  readonly session?: string;
  readonly point?: string;
  /** Somewhere in what the record says, in upper or lower case. */
  readonly text?: string;
  /** Milliseconds since 1970. */
  readonly since?: number;
  readonly until?: number;
}

/** Whole lines, and where in the file they begin. */
export interface LogBlock {
  readonly bytes: Buffer;
  readonly from: number;
}

/** A line, and its first byte in the file. */
export interface PlacedLine {
  readonly line: Buffer;
  readonly at: number;
}

/** All lines, the last first. */
export function* linesBack({ bytes, from }: LogBlock): Generator<PlacedLine> {
  for (let end = bytes.length - 1; end >= 0;) {
    const start = end === 0 ? 0 : bytes.lastIndexOf(BREAK, end - 1) + 1;
    yield { line: bytes.subarray(start, end), at: from + start };
    end = start - 1;
  }
}

/** The lines in which a text occurs, by its bytes: reading a line as JSON costs a hundred times what it costs to find some bytes in it. */
export function* linesWith({ bytes, from }: LogBlock, needle: Buffer): Generator<PlacedLine> {
  for (let at = bytes.lastIndexOf(needle); at !== -1;) {
    const start = at === 0 ? 0 : bytes.lastIndexOf(BREAK, at) + 1;
    yield { line: bytes.subarray(start, bytes.indexOf(BREAK, at)), at: from + start };
    if (start === 0) return;
    at = bytes.lastIndexOf(needle, start - 1);
  }
}

/** As `linesWith`, in upper or lower case. */
function* linesLike({ bytes, from }: LogBlock, pattern: RegExp): Generator<PlacedLine> {
  const text = bytes.toString("latin1");
  const starts: PlacedLine[] = [];
  pattern.lastIndex = 0;
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
    const start = found.index === 0 ? 0 : bytes.lastIndexOf(BREAK, found.index) + 1;
    const end = bytes.indexOf(BREAK, found.index);
    starts.push({ line: bytes.subarray(start, end), at: from + start });
    pattern.lastIndex = end + 1;
  }
  yield* starts.toReversed();
}

/** How records are looked for. */
export interface LogMatcher {
  /** Lines that may match, the last first. */
  lines(block: LogBlock): Iterable<PlacedLine>;
  entry(entry: LogEntry, line: Buffer): boolean;
}

/** Signs that stand in a line as they are. */
const PLAIN = /^[\w.:@/ -]+$/;

/** By the bytes that a line must hold, then by what it says. */
export function matcherOf({ verdicts, confined, agent, session, point, text, until }: LogFilter): LogMatcher {
  const most = until === undefined ? "\uffff" : isoTime(until);
  const wanted = text === undefined || text === "" ? undefined : text.toLowerCase();
  const entry = (found: LogEntry, line: Buffer): boolean =>
    found.time <= most &&
    (verdicts === undefined || verdicts.includes(found.verdict) || verdicts.includes(found.answer)) &&
    (confined === undefined || (found.confined === "yes") === confined) &&
    (agent === undefined || found.agent === agent || found.subagent === agent) &&
    (session === undefined || found.session === session) &&
    (point === undefined || found.point === point) &&
    (wanted === undefined || doesSay(line, wanted));
  const exact =
    [session, agent].find((one) => one !== undefined && PLAIN.test(one)) ??
    (verdicts?.length === 1 ? `":"${verdicts[0] ?? ""}"` : undefined);
  const longest = wanted?.match(/[\w.:@/ -]+/g)?.reduce((best, one) => (one.length > best.length ? one : best), "");
  // A record of a denial is rare, and found by one search of bytes.
  if (exact !== undefined) {
    const needle = Buffer.from(exact);
    return { lines: (block) => linesWith(block, needle), entry };
  }
  if (longest !== undefined && longest !== "") {
    const pattern = new RegExp(longest.replace(/[.\\/-]/g, "\\$&"), "gi");
    return { lines: (block) => linesLike(block, pattern), entry };
  }
  return { lines: linesBack, entry };
}

/** Whether any text in a record holds this one: not the names of its fields, and not its hash. */
function doesSay(line: Buffer, wanted: string): boolean {
  const { hash: _hash, ...rest } = fields(JSON.parse(line.toString("utf8")));
  return holds(rest, wanted);
}

function holds(value: unknown, wanted: string): boolean {
  if (typeof value === "string") return value.toLowerCase().includes(wanted);
  return typeof value === "object" && value !== null && Object.values(value).some((part) => holds(part, wanted));
}
