import { closeSync, constants, readdirSync } from "node:fs";
import {
  alloc,
  AT_REMOVEDIR,
  AT_SYMLINK_NOFOLLOW,
  ERRNO,
  KernelError,
  O_CLOEXEC,
  O_DIRECTORY,
  O_NOFOLLOW,
  sys,
  SYSCALLS,
} from "../kernel/index.ts";
import { cloneOrCopy, requireSuccess } from "./keep.ts";
import { cTextAddress, lendAddress } from "./safe.ts";
import { kindOf, type ObjectStat, statAt } from "./stat.ts";
import { readXattrs, writeXattrs, type Xattrs } from "./xattr.ts";

/** Which attributes of an object a copy gets. */
type Shown = (xattrs: Xattrs | undefined) => Xattrs | undefined;

/** Copies what is behind a name, with everything in it, under a new one. Throws `KernelError`: a part may be there. Sockets are left out. */
export function copyTree(from: number, fromAt: number, to: number, toAt: number, shown: Shown): void {
  const stat = statAt(from, fromAt);
  if (typeof stat === "number") throw new KernelError("statx", -stat);
  const kind = kindOf(stat.mode);
  if (kind === "symlink") {
    const text = alloc(4097);
    const length = requireSuccess("readlinkat", sys(SYSCALLS.readlinkat, from, fromAt, lendAddress(text), 4096));
    requireSuccess("symlinkat", sys(SYSCALLS.symlinkat, cTextAddress(text.subarray(0, length)), to, toAt));
    setTimesOf(to, toAt, stat, AT_SYMLINK_NOFOLLOW);
    return;
  }
  if (kind === "socket") return;
  if (kind === "directory") {
    requireSuccess("mkdirat", sys(SYSCALLS.mkdirat, to, toAt, 0o700));
    if ((stat.mode & 0o700) !== 0o700) sys(SYSCALLS.fchmodat, from, fromAt, (stat.mode & 0o7777) | 0o700);
    const source = openFile(from, fromAt, O_DIRECTORY);
    const target = openFile(to, toAt, O_DIRECTORY);
    try {
      for (const name of namesIn(source)) copyTree(source, cTextAddress(name), target, cTextAddress(name), shown);
      copyFacts(target, source, stat, shown);
    } finally {
      closeSync(source);
      closeSync(target);
    }
    return;
  }
  if (kind !== "file") throw new KernelError("openat", ERRNO.EINVAL);
  // A pipe that has taken its place would wait for somebody.
  const source = openFile(from, fromAt, constants.O_RDONLY | constants.O_NONBLOCK);
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  const target = requireSuccess("openat", sys(SYSCALLS.openat, to, toAt, flags, 0o600));
  try {
    requireSuccess("copy_file_range", cloneOrCopy(source, target, stat.size));
    copyFacts(target, source, stat, shown);
  } finally {
    closeSync(source);
    closeSync(target);
  }
}

/** Mode, attributes and times of what one descriptor holds become those of another's. */
export function copyFacts(target: number, source: number, stat: ObjectStat, shown: Shown): void {
  writeXattrs(target, shown(readXattrs(source)) ?? {});
  const self = cTextAddress(`/proc/self/fd/${target}`);
  if (process.geteuid?.() === 0) sys(SYSCALLS.fchownat, -100, self, stat.uid, stat.gid, 0);
  requireSuccess("fchmodat", sys(SYSCALLS.fchmodat, -100, self, stat.mode & 0o7777));
  setTimesOf(-100, self, stat, 0);
}

/** Takes away what is behind a name, with everything in it. A negative errno: a part is left. */
export function removeBelow(folder: number, nameAt: number): number {
  const isFile = sys(SYSCALLS.unlinkat, folder, nameAt, 0);
  if (isFile !== -ERRNO.EISDIR) return isFile;
  const inside = sys(SYSCALLS.openat, folder, nameAt, O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
  if (inside < 0) return inside;
  const failed = namesIn(inside).map((name) => removeBelow(inside, cTextAddress(name)));
  closeSync(inside);
  return failed.find((result) => result < 0) ?? sys(SYSCALLS.unlinkat, folder, nameAt, AT_REMOVEDIR);
}

const namesIn = (fd: number): readonly Buffer[] => readdirSync(`/proc/self/fd/${fd}`, { encoding: "buffer" });

/** An object by its name, no link followed. */
export const openFile = (folder: number, nameAt: number, flags: number): number =>
  requireSuccess("openat", sys(SYSCALLS.openat, folder, nameAt, flags | O_NOFOLLOW | O_CLOEXEC, 0));

export function setTimesOf(folder: number, nameAt: number, { atime, mtime }: ObjectStat, flags: number): void {
  const times = alloc(32);
  [...atime, ...mtime].forEach((number, at) => times.writeBigInt64LE(BigInt(number), 8 * at));
  sys(SYSCALLS.utimensat, folder, nameAt, lendAddress(times), flags);
}
