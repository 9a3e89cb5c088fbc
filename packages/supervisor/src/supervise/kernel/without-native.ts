import {
  type BigIntStats,
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  ftruncateSync,
  futimesSync,
  lchmodSync,
  lchownSync,
  linkSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  openSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { ERRNO, SYSCALLS } from "./syscalls.ts";

/**
 * The calls that undo needs where there is no native part (macOS): by what `node:fs` has. A folder that the kernel would hold by a
 * descriptor is entered (chdir) and looked at there, so that no name on the way can be exchanged: what is done is done in that very
 * folder, or not at all. Addresses are numbers that stand for buffers. What is not among these calls fails as before.
 */
export interface Emulated {
  readonly call: (nr: number, a: number, b: number, c: number, d: number, e: number) => number;
  readonly address: (buffer: Uint8Array) => number;
  readonly copy: (to: number, from: number, length: number) => number;
  /** Of the last call that failed. */
  readonly errno: () => number;
  /**
   * Shares the bytes of an open file with a new one, where the file system can (clonefile on APFS); false: nothing was made.
   * INVARIANT: the copy is of that very file: what has its name has its identity and its time of change before and after, and to take
   * another one's place for a moment changes that time.
   */
  readonly clone: (fd: number, target: string) => boolean;
}

const PAGE = 4096;
/** Linux' numbers, which callers give. */
const AT_FDCWD = -100;
const NOFOLLOW = 0x100;
const REMOVEDIR = 0x200;
const EMPTY_PATH = 0x1000;
const NOREPLACE = 1;
const LINUX_PATH = 0o10000000;
const LINUX_CLOEXEC = 0o2000000;

/** What a descriptor was opened for. `fd` may be of the root only, where the object itself cannot be opened. */
interface Held {
  readonly folder: string;
  readonly name: string;
  /** Of the object, and of what `fd` is open on. */
  readonly id: string;
  readonly own: string;
}

class Fault extends Error {
  readonly code: string;
  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

const identity = ({ dev, ino }: BigIntStats): string => `${dev}:${ino}`;
const lookAt = (name: string | Buffer): BigIntStats => lstatSync(name, { bigint: true });
const isFolder = (flags: number): boolean => (flags & constants.O_DIRECTORY) === constants.O_DIRECTORY;

export function emulate(unknown: () => never): Emulated {
  const memory = new Memory();
  const held = new Map<number, Held>();
  let failed = 0;

  const heldBy = (fd: number): Held => {
    const found = held.get(fd);
    if (found === undefined || identity(fstatSync(fd, { bigint: true })) !== found.own) throw new Fault("EBADF");
    return found;
  };
  /** In the folder that a descriptor holds: it alone, whatever has its path now. */
  const within = <T>(fd: number, action: () => T): T => {
    const { folder, name, id } = heldBy(fd);
    return inFolder(joined(folder, name), () => {
      if (identity(statSync(".", { bigint: true })) !== id) throw new Fault("ESTALE");
      return action();
    });
  };
  /** The object itself, by its name in its folder, for what cannot be done by a descriptor. */
  const byName = (fd: number, action: (name: string) => void): void => {
    const { folder, name, id } = heldBy(fd);
    inFolder(folder, () => {
      if (identity(lookAt(`./${name}`)) !== id) throw new Fault("ESTALE");
      action(`./${name}`);
    });
  };
  const isOpen = (fd: number): boolean => heldBy(fd).id === heldBy(fd).own;
  const name = (at: number): Buffer => Buffer.concat([Buffer.from("./"), memory.text(at)]);
  const pinned = (at: number): number | undefined => {
    const [, number] = /^\/proc\/self\/fd\/(\d+)$/.exec(memory.text(at).toString()) ?? [];
    return number === undefined ? undefined : Number(number);
  };

  const openIn = (folder: string, last: string, flags: number, mode: number): number => {
    const path = `./${last}`;
    const real = (flags & ~(LINUX_PATH | LINUX_CLOEXEC)) | constants.O_NOFOLLOW;
    if ((flags & LINUX_PATH) === 0) {
      const fd = openSync(path, real, mode);
      const id = identity(fstatSync(fd, { bigint: true }));
      held.set(fd, { folder, name: last, id, own: id });
      return fd;
    }
    const stat = lookAt(path);
    if (stat.isSymbolicLink() && (flags & constants.O_NOFOLLOW) === 0) throw new Fault("ELOOP");
    if (isFolder(flags) && !stat.isDirectory()) throw new Fault("ENOTDIR");
    const fd = openForLooking(path, stat);
    const own = identity(fstatSync(fd, { bigint: true }));
    held.set(fd, { folder, name: last, id: identity(stat), own });
    return fd;
  };
  /** Every part of the path is what its name says: no link leads elsewhere. */
  const openPath = (path: string, flags: number, mode: number): number => {
    if (path === "/") {
      const fd = openSync("/", constants.O_RDONLY | constants.O_DIRECTORY);
      const id = identity(fstatSync(fd, { bigint: true }));
      held.set(fd, { folder: "/", name: "", id, own: id });
      return fd;
    }
    const slash = path.lastIndexOf("/");
    const folder = slash === 0 ? "/" : path.slice(0, slash);
    const last = path.slice(slash + 1);
    return inFolder(folder, () => openIn(folder, last, flags, mode));
  };
  const reopen = (fd: number, flags: number): number => {
    const { folder, name: last, id } = heldBy(fd);
    return inFolder(folder, () => {
      const again = openIn(folder, last, flags, 0);
      if (heldBy(again).id === id) return again;
      closeSync(again);
      throw new Fault("ESTALE");
    });
  };
  const sameFolder = (a: number, b: number): void => {
    // From one held folder into another node:fs knows no way that could not be led astray.
    if (heldBy(a).id !== heldBy(b).id) throw new Fault("EXDEV");
  };

  const calls = new Map<number, (a: number, b: number, c: number, d: number, e: number) => number | void>([
    [
      SYSCALLS.statx,
      (fd, at, flags, _mask, into) => {
        const empty = (flags & EMPTY_PATH) !== 0 && memory.text(at).length === 0;
        if (!empty)
          return memory.writeStat(
            into,
            within(fd, () => lookAt(name(at))),
          );
        if (!held.has(fd) || isOpen(fd)) return memory.writeStat(into, fstatSync(fd, { bigint: true }));
        let stat: BigIntStats | undefined;
        byName(fd, (path) => (stat = lookAt(path)));
        if (stat !== undefined) memory.writeStat(into, stat);
      },
    ],
    [SYSCALLS.openat2, (_fd, at, how) => openPath(memory.text(at).toString(), Number(memory.at(how).readBigUInt64LE(0)), 0)],
    [
      SYSCALLS.openat,
      (fd, at, flags, mode) => {
        const again = pinned(at);
        if (again !== undefined) return reopen(again, flags);
        // A folder of Assent's own, by the path that it really has.
        if (fd === AT_FDCWD) return openPath(realpathSync.native(memory.text(at).toString()), flags, mode);
        const { folder, name: last } = heldBy(fd);
        return within(fd, () => openIn(joined(folder, last), memory.text(at).toString(), flags, mode));
      },
    ],
    [
      SYSCALLS.readlinkat,
      (fd, at, into, size) => within(fd, () => memory.write(into, readlinkSync(name(at), { encoding: "buffer" }).subarray(0, size))),
    ],
    [SYSCALLS.unlinkat, (fd, at, flags) => within(fd, () => ((flags & REMOVEDIR) === 0 ? unlinkSync(name(at)) : rmdirSync(name(at))))],
    [SYSCALLS.mkdirat, (fd, at, mode) => within(fd, () => mkdirSync(name(at), { mode }))],
    [SYSCALLS.symlinkat, (text, fd, at) => within(fd, () => symlinkSync(memory.text(text), name(at)))],
    [
      SYSCALLS.linkat,
      (from, at, to, other) => {
        sameFolder(from, to);
        return within(from, () => {
          if (lookAt(name(at)).isSymbolicLink()) throw new Fault("EXDEV");
          linkSync(name(at), name(other));
        });
      },
    ],
    [
      SYSCALLS.renameat2,
      (from, at, to, other, flags) => {
        sameFolder(from, to);
        return within(from, () => {
          if ((flags & ~NOREPLACE) !== 0) throw new Fault("EINVAL");
          if (flags === NOREPLACE && lstatSync(name(other), { throwIfNoEntry: false }) !== undefined) throw new Fault("EEXIST");
          renameSync(name(at), name(other));
        });
      },
    ],
    [
      SYSCALLS.fchmodat,
      (_fd, at, mode) => {
        const fd = pinned(at);
        if (fd === undefined) throw new Fault("ENOSYS");
        if (isOpen(fd)) fchmodSync(fd, mode);
        else byName(fd, (path) => (process.platform === "darwin" ? lchmodSync : chmodSync)(path, mode));
      },
    ],
    [
      SYSCALLS.fchownat,
      (folder, at, uid, gid, flags) => {
        const fd = pinned(at);
        if (fd === undefined && (flags & NOFOLLOW) !== 0) within(folder, () => lchownSync(name(at), uid, gid));
        else if (fd === undefined) throw new Fault("ENOSYS");
        else if (isOpen(fd)) fchownSync(fd, uid, gid);
        else byName(fd, (path) => lchownSync(path, uid, gid));
      },
    ],
    [
      SYSCALLS.utimensat,
      (folder, at, spec) => {
        const [atime, mtime] = memory.times(spec);
        const fd = pinned(at);
        if (fd === undefined) within(folder, () => lutimesSync(name(at), atime, mtime));
        else if (isOpen(fd)) futimesSync(fd, atime, mtime);
        else byName(fd, (path) => lutimesSync(path, atime, mtime));
      },
    ],
    [SYSCALLS.write, (fd, at, length) => writeSync(fd, memory.at(at), 0, length)],
    [SYSCALLS.ftruncate, (fd, size) => ftruncateSync(fd, size)],
    [SYSCALLS.close, (fd) => closeSync(fd)],
  ]);
  /** There is nothing of the kind: callers do without. */
  const without = new Set<number>(
    (["mknodat", "fcntl", "ioctl", "listxattr", "llistxattr", "fstatfs", "copy_file_range", "fallocate", "flock"] as const).map(
      (one) => SYSCALLS[one],
    ),
  );

  return {
    call: (nr, a, b, c, d, e) => {
      const action = calls.get(nr);
      if (action === undefined && !without.has(nr) && nr !== LSEEK) return unknown();
      try {
        if (action === undefined) throw new Fault("ENOSYS");
        return action(a, b, c, d, e) ?? 0;
      } catch (error) {
        failed = errnoOf(error);
        return -1;
      }
    },
    address: (buffer) => memory.address(buffer),
    copy: (to, from, length) => memory.write(to, Buffer.from(memory.at(from).subarray(0, length))),
    errno: () => failed,
    clone: (fd, target) => {
      try {
        let done = false;
        byName(fd, (path) => (done = cloneByName(path, fd, target)));
        return done;
      } catch {
        return false;
      }
    },
  };
}

/** lseek(2), of which undo asks where the holes are. */
const LSEEK = process.arch === "arm64" ? 62 : 8;

/** By its name: other systems have other numbers. */
export function errnoOf(error: unknown): number {
  const code = error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
  const found = Object.entries(ERRNO).find(([name]) => name === code)?.[1];
  return found ?? (code === "ESTALE" ? 116 : ERRNO.EIO);
}

const joined = (folder: string, name: string): string => (name === "" ? folder : folder === "/" ? `/${name}` : `${folder}/${name}`);

/** Only a file or a folder is opened: a device might do something, and a pipe wait. */
function openForLooking(path: string, stat: BigIntStats): number {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY, O_DIRECTORY } = constants;
  if (stat.isFile() || stat.isDirectory()) {
    try {
      const fd = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | (stat.isDirectory() ? O_DIRECTORY : 0));
      if (identity(fstatSync(fd, { bigint: true })) === identity(stat)) return fd;
      closeSync(fd);
      throw new Fault("ESTALE");
    } catch (error) {
      const errno = errnoOf(error);
      if (errno !== ERRNO.EACCES && errno !== ERRNO.EPERM) throw error;
    }
  }
  return openSync("/", O_RDONLY | O_DIRECTORY);
}

/** Goes there, acts, and comes back. ELOOP: a link was on the way. */
function inFolder<T>(folder: string, action: () => T): T {
  const before = process.cwd();
  process.chdir(folder);
  try {
    if (process.cwd() !== folder) throw new Fault("ELOOP");
    return action();
  } finally {
    process.chdir(before);
  }
}

/** Numbers for buffers, and back. */
class Memory {
  readonly #bases = new WeakMap<ArrayBufferLike, number>();
  readonly #pages = new Map<number, { readonly of: WeakRef<ArrayBufferLike>; readonly base: number }>();
  readonly #gone = new FinalizationRegistry<{ readonly from: number; readonly to: number }>(({ from, to }) => {
    for (let page = from; page < to; page += 1) this.#pages.delete(page);
  });
  #next = 256;

  address(buffer: Uint8Array): number {
    const known = this.#bases.get(buffer.buffer);
    if (known !== undefined) return known + buffer.byteOffset;
    const from = this.#next;
    const to = from + Math.ceil(buffer.buffer.byteLength / PAGE) + 1;
    this.#next = to;
    const base = from * PAGE;
    const entry = { of: new WeakRef(buffer.buffer), base };
    for (let page = from; page < to; page += 1) this.#pages.set(page, entry);
    this.#bases.set(buffer.buffer, base);
    this.#gone.register(buffer.buffer, { from, to });
    return base + buffer.byteOffset;
  }

  at(address: number): Buffer {
    const entry = this.#pages.get(Math.floor(address / PAGE));
    const memory = entry?.of.deref();
    if (entry === undefined || memory === undefined) throw new Fault("EFAULT");
    return Buffer.from(memory, address - entry.base);
  }

  text(address: number): Buffer {
    const bytes = this.at(address);
    const end = bytes.indexOf(0);
    return Buffer.from(end < 0 ? bytes : bytes.subarray(0, end));
  }

  write(address: number, bytes: Uint8Array): number {
    this.at(address).set(bytes);
    return bytes.length;
  }

  /** Two of `struct timespec`, in seconds: `node:fs` cuts them to microseconds, so that half of one makes up for what a number loses. */
  times(address: number): readonly [number, number] {
    const bytes = this.at(address);
    const one = (at: number): number => Number(bytes.readBigInt64LE(at)) + (Number(bytes.readBigInt64LE(at + 8)) + 500) / 1e9;
    return [one(0), one(16)];
  }

  /** `struct statx`, as statx(2) has it. */
  writeStat(address: number, stat: BigIntStats): void {
    const into = this.at(address);
    into.fill(0, 0, 256);
    into.writeUInt32LE(0xfff, 0);
    into.writeUInt32LE(Number(stat.nlink & MASK), 16);
    into.writeUInt32LE(Number(stat.uid & MASK), 20);
    into.writeUInt32LE(Number(stat.gid & MASK), 24);
    into.writeUInt16LE(Number(stat.mode & 0xffffn), 28);
    into.writeBigUInt64LE(BigInt.asUintN(64, stat.ino), 32);
    into.writeBigUInt64LE(BigInt.asUintN(64, stat.size), 40);
    into.writeBigUInt64LE(BigInt.asUintN(64, stat.blocks), 48);
    const times = [
      [64, stat.atimeNs],
      [80, stat.birthtimeNs],
      [96, stat.ctimeNs],
      [112, stat.mtimeNs],
    ] as const;
    for (const [at, time] of times) {
      const rest = ((time % SECOND) + SECOND) % SECOND;
      into.writeBigInt64LE((time - rest) / SECOND, at);
      into.writeUInt32LE(Number(rest), at + 8);
    }
    for (const [at, device] of [
      [128, BigInt.asUintN(64, stat.rdev)],
      [136, BigInt.asUintN(64, stat.dev)],
    ] as const) {
      // makedev(3) of Linux; of other systems no bit is lost.
      into.writeUInt32LE(Number((((device >> 8n) & 0xfffn) | ((device >> 32n) & ~0xfffn)) & MASK), at);
      into.writeUInt32LE(Number(((device & 0xffn) | ((device >> 12n) & ~0xffn)) & MASK), at + 4);
    }
  }
}

const MASK = 0xffff_ffffn;
const SECOND = 1_000_000_000n;

function cloneByName(path: string, fd: number, target: string): boolean {
  const stamp = (stat: BigIntStats): string => `${identity(stat)} ${stat.ctimeNs} ${stat.size}`;
  const own = stamp(fstatSync(fd, { bigint: true }));
  try {
    if (stamp(lookAt(path)) !== own) return false;
    copyFileSync(path, target, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE_FORCE);
    if (stamp(lookAt(path)) === own && stamp(fstatSync(fd, { bigint: true })) === own) {
      chmodSync(target, 0o600);
      return true;
    }
  } catch {
    // It cannot share them, or something came in between.
  }
  rmSync(target, { force: true });
  return false;
}
