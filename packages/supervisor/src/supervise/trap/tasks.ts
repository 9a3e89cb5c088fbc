import { alloc, ERRNO, lastingAddressOf, O_CLOEXEC, readProc, shortName, sys, SYSCALLS } from "../kernel/index.ts";

import { Copies } from "./copies.ts";

export { shortName };

const O_PATH_CLOEXEC = 0o10000000 | 0o2000000;
/** pidfd_open(2), Linux 6.9: a descriptor for one thread. */
const PIDFD_THREAD = 0o200;
const MOST = 256;
const STATUS = 256;

/** A thread of the supervised tree. */
export interface Task {
  readonly tid: number;
  /** Thread group: what people call the process. */
  readonly tgid: number;
  /** `/proc/TID`, O_PATH: stays bound to this very task, whoever gets its number later. */
  readonly proc: number;
  /** Tells whether the task still is the one we know. */
  readonly pidfd: number;
  /** `/proc/TID/status`, opened when it is first needed; -1: not yet. */
  status: number;
  /** Its umask, as it was when `Tasks` counted so many changes of any; -1: not known. */
  mask: number;
  maskAt: number;
  /** Calls of its that wait: what is known of it is needed again. */
  waiting: number;
  /** The descriptor is of this very thread, and not of its process. */
  readonly ofThread: boolean;
}

const UMASK = /^Umask:\t([0-7]+)$/m;
const statusText = alloc(STATUS);
const statusAt = lastingAddressOf(statusText);

const cwdName = alloc(4);
cwdName.write("cwd", "latin1");
const cwdAt = lastingAddressOf(cwdName);

/** What is known of the tasks that asked, bounded, each entry checked before it is used. */
const SWEEPS = 10;

export class Tasks {
  /** What they have open. */
  readonly copies = new Copies();
  readonly #known = new Map<number, Task>();
  #most = MOST;
  /** How often it is still to be looked for tasks that have ended: some are only on their way. */
  #sweeps = 0;
  /** Calls of umask(2) so far, and the threads that may still be in one. */
  #changes = 0;
  readonly #changing = new Set<number>();

  /** The task of this thread id, which waits in a call; undefined when it is gone. */
  get(tid: number): Task | undefined {
    const known = this.#known.get(tid);
    if (known !== undefined) {
      if (isAlive(known)) return known;
      this.#bury(known);
    }
    return this.#open(tid);
  }

  /** Who was last met under this number; it may have ended, and another have the number. */
  met(tid: number): Task | undefined {
    return this.#known.get(tid);
  }

  /** Tasks that were met may have ended since. */
  get unswept(): boolean {
    return this.#sweeps > 0;
  }

  /** Lets go of tasks that have ended. */
  sweep(): void {
    this.#sweeps -= 1;
    for (const task of this.#known.values()) {
      if (task.waiting > 0 || isAlive(task)) continue;
      this.#bury(task);
      this.#sweeps = SWEEPS;
    }
  }

  /** For each newcomer two of the longest known are looked at, so that short processes without end leave nothing behind. */
  #retire(): void {
    for (const task of take(this.#known.values(), 2)) {
      if (task.waiting === 0 && !isAlive(task)) this.#bury(task);
      else {
        this.#known.delete(task.tid);
        this.#known.set(task.tid, task);
      }
    }
  }

  #open(tid: number): Task | undefined {
    const proc = sys(SYSCALLS.openat, -100, shortName(`/proc/${tid}`), O_PATH_CLOEXEC, 0);
    if (proc < 0) return undefined;
    let pidfd = sys(SYSCALLS.pidfd_open, tid, PIDFD_THREAD);
    const ofThread = pidfd >= 0;
    // Older kernels know processes only; then the leader stands for its threads.
    const tgid = processOf(tid);
    if (pidfd < 0 && tgid !== undefined) pidfd = sys(SYSCALLS.pidfd_open, tgid, 0);
    if (pidfd < 0 || tgid === undefined) {
      sys(SYSCALLS.close, proc);
      if (pidfd >= 0) sys(SYSCALLS.close, pidfd);
      return undefined;
    }
    const task: Task = { tid, tgid, proc, pidfd, status: -1, mask: -1, maskAt: -1, waiting: 0, ofThread };
    this.#retire();
    if (this.#known.size >= this.#most) this.#thin();
    this.#known.set(tid, task);
    this.#sweeps = SWEEPS;
    return task;
  }

  /** Forgets the older half, but for those that wait. */
  #thin(): void {
    for (const old of [...this.#known.values()].slice(0, this.#known.size >> 1)) if (old.waiting === 0) this.#forget(old);
    this.#most = Math.max(MOST, 2 * this.#known.size);
  }

  /** It has ended. */
  #bury(task: Task): void {
    this.#changing.delete(task.tid);
    this.#forget(task);
  }

  #forget(task: Task): void {
    sys(SYSCALLS.close, task.proc);
    sys(SYSCALLS.close, task.pidfd);
    if (task.status >= 0) sys(SYSCALLS.close, task.status);
    task.status = -1;
    this.#known.delete(task.tid);
  }

  /** This thread calls: whatever it called before is over. */
  calls(tid: number): void {
    if (this.#changing.size > 0) this.#changing.delete(tid);
  }

  /** This thread goes on to change a umask: its own, and that of whoever shares it. */
  changesUmask(tid: number): void {
    this.#changes += 1;
    this.#changing.add(tid);
  }

  /**
   * The mode bits that files made by this task lack (umask(2)). Tasks may share a mask (CLONE_FS), and a call that changes one is done
   * by the kernel, some time after the trap handler has let it pass. INVARIANT: what was read is remembered only while no thread may be in such a
   * call, and until the next one of any thread.
   */
  umask(task: Task): number {
    const settled = this.#changing.size === 0;
    if (settled && task.maskAt === this.#changes) return task.mask;
    const mask = readUmask(task);
    if (mask === undefined) return 0o777;
    task.mask = mask;
    task.maskAt = settled ? this.#changes : -1;
    return mask;
  }

  /**
   * Makes something with this mask, as the task would: what the mask takes away, and whether the folder's default ACL takes its
   * place (umask(2)), is the kernel's to say. The mask stays the thread's for the next one, unless it takes from the trap handler what the trap handler
   * itself makes.
   */
  masked(mask: number, make: () => number): number {
    const before = ownUmask;
    setUmask(mask);
    try {
      return make();
    } finally {
      if (sharesUmask) setUmask(before);
      else if ((mask & 0o700) !== 0) setUmask(0);
    }
  }

  /** Working directory of the task, pinned. A descriptor of ours, or a negative errno. */
  cwd(task: Task): number {
    return sys(SYSCALLS.openat, task.proc, cwdAt, O_PATH_CLOEXEC, 0);
  }

  /** The object behind a descriptor of the task, pinned (O_PATH), or a negative errno. `only`: O_DIRECTORY. */
  object(task: Task, fd: number, only = 0): number {
    if (fd < 0) return -ERRNO.EBADF;
    const got = sys(SYSCALLS.openat, task.proc, shortName(`fd/${fd}`), O_PATH_CLOEXEC | only, 0);
    return got === -ERRNO.ENOENT ? -ERRNO.EBADF : got;
  }

  close(): void {
    this.copies.close();
    for (const task of this.#known.values()) this.#forget(task);
  }
}

/** Of the trap handler's thread. */
let ownUmask = -1;
/** Other threads have the same one: it is changed only for as long as something is made (rights.ts). */
let sharesUmask = false;

/** The umask that the trap handler's thread has at its start, which is 0 from then on. `shared`: with other threads. */
export function takeUmask(shared: boolean): number {
  ownUmask = 0;
  sharesUmask = shared;
  return sys(SYSCALLS.umask, 0);
}

/** Sets the umask of the trap handler's thread. Nobody else sets it. */
export function setUmask(mask: number): void {
  if (mask === ownUmask) return;
  sys(SYSCALLS.umask, mask);
  ownUmask = mask;
}

function readUmask(task: Task): number | undefined {
  if (task.status < 0) task.status = sys(SYSCALLS.openat, task.proc, shortName("status"), O_CLOEXEC, 0);
  const length = task.status < 0 ? 0 : sys(SYSCALLS.pread64, task.status, statusAt, STATUS, 0);
  // proc_pid_status(5). The name comes first and is escaped there, so no name can forge a later line.
  const text = length > 0 ? UMASK.exec(statusText.toString("latin1", 0, length))?.[1] : undefined;
  return text === undefined ? undefined : Number.parseInt(text, 8);
}

function isAlive({ pidfd, ofThread, proc }: Task): boolean {
  if (ofThread) return sys(SYSCALLS.pidfd_send_signal, pidfd, 0, 0, 0) === 0;
  return sys(SYSCALLS.faccessat, proc, shortName("stat"), 0) === 0;
}

const wholeStatus = alloc(8192);
const wholeStatusAt = lastingAddressOf(wholeStatus);

/** proc_pid_status(5); nothing where it cannot be read. */
function readStatus(task: Task): string {
  const fd = sys(SYSCALLS.openat, task.proc, shortName("status"), O_CLOEXEC, 0);
  if (fd < 0) return "";
  const length = sys(SYSCALLS.read, fd, wholeStatusAt, wholeStatus.length);
  sys(SYSCALLS.close, fd);
  return wholeStatus.toString("latin1", 0, Math.max(0, length));
}

/** A set of signals. */
const signalsIn = (status: string, name: string): bigint =>
  BigInt(`0x${new RegExp(`^${name}:\\t([0-9a-f]+)`, "m").exec(status)?.[1] ?? "0"}`);

/**
 * A signal waits for the task. Answered with ERESTARTSYS, which no program sees: on its way to the handler the kernel makes the call
 * again, or EINTR of it, as sigaction(2) was told (SA_RESTART).
 */
export const RESTART = -514;

/**
 * What a waiting call of the task comes to because of a signal; 0: no signal waits. A task that waits for the trap handler is woken by
 * deadly signals only (WAIT_KILLABLE_RECV), so calls that may wait for ever must be given up here.
 *
 * INVARIANT: RESTART only for a signal that nobody but this task can take, for without one the program would see the 512 itself.
 */
export function findInterruption(task: Task): number {
  const text = readStatus(task);
  const held = signalsIn(text, "SigBlk") | signalsIn(text, "SigIgn");
  if ((signalsIn(text, "SigPnd") & ~held) !== 0n) return RESTART;
  if ((signalsIn(text, "ShdPnd") & ~held) === 0n) return 0;
  return /^Threads:\t1$/m.test(text) ? RESTART : -ERRNO.EINTR;
}

/** A signal waits for the task that would end the call it makes. */
export function isSignalled(task: Task): boolean {
  const text = readStatus(task);
  const waiting = signalsIn(text, "SigPnd") | signalsIn(text, "ShdPnd");
  return (waiting & ~signalsIn(text, "SigBlk") & ~signalsIn(text, "SigIgn")) !== 0n;
}

/** `struct ucred` of the task's process as it is now (unix(7)): its number, its effective user and group. */
export function credentialsOf(task: Task): Buffer {
  const text = readStatus(task);
  const effective = (name: string): number => Number(new RegExp(`^${name}:\\t\\d+\\t(\\d+)`, "m").exec(text)?.[1] ?? 0xffff);
  const bytes = alloc(12);
  bytes.writeInt32LE(task.tgid, 0);
  bytes.writeUInt32LE(effective("Uid"), 4);
  bytes.writeUInt32LE(effective("Gid"), 8);
  return bytes;
}

/** The process of a thread. */
function processOf(tid: number): number | undefined {
  try {
    // proc_pid_status(5), as above.
    const tgid = Number(/^Tgid:\t(\d+)/m.exec(readProc(`/proc/${tid}/status`).toString("latin1"))?.[1]);
    return tgid > 0 ? tgid : undefined;
  } catch {
    return undefined;
  }
}

function* take<T>(items: Iterable<T>, count: number): Generator<T> {
  let left = count;
  for (const item of items) {
    if (left-- <= 0) return;
    yield item;
  }
}
