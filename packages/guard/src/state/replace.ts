import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readSync,
  renameSync,
  writeSync,
  type Stats,
} from "node:fs";
import { parentOf } from "@assent/core/path";
import { errorCode, dropFile } from "./files.ts";
import { withLock } from "./lock.ts";

export type EditableText =
  | { readonly is: "text"; readonly text: string }
  | { readonly is: "missing" }
  | { readonly is: "broken"; readonly why: string };

type ReplaceOutcome =
  | { readonly is: "done" }
  /** Somebody else changed the file meanwhile: read it again. */
  | { readonly is: "changed" }
  | { readonly is: "failed"; readonly why: string };

const failed = (why: string): ReplaceOutcome => ({ is: "failed", why });

const WHY: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  ENOENT: "the folder does not exist",
  ENOTDIR: "a part of the path is not a folder",
};
const why = (error: unknown): string => WHY[errorCode(error)] ?? errorCode(error);

/** The text of a regular file that is to be changed. Bytes that are no UTF-8 would not survive: such a file is broken. */
export function readEditable(path: string, limit: number): EditableText {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return { is: "missing" };
    if (!stats.isFile()) return { is: "broken", why: stats.isDirectory() ? "is a directory" : "is not a regular file" };
    if (stats.size > limit) return { is: "broken", why: `is larger than ${limit} bytes` };
    const bytes = bytesOf(path);
    const text = bytes.toString("utf8");
    return Buffer.from(text, "utf8").equals(bytes) ? { is: "text", text } : { is: "broken", why: "is not valid UTF-8" };
  } catch (error) {
    if (errorCode(error) === "ENOTDIR") return { is: "missing" };
    return { is: "broken", why: `cannot be read: ${why(error)}` };
  }
}

function bytesOf(path: string): Buffer {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY);
  try {
    const bytes = Buffer.alloc(fstatSync(descriptor).size);
    let length = 0;
    for (let got = -1; got !== 0 && length < bytes.length; length += got)
      got = readSync(descriptor, bytes, length, bytes.length - length, null);
    return bytes.subarray(0, length);
  } finally {
    closeSync(descriptor);
  }
}

const PATIENCE_MS = 5000;

/**
 * Gives a file its next text in one step, if it still has the text `was` (undefined: if it does not exist yet).
 * `<path>.lock` keeps two edits apart; the new text is written beside the file and takes its place. Mode and owner stay.
 * `path` is canonical: a link in its last place is refused, not replaced.
 */
export function replaceFile(path: string, was: string | undefined, next: string, mode = 0o600): ReplaceOutcome {
  const lock = `${path}.lock`;
  try {
    return withLock(lock, PATIENCE_MS, () => replaceLocked(path, was, next, mode)) ?? failed(`another edit holds ${lock}`);
  } catch (error) {
    return failed(why(error));
  }
}

function replaceLocked(path: string, was: string | undefined, next: string, mode: number): ReplaceOutcome {
  const beside = `${path}.new-${process.pid}-${Math.random().toString(36).slice(2, 10)}`;
  let descriptor: number;
  try {
    descriptor = openSync(beside, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600);
  } catch (error) {
    return failed(why(error));
  }
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats?.isFile() === false) return failed("is not a regular file");
    keepRights(descriptor, stats, mode);
    const bytes = Buffer.from(next, "utf8");
    for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at);
    fsyncSync(descriptor);
    // As late as can be: an editor takes no lock.
    const now = stats === undefined ? undefined : bytesOf(path);
    if (was === undefined ? now !== undefined : now?.equals(Buffer.from(was, "utf8")) !== true) return { is: "changed" };
    if (was !== undefined || !linked(beside, path)) renameSync(beside, path);
    syncFolder(path);
    return { is: "done" };
  } catch (error) {
    if (errorCode(error) === "EEXIST") return { is: "changed" };
    return failed(error instanceof RightsError ? error.message : why(error));
  } finally {
    closeSync(descriptor);
    dropFile(beside);
  }
}

class RightsError extends Error {
  readonly code = "rights";
}

function keepRights(descriptor: number, old: Stats | undefined, mode: number): void {
  const own = fstatSync(descriptor);
  if (old !== undefined && (old.uid !== own.uid || old.gid !== own.gid)) {
    try {
      fchownSync(descriptor, old.uid, old.gid);
    } catch {
      throw new RightsError("its owner or group could not be kept");
    }
  }
  // After the owner: a change of owner takes mode bits away.
  fchmodSync(descriptor, old === undefined ? mode : old.mode & 0o7777);
}

/** Gives a new file its name. A link fails where a rename would replace what has come meanwhile; false where there are no links. */
function linked(beside: string, path: string): boolean {
  try {
    linkSync(beside, path);
    return true;
  } catch (error) {
    if (["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"].includes(errorCode(error))) return false;
    throw error;
  }
}

function syncFolder(path: string): void {
  try {
    const folder = openSync(parentOf(path), constants.O_RDONLY | constants.O_DIRECTORY);
    try {
      fsyncSync(folder);
    } finally {
      closeSync(folder);
    }
  } catch {
    // The file is in place; some file systems cannot promise more.
  }
}
