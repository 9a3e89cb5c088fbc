import errors from "./errno.json" with { type: "json" };
import TABLE from "./syscalls.json" with { type: "json" };

/** errno(3), the numbers that x86-64 and arm64 share. */
export const ERRNO = errors;
export type ErrnoName = keyof typeof ERRNO;

const NAMES = new Map<number, string>(Object.entries(ERRNO).map(([name, number]) => [number, name]));

/** `ENOENT` for 2; a number nobody named stays a number. */
export function errorName(errno: number): string {
  return NAMES.get(errno) ?? `errno ${errno}`;
}

// System calls, from the kernel's unistd headers.
export type SyscallName = keyof typeof TABLE;
export const isSyscallName = (name: string): name is SyscallName => Object.hasOwn(TABLE, name);
export type Architecture = "x64" | "arm64";

const known = new Map<Architecture, Readonly<Record<SyscallName, number>>>();

/** The numbers of one architecture; -1: it has no such call. */
export function syscallsOf(architecture: Architecture): Readonly<Record<SyscallName, number>> {
  const before = known.get(architecture);
  if (before !== undefined) return before;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys are the table's own
  const numbers = Object.fromEntries(
    Object.entries(TABLE).map(([name, [x64 = -1, arm64 = -1]]) => [name, architecture === "x64" ? x64 : arm64]),
  ) as Record<SyscallName, number>;
  known.set(architecture, numbers);
  return numbers;
}

/** The numbers of this machine. */
export const SYSCALLS = syscallsOf(process.arch === "arm64" ? "arm64" : "x64");
