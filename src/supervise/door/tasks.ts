import { readFileSync } from "node:fs";
import { alloc, ERRNO, sys, SYSCALLS, lastingAddressOf } from "../kernel/index.ts";

const O_PATH_CLOEXEC = 0o10000000 | 0o2000000;
/** pidfd_open(2), Linux 6.9: a descriptor for one thread. */
const PIDFD_THREAD = 0o200;
const MOST = 256;
/** Milliseconds after which a call that was let through has been made. */
const SETTLED = 1000;

/** A thread of the supervised tree. */
export interface Task {
  readonly tid: number;
  /** Thread group: what people call the process. */
  readonly tgid: number;
  /** `/proc/TID`, O_PATH: stays bound to this very task, whoever gets its number later. */
  readonly proc: number;
  /** Tells whether the task still is the one we know. */
  readonly pidfd: number;
  umask: number;
  umaskEpoch: number;
  /** Calls of its that wait: what is known of it is needed again. */
  waiting: number;
  /** The descriptor is of this very thread, and not of its process. */
  readonly ofThread: boolean;
}

const nameBuffer = alloc(64);
const nameAt = lastingAddressOf(nameBuffer);

const cwdName = alloc(4);
cwdName.write("cwd", "latin1");
const cwdAt = lastingAddressOf(cwdName);

/** The address of a short ASCII C string; good until the next call. */
export function shortName(text: string): number {
  nameBuffer[nameBuffer.write(text, "latin1")] = 0;
  return nameAt;
}

/** What is known of the tasks that asked, bounded, each entry checked before it is used. */
const SWEEPS = 10;

export class Tasks {
  readonly #known = new Map<number, Task>();
  /** Raised whenever some task changes its umask: tasks may share one (CLONE_FS), so nothing remembered holds. */
  #epoch = 0;
  /** Tasks whose umask(2) has been let through, and when: the kernel may not have done it yet. */
  readonly #changing = new Map<number, number>();
  #most = MOST;
  /** How often it is still to be looked for tasks that have ended: some are only on their way. */
  #sweeps = 0;

  /** The task of this thread id, which waits in a call; undefined when it is gone. */
  get(tid: number): Task | undefined {
    const known = this.#known.get(tid);
    if (known !== undefined) {
      if (isAlive(known)) return known;
      this.#forget(known);
    }
    return this.#open(tid);
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
      this.#forget(task);
      this.#sweeps = SWEEPS;
    }
  }

  /** For each newcomer two of the longest known are looked at, so that short processes without end leave nothing behind. */
  #retire(): void {
    for (const task of take(this.#known.values(), 2)) {
      if (task.waiting === 0 && !isAlive(task)) this.#forget(task);
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
    const status = statusOf(tid);
    if (pidfd < 0 && status !== undefined) pidfd = sys(SYSCALLS.pidfd_open, status.tgid, 0);
    if (pidfd < 0 || status === undefined) {
      sys(SYSCALLS.close, proc);
      if (pidfd >= 0) sys(SYSCALLS.close, pidfd);
      return undefined;
    }
    const task = { tid, tgid: status.tgid, proc, pidfd, umask: status.umask, umaskEpoch: this.#epoch, waiting: 0, ofThread };
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

  #forget(task: Task): void {
    sys(SYSCALLS.close, task.proc);
    sys(SYSCALLS.close, task.pidfd);
    this.#known.delete(task.tid);
  }

  /** A task calls umask(2), which is about to be let through. */
  umaskChanges(tid: number): void {
    this.#epoch += 1;
    this.#changing.set(tid, Date.now());
  }

  /** Until it calls again or some time has passed, nothing that is read of a umask may be remembered. */
  #isChanging(tid: number): boolean {
    if (this.#changing.size === 0) return false;
    if (this.#changing.delete(tid)) this.#epoch += 1;
    for (const [other, since] of this.#changing)
      if (Date.now() - since > SETTLED) {
        this.#changing.delete(other);
        this.#epoch += 1;
      }
    return this.#changing.size > 0;
  }

  /** The mode bits that files made by this task lack (umask(2)). */
  umask(task: Task): number {
    const changing = this.#isChanging(task.tid);
    if (changing || task.umaskEpoch !== this.#epoch) {
      task.umask = statusOf(task.tid)?.umask ?? 0o777;
      task.umaskEpoch = changing ? -1 : this.#epoch;
    }
    return task.umask;
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

  /** A copy of the task's descriptor itself (same open file description): pidfd_getfd(2). */
  duplicate(task: Task, fd: number): number {
    return sys(SYSCALLS.pidfd_getfd, task.pidfd, fd, 0);
  }

  close(): void {
    for (const task of this.#known.values()) this.#forget(task);
  }
}

function isAlive({ pidfd, ofThread, proc }: Task): boolean {
  if (ofThread) return sys(SYSCALLS.pidfd_send_signal, pidfd, 0, 0, 0) === 0;
  return sys(SYSCALLS.faccessat, proc, shortName("stat"), 0) === 0;
}

function statusOf(tid: number): { tgid: number; umask: number; parent: number } | undefined {
  let text: string;
  try {
    text = readFileSync(`/proc/${tid}/status`, "latin1");
  } catch {
    return undefined;
  }
  // proc_pid_status(5). The name comes first and is escaped there, so no name can forge a later line.
  const field = (name: string): string | undefined => new RegExp(`^${name}:\\t(\\S+)`, "m").exec(text)?.[1];
  const tgid = Number(field("Tgid"));
  const umask = Number.parseInt(field("Umask") ?? "", 8);
  return Number.isInteger(tgid) && tgid > 0
    ? { tgid, umask: Number.isInteger(umask) ? umask : 0o777, parent: Number(field("PPid")) }
    : undefined;
}

function* take<T>(items: Iterable<T>, count: number): Generator<T> {
  let left = count;
  for (const item of items) {
    if (left-- <= 0) return;
    yield item;
  }
}
