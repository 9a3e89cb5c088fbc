import { closeSync, constants, fstatSync, openSync, statSync } from "node:fs";
import { type Link, linkOf } from "./chain.ts";
import { AUDIT_FILE, bytesOf, readBase, readHead, segmentName, segments } from "./files.ts";
import { linesBack, linesWith, type LogBlock, type LogFilter, matcherOf } from "./filter.ts";
import { readRecord, type LogEntry } from "./read.ts";
import { isoTime } from "./time.ts";

/**
 * Looking through a log of any size from its newest record back: by blocks, so that memory does not grow with the log, and
 * without an index. The chain numbers its records one after the other, so that a number is found by halving, as a time is.
 */

/** Where a record lies. It keeps its place when the file is put aside. */
export interface LogPlace {
  /** Number of the file. */
  readonly segment: number;
  /** Its first byte. */
  readonly at: number;
}

export interface PlacedRecord {
  /** Its number in the chain. Two that were written at the same moment have the same. */
  readonly seq: number;
  readonly place: LogPlace;
  readonly entry: LogEntry;
}

/** A part of the log, the newest record first. */
export interface LogPage {
  readonly records: readonly PlacedRecord[];
  /** Where older ones lie; undefined: there is none. */
  readonly next?: LogPlace;
  /** How many bytes were looked through. */
  readonly read: number;
}

/** What there is. */
export interface LogExtent {
  /** Numbers of the oldest and the newest record; both 0 where there is none. */
  readonly first: number;
  readonly last: number;
  readonly bytes: number;
}

interface SegmentFile {
  readonly segment: number;
  readonly file: string;
}

const BREAK = 0x0a;
const FIRST_BLOCK = 1 << 18;
const LARGEST_BLOCK = 4 << 20;
/** What a probe reads: most lines are much shorter. */
const PROBE = 1 << 16;
/** Who waits to write does so a little later than he judged. */
const LATE_MS = 60_000;

/** The files of the log with their numbers, oldest first. */
function segmentFiles(folder: string): readonly SegmentFile[] {
  const full = segments(folder).map((segment) => ({ segment, file: `${folder}/${segmentName(segment)}` }));
  const last = full.at(-1);
  const log = `${folder}/${AUDIT_FILE}`;
  const current = statSync(log, { throwIfNoEntry: false });
  if (current === undefined) return full;
  const aside = last && statSync(last.file, { throwIfNoEntry: false });
  // It has its next name already.
  if (aside !== undefined && aside.ino === current.ino && aside.dev === current.dev) return full;
  const segment = (last?.segment ?? readBase(folder)?.segment ?? (readHead(folder)?.segment ?? 1) - 1) + 1;
  return [...full, { segment, file: log }];
}

/** A file that is open; undefined where it is gone. What was `audit.jsonl` a moment ago may have been put aside since. */
function openSegment(folder: string, { segment, file }: SegmentFile): number | undefined {
  for (const path of [`${folder}/${segmentName(segment)}`, file]) {
    try {
      return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    } catch {
      // The next name.
    }
  }
  return undefined;
}

function withSegment<T>(folder: string, file: SegmentFile, otherwise: T, work: (descriptor: number, size: number) => T): T {
  const descriptor = openSegment(folder, file);
  if (descriptor === undefined) return otherwise;
  try {
    const stats = fstatSync(descriptor);
    return stats.isFile() ? work(descriptor, stats.size) : otherwise;
  } finally {
    closeSync(descriptor);
  }
}

/** How far the log goes. A few small reads. */
export function logExtent(folder: string): LogExtent {
  const files = segmentFiles(folder);
  let bytes = 0;
  for (const { file } of files) bytes += statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  const last = files.reduceRight(
    (found, file) => found ?? withSegment(folder, file, undefined, lastLink)?.seq,
    undefined as number | undefined,
  );
  const first = files.reduce(
    (found, file) => found ?? withSegment(folder, file, undefined, (descriptor, size) => linkFrom(descriptor, 0, size, true)?.link.seq),
    undefined as number | undefined,
  );
  return { first: first ?? 0, last: last ?? 0, bytes };
}

function lastLink(descriptor: number, size: number): Link | undefined {
  for (const block of blocksBack(descriptor, size)) {
    for (const { line } of linesBack(block)) {
      const found = linkOf(line);
      if (found !== undefined) return found.link;
    }
  }
  return undefined;
}

/** The first whole record at or after an offset. `whole`: a line begins there. */
function linkFrom(
  descriptor: number,
  from: number,
  size: number,
  whole: boolean,
): { readonly link: Link; readonly at: number; readonly time: string | undefined } | undefined {
  for (let span = PROBE; ; span *= 4) {
    const bytes = bytesOf(descriptor, from, Math.min(size, from + span));
    let start = whole ? 0 : bytes.indexOf(BREAK) + 1;
    for (let end = start === 0 && !whole ? -1 : bytes.indexOf(BREAK, start); end !== -1; end = bytes.indexOf(BREAK, start)) {
      const line = bytes.subarray(start, end);
      const found = linkOf(line);
      if (found !== undefined) return { link: found.link, at: from + start, time: timeIn(line) };
      start = end + 1;
    }
    if (from + span >= size) return undefined;
  }
}

const timeIn = (line: Buffer): string | undefined => /^\{"v":1,"time":"([\dTZ:.+-]{24,32})"/.exec(line.toString("latin1", 0, 64))?.[1];

/** A place behind every record that `isBefore` holds for, and not far behind it, in a log that is in order. */
function placeBehind(
  folder: string,
  isBefore: (record: { readonly link: Link; readonly time: string | undefined }) => boolean,
): LogPlace | undefined {
  const files = segmentFiles(folder);
  const index = files.findLastIndex((file) =>
    withSegment(folder, file, false, (descriptor, size) => {
      const found = linkFrom(descriptor, 0, size, true);
      return found !== undefined && isBefore(found);
    }),
  );
  const file = files[index];
  if (file === undefined) return undefined;
  return withSegment(folder, file, undefined, (descriptor, size) => {
    let low = 0;
    let high = size;
    while (high - low > PROBE) {
      const middle = Math.floor((low + high) / 2);
      const found = linkFrom(descriptor, middle, size, false);
      if (found !== undefined && isBefore(found)) low = Math.max(middle, Math.min(found.at, high));
      else high = middle;
    }
    // What `high` leads to is after it; a line that goes across it may be before.
    const bytes = bytesOf(descriptor, high, Math.min(size, high + LARGEST_BLOCK));
    const end = high === size ? -1 : bytes.indexOf(BREAK);
    return { segment: file.segment, at: end === -1 ? size : high + end + 1 };
  });
}

/** How a page is read. */
export interface PageLimits {
  /** So many records at most. */
  readonly most: number;
  /** No further than this many bytes: whoever looks for what is rare goes on with `next`. */
  readonly bytes?: number;
  /** Only records with a greater number. */
  readonly after?: number;
}

/** The records before a place, or the newest of all. */
export function pageBefore(
  folder: string,
  before: LogPlace | undefined,
  filter: LogFilter,
  { most, bytes = Infinity, after = -1 }: PageLimits,
): LogPage {
  const records: PlacedRecord[] = [];
  const isWanted = matcherOf(filter);
  const least = filter.since === undefined ? "" : isoTime(filter.since);
  const farBefore = filter.since === undefined ? "" : isoTime(filter.since - LATE_MS);
  const start = startOf(folder, before, filter);
  let read = 0;
  let next: LogPlace | undefined;
  const readOne = (file: SegmentFile, to: number | undefined): "on" | "end" =>
    withSegment<"on" | "end">(folder, file, "on", (descriptor, size) => {
      for (const block of blocksBack(descriptor, Math.min(size, to ?? size))) {
        read += block.bytes.length;
        for (const { line, at } of isWanted.lines(block)) {
          const placed = placedRecord(line, { segment: file.segment, at });
          if (placed === undefined || placed.entry.time < least || placed.seq <= after || !isWanted.entry(placed.entry, line)) continue;
          records.push(placed);
          next = placed.place;
          if (records.length >= most) return "end";
        }
        next = { segment: file.segment, at: block.from };
        const oldest = oldestIn(block);
        if (oldest.time < farBefore || oldest.seq <= after) {
          next = undefined;
          return "end";
        }
        if (read >= bytes) return "end";
      }
      return "on";
    });
  const files = segmentFiles(folder).filter(({ segment }) => start === undefined || segment <= start.segment);
  for (const [left, file] of [...files.entries()].toReversed()) {
    if (readOne(file, file.segment === start?.segment ? start.at : undefined) === "end") break;
    if (left === 0) next = undefined;
  }
  return { records, ...(next === undefined ? {} : { next }), read };
}

const LATEST = "\uffff";

/** Number and time of a block's first record; the latest of all where it says none. */
function oldestIn({ bytes }: LogBlock): { readonly seq: number; readonly time: string } {
  for (let start = 0, end = bytes.indexOf(BREAK); end !== -1; start = end + 1, end = bytes.indexOf(BREAK, start)) {
    const line = bytes.subarray(start, end);
    const found = linkOf(line);
    if (found !== undefined) return { seq: found.link.seq, time: timeIn(line) ?? LATEST };
  }
  return { seq: Infinity, time: LATEST };
}

function startOf(folder: string, before: LogPlace | undefined, { until }: LogFilter): LogPlace | undefined {
  if (before !== undefined || until === undefined) return before;
  const late = isoTime(until + LATE_MS);
  return placeBehind(folder, ({ time }) => time !== undefined && time <= late);
}

/** The records whose numbers lie between two, the newest first. */
export function recordsBetween(folder: string, low: number, high: number): readonly PlacedRecord[] {
  const start = placeBehind(folder, ({ link }) => link.seq <= high);
  if (start === undefined) return [];
  const found: PlacedRecord[] = [];
  for (const file of segmentFiles(folder).toReversed()) {
    if (file.segment > start.segment) continue;
    const done = withSegment(folder, file, false, (descriptor, size) => {
      for (const block of blocksBack(descriptor, file.segment === start.segment ? Math.min(size, start.at) : size)) {
        for (const { line, at } of linesBack(block)) {
          const seq = linkOf(line)?.link.seq;
          if (seq === undefined || seq > high) continue;
          if (seq < low) return true;
          const placed = placedRecord(line, { segment: file.segment, at });
          if (placed !== undefined) found.push(placed);
        }
      }
      return false;
    });
    if (done) break;
  }
  return found;
}

/** A file of the log, by its number. */
export interface LogSegment {
  readonly segment: number;
  readonly size: number;
  /** Milliseconds since 1970: no record of it is younger. */
  readonly changed: number;
}

/** The files of the log, the newest first. */
export function logSegments(folder: string): readonly LogSegment[] {
  return segmentFiles(folder)
    .toReversed()
    .flatMap(({ segment, file }) => {
      const stats = statSync(file, { throwIfNoEntry: false });
      return stats?.isFile() === true ? [{ segment, size: stats.size, changed: stats.mtimeMs }] : [];
    });
}

/** Decisions from a place on, oldest first, a part at a time, and where to go on; none where nothing was added. */
export function entriesFrom(
  folder: string,
  { segment, at }: LogPlace,
  most = FIRST_BLOCK,
): { readonly entries: readonly LogEntry[]; readonly next: number } {
  const file = segmentFiles(folder).find((one) => one.segment === segment);
  const none = { entries: [], next: at };
  if (file === undefined) return none;
  return withSegment<{ readonly entries: readonly LogEntry[]; readonly next: number }>(folder, file, none, (descriptor, size) => {
    for (let span = most; ; span *= 4) {
      const bytes = bytesOf(descriptor, at, Math.min(size, at + span));
      const end = bytes.lastIndexOf(BREAK) + 1;
      if (end === 0 && at + span < size) continue;
      const lines = [...linesBack({ bytes: bytes.subarray(0, end), from: at })].toReversed();
      const entries = lines.flatMap(({ line }) => (linkOf(line) === undefined ? [] : (readRecord(line.toString("utf8")) ?? [])));
      return { entries, next: at + end };
    }
  });
}

/** How much of what happened lately is looked at, for whoever looks again and again. */
const GLANCE_BYTES = 1 << 18;
const MOST_GLANCED = 99;

/** Decisions since a time, of the two kinds that a person wants to hear of. */
export interface LogGlance {
  readonly refused: number;
  readonly confined: number;
  /** There may be more: the end of the log was looked at, and no more. */
  readonly more: boolean;
}

/** Counts what was refused and what went ahead confined since a time. One small read or two, however large the log is. */
export function glanceAtLog(folder: string, since: number): LogGlance {
  const least = isoTime(since);
  const files = segmentFiles(folder);
  let [refused, confined] = [0, 0];
  let left = GLANCE_BYTES;
  for (const file of files.slice(-2).toReversed()) {
    const block = withSegment(folder, file, undefined, (descriptor, size) => endOf(descriptor, size, left));
    if (block === undefined) break;
    left -= block.bytes.length;
    refused += countIn(block, '":"deny"', least, ({ verdict, answer }) => verdict === "deny" || answer === "deny");
    confined += countIn(block, '"confined":true', least, (entry) => entry.confined === "yes");
    const isWhole = oldestIn(block).time < least || (block.from === 0 && file === files[0]);
    if (isWhole) return { refused, confined, more: refused >= MOST_GLANCED || confined >= MOST_GLANCED };
    // Only a file that was begun just now has another before it that counts.
    if (block.from > 0) break;
  }
  return { refused, confined, more: files.length > 0 };
}

function endOf(descriptor: number, size: number, most: number): LogBlock {
  const from = Math.max(0, size - most);
  const bytes = bytesOf(descriptor, from, size);
  const start = from === 0 ? 0 : bytes.indexOf(BREAK) + 1;
  return { bytes: bytes.subarray(start, Math.max(start, bytes.lastIndexOf(BREAK) + 1)), from: from + start };
}

function countIn(block: LogBlock, needle: string, least: string, isOne: (entry: LogEntry) => boolean): number {
  let sum = 0;
  for (const { line } of linesWith(block, Buffer.from(needle))) {
    const entry = linkOf(line) === undefined ? undefined : readRecord(line.toString("utf8"));
    if (entry !== undefined && entry.time >= least && isOne(entry)) sum += entry.count;
    if (sum >= MOST_GLANCED) break;
  }
  return sum;
}

/** The line of the record at a place, as it is stored. Undefined: there is no such record, or it is kept no more. */
export function lineAt(folder: string, place: LogPlace): string | undefined {
  const file = segmentFiles(folder).find(({ segment }) => segment === place.segment);
  if (file === undefined) return undefined;
  return withSegment(folder, file, undefined, (descriptor, size) => {
    if (!Number.isSafeInteger(place.at) || place.at < 0 || place.at >= size) return undefined;
    // A place within a line is none.
    if (place.at > 0 && bytesOf(descriptor, place.at - 1, place.at)[0] !== BREAK) return undefined;
    const bytes = bytesOf(descriptor, place.at, Math.min(size, place.at + LARGEST_BLOCK));
    const line = bytes.subarray(0, Math.max(0, bytes.indexOf(BREAK)));
    return linkOf(line) === undefined ? undefined : line.toString("utf8");
  });
}

/** Anybody can write a line; a decision is a record of the chain. */
function placedRecord(line: Buffer, place: LogPlace): PlacedRecord | undefined {
  const found = linkOf(line);
  const entry = found && readRecord(line.toString("utf8"));
  return found && entry && { seq: found.link.seq, place, entry };
}

/** Parts of whole lines, the last first. What has no line break at the end is no line yet. */
function* blocksBack(descriptor: number, size: number): Generator<LogBlock> {
  let rest: Buffer = Buffer.alloc(0);
  let span = FIRST_BLOCK;
  for (let to = size; to > 0;) {
    const from = Math.max(0, to - span);
    const bytes = Buffer.concat([bytesOf(descriptor, from, to), rest]);
    const start = from === 0 ? 0 : bytes.indexOf(BREAK) + 1;
    // No line break in all of it: a longer part.
    if (start === 0 && from > 0) rest = bytes;
    else {
      const end = bytes.lastIndexOf(BREAK) + 1;
      if (end > start) yield { bytes: bytes.subarray(start, end), from: from + start };
      rest = bytes.subarray(0, start);
    }
    to = from;
    span = Math.min(span * 2, LARGEST_BLOCK);
  }
}
