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

/** V8 keeps arrays up to this many bytes among its objects, which a collection moves (typed_array_max_size_in_heap). */
const MOVABLE = 64;

/** Zeroed memory that stays where it is as long as the buffer lives. */
export function alloc(size: number): Buffer {
  return Buffer.from(new ArrayBuffer(Math.max(size, 2 * MOVABLE)), 0, size);
}

/** Where the buffer's bytes lie. INVARIANT: only of memory that does not move: `alloc`'s, or a large one. */
export function addressOf(buffer: Uint8Array): number {
  if (buffer.buffer.byteLength <= MOVABLE) throw new Error("the address of a buffer that may move was asked for");
  return Number(koffi.address(buffer));
}

const lasting: Uint8Array[] = [];

/**
 * As `addressOf`, for a buffer that a module keeps for good: what only its address refers to would be collected, and its
 * memory given to others.
 */
export function lastingAddressOf(buffer: Uint8Array): number {
  lasting.push(buffer);
  return addressOf(buffer);
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
  const buffer = alloc(bytes.length + 1);
  buffer.set(bytes);
  return buffer;
}

/** Bytes: what C strings are cut from, for to make a buffer of its own takes as long as a system call. */
const PIECE = 16_384;
const LONG = 512;
let piece = alloc(PIECE);
let pieceAt = addressOf(piece);
let used = 0;

/** The bytes from `start` to `end` as a C string, and its address, which holds as long as the buffer lives. */
export function cSlice(bytes: Uint8Array, start: number, end: number): { readonly bytes: Buffer; readonly at: number } {
  const size = end - start + 1;
  if (size > LONG) {
    const own = cString(bytes.subarray(start, end));
    return { bytes: own, at: addressOf(own) };
  }
  if (used + size > PIECE) {
    piece = alloc(PIECE);
    pieceAt = addressOf(piece);
    used = 0;
  }
  const from = used;
  for (let i = start; i < end; i++) piece[used++] = bytes[i] ?? 0;
  piece[used++] = 0;
  return { bytes: piece.subarray(from, used), at: pieceAt + from };
}

/** A `char *[]`: what it points to lives as long as the result's `keep`. */
export function cStrings(items: readonly Uint8Array[]): { readonly address: number; readonly keep: readonly Buffer[] } {
  const strings = items.map(cString);
  const array = alloc(8 * (strings.length + 1));
  strings.forEach((string, at) => array.writeBigUInt64LE(BigInt(addressOf(string)), 8 * at));
  return { address: addressOf(array), keep: [array, ...strings] };
}
