import { closeSync, constants, openSync, readSync, statSync } from "node:fs";
import { alloc, copyMemory, lastingAddressOf, sys, SYSCALLS } from "../kernel/index.ts";

const PAGE = 4096;
/** Bytes of the file that are memory at a time. */
const WINDOW = 1 << 18;
/** At the end of the window: zeros, then the time of the last record, in milliseconds since the epoch (a double). */
const STAMP = 8;
const RESERVED = 2 * STAMP;
const PROT_READ_WRITE = 3;
const MAP_SHARED = 1;
/** statfs(2): ext, XFS, tmpfs. What fallocate(2) has given there is there: no store into the memory can fail (SIGBUS). */
const SURE: ReadonlySet<number> = new Set([0xef53, 0x58465342, 0x01021994]);

const statfs = alloc(256);
const statfsAt = lastingAddressOf(statfs);
const stamp = alloc(STAMP);
const stampAt = lastingAddressOf(stamp);
const zeros = alloc(STAMP);
const zerosAt = lastingAddressOf(zeros);
const one = alloc(1);
const oneAt = lastingAddressOf(one);

/**
 * The end of a file as memory. What is stored there is in the file whatever becomes of the process, as after write(2), and takes no
 * system call. The file is longer than its text meanwhile: zeros follow, and the time of the last store, which for such a file no
 * time of the file system tells (`readStamp`).
 */
export class MappedEnd {
  readonly #fd: number;
  /** Where the window begins in the file, and in memory. */
  #base = 0;
  #at = 0;

  private constructor(fd: number) {
    this.#fd = fd;
  }

  /** `fd`: opened to be read and written; `size`: bytes of its text. Undefined: this file cannot be written so. */
  static of(fd: number, size: number): MappedEnd | undefined {
    if (sys(SYSCALLS.fstatfs, fd, statfsAt) < 0 || !SURE.has(statfs.readUInt32LE(0))) return undefined;
    const end = new MappedEnd(fd);
    return end.#moveTo(size) ? end : undefined;
  }

  /** Adds bytes behind the `size` that there are. False: there is no room, nothing of it stays, and this is closed. */
  append(from: number, length: number, size: number): boolean {
    if (size + length > this.#base + WINDOW - RESERVED && (length > WINDOW - RESERVED - PAGE || !this.#moveTo(size))) {
      this.close(size);
      return false;
    }
    copyMemory(this.#at + size - this.#base, from, length);
    this.#stamp();
    return true;
  }

  /** Puts another byte in the place of one that was added last. */
  set(position: number, byte: number): void {
    one[0] = byte;
    copyMemory(this.#at + position - this.#base, oneAt, 1);
    this.#stamp();
  }

  /** The file is its text again. */
  close(size: number): void {
    sys(SYSCALLS.munmap, this.#at, WINDOW);
    sys(SYSCALLS.ftruncate, this.#fd, size);
  }

  #moveTo(size: number): boolean {
    const base = size - (size % PAGE);
    const given = sys(SYSCALLS.fallocate, this.#fd, 0, base, WINDOW);
    const at = given < 0 ? given : sys(SYSCALLS.mmap, 0, WINDOW, PROT_READ_WRITE, MAP_SHARED, this.#fd, base);
    if (at < 0) {
      // Where there is a window already, whoever asked closes it.
      if (this.#at === 0) sys(SYSCALLS.ftruncate, this.#fd, size);
      return false;
    }
    const before = this.#at;
    const old = this.#base + WINDOW - STAMP;
    this.#base = base;
    this.#at = at;
    this.#stamp();
    if (before !== 0) {
      copyMemory(at + old - base, zerosAt, STAMP);
      sys(SYSCALLS.munmap, before, WINDOW);
    }
    return true;
  }

  #stamp(): void {
    // The clock counts whole milliseconds, file systems parts of them.
    stamp.writeDoubleLE(Date.now() + 1);
    copyMemory(this.#at + WINDOW - STAMP, stampAt, STAMP);
  }
}

/**
 * The time of the last store into a file that was not closed, for its writer lives or was killed, in milliseconds since the epoch; 0: there
 * is none.
 */
export function readStamp(file: string): number {
  const end = readEnd(file);
  if (end === undefined || end.subarray(0, STAMP).some((byte) => byte !== 0)) return 0;
  const time = end.readDoubleLE(STAMP);
  return Number.isFinite(time) && time > 0 ? time : 0;
}

function readEnd(file: string): Buffer | undefined {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size < WINDOW) return undefined;
  const fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const end = Buffer.alloc(RESERVED);
    return readSync(fd, end, 0, RESERVED, size - RESERVED) === RESERVED ? end : undefined;
  } finally {
    closeSync(fd);
  }
}
