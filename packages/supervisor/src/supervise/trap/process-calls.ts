import { readFileSync } from "node:fs";
import { addressOf, alloc, ERRNO, IOPRIO_WHO_PROCESS, IPC, PRIO_PROCESS, sys, SYSCALLS } from "../kernel/index.ts";
import { ownsSegment } from "./ipc.ts";
import type { SeccompTrap } from "./listener.ts";
import { type Handler, type Handlers, PASS } from "./operation.ts";
import { inTree, startOf } from "./processes.ts";
import type { Task } from "./tasks.ts";

/** Priority, limits, affinity, signals of another process: of the tree's own only. All arguments are registers. */
const about =
  (...targets: readonly number[]): Handler =>
  (trap, task) =>
    allOwn(
      targets.map((at) => trap.int(at)),
      task,
    );

/** These calls know no groups: a negative number is nobody's, and the kernel says so in its own words. */
const aboutOne =
  (...targets: readonly number[]): Handler =>
  (trap, task) =>
    allOwn(
      targets.map((at) => trap.int(at)).filter((pid) => pid >= 0),
      task,
    );

function allOwn(pids: readonly number[], task: Task): typeof PASS | number {
  const others = pids.filter((pid) => !isOwn(pid, task));
  if (others.length === 0) return PASS;
  return others.some(isNobody) ? -ERRNO.ESRCH : -ERRNO.EPERM;
}

export const isOwn = (pid: number, { tid, tgid }: Task): boolean => pid === 0 || pid === tid || pid === tgid || (pid > 0 && inTree(pid));

export const isNobody = (pid: number): boolean => pid > 0 && sys(SYSCALLS.kill, pid, 0) === -ERRNO.ESRCH;

/** getpriority(2), ioprio_set(2): a number may also mean a whole group, or everything a user runs, and 0 the caller's own. */
const ofProcess =
  (process: number): Handler =>
  (trap, task) =>
    trap.int(0) === process
      ? allOwn(
          [trap.int(1)].filter((pid) => pid >= 0),
          task,
        )
      : -ERRNO.EPERM;

/** shmctl(2): struct shmid_ds has ipc_perm (48 bytes on 64 bits), size, three times, then the pid of the maker. */
const CHANGED = 72;
const MAKER = 80;
const segment = alloc(256);

/** Shared memory that a process of the tree made, or the trap handler for it. Segments of others may have been made by a process whose number came again. */
const sharedMemory: Handler = (trap: SeccompTrap, _, access) => {
  if (ownsSegment(trap.int(0), access)) return PASS;
  const found = sys(SYSCALLS.shmctl, trap.int(0), IPC.STAT, addressOf(segment));
  if (found < 0) return found;
  const maker = segment.readInt32LE(MAKER);
  const changed = Number(segment.readBigInt64LE(CHANGED));
  return maker > 0 && inTree(maker) && beganBefore(maker, changed) ? PASS : -ERRNO.EACCES;
};

const TICKS_PER_SECOND = 100;

/** `time`: seconds since the epoch. */
function beganBefore(pid: number, time: number): boolean {
  const ticks = Number(startOf(pid));
  // proc_uptime(5)
  const booted = Date.now() / 1000 - Number(readFileSync("/proc/uptime", "latin1").split(" ")[0]);
  return Number.isFinite(ticks) && booted + ticks / TICKS_PER_SECOND <= time + 1;
}

export const processHandlers = {
  prlimit64: aboutOne(0),
  sched_setscheduler: aboutOne(0),
  sched_setparam: aboutOne(0),
  sched_setattr: aboutOne(0),
  sched_setaffinity: aboutOne(0),
  move_pages: aboutOne(0),
  migrate_pages: aboutOne(0),
  kcmp: aboutOne(0, 1),
  setpriority: ofProcess(PRIO_PROCESS),
  ioprio_set: ofProcess(IOPRIO_WHO_PROCESS),
  kill: about(0),
  tkill: about(0),
  tgkill: about(0),
  rt_sigqueueinfo: about(0),
  rt_tgsigqueueinfo: about(0),
  // Whose the pidfd is, is not known.
  pidfd_send_signal: () => -ERRNO.EPERM,
  // F_SETOWN, where Landlock does not keep signals inside: of all its commands this one alone comes here.
  fcntl: about(2),
  umask: (trap, _, access) => {
    access.tasks.changesUmask(trap.tid);
    return PASS;
  },
  shmat: sharedMemory,
  shmctl: sharedMemory,
} satisfies Handlers;
