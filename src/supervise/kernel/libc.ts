import koffi from "koffi";
import { errorName } from "./errno.ts";
import { SYSCALLS, type SyscallName } from "./syscalls.ts";

/**
 * System calls from TypeScript, through `syscall(2)`. Everything is a number: pointers are addresses of `Buffer`s
 * (`addressOf`), which the caller keeps alive; 64-bit values up to 2^53.
 */
const libc = koffi.load(null);
const raw: (nr: number, a: number, b: number, c: number, d: number, e: number, f: number) => number = libc.func(
  "long syscall(long nr, long a, long b, long c, long d, long e, long f)",
);

/** The result, or the negative errno, as the kernel itself returns it. */
export function sys(nr: number, a = 0, b = 0, c = 0, d = 0, e = 0, f = 0): number {
  const result = raw(nr, a, b, c, d, e, f);
  return result === -1 ? -koffi.errno() : result;
}

/** As `sys`, by name; throws `KernelError` when the call fails. For set-up, not for the hot path. */
export function must(name: SyscallName, ...args: readonly number[]): number {
  const nr = SYSCALLS[name];
  const [a, b, c, d, e, f] = args;
  const result = sys(nr, a, b, c, d, e, f);
  if (result < 0) throw new KernelError(name, -result);
  return result;
}

/**
 * Where the buffer's bytes lie. They do not move while the buffer lives: V8 keeps small arrays among its objects, which a
 * collection moves, until their `buffer` is asked for.
 */
export function addressOf(buffer: Uint8Array): number {
  if (buffer.buffer.byteLength === 0) return 0;
  return Number(koffi.address(buffer));
}

/** A system call that failed where it must not. */
export class KernelError extends Error {
  readonly code: string;
  readonly errno: number;
  constructor(call: string, errno: number, detail?: string) {
    super(`${call}: ${errorName(errno)}${detail === undefined ? "" : ` (${detail})`}`);
    this.name = "KernelError";
    this.code = errorName(errno);
    this.errno = errno;
  }
}

/** A C string: the text's bytes (see `path-bytes.ts`) and a NUL. */
export function cString(bytes: Uint8Array): Buffer {
  const buffer = Buffer.alloc(bytes.length + 1);
  buffer.set(bytes);
  return buffer;
}

/** A `char *[]`: what it points to lives as long as the result's `keep`. */
export function cStrings(items: readonly Uint8Array[]): { readonly address: number; readonly keep: readonly Buffer[] } {
  const strings = items.map(cString);
  const array = Buffer.alloc(8 * (strings.length + 1));
  strings.forEach((string, at) => array.writeBigUInt64LE(BigInt(addressOf(string)), 8 * at));
  return { address: addressOf(array), keep: [array, ...strings] };
}

/** Functions that are no system calls. */
export const posixSpawn: (
  pid: Buffer,
  path: Buffer,
  actions: Buffer | null,
  attributes: Buffer | null,
  argv: number,
  envp: number,
) => number = libc.func("int posix_spawn(void *pid, void *path, void *actions, void *attributes, long argv, long envp)");
