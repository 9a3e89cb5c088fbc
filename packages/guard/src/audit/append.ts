import { sha256 } from "@assent/core/data";
import { closeSync, constants, fchmodSync, fstatSync, linkSync, openSync, statSync, unlinkSync, writeSync } from "node:fs";
import { errorCode, openState, type Machine, withLock, writeAtomic } from "../state/index.ts";
import { chained, GENESIS, type Link, linkHash, linkOf } from "./chain.ts";
import {
  AUDIT_FILE,
  AUDIT_LOCK,
  baseFile,
  baseText,
  bytesOf,
  hasBegun,
  isSameFile,
  lastLinkOf,
  lastRecord,
  noteBeginning,
  readHead,
  segmentName,
  segments,
  unsentSegment,
  writeHead,
} from "./files.ts";
import { isoTime } from "./time.ts";

const FLAGS = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const DAY_MS = 86_400_000;
const NOTHING = new Uint8Array();
/** How far the head may lie behind before only the last record is followed. */
const MOST_BETWEEN = 4 << 20;

/** How much of the log is kept. */
export interface Keep {
  /** A file that would grow larger is put aside, and the next one begun. */
  readonly segmentBytes: number;
  /** Files put aside are removed, the oldest first, when they are older than this or larger together than this. */
  readonly days: number;
  readonly bytes: number;
  /** The log is sent somewhere: what was not sent yet does not grow too old. */
  readonly sent?: boolean;
}

export const KEEP: Keep = { segmentBytes: 32 << 20, days: 90, bytes: 4 * 2 ** 30 };
/** For those who do not know the policy. */
export const KEEP_UNSENT: Keep = { ...KEEP, sent: true };

/** Adds one line to the audit log and to its chain (docs/audit.md). Never throws: what went wrong is returned, and the decision stands. */
export function appendAudit(machine: Machine, line: string, keep: Keep = KEEP): string | undefined {
  return appendAll(machine, [line], keep);
}

/**
 * Writers take no lock, so none can be left behind, waited for, or guessed to be dead by a process id of another
 * namespace. A record is one write with O_APPEND. It follows the record that the head names and covers everything that
 * lies behind that one. Whoever finds that another came in between leaves the head as it was: the next record covers
 * both. Whoever is killed in here leaves at most a torn line, which the next record covers too.
 */
export function appendAll(machine: Machine, lines: readonly string[], keep: Keep): string | undefined {
  const state = openState(machine);
  if ("problem" in state) return state.problem;
  const { folder } = state;
  try {
    for (const line of lines) append(folder, line, keep);
    return undefined;
  } catch (error) {
    const code = errorCode(error);
    return `${folder}/${AUDIT_FILE} cannot be written: ${code === "ENOSPC" ? "the disk is full" : code}`;
  }
}

/** Where the next record goes: what it follows, and what lies between. */
interface LogEnd {
  readonly segment: number;
  readonly size: number;
  readonly link: Link;
  readonly between: Uint8Array;
  /** The log is not as its head says. */
  readonly lost?: "head-lost" | "begun-anew";
}

function append(folder: string, line: string, keep: Keep): void {
  const descriptor = openSync(`${folder}/${AUDIT_FILE}`, FLAGS, 0o600);
  try {
    const end = endOf(folder, descriptor);
    const next = end.lost === undefined ? end : write(folder, descriptor, end, note(end.lost));
    if (next.size > 0 && next.size + line.length > keep.segmentBytes) {
      if (rotate(folder, descriptor, next, line, keep)) return;
      // Another process was faster.
      if (!isSameFile(descriptor, `${folder}/${AUDIT_FILE}`)) return append(folder, line, keep);
    }
    write(folder, descriptor, next, line);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * The file's size, between two records: the kernel lets a size be seen that lies within a write, at the end of a page. A change
 * of mode waits for the lock that a write holds from its first byte to its last (Linux, fs/open.c: chmod_common), however long
 * that is; what has no line break behind it then was torn.
 */
function settledSize(descriptor: number): number {
  for (let seen = -1; ;) {
    const { size } = fstatSync(descriptor);
    if (size === 0 || size === seen || bytesOf(descriptor, size - 1, size)[0] === 0x0a) return size;
    fchmodSync(descriptor, 0o600);
    seen = size;
  }
}

function endOf(folder: string, descriptor: number): LogEnd {
  const head = readHead(folder);
  const size = settledSize(descriptor);
  if (head === undefined) return endWithoutHead(folder, descriptor, size);
  const aside = `${folder}/${segmentName(head.segment)}`;
  // First: of two files of one size the head may mean the older one.
  if (statSync(aside, { throwIfNoEntry: false }) !== undefined && !isSameFile(descriptor, aside)) {
    // Put aside; the head does not say so yet, or was written late, after others had been put aside as well.
    const { link, behind } = lastRecord(descriptor, size);
    const newest = segments(folder).at(-1) ?? head.segment;
    const segment = isSameFile(descriptor, `${folder}/${segmentName(newest)}`) ? newest : newest + 1;
    return { segment, size, link: link ?? lastLinkOf(`${folder}/${segmentName(segment - 1)}`) ?? head.link, between: behind };
  }
  if (size === head.size) return { ...head, between: NOTHING };
  if (size > head.size && size - head.size <= MOST_BETWEEN)
    return { segment: head.segment, size, link: head.link, between: bytesOf(descriptor, head.size, size) };
  const { link, behind } = lastRecord(descriptor, size);
  // Where the log was cut it is the head that is further: the gap in the numbers tells.
  return { segment: head.segment, size, link: link !== undefined && link.seq > head.link.seq ? link : head.link, between: behind };
}

function endWithoutHead(folder: string, descriptor: number, size: number): LogEnd {
  const full = segments(folder);
  const segment = (full.at(-1) ?? 0) + 1;
  if (size > 0 || full.length > 0) {
    // The head is written before the first record: another process may have done both since the head was looked for.
    if (readHead(folder) !== undefined) return endOf(folder, descriptor);
    const { link, behind } = lastRecord(descriptor, size);
    const before = full.at(-1);
    const last = link ?? (before === undefined ? undefined : lastLinkOf(`${folder}/${segmentName(before)}`));
    return { segment, size, link: last ?? GENESIS, between: behind, lost: "head-lost" };
  }
  const begun = hasBegun(folder);
  // The head is written before the note of the beginning: where that is there and the head still is not, the log was removed.
  const now = begun ? readHead(folder) : undefined;
  if (now !== undefined) return endOf(folder, descriptor);
  // First, so that a disk that has no room for it gets no record either.
  writeHead(folder, { segment, size, link: GENESIS });
  if (!begun) noteBeginning(folder, isoTime(Date.now()));
  return { segment, size, link: GENESIS, between: NOTHING, ...(begun ? { lost: "begun-anew" } : {}) };
}

const note = (log: string, more: object = {}): string => JSON.stringify({ v: 1, time: isoTime(Date.now()), log, ...more });

/** Writes the record, and the head where nobody came in between. Says where the next one goes. */
function write(folder: string, descriptor: number, end: LogEnd, line: string): LogEnd {
  const open = end.between.length > 0 && end.between.at(-1) !== 0x0a;
  const between = open ? Buffer.concat([end.between, Buffer.from("\n")]) : end.between;
  const record = chained({ ...end.link, seq: lastSeq(end) }, between, line);
  const bytes = Buffer.from(`${open ? "\n" : ""}${record.line}\n`);
  // A disk that is full takes a part: that is a torn line.
  if (writeSync(descriptor, bytes) !== bytes.length) throw Object.assign(new Error("ENOSPC"), { code: "ENOSPC" });
  const at = end.size + bytes.length;
  const isNext = bytesOf(descriptor, end.size, at).equals(bytes) && isSameFile(descriptor, `${folder}/${AUDIT_FILE}`);
  if (!isNext) return endOf(folder, descriptor);
  const head = { segment: end.segment, size: at, link: record.link };
  writeHead(folder, head);
  return { ...head, between: NOTHING };
}

/** The highest number so far: records that others wrote at the same moment may be among what lies between. */
function lastSeq({ link, between }: LogEnd): number {
  let seq = link.seq;
  const bytes = Buffer.from(between.buffer, between.byteOffset, between.byteLength);
  for (let from = 0, end = bytes.indexOf(0x0a); end !== -1; from = end + 1, end = bytes.indexOf(0x0a, from))
    seq = Math.max(seq, linkOf(bytes.subarray(from, end))?.link.seq ?? 0);
  return seq;
}

/**
 * Puts the full file aside, and writes the line into the next one; false where another process is about to. Under a lock,
 * which may be broken when its holder sleeps: the link fails for the second one, and a file is replaced only while it is
 * the one that was put aside.
 */
function rotate(folder: string, descriptor: number, end: LogEnd, line: string, keep: Keep): boolean {
  const done = withLock(`${folder}/${AUDIT_LOCK}`, 0, () => {
    const log = `${folder}/${AUDIT_FILE}`;
    if (!isSameFile(descriptor, log)) return false;
    // What lies behind the last record belongs to the same file as it.
    const closed = end.between.length === 0 ? end : write(folder, descriptor, end, note("rotated"));
    const aside = `${folder}/${segmentName(closed.segment)}`;
    try {
      linkSync(log, aside);
    } catch (error) {
      // Killed after this, before the next step.
      if (errorCode(error) !== "EEXIST" || !isSameFile(descriptor, aside)) return false;
    }
    if (!isSameFile(descriptor, log)) return false;
    writeAtomic(log, "");
    const { link } = lastRecord(descriptor, fstatSync(descriptor).size);
    const fresh = openSync(log, FLAGS, 0o600);
    try {
      const start = { segment: closed.segment + 1, size: 0, link: link ?? closed.link, between: NOTHING };
      prune(folder, fresh, write(folder, fresh, start, line), keep);
    } finally {
      closeSync(fresh);
    }
    return true;
  });
  return done === true;
}

/** Drops what is too old or too much. The chain says so before it is done, and where it begins from then on. */
function prune(folder: string, descriptor: number, end: LogEnd, keep: Keep): void {
  const full = segments(folder).map((segment) => ({ segment, ...statOf(`${folder}/${segmentName(segment)}`) }));
  let left = full.reduce((sum, { size }) => sum + size, end.size);
  const unsent = keep.sent === true ? unsentSegment(folder) : Infinity;
  const stays = full.findIndex(({ segment, size, changed }) => {
    if (left <= keep.bytes && (segment >= unsent || Date.now() - changed <= keep.days * DAY_MS)) return true;
    left -= size;
    return false;
  });
  const dropped = stays === -1 ? full : full.slice(0, stays);
  const last = dropped.at(-1);
  if (last === undefined) return;
  const link = followedBy(folder, last.segment, stays === -1 ? AUDIT_FILE : segmentName(last.segment + 1));
  if (link === undefined) return;
  const lost = last.segment >= unsent ? { unsent: true } : {};
  write(folder, descriptor, end, note("dropped", { through: { segment: last.segment, ...link }, ...lost }));
  writeAtomic(baseFile(folder), baseText({ segment: last.segment, link }));
  for (const { segment } of dropped) unlinkSync(`${folder}/${segmentName(segment)}`);
}

const LAST_ONES = 1 << 20;

/** The record of a file put aside that the next file goes on from: a process that was slow may have written behind it. */
function followedBy(folder: string, segment: number, nextName: string): Link | undefined {
  const next = firstRecord(`${folder}/${nextName}`);
  const descriptor = openSync(`${folder}/${segmentName(segment)}`, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const { size } = fstatSync(descriptor);
    const lines = bytesOf(descriptor, Math.max(0, size - LAST_ONES), size);
    for (let end = lines.lastIndexOf(0x0a); end > 0;) {
      const before = lines.lastIndexOf(0x0a, end - 1);
      const found = linkOf(lines.subarray(before + 1, end));
      if (found !== undefined && (next === undefined || linkHash(sha256, found.link.hash, NOTHING, next.body) === next.hash))
        return found.link;
      end = before;
    }
    return lastRecord(descriptor, size).link;
  } finally {
    closeSync(descriptor);
  }
}

function firstRecord(file: string): { readonly body: Buffer; readonly hash: string } | undefined {
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const bytes = bytesOf(descriptor, 0, Math.min(fstatSync(descriptor).size, LAST_ONES));
    const line = bytes.subarray(0, bytes.indexOf(0x0a));
    const found = linkOf(line);
    return found && { body: line.subarray(0, found.covered), hash: found.link.hash };
  } finally {
    closeSync(descriptor);
  }
}

function statOf(file: string): { readonly size: number; readonly changed: number } {
  const { size, mtimeMs } = statSync(file);
  return { size, changed: mtimeMs };
}
