import { addressOf, alloc, ERRNO, O_CLOEXEC, sys, SYSCALLS } from "../kernel/index.ts";
import { shortName } from "./tasks.ts";

const PAGE = 4096;
const READ = SYSCALLS.process_vm_readv;

/** What a sandbox around the supervisor says to process_vm_readv, and what a kernel without it says. */
const MISSING: ReadonlySet<number> = new Set([-ERRNO.EPERM, -ERRNO.ENOSYS]);

/**
 * Reads the memory of a task that waits in a call (process_vm_readv(2), proc_pid_mem(5)). What is read may change a moment later:
 * it is believed only as "what the task asked for", after `Listener.valid`.
 */
export class Memory {
  readonly #local = alloc(16);
  readonly #remote = alloc(16);
  readonly #localAt = addressOf(this.#local);
  readonly #remoteAt = addressOf(this.#remote);
  readonly #localWords = new Uint32Array(this.#local.buffer, this.#local.byteOffset, 4);
  readonly #remoteWords = new Uint32Array(this.#remote.buffer, this.#remote.byteOffset, 4);

  /** Copies `length` bytes at `address` to our `target` address; the number copied, or a negative errno. */
  copy(tid: number, address: number, target: number, length: number): number {
    const local = this.#localWords;
    const remote = this.#remoteWords;
    local[0] = target >>> 0;
    local[1] = Math.floor(target / 0x1_0000_0000);
    local[2] = length;
    remote[0] = address >>> 0;
    remote[1] = Math.floor(address / 0x1_0000_0000);
    remote[2] = length;
    const got = sys(READ, tid, this.#localAt, 1, this.#remoteAt, 1, 0);
    return MISSING.has(got) ? readFile(tid, address, target, length) : got;
  }

  /** Exactly `length` bytes, or EFAULT. */
  bytes(tid: number, address: number, length: number): Buffer | number {
    const buffer = alloc(length);
    if (length === 0) return buffer;
    for (let done = 0; done < length;) {
      const got = this.copy(tid, address + done, addressOf(buffer) + done, length - done);
      if (got <= 0) return -ERRNO.EFAULT;
      done += got;
    }
    return buffer;
  }

  /** A structure that grows with the kernel (openat2(2)), of which we know so many bytes: the others must be zero. */
  structure(tid: number, address: number, length: number, known: number): Buffer | number {
    if (length < known) return -ERRNO.EINVAL;
    if (length > 4096) return -ERRNO.E2BIG;
    const bytes = this.bytes(tid, address, length);
    return typeof bytes === "number" || bytes.subarray(known).every((byte) => byte === 0) ? bytes : -ERRNO.E2BIG;
  }

  /**
   * The C string at `address` into `buffer`, with its NUL. Its length without the NUL, or a negative errno:
   * EFAULT, or `tooLong` where no NUL is found within the buffer.
   */
  string(tid: number, address: number, buffer: Buffer, at: number, tooLong: number): number {
    // A read that runs into an unmapped page fails as a whole: never read past the end of a page that holds the NUL.
    for (let done = 0; done < buffer.length;) {
      const inPage = PAGE - ((address + done) % PAGE);
      const length = Math.min(inPage, buffer.length - done, done === 0 ? 256 : PAGE);
      const got = this.copy(tid, address + done, at + done, length);
      if (got <= 0) return -ERRNO.EFAULT;
      const end = buffer.indexOf(0, done);
      if (end >= 0 && end < done + got) return end;
      done += got;
    }
    return -tooLong;
  }

  /** A NULL-terminated `char *[]`; `most` bounds strings and pointers together in bytes, beyond it E2BIG. */
  strings(tid: number, address: number, most: number): Buffer[] | number {
    const found: Buffer[] = [];
    if (address === 0) return found;
    let bytes = 0;
    const pointers = alloc(512);
    const pointersAt = addressOf(pointers);
    for (let at = address; ;) {
      const length = Math.min(pointers.length, PAGE - (at % PAGE) || PAGE);
      const got = this.copy(tid, at, pointersAt, Math.max(8, length - (length % 8)));
      if (got < 8) return -ERRNO.EFAULT;
      for (let offset = 0; offset + 8 <= got; offset += 8) {
        const pointer = pointers.readUInt32LE(offset) + pointers.readUInt32LE(offset + 4) * 0x1_0000_0000;
        if (pointer === 0) return found;
        const text = this.#longString(tid, pointer, most - bytes);
        if (typeof text === "number") return text;
        bytes += text.length + 9;
        found.push(text);
      }
      at += got - (got % 8);
    }
  }

  /** A string of any length up to `most`. */
  #longString(tid: number, address: number, most: number): Buffer | number {
    const first = alloc(256);
    const length = this.string(tid, address, first, addressOf(first), ERRNO.E2BIG);
    if (length >= 0) return first.subarray(0, length);
    if (length !== -ERRNO.E2BIG) return length;
    for (let size = 8192; ; size *= 4) {
      const buffer = alloc(Math.min(size, Math.max(1, most + 1)));
      const got = this.string(tid, address, buffer, addressOf(buffer), ERRNO.E2BIG);
      if (got >= 0) return buffer.subarray(0, got);
      if (got !== -ERRNO.E2BIG || size > most) return got;
    }
  }
}

/** Opened each time: after an exec the descriptor would lead to memory that is gone. */
function readFile(tid: number, address: number, target: number, length: number): number {
  const fd = sys(SYSCALLS.openat, -100, shortName(`/proc/${tid}/mem`), O_CLOEXEC, 0);
  if (fd < 0) return fd;
  const got = sys(SYSCALLS.pread64, fd, target, length, address);
  sys(SYSCALLS.close, fd);
  // Nothing is mapped there.
  return got === -ERRNO.EIO ? -ERRNO.EFAULT : got;
}
