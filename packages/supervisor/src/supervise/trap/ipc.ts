import { addressOf, alloc, cString, ERRNO, IPC, pathText, sys, SYSCALLS } from "../kernel/index.ts";
import { statFd } from "../undo/index.ts";
import type { SeccompTrap } from "./listener.ts";
import { type DecodedCall, type Handler, type Handlers, PASS, type TaskAccess } from "./operation.ts";

/**
 * System V and POSIX objects of the run: it uses those that it made, and no others, whose ids and names anybody can guess. The kernel
 * tells nobody who made a semaphore or a queue, so the trap handler makes them.
 */
interface OwnObjects {
  /** An id names an object for good, as far as a run lasts: it counts how often its place was used (sysvipc(7)). */
  readonly ids: Readonly<Record<"shm" | "sem" | "msg", Set<number>>>;
  /** Queues by name: device and inode. */
  readonly queues: Map<string, string>;
}

const known = new WeakMap<object, OwnObjects>();

function objectsOf({ tasks }: Pick<TaskAccess, "tasks">): OwnObjects {
  const found = known.get(tasks) ?? { ids: { shm: new Set(), sem: new Set(), msg: new Set() }, queues: new Map<string, string>() };
  known.set(tasks, found);
  return found;
}

/** The run has made this segment. */
export const ownsSegment = (id: number, access: TaskAccess): boolean => objectsOf(access).ids.shm.has(id);

// sys/ipc.h, sys/sem.h, sys/msg.h.
const SEM_CONTROL: ReadonlySet<number> = new Set([IPC.RMID, 1, 2, 11, 12, 13, 14, 15, 16, 17]);
const MSG_CONTROL: ReadonlySet<number> = new Set([IPC.RMID, 1, 2]);

/** What is new is made; what is there has to be the run's. The flags are the last argument. */
const get =
  (kind: "shm" | "sem" | "msg", flagsAt: 1 | 2): Handler =>
  (trap, _, access) => {
    const key = trap.int(0);
    const flags = trap.int(flagsAt);
    // A size is 64 bits wide.
    const size = flagsAt === 2 ? [kind === "shm" ? trap.long(1) : trap.int(1)] : [];
    const own = objectsOf(access).ids[kind];
    const make = (how: number): number => sys(SYSCALLS[`${kind}get`], key, ...size, how);
    if (key === IPC.PRIVATE || (flags & IPC.CREAT) !== 0) {
      const made = make(flags | IPC.CREAT | IPC.EXCL);
      if (made >= 0) own.add(made);
      if (made !== -ERRNO.EEXIST || (flags & IPC.EXCL) !== 0) return made;
    }
    const found = make(flags & ~IPC.CREAT);
    return found < 0 || own.has(found) ? found : -ERRNO.EACCES;
  };

/** Others' are as if they were not there. */
const use =
  (kind: "sem" | "msg"): Handler =>
  (trap, _, access) =>
    objectsOf(access).ids[kind].has(trap.int(0)) ? PASS : -ERRNO.EINVAL;

const control =
  (kind: "sem" | "msg", commandAt: 1 | 2, commands: ReadonlySet<number>): Handler =>
  (trap, _, access) => {
    const own = objectsOf(access).ids[kind];
    const command = trap.int(commandAt);
    if (command === IPC.INFO) return PASS;
    if (!commands.has(command)) return -ERRNO.EACCES;
    if (!own.has(trap.int(0))) return -ERRNO.EINVAL;
    if (command === IPC.RMID) own.delete(trap.int(0));
    return PASS;
  };

const O_WRITE = 0o3;
const O_CREAT = 0o100;
const O_EXCL = 0o200;
const O_NONBLOCK = 0o4000;
/** struct mq_attr: eight longs (mq_open(3)). */
const ATTRIBUTES = 64;
const MOST_NAME = 256;

const ofQueue = (name: "open" | "delete", queue: Buffer, perform: DecodedCall["perform"]): DecodedCall => ({
  call: { name, args: [`mqueue:${pathText(queue, 0, queue.length - 1)}`] },
  actions: [],
  pinned: [],
  perform,
});

function nameOfQueue(trap: SeccompTrap, { memory }: TaskAccess): Buffer | number {
  const read = alloc(MOST_NAME);
  const length = memory.string(trap.tid, trap.long(0), read, addressOf(read), ERRNO.ENAMETOOLONG);
  return length < 0 ? length : cString(read.subarray(0, length));
}

/** Opens a queue that the run has made under this name, and that is still the same. */
function openOwn(own: OwnObjects, name: Buffer, flags: number): number {
  const fd = sys(SYSCALLS.mq_open, addressOf(name), flags & ~(O_CREAT | O_EXCL), 0, 0);
  const stat = fd < 0 ? fd : statFd(fd);
  if (typeof stat === "number" || own.queues.get(name.toString("latin1")) === stat.id) return fd;
  sys(SYSCALLS.close, fd);
  return -ERRNO.EACCES;
}

const openQueue: Handler = (trap, task, access) => {
  const name = nameOfQueue(trap, access);
  if (typeof name === "number") return name;
  const given = trap.int(1);
  const flags = given & (O_WRITE | O_CREAT | O_EXCL | O_NONBLOCK);
  const mode = trap.int(2) & 0o777;
  const attributes = alloc(ATTRIBUTES);
  const hasAttributes = (flags & O_CREAT) !== 0 && trap.long(3) !== 0;
  if (hasAttributes && access.memory.copy(trap.tid, trap.long(3), addressOf(attributes), ATTRIBUTES) !== ATTRIBUTES) return -ERRNO.EFAULT;
  const own = objectsOf(access);
  const mask = access.tasks.umask(task);
  return {
    ...ofQueue("open", name, () => {
      if ((flags & O_CREAT) === 0) return openOwn(own, name, flags);
      const at = hasAttributes ? addressOf(attributes) : 0;
      const made = access.tasks.masked(mask, () => sys(SYSCALLS.mq_open, addressOf(name), flags | O_EXCL, mode, at));
      if (made === -ERRNO.EEXIST && (flags & O_EXCL) === 0) return openOwn(own, name, flags);
      const stat = made < 0 ? made : statFd(made);
      if (typeof stat !== "number") own.queues.set(name.toString("latin1"), stat.id);
      return made;
    }),
    gives: { closeOnExec: true },
  };
};

const unlinkQueue: Handler = (trap, _, access) => {
  const name = nameOfQueue(trap, access);
  if (typeof name === "number") return name;
  return ofQueue("delete", name, () => {
    const own = objectsOf(access);
    const fd = openOwn(own, name, 0);
    if (fd < 0) return fd;
    sys(SYSCALLS.close, fd);
    own.queues.delete(name.toString("latin1"));
    return sys(SYSCALLS.mq_unlink, addressOf(name));
  });
};

export const ipcHandlers = {
  shmget: get("shm", 2),
  semget: get("sem", 2),
  semop: use("sem"),
  semtimedop: use("sem"),
  semctl: control("sem", 2, SEM_CONTROL),
  msgget: get("msg", 1),
  msgsnd: use("msg"),
  msgrcv: use("msg"),
  msgctl: control("msg", 1, MSG_CONTROL),
  mq_open: openQueue,
  mq_unlink: unlinkQueue,
} satisfies Handlers;
