import { closeSync, constants, fstatSync, openSync, readdirSync, readSync, writeSync } from "node:fs";
import { errorCode, readRegular } from "../state/index.ts";
import { type Link, linkOf } from "./chain.ts";

/** What is written to now. Older records lie in `audit-000001.jsonl` and so on. */
export const AUDIT_FILE = "audit.jsonl";
export const AUDIT_LOCK = "audit.lock";
const HEAD_FILE = "audit.head";
const BASE_FILE = "audit.base";
/** How far the log has been sent (`export/position.ts`). */
export const EXPORTED_FILE = "audit.exported";

/** Where the log ends: what a cut tail is noticed by. */
export interface Head {
  /** The number that `audit.jsonl` gets when it is full. */
  readonly segment: number;
  /** Bytes of `audit.jsonl`. */
  readonly size: number;
  readonly link: Link;
}

/** Where the log begins, once old records were dropped: after the last record of this segment. */
export interface Base {
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
  const { segment } = readObject(`${folder}/${EXPORTED_FILE}`);
  return typeof segment === "number" ? segment : 1;
}

const HEAD_BYTES = 160;

export function readHead(folder: string): Head | undefined {
  const read = readObject(`${folder}/${HEAD_FILE}`);
  const { segment, size } = read;
  const link = readLink(read);
  return typeof segment === "number" && typeof size === "number" && link !== undefined ? { segment, size, link } : undefined;
}

/** In place and in one write: a process that is killed leaves the old head or the new one. */
export function writeHead(folder: string, { segment, size, link }: Head): void {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const descriptor = openSync(`${folder}/${HEAD_FILE}`, flags, 0o600);
  try {
    writeSync(descriptor, `${JSON.stringify({ segment, size, ...link }).padEnd(HEAD_BYTES - 1)}\n`, 0);
  } finally {
    closeSync(descriptor);
  }
}

export function readBase(folder: string): Base | undefined {
  const read = readObject(`${folder}/${BASE_FILE}`);
  const link = readLink(read);
  return typeof read["segment"] === "number" && link !== undefined ? { segment: read["segment"], link } : undefined;
}

export const baseText = ({ segment, link }: Base): string => `${JSON.stringify({ segment, ...link })}\n`;
export const baseFile = (folder: string): string => `${folder}/${BASE_FILE}`;

function readObject(file: string): Readonly<Record<string, unknown>> {
  const found = readRegular(file, 4096);
  if (found.is !== "text") return {};
  try {
    return fields(JSON.parse(found.text));
  } catch {
    return {};
  }
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
