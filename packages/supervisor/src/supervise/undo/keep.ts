import { closeSync, constants, openSync, readdirSync, readSync, writeSync } from "node:fs";
import { ensureFolder, removeFile } from "@assent/guard/state";
import {
  addressOf,
  alloc,
  AT_FDCWD,
  emulated,
  ERRNO,
  errnoOf,
  errorName,
  FCNTL,
  KernelError,
  lastingAddressOf,
  O_CLOEXEC,
  SIGNAL,
  sys,
  SYSCALLS,
} from "../kernel/index.ts";
import { cTextAddress, openOwnFolder, ownFdPath } from "./safe.ts";
import { type ObjectStat, statAt, statFd } from "./stat.ts";

/**
 * - `kept`: the call may be done; `record` is for `cancel`, where there is one.
 * - `ask`: nothing was recorded, the call cannot be undone, for `why`. A person may allow it: the same method again with
 *   `anyway`.
 * - neither: the store itself failed. The call must be refused, with `errno` and `why`.
 */
export type KeepResult =
  | { readonly kept: true; readonly record?: number; readonly undo?: Cancel }
  | { readonly kept: false; readonly ask: true; readonly why: string; readonly bytes: number }
  | { readonly kept: false; readonly ask: false; readonly why: string; readonly errno: number };

/** What `cancel` takes back besides the record. */
interface Cancel {
  /** Record of what a rename was about to replace. */
  readonly victim?: number;
  /** Name in `kept/`. */
  readonly key?: number;
}

/** Nothing to keep. */
export const NOTHING: KeepResult = { kept: true };

/** What must not be taken for "this cannot be linked": a copy would fail too. */
export const NO_ROOM = new Set<number>([ERRNO.ENOSPC, ERRNO.EDQUOT, ERRNO.EROFS, ERRNO.EIO, ERRNO.ENOMEM]);
export const unreadable = (result: number): boolean => result === -ERRNO.EACCES || result === -ERRNO.EPERM || result === -ERRNO.ELOOP;

/** A person is asked. */
export function askUnreadable(result: number, stat: ObjectStat): KeepResult {
  return { kept: false, ask: true, bytes: stat.size, why: `it cannot be read for a copy (${errorName(-result)})` };
}

/** The call is refused. */
export function refuseUnkept(result: number): KeepResult {
  const full = result === -ERRNO.ENOSPC || result === -ERRNO.EDQUOT;
  const why = full
    ? "the disk that holds Assent's records is full, so what it would destroy cannot be kept; make room, or run with --no-undo"
    : `what it would destroy cannot be kept (${errorName(-result)}); run with --no-undo to go on`;
  return { kept: false, ask: false, errno: -result, why };
}

/** The object is not the one that the plan was made for. */
export class Changed extends Error {}

/** The result of a system call that must not fail. */
export function requireSuccess(call: string, result: number): number {
  if (result < 0) throw new KernelError(call, -result);
  return result;
}

/** The undo's own store must keep what it replaces. */
export function requireKept(kept: KeepResult): KeepResult {
  if (!kept.kept) throw new Error(kept.why);
  return kept;
}

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = constants;
/** ioctl_ficlone(2) */
const FICLONE = 0x40049409;
const SEEK_DATA = 3;
const SEEK_HOLE = 4;
const lseekNumber = process.arch === "arm64" ? 62 : 8;
const CHUNK = 1 << 20;
/** Bytes: more are not read where the file system shares none, and tells no holes. */
const MOST_READ = 16 * 2 ** 30;

/** The folder `kept/` of a run: pre-images, named by number. All results: 0 or a positive number, else a negative errno. */
export class KeptFiles {
  readonly #fd: number;
  readonly #folder: string;
  readonly #name = alloc(24);
  readonly #nameAt = addressOf(this.#name);
  #next = 1;
  /** Bytes copied so far in this run. */
  copied = 0;

  /** Throws where the folder cannot be made. */
  constructor(folder: string) {
    ensureFolder(folder);
    this.#folder = folder;
    this.#fd = openOwnFolder(folder);
    // An undo that goes on where it was stopped.
    for (const name of readdirSync(folder)) this.#next = Math.max(this.#next, Number(name) + 1);
  }

  close(): void {
    closeSync(this.#fd);
  }

  /**
   * Gives the object `nameAt` in `parentFd` another name here (link(2)); its key, or a negative errno: EXDEV, EPERM
   * (protected_hardlinks, a file system without links), EMLINK. ESTALE: the name leads to another object than `stat`.
   */
  link(parentFd: number, nameAt: number, stat: ObjectStat): number {
    const key = this.#next;
    this.#name[this.#name.write(String(key), "latin1")] = 0;
    const result = sys(SYSCALLS.linkat, parentFd, nameAt, this.#fd, this.#nameAt, 0);
    if (result < 0) return result;
    this.#next += 1;
    const linked = statAt(this.#fd, this.#nameAt);
    if (typeof linked !== "number" && linked.id === stat.id) return key;
    this.drop(key);
    return -STALE;
  }

  /**
   * Somebody has the file open for writing: a lease on reading is not to be had then (fcntl(2), F_SETLEASE). Where the file
   * system or its owner knows no leases, that is not known, and said to be not so.
   */
  isWritten(parentFd: number, nameAt: number): boolean {
    const fd = sys(SYSCALLS.openat, parentFd, nameAt, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | 0o2000000, 0);
    if (fd < 0) return false;
    // What tells of a broken lease would otherwise be SIGIO, which ends a process.
    sys(SYSCALLS.fcntl, fd, FCNTL.SETSIG, SIGNAL.URG);
    const result = sys(SYSCALLS.fcntl, fd, FCNTL.SETLEASE, FCNTL.RDLCK);
    sys(SYSCALLS.close, fd);
    return result === -ERRNO.EAGAIN;
  }

  /**
   * Copies the bytes of a regular file, through `/proc/self/fd` so that O_PATH will do, as a reflink where the file system
   * can; its key, or a negative errno. Holes stay holes.
   */
  copy(fd: number, stat: ObjectStat): number {
    const source = reopen(fd);
    if (source < 0) return source;
    try {
      return this.#copyFrom(source, stat);
    } finally {
      closeSync(source);
    }
  }

  /** As `copy`, by name; a symlink is refused with ELOOP. */
  copyAt(parentFd: number, name: Uint8Array, stat: ObjectStat): number {
    const source = sys(SYSCALLS.openat, parentFd, cTextAddress(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | 0o2000000, 0);
    if (source < 0) return source;
    try {
      return this.#copyFrom(source, stat);
    } finally {
      closeSync(source);
    }
  }

  /** As `copyAt`, of a file that takes at most so many bytes, where it is no reflink. */
  copyAtMost(parentFd: number, name: Uint8Array, stat: ObjectStat, most: number): number | "too much" {
    const source = sys(SYSCALLS.openat, parentFd, cTextAddress(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | 0o2000000, 0);
    if (source < 0) return source;
    try {
      // What has come into its place may be anything: a pipe would never end.
      const now = statFd(source);
      if (typeof now === "number" || now.id !== stat.id) return -STALE;
      return this.#copyFrom(source, now, most);
    } finally {
      closeSync(source);
    }
  }

  #copyFrom(source: number, stat: ObjectStat): number;
  #copyFrom(source: number, stat: ObjectStat, most: number): number | "too much";
  #copyFrom(source: number, stat: ObjectStat, most = Number.POSITIVE_INFINITY): number | "too much" {
    const key = this.#next;
    if (emulated !== undefined && stat.size > 0) {
      if (emulated.clone(source, `${this.#folder}/${key}`)) {
        this.#next += 1;
        return key;
      }
      // Nobody knows where its holes are: all of it would be read.
      if (stat.size > most) return "too much";
      if (stat.size > MOST_READ) return -ERRNO.EFBIG;
    }
    let target: number;
    try {
      target = openSync(`${this.#folder}/${key}`, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    } catch (error) {
      return -numberOf(error);
    }
    this.#next += 1;
    let done = 0;
    let fits = true;
    try {
      fits = Math.min(stat.size, stat.allocated) <= most;
      done = fits ? cloneOrCopy(source, target, stat.size) : clone(source, target);
    } catch (error) {
      done = -numberOf(error);
    } finally {
      closeSync(target);
    }
    if (done < 0) {
      this.drop(key);
      return fits ? done : "too much";
    }
    this.copied += done;
    return key;
  }

  drop(key: number): void {
    // Else it stays until the run is pruned.
    removeFile(`${this.#folder}/${key}`);
  }
}

/** ESTALE, errno(3): the object is another one than it was. */
export const STALE = 116;

/** Errno of what `node:fs` threw. */
export function numberOf(error: unknown): number {
  if (emulated !== undefined) return errnoOf(error);
  return error instanceof Error && "errno" in error && typeof error.errno === "number" ? Math.abs(error.errno) : ERRNO.EIO;
}

/** Shares the bytes (reflink); 0, or a negative errno where the file system cannot. */
const clone = (source: number, target: number): number => sys(SYSCALLS.ioctl, target, FICLONE, source);

/** Fills the empty file `target`; bytes really copied (0 for a reflink), or a negative errno. */
export function cloneOrCopy(source: number, target: number, size: number): number {
  if (size === 0 || clone(source, target) === 0) return 0;
  let copied = 0;
  for (let at = 0; at < size;) {
    const data = sys(lseekNumber, source, at, SEEK_DATA);
    // No data after here: the rest is a hole.
    if (data === -ERRNO.ENXIO) break;
    const start = data < 0 ? at : data;
    const hole = data < 0 ? size : sys(lseekNumber, source, start, SEEK_HOLE);
    const end = hole < 0 ? size : Math.min(hole, size);
    if (end <= start) break;
    const done = copyRange(source, target, start, end);
    if (done < 0) return done;
    copied += done;
    if (done < end - start) break;
    at = end;
  }
  const result = sys(SYSCALLS.ftruncate, target, size);
  return result < 0 ? result : copied;
}

const offsets = alloc(16);
const offsetsAt = lastingAddressOf(offsets);

/** Bytes copied, fewer where the source has become shorter; or a negative errno. */
function copyRange(source: number, target: number, start: number, end: number): number {
  let at = start;
  while (at < end) {
    offsets.writeBigInt64LE(BigInt(at), 0);
    offsets.writeBigInt64LE(BigInt(at), 8);
    const got = sys(SYSCALLS.copy_file_range, source, offsetsAt, target, offsetsAt + 8, Math.min(end - at, 1 << 30), 0);
    if (got === 0) return at - start;
    if (got === -ERRNO.ENOSPC || got === -ERRNO.EDQUOT || got === -ERRNO.EIO || got === -ERRNO.EFBIG) return got;
    // Between two file systems, or on one that cannot (copy_file_range(2)).
    if (got < 0) break;
    at += got;
  }
  if (at >= end) return at - start;
  const chunk = Buffer.allocUnsafe(Math.min(CHUNK, end - at));
  while (at < end) {
    const got = readSync(source, chunk, 0, Math.min(chunk.length, end - at), at);
    if (got === 0) break;
    for (let done = 0; done < got;) done += writeSync(target, chunk, done, got - done, at + done);
    at += got;
  }
  return at - start;
}

/** For reading, what a descriptor of O_PATH holds; or a negative errno. */
const reopen = (fd: number): number => sys(SYSCALLS.openat, AT_FDCWD, ownFdPath(fd), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0);

/** Flags of an inode (ioctl_iflags(2)), or undefined where the file system has none or it cannot be opened. */
export function inodeFlags(fd: number): number | undefined {
  const own = reopen(fd);
  if (own < 0) return undefined;
  try {
    return sys(SYSCALLS.ioctl, own, 0x80086601, offsetsAt) < 0 ? undefined : offsets.readUInt32LE(0);
  } finally {
    closeSync(own);
  }
}

/** Sets what `inodeFlags` read; a negative errno where that fails (immutable and append-only need a capability). */
export function setInodeFlags(fd: number, flags: number): number {
  offsets.writeUInt32LE(flags, 0);
  return sys(SYSCALLS.ioctl, fd, 0x40086602, offsetsAt);
}
