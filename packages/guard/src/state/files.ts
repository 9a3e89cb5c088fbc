import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
  type Stats,
} from "node:fs";
import { attempt, parseObject, sha256 } from "@assent/core/data";

/** Code of a system error, else its message. */
export function errorCode(error: unknown): string {
  if (error instanceof Error) return ("code" in error && typeof error.code === "string" ? error.code : error.message) || error.name;
  return String(error);
}

/** What an error says; its name where it says nothing (an `AggregateError` of the network). */
export function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error);
  return text === "" ? "for no reason that is known" : text;
}

/** SHA-256 of a text, in hexadecimal digits. */
export const hexDigest = (text: string): string => sha256([Buffer.from(text)]).toString("hex");

/** The names in a folder; none where it cannot be read. */
export const namesIn = (folder: string): readonly string[] => attempt(() => readdirSync(folder), []);

/** A file that this user may run. */
export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

export type FileText =
  | { readonly is: "text"; readonly text: string; readonly stats: Stats }
  | { readonly is: "missing" }
  | { readonly is: "broken"; readonly why: string };

const WHY: Record<string, string> = { EACCES: "permission denied", ELOOP: "too many symbolic links", EISDIR: "is a directory" };

/**
 * The text of a regular file. Never blocks on a pipe, never reads more than `limit` bytes;
 * a directory, a device, an unreadable or an over-long file is broken, not missing.
 */
export function readRegular(path: string, limit: number): FileText {
  const found = readRegularBytes(path, limit);
  return found.is === "bytes" ? { is: "text", text: found.bytes.toString("utf8"), stats: found.stats } : found;
}

/** The text of a regular file; undefined where `readRegular` finds none. */
export function readText(path: string, limit: number): string | undefined {
  const found = readRegular(path, limit);
  return found.is === "text" ? found.text : undefined;
}

/** As `readRegular`, for what is no text. */
export function readRegularBytes(
  path: string,
  limit: number,
): Exclude<FileText, { readonly is: "text" }> | { readonly is: "bytes"; readonly bytes: Buffer; readonly stats: Stats } {
  let descriptor: number | undefined;
  try {
    if (statSync(path, { throwIfNoEntry: false }) === undefined) return { is: "missing" };
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    const stats = fstatSync(descriptor);
    if (stats.isDirectory()) return { is: "broken", why: "is a directory" };
    if (!stats.isFile()) return { is: "broken", why: "is not a regular file" };
    if (stats.size > limit) return { is: "broken", why: `is larger than ${limit} bytes` };
    const bytes = Buffer.allocUnsafe(stats.size);
    let length = 0;
    while (length < bytes.length) {
      const got = readSync(descriptor, bytes, length, bytes.length - length, null);
      if (got === 0) break;
      length += got;
    }
    return { is: "bytes", bytes: bytes.subarray(0, length), stats };
  } catch (error) {
    const code = errorCode(error);
    // A part of the path is a file: nothing lies below it.
    if (code === "ENOTDIR") return { is: "missing" };
    return { is: "broken", why: `cannot be read: ${WHY[code] ?? code}` };
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

const APPEND = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Adds to a file in one write, so that processes that do so at the same moment lose nothing. */
export function appendText(path: string, text: string): void {
  const descriptor = openSync(path, APPEND, 0o600);
  try {
    writeSync(descriptor, text);
  } finally {
    closeSync(descriptor);
  }
}

let counter = 0;

/** Replaces a file in one step, so that a reader sees the old text or the new one. */
export function writeAtomic(path: string, content: string | Uint8Array, mode = 0o600): void {
  counter += 1;
  // A process of another namespace may have the same number.
  const temporary = `${path}.${process.pid}.${counter}.${Math.random().toString(36).slice(2, 10)}`;
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const descriptor = openSync(temporary, flags, mode);
  try {
    fchmodSync(descriptor, mode);
    const bytes = typeof content === "string" ? Buffer.from(content) : content;
    for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at);
    closeSync(descriptor);
    renameSync(temporary, path);
  } catch (error) {
    unlinkSync(temporary);
    throw error;
  }
}

/** True when only this user can have written it. */
export function isOwn(stats: Stats, uid: number | undefined): boolean {
  return uid === undefined || (stats.uid === uid && (stats.mode & 0o022) === 0);
}

/** The JSON object in a file of this user's; undefined: there is none, it is something else, or others could have written it. */
export function readOwnObject(path: string, limit: number, uid: number | undefined): Readonly<Record<string, unknown>> | undefined {
  const found = readRegular(path, limit);
  return found.is === "text" && isOwn(found.stats, uid) ? parseObject(found.text) : undefined;
}

/** Gone already is fine. False: somebody else was faster, or it cannot be. */
export function removeFile(path: string): boolean {
  try {
    unlinkSync(path);
    return true;
  } catch {
    return false;
  }
}

/** Makes a private folder where it is missing. */
export function ensureFolder(path: string): void {
  for (const folder of missing(path).toReversed()) {
    try {
      mkdirSync(folder, { mode: 0o700 });
    } catch (error) {
      // Another process was faster.
      if (errorCode(error) !== "EEXIST") throw error;
    }
  }
}

/** The folder and those above it that are not there. (mkdirSync's own recursion never ends where nothing can be made, as in /proc.) */
function missing(path: string): readonly string[] {
  const found: string[] = [];
  for (let at = path; at !== "" && statSync(at, { throwIfNoEntry: false }) === undefined; at = at.slice(0, at.lastIndexOf("/")))
    found.push(at);
  return found;
}
