import { addressOf, alloc, cString, must, lastingAddressOf, sys, SYSCALLS } from "../kernel/index.ts";

const O_PATH_DIRECTORY = 0o10000000 | 0o2000000 | (process.arch === "arm64" ? 0o40000 : 0o200000);
/** Bytes of a number's C string. */
const WIDTH = 8;
const MOST = 8192;

let folder = -1;
const names = alloc(WIDTH * (MOST + 1));
const namesAt = lastingAddressOf(names);

/**
 * `/proc/self/fd`, open for good: a descriptor of ours is opened again, and its name read, under its number in there.
 * Half of what such a call costs is the way to this folder (docs/performance.md).
 */
export function ownDescriptors(): number {
  if (folder < 0) {
    const name = cString(Buffer.from("/proc/self/fd"));
    folder = must("openat", -100, addressOf(name), O_PATH_DIRECTORY, 0);
  }
  return folder;
}

/** The address of a descriptor's name in that folder; of a large number good until the next call. */
export function numberName(fd: number): number {
  const at = WIDTH * Math.min(fd, MOST);
  if (names[at] === 0 || fd >= MOST) names[at + names.write(String(fd), at, "latin1")] = 0;
  return namesAt + at;
}

/** Opens what a descriptor of ours is pinned to. */
export const reopen = (fd: number, flags: number, mode = 0): number => sys(SYSCALLS.openat, ownDescriptors(), numberName(fd), flags, mode);
