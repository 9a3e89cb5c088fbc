import type { Argument } from "./program.ts";
import { ARM64, ARM64_NUMBERS, AT, NR, O } from "./syscalls.ts";

type Rewritten = readonly [nr: number, ...args: readonly Argument[]];

/** Calls that arm64 does not have, as a C library makes them there. */
const OLDER = new Map<number, (...args: readonly Argument[]) => Rewritten>([
  [NR.open, (path = 0, ...rest) => [NR.openat, AT.cwd, path, ...rest]],
  [NR.creat, (path = 0, mode = 0) => [NR.openat, AT.cwd, path, O.creat | O.wronly | O.trunc, mode]],
  [NR.mkdir, (path = 0, mode = 0) => [NR.mkdirat, AT.cwd, path, mode]],
  [NR.rmdir, (path = 0) => [NR.unlinkat, AT.cwd, path, AT.removeDir]],
  [NR.unlink, (path = 0) => [NR.unlinkat, AT.cwd, path, 0]],
  [NR.rename, (from = 0, to = 0) => [NR.renameat, AT.cwd, from, AT.cwd, to]],
  [NR.link, (from = 0, to = 0) => [NR.linkat, AT.cwd, from, AT.cwd, to, 0]],
  [NR.symlink, (text = 0, path = 0) => [NR.symlinkat, text, AT.cwd, path]],
  [NR.readlink, (path = 0, ...rest) => [NR.readlinkat, AT.cwd, path, ...rest]],
  [NR.chmod, (path = 0, mode = 0) => [NR.fchmodat, AT.cwd, path, mode]],
  [NR.chown, (path = 0, ...rest) => [NR.fchownat, AT.cwd, path, ...rest, 0]],
  [NR.lchown, (path = 0, ...rest) => [NR.fchownat, AT.cwd, path, ...rest, AT.symlinkNoFollow]],
  [NR.mknod, (path = 0, ...rest) => [NR.mknodat, AT.cwd, path, ...rest]],
  [NR.stat, (path = 0, into = 0) => [NR.newfstatat, AT.cwd, path, into, 0]],
  [NR.lstat, (path = 0, into = 0) => [NR.newfstatat, AT.cwd, path, into, AT.symlinkNoFollow]],
  [NR.access, (path = 0, mode = 0) => [NR.faccessat, AT.cwd, path, mode]],
  // Their records have other units; what is tried is the change itself.
  [NR.utime, (path = 0) => [NR.utimensat, AT.cwd, path, 0, 0]],
  [NR.utimes, (path = 0) => [NR.utimensat, AT.cwd, path, 0, 0]],
  [NR.futimesat, (folder = 0, path = 0) => [NR.utimensat, folder, path, 0, 0]],
  [NR.getdents, (...args) => [NR.getdents64, ...args]],
]);

/** A call by its number on x86-64, as this machine has it; undefined: it has none like it. */
export function callHere(nr: number, args: readonly Argument[]): { readonly nr: number; readonly args: readonly Argument[] } | undefined {
  if (!ARM64 || nr < 0 || nr >= 424) return { nr, args };
  const [number, ...rest] = OLDER.get(nr)?.(...args) ?? [nr, ...args];
  const here = ARM64_NUMBERS.get(number);
  return here === undefined ? undefined : { nr: here, args: rest };
}
