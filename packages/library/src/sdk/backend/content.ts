import { createHash, randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { joinPath } from "@assent/core/path";
import type { Pinned, Pinning } from "./pin.ts";
import { failure, type Failure } from "./result.ts";

/** Bytes of a file that is held; undefined beyond the limit. The file may grow meanwhile, the limit holds. */
export function readHeld(object: Pinned, limit: number, pinning: Pinning): Buffer | undefined {
  const fd = pinning.reopen(object, constants.O_RDONLY);
  try {
    const chunks: Buffer[] = [];
    let total = 0;
    const size = Math.min(fstatSync(fd).size, limit);
    for (let room = size + 1; ; room = 65_536) {
      const chunk = Buffer.allocUnsafe(room);
      const got = readSync(fd, chunk, 0, room, null);
      if (got === 0) return Buffer.concat(chunks);
      total += got;
      if (total > limit) return undefined;
      chunks.push(chunk.subarray(0, got));
    }
  } finally {
    closeSync(fd);
  }
}

export function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** The text of bytes in UTF-8; undefined where they are none. */
export function textOf(bytes: Buffer): string | undefined {
  if (bytes.subarray(0, 8192).includes(0)) return undefined;
  const text = bytes.toString("utf8");
  return Buffer.byteLength(text, "utf8") === bytes.length && Buffer.from(text, "utf8").equals(bytes) ? text : undefined;
}

/** Makes the missing folders below one that is held, each in the one just held, and holds the last. */
export function makeFolders(base: Pinned, names: readonly string[], pinning: Pinning): Pinned {
  let at = base;
  for (const name of names) {
    const path = pinning.at(at, name);
    try {
      mkdirSync(path);
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    }
    const expected = joinPath(at.path, name);
    let next: Pinned;
    try {
      next = pinning.pin(path, true);
    } finally {
      if (at !== base) at.close();
    }
    if (next.path !== expected) {
      next.close();
      throw new MovedError();
    }
    at = next;
  }
  return at;
}

/** What was judged lies somewhere else by now. */
export class MovedError extends Error {
  readonly code = "ESTALE";
}

/** Where new content goes: a name in a folder that is held, and what is there now. */
interface Destination {
  readonly folder: Pinned;
  readonly name: string;
  readonly object: Pinned | undefined;
}

/**
 * Puts new content in a file's place, in one step: readers see the old or the new. Mode and owner stay. A link that has
 * come into that place meanwhile is replaced, never followed.
 */
export function replaceHeld({ folder, name, object }: Destination, content: Uint8Array, pinning: Pinning): Failure | undefined {
  const temporary = pinning.at(folder, `.assent-${randomBytes(9).toString("hex")}`);
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const fd = openSync(temporary, flags, 0o666);
  let placed = false;
  try {
    if (object !== undefined) keepRights(fd, object);
    for (let at = 0; at < content.length;) at += writeSync(fd, content, at);
    const target = pinning.at(folder, name);
    const now = lstatSync(target, { throwIfNoEntry: false });
    const same =
      object === undefined
        ? now === undefined || now.isSymbolicLink()
        : now !== undefined && now.ino === object.stats.ino && now.dev === object.stats.dev;
    if (!same) return failure("changed", `'${name}' was replaced meanwhile; read it again`);
    if (!pinning.lies(folder)) throw new MovedError();
    renameSync(temporary, target);
    placed = true;
    return undefined;
  } finally {
    closeSync(fd);
    if (!placed) unlinkSync(temporary);
  }
}

function keepRights(fd: number, { stats }: Pinned): void {
  const own = fstatSync(fd);
  if (own.uid !== stats.uid || own.gid !== stats.gid) {
    try {
      fchownSync(fd, stats.uid, stats.gid);
    } catch {
      // Only root may give files away; what is written is then the writer's.
    }
  }
  fchmodSync(fd, stats.mode & 0o7777);
}
