import {
  addressOf,
  alloc,
  ERRNO,
  lastingAddressOf,
  POLLHUP,
  POLLIN,
  SECCOMP_IOCTL_NOTIF_SET_FLAGS,
  SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP,
  sys,
  SYSCALLS,
} from "../kernel/index.ts";

/** Requests of the listener's descriptor and the layout of its structures: seccomp_unotify(2), linux/seccomp.h. */
const RECV = 0xc0502100;
const SEND = 0xc0182101;
const ID_VALID = 0x40082102;
const ADDFD = 0x40182103;
const FLAG_CONTINUE = 1;

const IOCTL = SYSCALLS.ioctl;

/** One system call that waits for an answer. The numbers are the registers' halves, as they stood at entry. */
export class SeccompTrap {
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

  copy(): SeccompTrap {
    const copy = new SeccompTrap();
    copy.idLow = this.idLow;
    copy.idHigh = this.idHigh;
    copy.tid = this.tid;
    copy.nr = this.nr;
    copy.words.set(this.words);
    return copy;
  }
}

/** What there is to do, as bits. */
export const SEEN = {
  call: 1,
  /** The watched process has ended. */
  ended: 2,
  /** No filtered task is left. */
  closed: 4,
} as const;

const wordsOf = (buffer: Buffer): Uint32Array => new Uint32Array(buffer.buffer, buffer.byteOffset, buffer.length >> 2);

/** The descriptor through which the kernel asks. All buffers are made once: nothing is allocated per call. */
export class Listener {
  readonly #fd: number;
  readonly #request = alloc(80);
  readonly #response = alloc(24);
  readonly #addfd = alloc(24);
  readonly #polled = alloc(16);
  readonly #at: { request: number; response: number; addfd: number; polled: number };
  readonly #words: Uint32Array;
  /** `struct pollfd` as halves: an event mask below, what was seen above. */
  readonly #seen: Uint32Array;
  readonly #answer: Uint32Array;
  readonly #gift: Uint32Array;

  constructor(fd: number) {
    this.#fd = fd;
    const at = addressOf;
    this.#at = {
      request: at(this.#request),
      response: at(this.#response),
      addfd: at(this.#addfd),
      polled: at(this.#polled),
    };
    this.#words = wordsOf(this.#request);
    this.#seen = wordsOf(this.#polled);
    this.#answer = wordsOf(this.#response);
    this.#gift = wordsOf(this.#addfd);
    this.#polled.writeInt32LE(fd, 0);
    this.#polled.writeInt16LE(POLLIN, 4);
    this.#polled.writeInt32LE(-1, 8);
    // Where the kernel knows it, it wakes the other side on the processor that it runs on.
    sys(IOCTL, fd, SECCOMP_IOCTL_NOTIF_SET_FLAGS, SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP);
  }

  /** No call will come any more, or none is to be answered: those that wait fail (ENOSYS). */
  close(): void {
    this.#polled.writeInt32LE(-1, 0);
    sys(SYSCALLS.close, this.#fd);
  }

  /** Also waits for the end of a process. `pidfd`: pidfd_open(2), -1: none. */
  watch(pidfd: number): void {
    this.#polled.writeInt32LE(pidfd, 8);
  }

  /** Waits for a call: what of `SEEN` there is. `timeout` in milliseconds. */
  wait(timeout: number): number {
    const words = this.#seen;
    words[1] = POLLIN;
    words[3] = POLLIN;
    pollFor(this.#at.polled, timeout);
    const call = (words[1] ?? 0) >>> 16;
    return (
      ((call & POLLIN) !== 0 ? SEEN.call : 0) | ((call & POLLHUP) !== 0 ? SEEN.closed : 0) | ((words[3] ?? 0) >>> 16 !== 0 ? SEEN.ended : 0)
    );
  }

  /** Fetches the waiting call into `trap`; false when it is gone meanwhile. */
  receive(trap: SeccompTrap): boolean {
    // struct seccomp_notif: id u64, pid u32, flags u32, then seccomp_data: nr, arch, instruction pointer u64, args u64[6].
    const words = this.#words;
    for (let i = 0; i < words.length; i++) words[i] = 0;
    if (sys(IOCTL, this.#fd, RECV, this.#at.request) < 0) return false;
    trap.idLow = words[0] ?? 0;
    trap.idHigh = words[1] ?? 0;
    trap.tid = words[2] ?? 0;
    trap.nr = (words[4] ?? 0) | 0;
    for (let i = 0; i < 12; i++) trap.words[i] = words[8 + i] ?? 0;
    return true;
  }

  /** The task still waits in this very call. Only after this may what was read from its memory be believed. */
  valid(trap: SeccompTrap): boolean {
    this.#gift[0] = trap.idLow;
    this.#gift[1] = trap.idHigh;
    return sys(IOCTL, this.#fd, ID_VALID, this.#at.addfd) === 0;
  }

  /** Lets the kernel do the call. INVARIANT: only where the sandbox bounds every value the arguments could be changed to. */
  pass(trap: SeccompTrap): boolean {
    return this.#send(trap, 0, 0, FLAG_CONTINUE);
  }

  /** Answers with a result, or with a negative errno. False when the task is gone. */
  answer(trap: SeccompTrap, result: number): boolean {
    return result < 0 ? this.#send(trap, 0, result, 0) : this.#send(trap, result, 0, 0);
  }

  #send(trap: SeccompTrap, value: number, error: number, flags: number): boolean {
    const answer = this.#answer;
    answer[0] = trap.idLow;
    answer[1] = trap.idHigh;
    // Values are cut to 32 bits each by the array.
    answer[2] = value;
    answer[3] = value < 0 ? -1 : value / 0x1_0000_0000;
    answer[4] = error;
    answer[5] = flags;
    return sys(IOCTL, this.#fd, SEND, this.#at.response) === 0;
  }

  /**
   * Installs a copy of `fd` in the task and makes its number the call's result. Returns the number there, or a
   * negative errno of the installation (`EMFILE`), which the caller answers with.
   */
  give(trap: SeccompTrap, fd: number, closeOnExec: boolean): number {
    const gift = this.#gift;
    gift[0] = trap.idLow;
    gift[1] = trap.idHigh;
    // Not with the answer in one (ADDFD_SEND): a signal to us before the task has taken it makes the call's result 0, another descriptor.
    gift[2] = 0;
    gift[3] = fd;
    gift[4] = 0;
    gift[5] = closeOnExec ? 0o2000000 : 0;
    let installed = sys(IOCTL, this.#fd, ADDFD, this.#at.addfd);
    // Taken back by the kernel, and not installed.
    while (installed === -ERRNO.EINTR) installed = sys(IOCTL, this.#fd, ADDFD, this.#at.addfd);
    if (installed >= 0) this.#send(trap, installed, 0, 0);
    return installed;
  }
}

const timespec = alloc(16);
const timespecAt = lastingAddressOf(timespec);

/** ppoll(2), which every architecture has. */
function pollFor(fds: number, timeout: number): void {
  timespec.writeUInt32LE(timeout * 1_000_000, 8);
  sys(SYSCALLS.ppoll, fds, 2, timespecAt, 0, 8);
}
