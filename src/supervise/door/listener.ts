import { addressOf, alloc, lastingAddressOf, must, sys, SYSCALLS } from "../kernel/index.ts";

/** Requests of the listener's descriptor and the layout of its structures: seccomp_unotify(2), linux/seccomp.h. */
const RECV = 0xc0502100;
const SEND = 0xc0182101;
const ID_VALID = 0x40082102;
const ADDFD = 0x40182103;
const SET_FLAGS = 0x40082104;
const SYNC_WAKE_UP = 1;
const FLAG_CONTINUE = 1;
const ADDFD_SEND = 2;
const POLLIN = 1;
const POLLHUP = 0x10;

const IOCTL = SYSCALLS.ioctl;

/** One system call that waits for an answer. The numbers are the registers' halves, as they stood at entry. */
export class Trap {
  idLow = 0;
  idHigh = 0;
  /** Thread that makes the call. */
  tid = 0;
  nr = 0;
  /** Low and high halves of the six arguments: `words[2 * i]`, `words[2 * i + 1]`. */
  readonly words = new Uint32Array(12);

  /** Low 32 bits of an argument as the kernel reads an `int`. */
  int(at: number): number {
    return (this.words[2 * at] ?? 0) | 0;
  }

  unsigned(at: number): number {
    return this.words[2 * at] ?? 0;
  }

  /** A 64-bit argument: a pointer or size; up to 2^53 exact. */
  long(at: number): number {
    return (this.words[2 * at] ?? 0) + (this.words[2 * at + 1] ?? 0) * 0x1_0000_0000;
  }

  copy(): Trap {
    const copy = new Trap();
    copy.idLow = this.idLow;
    copy.idHigh = this.idHigh;
    copy.tid = this.tid;
    copy.nr = this.nr;
    copy.words.set(this.words);
    return copy;
  }
}

/** The descriptor through which the kernel asks. All buffers are made once: nothing is allocated per call. */
export class Listener {
  readonly #fd: number;
  readonly #request = alloc(80);
  readonly #response = alloc(24);
  readonly #addfd = alloc(24);
  readonly #polled = alloc(24);
  readonly #mask = alloc(128);
  readonly #one = alloc(128);
  readonly #cpu = alloc(4);
  readonly #at: { request: number; response: number; addfd: number; polled: number; mask: number; one: number; cpu: number };
  readonly #words: Uint32Array;
  /** Sync wake-ups hold: the kernel wakes the other side on the processor it runs on. */
  readonly sync: boolean;

  constructor(fd: number, wake: number) {
    this.#fd = fd;
    const at = addressOf;
    this.#at = {
      request: at(this.#request),
      response: at(this.#response),
      addfd: at(this.#addfd),
      polled: at(this.#polled),
      mask: at(this.#mask),
      one: at(this.#one),
      cpu: at(this.#cpu),
    };
    this.#words = new Uint32Array(this.#request.buffer, this.#request.byteOffset, 20);
    this.#polled.writeInt32LE(fd, 0);
    this.#polled.writeInt16LE(POLLIN, 4);
    this.#polled.writeInt32LE(wake, 8);
    this.#polled.writeInt16LE(POLLIN, 12);
    this.#polled.writeInt32LE(-1, 16);
    this.sync = sys(IOCTL, fd, SET_FLAGS, SYNC_WAKE_UP) === 0;
  }

  /** No call will come any more. */
  leave(): void {
    this.#polled.writeInt32LE(-1, 0);
  }

  /** Also waits for the end of a process. `pidfd`: pidfd_open(2), -1: none. */
  watch(pidfd: number): void {
    this.#polled.writeInt32LE(pidfd, 16);
    this.#polled.writeInt16LE(POLLIN, 20);
  }

  /**
   * Waits for a call or a message. `timeout` in milliseconds, -1: for ever.
   * `closed`: no filtered task is left.
   */
  wait(timeout: number): { call: boolean; message: boolean; ended: boolean; closed: boolean } {
    this.#polled.writeInt16LE(0, 6);
    this.#polled.writeInt16LE(0, 14);
    this.#polled.writeInt16LE(0, 22);
    pollFor(this.#at.polled, timeout);
    const seen = this.#polled.readInt16LE(6);
    return {
      call: (seen & POLLIN) !== 0,
      message: this.#polled.readInt16LE(14) !== 0,
      ended: this.#polled.readInt16LE(22) !== 0,
      closed: (seen & POLLHUP) !== 0,
    };
  }

  /** Fetches the waiting call into `trap`; false when it is gone meanwhile. */
  receive(trap: Trap): boolean {
    this.#request.fill(0);
    if (sys(IOCTL, this.#fd, RECV, this.#at.request) < 0) return false;
    // struct seccomp_notif: id u64, pid u32, flags u32, then seccomp_data: nr, arch, instruction pointer u64, args u64[6].
    const words = this.#words;
    trap.idLow = words[0] ?? 0;
    trap.idHigh = words[1] ?? 0;
    trap.tid = words[2] ?? 0;
    trap.nr = (words[4] ?? 0) | 0;
    for (let i = 0; i < 12; i++) trap.words[i] = words[8 + i] ?? 0;
    return true;
  }

  /** The task still waits in this very call. Only after this may what was read from its memory be believed. */
  valid(trap: Trap): boolean {
    this.#addfd.writeUInt32LE(trap.idLow, 0);
    this.#addfd.writeUInt32LE(trap.idHigh, 4);
    return sys(IOCTL, this.#fd, ID_VALID, this.#at.addfd) === 0;
  }

  /** Lets the kernel do the call. INVARIANT: only where the wall bounds every value the arguments could be changed to. */
  pass(trap: Trap): boolean {
    return this.#send(trap, 0, 0, FLAG_CONTINUE);
  }

  /** Answers with a result, or with a negative errno. False when the task is gone. */
  answer(trap: Trap, result: number): boolean {
    return result < 0 ? this.#send(trap, 0, result, 0) : this.#send(trap, result, 0, 0);
  }

  #send(trap: Trap, value: number, error: number, flags: number): boolean {
    const response = this.#response;
    response.writeUInt32LE(trap.idLow, 0);
    response.writeUInt32LE(trap.idHigh, 4);
    response.writeUInt32LE(value >>> 0, 8);
    response.writeInt32LE(value < 0 ? -1 : Math.floor(value / 0x1_0000_0000), 12);
    response.writeInt32LE(error, 16);
    response.writeUInt32LE(flags, 20);
    return sys(IOCTL, this.#fd, SEND, this.#at.response) === 0;
  }

  /**
   * Installs a copy of `fd` in the task and makes its number the call's result. Returns the number there, or a
   * negative errno of the installation (`EMFILE`), which the caller answers with.
   */
  give(trap: Trap, fd: number, closeOnExec: boolean): number {
    const near = this.sync && this.#near(trap.tid);
    const addfd = this.#addfd;
    addfd.writeUInt32LE(trap.idLow, 0);
    addfd.writeUInt32LE(trap.idHigh, 4);
    addfd.writeUInt32LE(near ? 0 : ADDFD_SEND, 8);
    addfd.writeInt32LE(fd, 12);
    addfd.writeUInt32LE(0, 16);
    addfd.writeUInt32LE(closeOnExec ? 0o2000000 : 0, 20);
    const installed = sys(IOCTL, this.#fd, ADDFD, this.#at.addfd);
    if (near) {
      sys(SYSCALLS.sched_setaffinity, trap.tid, 128, this.#at.mask);
      if (installed >= 0) this.#send(trap, installed, 0, 0);
    }
    return installed;
  }

  /**
   * An ADDFD wakes the task without regard to where the listener runs, and an idle virtual processor takes 50 µs to
   * wake. So the task is kept on this processor while it installs the descriptor; it stays inside the call meanwhile,
   * so neither it nor a child of it ever sees the narrowed mask. docs/performance.md has the measurements.
   */
  #near(tid: number): boolean {
    const length = sys(SYSCALLS.sched_getaffinity, tid, 128, this.#at.mask);
    if (length <= 0 || sys(SYSCALLS.getcpu, this.#at.cpu, 0, 0) !== 0) return false;
    const cpu = this.#cpu.readUInt32LE(0);
    const bit = 1 << (cpu & 7);
    if (((this.#mask[cpu >> 3] ?? 0) & bit) === 0) return false;
    this.#one.fill(0);
    this.#one[cpu >> 3] = bit;
    return sys(SYSCALLS.sched_setaffinity, tid, 128, this.#at.one) === 0;
  }
}

const timespec = alloc(16);
const timespecAt = lastingAddressOf(timespec);

/** ppoll(2), which every architecture has. */
function pollFor(fds: number, timeout: number): void {
  if (timeout >= 0) {
    timespec.writeBigUInt64LE(BigInt(Math.floor(timeout / 1000)), 0);
    timespec.writeBigUInt64LE(BigInt((timeout % 1000) * 1_000_000), 8);
  }
  sys(SYSCALLS.ppoll, fds, 3, timeout < 0 ? 0 : timespecAt, 0, 8);
}

/** An eventfd(2): what the main thread raises to say that a message waits. */
export function eventDescriptor(): number {
  return must("eventfd2", 0, 0o2000000 | 0o4000);
}
