import { closeSync, constants, fstatSync, openSync, renameSync, statSync, unlinkSync, writeSync } from "node:fs";
import { errorCode, openState, stateFolder, type Machine, withLock, writeAtomic } from "../state/index.ts";
import { chained, GENESIS, type Link } from "./chain.ts";
import {
  AUDIT_FILE,
  AUDIT_LOCK,
  baseFile,
  baseText,
  type Head,
  lastLinkOf,
  lastRecord,
  readHead,
  segmentName,
  segments,
  unsentSegment,
  writeHead,
} from "./files.ts";
import { isoTime } from "./time.ts";

const FLAGS = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const PATIENCE_MS = 5000;
const DAY_MS = 86_400_000;
const NOTHING = new Uint8Array();

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

/**
 * Adds one line to the audit log and to its chain (docs/audit.md). Whoever is killed in here leaves at most a torn line,
 * which the next record's hash covers. When the lock is not to be had, the line is written outside of the chain rather
 * than lost. Never throws: what went wrong is returned, and the decision stands.
 */
export function appendAudit(machine: Machine, line: string, keep: Keep = KEEP): string | undefined {
  const outcome = appendAll(machine, [line], keep, PATIENCE_MS);
  if (outcome !== "busy") return outcome;
  const folder = stateFolder(machine);
  try {
    writeLine(folder, `${line}\n`);
    return `another process holds ${folder}/${AUDIT_LOCK}: the decision is logged outside of the chain`;
  } catch (error) {
    return `${folder}/${AUDIT_FILE} cannot be written: ${errorCode(error)}`;
  }
}

/** As `appendAudit`, for lines that can wait: `busy` when the lock is not to be had for `patience` milliseconds, and nothing is written. */
export function appendAll(machine: Machine, lines: readonly string[], keep: Keep, patience: number): "busy" | (string & {}) | undefined {
  const state = openState(machine);
  if ("problem" in state) return state.problem;
  const { folder } = state;
  try {
    const done = withLock(`${folder}/${AUDIT_LOCK}`, patience, () => {
      for (const line of lines) append(folder, line, keep);
      return true;
    });
    return done === true ? undefined : "busy";
  } catch (error) {
    return `${folder}/${AUDIT_FILE} cannot be written: ${errorCode(error)}`;
  }
}

function writeLine(folder: string, text: string): void {
  const descriptor = openSync(`${folder}/${AUDIT_FILE}`, FLAGS, 0o600);
  try {
    writeSync(descriptor, text);
  } finally {
    closeSync(descriptor);
  }
}

/** Where the next record goes: what it follows, and what lies between. */
interface End {
  readonly segment: number;
  readonly size: number;
  readonly link: Link;
  readonly between: Uint8Array;
  /** The log is not as its head says. */
  readonly headLost: boolean;
}

/** Under the lock. */
function append(folder: string, line: string, keep: Keep): void {
  const descriptor = openSync(`${folder}/${AUDIT_FILE}`, FLAGS, 0o600);
  try {
    const end = endOf(folder, descriptor);
    const head = end.headLost ? add(folder, descriptor, end, note("head-lost")) : end;
    if (head.size > 0 && head.size + line.length > keep.segmentBytes) return rotate(folder, descriptor, head, line, keep);
    add(folder, descriptor, head, line);
  } finally {
    closeSync(descriptor);
  }
}

function endOf(folder: string, descriptor: number): End {
  const head = readHead(folder);
  const { size } = fstatSync(descriptor);
  if (head !== undefined && size === head.size) return { ...head, between: NOTHING, headLost: false };
  const full = segments(folder);
  if (head === undefined) {
    const segment = (full.at(-1) ?? 0) + 1;
    if (size === 0 && full.length === 0) return { segment, size, link: GENESIS, between: NOTHING, headLost: false };
    const { link, behind } = lastRecord(descriptor, size);
    return { segment, size, link: link ?? lastLinkBefore(folder, segment) ?? GENESIS, between: behind, headLost: true };
  }
  const { link, behind } = lastRecord(descriptor, size);
  return {
    // Killed after it was put aside, before the head said so.
    segment: full.includes(head.segment) ? head.segment + 1 : head.segment,
    size,
    // Killed between the record and the head. Where the log was cut it is the head that is further: the gap in the numbers tells.
    link: link !== undefined && link.seq > head.link.seq ? link : head.link,
    between: behind,
    headLost: false,
  };
}

function lastLinkBefore(folder: string, segment: number): Link | undefined {
  return segment === 1 ? undefined : lastLinkOf(`${folder}/${segmentName(segment - 1)}`);
}

const note = (log: string, more: object = {}): string => JSON.stringify({ v: 1, time: isoTime(Date.now()), log, ...more });

function add(folder: string, descriptor: number, end: Head & { readonly between?: Uint8Array }, line: string): Head {
  const open = end.between !== undefined && end.between.length > 0 && end.between.at(-1) !== 0x0a;
  const between = open ? Buffer.concat([end.between, Buffer.from("\n")]) : (end.between ?? NOTHING);
  const record = chained(end.link, between, line);
  const bytes = Buffer.from(`${open ? "\n" : ""}${record.line}\n`);
  // A disk that is full takes a part: that is a torn line, and the next one follows the same record.
  if (writeSync(descriptor, bytes) !== bytes.length) throw Object.assign(new Error("ENOSPC"), { code: "ENOSPC" });
  const head = { segment: end.segment, size: end.size + bytes.length, link: record.link };
  writeHead(folder, head);
  return head;
}

/** Puts the full file aside, and writes the line into the next one. */
function rotate(folder: string, full: number, head: Head & { readonly between?: Uint8Array }, line: string, keep: Keep): void {
  // What lies behind the last record belongs to the same file as it.
  const closed = head.between === undefined || head.between.length === 0 ? head : add(folder, full, head, note("rotated"));
  renameSync(`${folder}/${AUDIT_FILE}`, `${folder}/${segmentName(closed.segment)}`);
  const descriptor = openSync(`${folder}/${AUDIT_FILE}`, FLAGS, 0o600);
  try {
    const next = add(folder, descriptor, { segment: closed.segment + 1, size: 0, link: closed.link }, line);
    prune(folder, descriptor, next, keep);
  } finally {
    closeSync(descriptor);
  }
}

/** Drops what is too old or too much. The chain says so before it is done, and where it begins from then on. */
function prune(folder: string, descriptor: number, head: Head, keep: Keep): void {
  const full = segments(folder).map((segment) => ({ segment, ...statOf(`${folder}/${segmentName(segment)}`) }));
  let left = full.reduce((sum, { size }) => sum + size, head.size);
  const unsent = keep.sent === true ? unsentSegment(folder) : Infinity;
  const stays = full.findIndex(({ segment, size, changed }) => {
    if (left <= keep.bytes && (segment >= unsent || Date.now() - changed <= keep.days * DAY_MS)) return true;
    left -= size;
    return false;
  });
  const dropped = stays === -1 ? full : full.slice(0, stays);
  const last = dropped.at(-1);
  if (last === undefined) return;
  const link = lastLinkOf(`${folder}/${segmentName(last.segment)}`);
  if (link === undefined) return;
  const base = { segment: last.segment, link };
  const lost = last.segment >= unsent ? { unsent: true } : {};
  add(folder, descriptor, head, note("dropped", { through: { segment: last.segment, ...link }, ...lost }));
  writeAtomic(baseFile(folder), baseText(base));
  for (const { segment } of dropped) unlinkSync(`${folder}/${segmentName(segment)}`);
}

function statOf(file: string): { readonly size: number; readonly changed: number } {
  const { size, mtimeMs } = statSync(file);
  return { size, changed: mtimeMs };
}
