import { closeSync, constants } from "node:fs";
import { addressOf, alloc, cString, ERRNO, KernelError, O_CLOEXEC, O_PATH, pathBytes, RESOLVE, sys, SYSCALLS } from "../kernel/index.ts";
import { type ObjectStat, statAt, type StatText, statTextAt } from "./stat.ts";

/** What addresses were given out for, the last few: a collector does not know that an address is in use. */
const recent: Buffer[] = [];
const KEPT = 256;
let next = 0;

/** Keeps the buffer for the next calls; its address. */
export function lendAddress(buffer: Buffer): number {
  recent[next] = buffer;
  next = (next + 1) % KEPT;
  return addressOf(buffer);
}

/** Is told of every path that a system call gets by `cTextAddress` (try/looks.ts). */
export const watchedPaths: { see: ((text: string | Uint8Array) => void) | undefined } = { see: undefined };

/** The address of these bytes as a C string, for the next calls. A text is spelled as `pathBytes` does. */
export function cTextAddress(text: string | Uint8Array): number {
  watchedPaths.see?.(text);
  return lendAddress(cString(typeof text === "string" ? pathBytes(text) : text));
}

/** `/proc/self/fd/N`, through which a descriptor of O_PATH can be opened and changed. */
export const ownFdPath = (fd: number): number => cTextAddress(`/proc/self/fd/${fd}`);

/** Opens a folder of Assent's own, wherever its path leads. Throws where it cannot be opened. */
export function openOwnFolder(path: string): number {
  const fd = sys(
    SYSCALLS.openat,
    -100,
    cTextAddress(path),
    constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW | O_CLOEXEC,
    0,
  );
  if (fd < 0) throw new KernelError("openat", -fd);
  return fd;
}

/** A name in a folder that was reached without any symlink. */
export interface SafePlace {
  readonly parentFd: number;
  readonly name: Buffer;
  /** The name as a C string. */
  readonly nameAt: number;
  readonly path: string;
}

/**
 * Opens a path as recorded (canonical, absolute): a symlink that has come into it since is ELOOP.
 * A descriptor, or a negative errno.
 */
export function openSafe(path: string, flags: number): number {
  const text = cTextAddress(path === "" ? "/" : path);
  const how = alloc(24);
  how.writeBigUInt64LE(BigInt(flags | O_CLOEXEC), 0);
  // No symlink on the way, none in `/proc` that leads to an open file.
  how.writeBigUInt64LE(BigInt(RESOLVE.NO_SYMLINKS | RESOLVE.NO_MAGICLINKS), 16);
  return sys(SYSCALLS.openat2, -100, text, lendAddress(how), how.length);
}

/** Runs `action` in the folder of `path`; throws `KernelError` where that folder cannot be reached without symlinks. */
export function inFolder<T>(path: string, action: (place: SafePlace) => T): T {
  const slash = path.lastIndexOf("/");
  const parentFd = openSafe(path.slice(0, slash), O_PATH | constants.O_DIRECTORY);
  if (parentFd < 0) throw new KernelError("openat2", -parentFd);
  try {
    const name = pathBytes(path.slice(slash + 1));
    return action({ parentFd, name, nameAt: cTextAddress(name), path });
  } finally {
    closeSync(parentFd);
  }
}

/** What is at a path now; a negative errno: ENOENT, ENOTDIR, ELOOP where a symlink has come into the way. */
export function statSafe(path: string): ObjectStat | number {
  try {
    return inFolder(path, ({ parentFd, nameAt }) => statAt(parentFd, nameAt));
  } catch (error) {
    return error instanceof KernelError ? -error.errno : -ERRNO.EIO;
  }
}

/** Each character is a byte. */
const PLAIN = /^[ -~]{1,255}$/;

/** As `statSafe`, for many paths of a tree that holds still: the folder last looked into stays open. */
export class Looker {
  #folder: string | undefined;
  #fd = -1;
  readonly #name = alloc(256);
  readonly #nameAt = addressOf(this.#name);

  stat(path: string): StatText | number {
    const slash = path.lastIndexOf("/");
    const folder = path.slice(0, slash);
    if (folder !== this.#folder) {
      this.close();
      this.#folder = folder;
      this.#fd = openSafe(folder, O_PATH | constants.O_DIRECTORY);
    }
    return this.#fd < 0 ? this.#fd : this.#named(path.slice(slash + 1));
  }

  #named(text: string): StatText | number {
    if (PLAIN.test(text)) {
      this.#name[this.#name.write(text, "latin1")] = 0;
      return statTextAt(this.#fd, this.#nameAt);
    }
    const name = pathBytes(text);
    if (name.length > 255) return -ERRNO.ENAMETOOLONG;
    this.#name.set(name);
    this.#name[name.length] = 0;
    return statTextAt(this.#fd, this.#nameAt);
  }

  close(): void {
    if (this.#fd >= 0) closeSync(this.#fd);
    this.#folder = undefined;
    this.#fd = -1;
  }
}

/** Nothing is there. */
export const isMissing = (found: ObjectStat | number): boolean => found === -ERRNO.ENOENT || found === -ERRNO.ENOTDIR;

/** Pins what is at a place, whatever it is; a symlink itself. A descriptor or a negative errno. */
export function pin({ parentFd, nameAt }: SafePlace): number {
  return sys(SYSCALLS.openat, parentFd, nameAt, O_PATH | O_CLOEXEC | constants.O_NOFOLLOW, 0);
}

/** Text of a symlink as bytes, or a negative errno. */
export function readLinkAt({ parentFd, nameAt }: SafePlace): Buffer | number {
  const text = alloc(4097);
  const length = sys(SYSCALLS.readlinkat, parentFd, nameAt, lendAddress(text), 4096);
  return length < 0 ? length : text.subarray(0, length);
}
