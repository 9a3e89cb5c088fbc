import { closeSync, constants } from "node:fs";
import { alloc, errorName, sys, SYSCALLS } from "../kernel/index.ts";
import { allowed, Changed, check } from "./act.ts";
import { lent, selfFd } from "./c-text.ts";
import { setInodeFlags } from "./keep.ts";
import type { Refusal } from "./plan.ts";
import { pin, type SafePlace } from "./safe.ts";
import { kindOf, statFd, type Time } from "./stat.ts";
import type { Step } from "./steps.ts";
import type { UndoStore } from "./store.ts";
import { writeXattrs } from "./xattr.ts";

const AT_SYMLINK_NOFOLLOW = 0x100;
const AT_FDCWD = -100;
const O_CLOEXEC = 0o2000000;

/** Mode, owner, attributes, flags and times of what is at a place. */
export function setAttributes(
  place: SafePlace,
  { first, inode, times, rest }: Step & { readonly do: "attributes" },
  store: UndoStore,
  notes: Refusal[],
): void {
  const fd = check("openat", pin(place));
  try {
    const stat = statFd(fd);
    if (typeof stat === "number" || kindOf(stat.mode) !== kindOf(first.mode)) throw new Changed("is something else now");
    const link = kindOf(stat.mode) === "symlink";
    allowed(store.metadata(fd, place.path, stat, inode?.flags === undefined ? "attributes" : "flags"));
    const at = selfFd(fd);
    const note = (what: string, result: number): void => {
      if (result < 0) notes.push({ path: place.path, why: `${what} could not be set (${errorName(-result)})` });
    };
    if (rest) {
      if (first.uid !== stat.uid || first.gid !== stat.gid) {
        const { uid, gid } = first;
        const result = link
          ? sys(SYSCALLS.fchownat, place.parentFd, place.nameAt, uid, gid, AT_SYMLINK_NOFOLLOW)
          : sys(SYSCALLS.fchownat, AT_FDCWD, at, uid, gid, 0);
        note("its owner", result);
      }
      if (!link) {
        // After the owner: a change of owner takes mode bits away.
        if (inode?.xattrs !== undefined)
          for (const name of writeXattrs(fd, inode.xattrs)) notes.push({ path: place.path, why: `${name} could not be set` });
        check("fchmodat", sys(SYSCALLS.fchmodat, AT_FDCWD, at, first.mode & 0o7777));
        if (inode?.flags !== undefined) note("its flags", flags(fd, inode.flags));
      }
    }
    if (times) {
      const spec = timespecs(first.atime, first.mtime);
      const result = link
        ? sys(SYSCALLS.utimensat, place.parentFd, place.nameAt, lent(spec), AT_SYMLINK_NOFOLLOW)
        : sys(SYSCALLS.utimensat, AT_FDCWD, at, lent(spec), 0);
      check("utimensat", result);
    }
  } finally {
    closeSync(fd);
  }
}

function flags(fd: number, wanted: number): number {
  const self = selfFd(fd);
  const own = sys(SYSCALLS.openat, AT_FDCWD, self, constants.O_RDONLY | constants.O_NONBLOCK | O_CLOEXEC, 0);
  if (own < 0) return own;
  const result = setInodeFlags(own, wanted);
  closeSync(own);
  return result;
}

function timespecs(atime: Time, mtime: Time): Buffer {
  const buffer = alloc(32);
  [atime, mtime].forEach(([seconds, nanoseconds], i) => {
    buffer.writeBigInt64LE(BigInt(seconds), 16 * i);
    buffer.writeBigInt64LE(BigInt(nanoseconds), 16 * i + 8);
  });
  return buffer;
}
