import { native } from "./native.ts";
import { errorName, type SyscallName, SYSCALLS } from "./syscalls.ts";

/**
 * System calls from TypeScript, through `syscall(2)`. Everything is a number: pointers are addresses of `Buffer`s
 * (`addressOf`), which the caller keeps alive; 64-bit values up to 2^53.
 */
const libc = native.load(null);
const raw: (nr: number, a: number, b: number, c: number, d: number, e: number, f: number) => number = libc.func(
  "long syscall(long nr, long a, long b, long c, long d, long e, long f)",
);

/** The result, or the negative errno, as the kernel itself returns it. */
export function sys(nr: number, a = 0, b = 0, c = 0, d = 0, e = 0, f = 0): number {
  const result = raw(nr, a, b, c, d, e, f);
  return result === -1 ? -native.errno() : result;
}

/** Copies bytes between addresses that do not overlap (memcpy(3)). */
export const copyMemory: (to: number, from: number, length: number) => unknown = libc.func("long memcpy(long to, long from, long length)");

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
  return Number(native.address(buffer));
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

/** A C string: the text's bytes (see `pathBytes`) and a NUL. */
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

/**
 * Paths are bytes; policies are text. Bytes that are not UTF-8 become lone surrogates (0xff → U+DCFF, as Python's
 * `surrogateescape`), so that every path has exactly one text and comes back as the same bytes.
 */
export function pathText(bytes: Buffer, start = 0, end = bytes.length): string {
  const text = bytes.toString("utf8", start, end);
  // U+FFFD stands for what could not be decoded, or for itself.
  if (!text.includes("\ufffd")) return text;
  return escaped(bytes.subarray(start, end));
}

export function pathBytes(text: string): Buffer {
  if (!/[\udc80-\udcff]/u.test(text)) return Buffer.from(text, "utf8");
  const parts: Buffer[] = [];
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    parts.push(code >= 0xdc80 && code <= 0xdcff ? Buffer.of(code - 0xdc00) : Buffer.from(char, "utf8"));
  }
  return Buffer.concat(parts);
}

function escaped(bytes: Buffer): string {
  let text = "";
  for (let at = 0; at < bytes.length;) {
    const length = sequenceLength(bytes, at);
    if (length === 0) {
      text += String.fromCharCode(0xdc00 + (bytes[at] ?? 0));
      at += 1;
    } else {
      text += bytes.toString("utf8", at, at + length);
      at += length;
    }
  }
  return text;
}

/** Bytes of the valid UTF-8 sequence at `at` (RFC 3629: no surrogates, no overlong forms, at most U+10FFFF); 0: none. */
function sequenceLength(bytes: Buffer, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return 1;
  const length = first >= 0xc2 && first <= 0xdf ? 2 : first >= 0xe0 && first <= 0xef ? 3 : first >= 0xf0 && first <= 0xf4 ? 4 : 0;
  if (length === 0 || at + length > bytes.length) return 0;
  for (let i = 1; i < length; i++) if (((bytes[at + i] ?? 0) & 0xc0) !== 0x80) return 0;
  const second = bytes[at + 1] ?? 0;
  if ((first === 0xe0 && second < 0xa0) || (first === 0xed && second > 0x9f)) return 0;
  if ((first === 0xf0 && second < 0x90) || (first === 0xf4 && second > 0x8f)) return 0;
  return length;
}
