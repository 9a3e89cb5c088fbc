import { parseObject } from "@assent/core/data";
import { closeSync, constants, fstatSync, openSync, readdirSync, readSync, statSync, writeSync } from "node:fs";
import { errorCode, readRegular, writeAtomic } from "../state/index.ts";
import { type Link, linkOf } from "./chain.ts";

/** What is written to now. Older records lie in `audit-000001.jsonl` and so on. */
export const AUDIT_FILE = "audit.jsonl";
export const AUDIT_LOCK = "audit.lock";
const HEAD_FILE = "audit.head";
const BASE_FILE = "audit.base";
/** That there was a log: apart from its own files, so that it shows when all of these are gone. */
const BEGUN_FILE = "begun.json";
/** How far the log has been sent (`export/position.ts`). */
export const EXPORTED_FILE = "audit.exported";

/** Where the log ends: what a cut tail is noticed by. */
export interface LogHead {
  /** The number that `audit.jsonl` gets when it is full. */
  readonly segment: number;
  /** Bytes of `audit.jsonl`. */
  readonly size: number;
  readonly link: Link;
}

/** Where the log begins, once old records were dropped: after the last record of this segment. */
export interface LogBase {
  readonly segment: number;
  readonly link: Link;
}

export const segmentName = (segment: number): string => `audit-${String(segment).padStart(6, "0")}.jsonl`;

/** Numbers of the full segments, oldest first; none where nothing was logged yet. */
export function segments(folder: string): readonly number[] {
  return namesIn(folder)
    .flatMap((name) => /^audit-(\d{6,})\.jsonl$/.exec(name)?.[1] ?? [])
    .map(Number)
    .toSorted((a, b) => a - b);
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    // Any other failure is none of an empty log.
    if (errorCode(error) === "ENOENT") return [];
    throw error;
  }
}

/** The oldest segment of which something has not been sent yet; 1 as long as nothing was. */
export function unsentSegment(folder: string): number {
  const { segment } = readObject(`${folder}/${EXPORTED_FILE}`) ?? {};
  return typeof segment === "number" ? segment : 1;
}

const HEAD_BYTES = 192;
const HEAD_TRIES = 60;

/** Undefined where there is none, or where it is damaged. */
export function readHead(folder: string): LogHead | undefined {
  for (let tries = 0; tries < HEAD_TRIES; tries++) {
    const read = readObject(`${folder}/${HEAD_FILE}`);
    if (read === undefined) return undefined;
    const { segment, size, sum } = read;
    const link = readLink(read);
    if (typeof segment === "number" && typeof size === "number" && link !== undefined) {
      const head = { segment, size, link };
      // Heads of version 0.1.0 have no sum.
      if (sum === undefined || sum === sumOf(head)) return head;
    }
    // Read while it was written to: half of it is old.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Math.min(0.2 * (tries + 1), 4));
  }
  return undefined;
}

/** FNV-1a of what the head says: it tells a head that was half written, nothing else. */
function sumOf({ segment, size, link }: LogHead): number {
  let hash = 0x811c9dc5;
  for (const sign of `${segment} ${size} ${link.seq} ${link.hash}`) hash = Math.imul(hash ^ sign.charCodeAt(0), 0x01000193) >>> 0;
  return hash;
}

/** In place and in one write: a process that is killed leaves the old head or the new one. */
export function writeHead(folder: string, head: LogHead): void {
  const { segment, size, link } = head;
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const descriptor = openSync(`${folder}/${HEAD_FILE}`, flags, 0o600);
  try {
    writeSync(descriptor, `${JSON.stringify({ segment, size, ...link, sum: sumOf(head) }).padEnd(HEAD_BYTES - 1)}\n`, 0);
  } finally {
    closeSync(descriptor);
  }
}

/** Where the log ends now: what is written from now on begins there. */
export function endOfLog(folder: string): { readonly segment: number; readonly offset: number; readonly seq: number } {
  const head = readHead(folder);
  return head === undefined
    ? { segment: (segments(folder).at(-1) ?? 0) + 1, offset: 0, seq: 0 }
    : { segment: head.segment, offset: head.size, seq: head.link.seq };
}

export function readBase(folder: string): LogBase | undefined {
  const read = readObject(`${folder}/${BASE_FILE}`) ?? {};
  const link = readLink(read);
  return typeof read["segment"] === "number" && link !== undefined ? { segment: read["segment"], link } : undefined;
}

export const baseText = ({ segment, link }: LogBase): string => `${JSON.stringify({ segment, ...link })}\n`;
export const baseFile = (folder: string): string => `${folder}/${BASE_FILE}`;

/** Undefined where there is no such file. */
function readObject(file: string): Readonly<Record<string, unknown>> | undefined {
  const found = readRegular(file, 4096);
  if (found.is === "missing") return undefined;
  if (found.is !== "text") return {};
  return parseObject(found.text) ?? {};
}

/** When the log was begun (ISO 8601); undefined where nobody has noted it. */
export function beginningOf(folder: string): string | undefined {
  const { began } = readObject(`${folder}/${BEGUN_FILE}`) ?? {};
  return typeof began === "string" ? began : undefined;
}

export const hasBegun = (folder: string): boolean => statSync(`${folder}/${BEGUN_FILE}`, { throwIfNoEntry: false }) !== undefined;

export function noteBeginning(folder: string, time: string): void {
  writeAtomic(`${folder}/${BEGUN_FILE}`, `${JSON.stringify({ began: time })}\n`);
}

/** Whether a path leads to the file that is open. */
export function isSameFile(descriptor: number, path: string): boolean {
  const there = statSync(path, { throwIfNoEntry: false });
  const open = fstatSync(descriptor);
  return there !== undefined && there.ino === open.ino && there.dev === open.dev;
}

/** The names of all files of the log, oldest first. The one written to may have its next name already. */
export function filesOfLog(folder: string): readonly string[] {
  const full = segments(folder).map(segmentName);
  const last = full.at(-1);
  const [aside, log] = [last, AUDIT_FILE].map((name) => name && statSync(`${folder}/${name}`, { throwIfNoEntry: false }));
  const same = aside !== undefined && aside !== "" && log !== undefined && log !== "" && aside.ino === log.ino && aside.dev === log.dev;
  return same ? full : [...full, AUDIT_FILE];
}

export function fields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function readLink({ seq, hash }: Readonly<Record<string, unknown>>): Link | undefined {
  return typeof seq === "number" && typeof hash === "string" ? { seq, hash } : undefined;
}

/** The bytes of a file from `from` to `to`. */
export function bytesOf(descriptor: number, from: number, to: number): Buffer {
  const bytes = Buffer.allocUnsafe(Math.max(0, to - from));
  let length = 0;
  while (length < bytes.length) {
    const got = readSync(descriptor, bytes, length, bytes.length - length, from + length);
    if (got === 0) break;
    length += got;
  }
  return bytes.subarray(0, length);
}

const BREAK = 0x0a;
const TAIL_BYTES = 1 << 18;

/**
 * The last record of a file that was written up to `size`, and what lies behind it: torn lines, lines outside of the
 * chain. Without a record everything lies behind it.
 */
export function lastRecord(descriptor: number, size: number): { readonly link: Link | undefined; readonly behind: Buffer } {
  for (let span = TAIL_BYTES; ; span *= 4) {
    const from = Math.max(0, size - span);
    const bytes = bytesOf(descriptor, from, size);
    const found = lastIn(bytes, from === 0);
    if (found !== undefined) return found;
    if (from === 0) return { link: undefined, behind: bytes };
  }
}

function lastIn(bytes: Buffer, whole: boolean): { readonly link: Link; readonly behind: Buffer } | undefined {
  for (let end = bytes.lastIndexOf(BREAK); end !== -1;) {
    const before = end === 0 ? -1 : bytes.lastIndexOf(BREAK, end - 1);
    // The first line of a part may have begun before it.
    if (before === -1 && !whole) return undefined;
    const found = linkOf(bytes.subarray(before + 1, end));
    if (found !== undefined) return { link: found.link, behind: bytes.subarray(end + 1) };
    end = before;
  }
  return undefined;
}

/** The last record of a full segment. */
export function lastLinkOf(file: string): Link | undefined {
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    return lastRecord(descriptor, fstatSync(descriptor).size).link;
  } finally {
    closeSync(descriptor);
  }
}
