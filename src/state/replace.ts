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
  unlinkSync,
  writeSync,
  type Stats,
} from "node:fs";
import { errorCode } from "./files.ts";

export type EditableText =
  | { readonly is: "text"; readonly text: string }
  | { readonly is: "missing" }
  | { readonly is: "broken"; readonly why: string };

type Outcome =
  | { readonly is: "done" }
  /** Somebody else changed the file meanwhile: read it again. */
  | { readonly is: "changed" }
  | { readonly is: "failed"; readonly why: string };

const failed = (why: string): Outcome => ({ is: "failed", why });

const WHY: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  ENOENT: "the folder does not exist",
  ENOTDIR: "a part of the path is no folder",
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
const PAUSE_MS = 10;

/**
 * Gives a file its next text in one step, if it still has the text `was` (undefined: if it does not exist yet).
 * The new text is written beside it, into `<path>.lock`: the lock that keeps two edits apart is what takes the file's
 * place. Mode and owner stay. `path` is canonical: a link in its last place is refused, not replaced.
 */
export function replaceFile(path: string, was: string | undefined, next: string, mode = 0o600): Outcome {
  const lock = `${path}.lock`;
  let descriptor: number | undefined;
  try {
    descriptor = openLock(lock);
    if (descriptor === undefined) return failed(`another edit holds ${lock}; if none is running, remove it`);
  } catch (error) {
    return failed(why(error));
  }
  // INVARIANT: once renamed, the name of the lock is free and may be another process's.
  let held = true;
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
    if (was !== undefined || !linked(lock, path)) {
      renameSync(lock, path);
      held = false;
    }
    syncFolder(path);
    return { is: "done" };
  } catch (error) {
    if (errorCode(error) === "EEXIST") return { is: "changed" };
    return failed(error instanceof RightsError ? error.message : why(error));
  } finally {
    closeSync(descriptor);
    if (held) release(lock);
  }
}

class RightsError extends Error {
  readonly code = "rights";
}

function openLock(lock: string): number | undefined {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  for (let waited = 0; waited <= PATIENCE_MS; waited += PAUSE_MS) {
    try {
      return openSync(lock, flags, 0o600);
    } catch (error) {
      if (errorCode(error) !== "EEXIST") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
  }
  return undefined;
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

function release(lock: string): void {
  try {
    unlinkSync(lock);
  } catch {
    // Gone with its folder.
  }
}

/** Gives a new file its name. A link fails where a rename would replace what has come meanwhile; false where there are no links. */
function linked(lock: string, path: string): boolean {
  try {
    linkSync(lock, path);
    return true;
  } catch (error) {
    if (["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"].includes(errorCode(error))) return false;
    throw error;
  }
}

function syncFolder(path: string): void {
  try {
    const folder = openSync(path.slice(0, path.lastIndexOf("/")) || "/", constants.O_RDONLY | constants.O_DIRECTORY);
    try {
      fsyncSync(folder);
    } finally {
      closeSync(folder);
    }
  } catch {
    // The file is in place; some file systems cannot promise more.
  }
}
