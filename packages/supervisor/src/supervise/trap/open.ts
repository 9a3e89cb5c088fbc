import type { Call, FileOperation } from "@assent/core/action";
import { joinPath } from "@assent/core/path";
import {
  addressOf,
  AT_FDCWD,
  cString,
  ERRNO,
  F_GETFL,
  F_SETFL,
  O_ACCMODE,
  O_CLOEXEC,
  O_DIRECTORY,
  O_NOFOLLOW,
  O_NONBLOCK,
  O_PATH,
  pathBytes,
  sys,
  SYSCALLS,
} from "../kernel/index.ts";
import type { SeccompTrap } from "./listener.ts";
import {
  aboutObject,
  AGAIN,
  type Decoded,
  type DecodedCall,
  fileAction,
  type Handlers,
  PASS,
  setIdActions,
  type TaskAccess,
} from "./operation.ts";
import { isUnlinked, type PinnedEntry, type PinnedObject, reopen } from "./paths.ts";
import { kindOf, statAt, statFd } from "../undo/index.ts";
import { inTree, terminalPath } from "./processes.ts";
import { decodePipeOpen } from "./pipes.ts";
import type { Task } from "./tasks.ts";

const O_CREAT = 0o100;
const O_EXCL = 0o200;
const O_NOCTTY = 0o400;
const O_TRUNC = 0o1000;
const TMPFILE_BIT = 0o20000000;
const O_TMPFILE = TMPFILE_BIT | O_DIRECTORY;
const MOST_LINKS = 40;

interface Opening {
  readonly dirfd: number;
  readonly flags: number;
  readonly mode: number;
  /** RESOLVE_* of openat2(2). */
  readonly resolve: number;
  /** The flags came in a register, so nobody can change them any more. */
  readonly fixed: boolean;
}

export const openHandlers = {
  open: (trap, task, access) => decodeOpen(trap, task, access, 0, fromRegisters(trap, AT_FDCWD, 1)),
  openat: (trap, task, access) => decodeOpen(trap, task, access, 1, fromRegisters(trap, trap.int(0), 2)),
  creat: (trap, task, access) =>
    decodeOpen(trap, task, access, 0, { dirfd: AT_FDCWD, flags: O_CREAT | O_TRUNC | 1, mode: trap.unsigned(1), resolve: 0, fixed: true }),
  openat2: (trap, task, access) => {
    const how = access.memory.structure(trap.tid, trap.long(2), trap.long(3), 24);
    if (typeof how === "number") return how;
    if (how.readUInt32LE(4) !== 0 || how.readUInt32LE(12) !== 0 || how.readUInt32LE(20) !== 0) return -ERRNO.EINVAL;
    const flags = how.readUInt32LE(0);
    const mode = how.readUInt32LE(8);
    const resolve = how.readUInt32LE(16);
    const creates = (flags & O_CREAT) !== 0 || (flags & TMPFILE_BIT) !== 0;
    if ((mode !== 0 && !creates) || (mode & ~0o7777) !== 0 || (resolve & ~0x3f) !== 0) return -ERRNO.EINVAL;
    // BENEATH and IN_ROOT contradict each other; CACHED promises not to wait, as nothing that changes files can.
    if ((resolve & 0x18) === 0x18) return -ERRNO.EINVAL;
    if ((resolve & 0x20) !== 0 && (creates || (flags & O_TRUNC) !== 0)) return -ERRNO.EAGAIN;
    return decodeOpen(trap, task, access, 1, { dirfd: trap.int(0), flags, mode, resolve, fixed: false });
  },
} satisfies Handlers;

function fromRegisters(trap: SeccompTrap, dirfd: number, at: number): Opening {
  return { dirfd, flags: trap.unsigned(at), mode: trap.unsigned(at + 1), resolve: 0, fixed: true };
}

function decodeOpen(trap: SeccompTrap, task: Task, access: TaskAccess, pathArgument: number, how: Opening): Decoded {
  // An O_PATH descriptor reaches no data, and cannot be handed over (ADDFD refuses it). In openat2's structure the flag could be changed meanwhile.
  if ((how.flags & O_PATH) !== 0) return how.fixed ? PASS : -ERRNO.ENOSYS;
  if ((how.flags & O_CREAT) !== 0 && (how.flags & O_DIRECTORY) !== 0) return -ERRNO.EINVAL;
  const length = access.paths.read(trap, pathArgument);
  if (length < 0) return length;
  if ((how.flags & TMPFILE_BIT) !== 0) return decodeUnnamed(task, access, how);
  for (let links = 0; links < MOST_LINKS; links++) {
    const found = decodeOnce(task, access, how);
    if (typeof found !== "object" || !("dangling" in found)) return found;
    access.paths.use(found.dangling);
  }
  return -ERRNO.ELOOP;
}

function decodeOnce(task: Task, access: TaskAccess, how: Opening): Decoded | { readonly dangling: Buffer } {
  const { paths } = access;
  const exclusive = (how.flags & O_CREAT) !== 0 && (how.flags & O_EXCL) !== 0;
  const follow = (how.flags & O_NOFOLLOW) === 0 && !exclusive;
  if ((how.flags & O_CREAT) !== 0) {
    const slot = paths.slot(task, how.dirfd, how.resolve);
    if (typeof slot === "number") return slot;
    // Mostly nothing is there, which is sooner seen in the folder.
    if (!slot.hopeless && !slot.slash && statAt(slot.parent, slot.nameAt) === -ERRNO.ENOENT)
      return decodeCreate(slot, task, access, how, exclusive);
    sys(SYSCALLS.close, slot.parent);
    // Whatever is there: a name that ends so cannot be a new file.
    if (slot.slash && !slot.hopeless) return -ERRNO.EISDIR;
  }
  const place = paths.object(task, how.dirfd, follow, how.resolve);
  if (typeof place !== "number") return decodeExisting(place, task, access, how, exclusive);
  if (place !== -ERRNO.ENOENT || (how.flags & O_CREAT) === 0) return place;
  const slot = paths.slot(task, how.dirfd, how.resolve);
  if (typeof slot === "number") return slot;
  const there = statAt(slot.parent, slot.nameAt);
  if (typeof there === "object" && kindOf(there.mode) === "symlink" && follow) {
    // A link that leads nowhere: the file is made where it points to.
    const text = paths.linkText(slot.parent, slot.nameAt);
    sys(SYSCALLS.close, slot.parent);
    if (typeof text === "number") return text;
    const folder = slot.path.slice(0, slot.path.lastIndexOf("/") + 1);
    return { dangling: text[0] === 0x2f ? text : Buffer.concat([pathBytes(folder), text]) };
  }
  return decodeCreate(slot, task, access, how, exclusive);
}

/** Bits that say how, not which: what is left once the object is known. */
const keptFlags = (flags: number): number => (flags & ~(O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | TMPFILE_BIT)) | O_CLOEXEC | O_NOCTTY;

const exclusiveness = ({ flags, mode }: Opening): DecodedCall["exclusive"] =>
  (flags & O_EXCL) === 0 ? undefined : (mode & 0o077) === 0 ? "private" : "shared";

const mayWrite = (flags: number): boolean => (flags & O_ACCMODE) !== 0 || (flags & O_TRUNC) !== 0;

function decodeExisting(place: PinnedObject, task: Task, { sandboxed, paths }: TaskAccess, how: Opening, exclusive: boolean): Decoded {
  const { flags } = how;
  const { kind } = place;
  const foreign = isForeignProcess(place.path, mayWrite(flags), task);
  const native = foreign
    ? ERRNO.EACCES
    : exclusive
      ? ERRNO.EEXIST
      : kind === "symlink"
        ? ERRNO.ELOOP
        : kind === "directory" && (mayWrite(flags) || (flags & O_CREAT) !== 0)
          ? ERRNO.EISDIR
          : kind !== "directory" && (flags & O_DIRECTORY) !== 0
            ? ERRNO.ENOTDIR
            : kind === "socket"
              ? ERRNO.ENXIO
              : 0;
  if (native !== 0) {
    sys(SYSCALLS.close, place.fd);
    return -native;
  }
  // Access mode 3 opens for neither, so the sandbox has nothing to refuse.
  const harmless = kind === "char" && (flags & O_ACCMODE) !== 0 && (flags & O_ACCMODE) !== O_ACCMODE && isSandboxedDevice(place.path);
  // The sandbox lets only harmless devices be opened for writing, so whatever the path becomes, it is one of them; and only
  // the task itself can make a terminal its controlling one.
  if (harmless && sandboxed && how.fixed) {
    sys(SYSCALLS.close, place.fd);
    return PASS;
  }
  if (kind === "char" && place.path === "/dev/tty") return decodeTerminal(place, task, how);
  const call: Call = { name: "open", args: [place.path, openMode(flags & ~O_CREAT)] };
  // One without a name (pipe(2), reached through /proc) is opened at once, whoever has its other end.
  const pipe =
    kind === "fifo" && place.path.startsWith("/") && (flags & O_NONBLOCK) === 0 ? decodePipeOpen(task, place, keptFlags(flags)) : undefined;
  const isOutput = kind === "file" && isGiven(place, flags, paths);
  const operation: FileOperation = !mayWrite(flags) ? (kind === "directory" ? "list" : "read") : (flags & O_TRUNC) !== 0 ? "write" : "edit";
  return {
    call,
    actions:
      harmless || isOutput || (kind === "file" && isUnlinked(place))
        ? []
        : (flags & O_ACCMODE) === 2
          ? [fileAction(operation, place.path, call), fileAction("read", place.path, call)]
          : [fileAction(tellsAll(place) ? "edit" : operation, place.path, call)],
    about: kind === "file" ? { ...aboutObject(place), asked: paths.asked } : undefined,
    places: [{ path: place.path, object: place.stat }],
    gives: { closeOnExec: (flags & O_CLOEXEC) !== 0 },
    // What a program prints is nothing to take back; what was there before it is.
    save:
      mayWrite(flags) && kind === "file" && (!isOutput || (flags & O_TRUNC) !== 0)
        ? (undo, anyway) => undo.modify(place.fd, place.path, place.stat, anyway)
        : undefined,
    pinned: pipe?.pinned ?? [place.fd],
    perform:
      pipe?.perform ??
      (kind === "char" || kind === "block" ? () => openDevice(place.fd, keptFlags(flags)) : () => reopen(place.fd, keptFlags(flags))),
  };
}

/**
 * `/dev/stdout` leads to a file where the host sends its commands' output to one: whoever started the run has given it to the program, to
 * write or to read as it was opened. Its first three descriptors are the supervisor's own.
 */
function isGiven({ stat }: PinnedObject, flags: number, run: TaskAccess["paths"]): boolean {
  // INVARIANT: an open file keeps its number. A supervisor that waited has had other descriptors before.
  let given = givenTo.get(run);
  if (given === undefined)
    givenTo.set(
      run,
      (given = [0, 1, 2].flatMap((fd) => {
        const mode = sys(SYSCALLS.fcntl, fd, F_GETFL, 0);
        const there = mode < 0 || (mode & O_PATH) !== 0 ? mode : statFd(fd);
        return typeof there === "object" && kindOf(there.mode) === "file" ? [{ id: there.id, access: mode & O_ACCMODE }] : [];
      })),
    );
  const wanted = (flags & O_TRUNC) !== 0 && (flags & O_ACCMODE) === 0 ? 2 : flags & O_ACCMODE;
  return given.some(({ id, access }) => id === stat.id && (access === wanted || (access === 2 && wanted !== O_ACCMODE)));
}

/** By what a run has of its own. */
const givenTo = new WeakMap<TaskAccess["paths"], readonly { readonly id: string; readonly access: number }[]>();

/** `/dev/tty` is the terminal of whoever opens it (tty(4)): the task's own, not the trap handler's. */
function decodeTerminal(tty: PinnedObject, task: Task, how: Opening): Decoded {
  sys(SYSCALLS.close, tty.fd);
  const path = terminalPath(task.tgid);
  if (path === undefined) return -ERRNO.ENXIO;
  const call: Call = { name: "open", args: ["/dev/tty", openMode(how.flags & ~O_CREAT)] };
  const name = cString(Buffer.from(path));
  return {
    call,
    actions: [fileAction("read", "/dev/tty", call)],
    gives: { closeOnExec: (how.flags & O_CLOEXEC) !== 0 },
    pinned: [],
    perform: () => sys(SYSCALLS.openat, AT_FDCWD, addressOf(name), keptFlags(how.flags), 0),
  };
}

/** A terminal line may wait for its carrier (open(2), O_NONBLOCK), which must not keep the trap handler. */
function openDevice(device: number, flags: number): number {
  const fd = reopen(device, flags | O_NONBLOCK);
  if (fd >= 0 && (flags & O_NONBLOCK) === 0) sys(SYSCALLS.fcntl, fd, F_SETFL, flags & ~O_CLOEXEC);
  return fd;
}

/** What every user may see of any process (proc(5)); the rest needs the right to trace it, which the sandbox takes away. */
const PUBLIC = new RegExp(
  String.raw`^\/proc\/\d+\/(?:task\/\d+\/)?(?:stat|statm|status|cmdline|comm|cgroup|limits|loginuid|sessionid|oom_score|` +
    String.raw`oom_score_adj|wchan|schedstat|sched|cpuset|net|net\/.*|task)?$`,
);

/** Reaches beyond the process: `autogroup` is the priority of everything in its session (sched(7)). */
const NOT_ITS_OWN = /\/(?:mem|autogroup|attr\/.*|[ug]id_map|setgroups|projid_map)$/;

/** The trap handler is outside the sandbox, so it must itself keep the tree from looking into other processes, the supervisor among them. */
function isForeignProcess(path: string, changes: boolean, { tgid }: Task): boolean {
  if (!path.startsWith("/proc/")) return false;
  const pid = Number(/^\/proc\/(\d+)(?:\/|$)/.exec(path)?.[1]);
  if (!(pid > 0) || inTree(pid)) return (changes && NOT_ITS_OWN.test(path)) || (pid !== tgid && path.endsWith("/mem"));
  return changes || !PUBLIC.test(`${path}${/^\/proc\/\d+$/.test(path) ? "/" : ""}`);
}

function decodeCreate(slot: PinnedEntry, task: Task, access: TaskAccess, how: Opening, exclusive: boolean): Decoded {
  if (slot.hopeless || slot.slash) {
    sys(SYSCALLS.close, slot.parent);
    return -ERRNO.EISDIR;
  }
  const call: Call = { name: "open", args: [slot.path, openMode(how.flags)] };
  const mask = access.tasks.umask(task);
  const mode = how.mode & 0o7777;
  const operation: DecodedCall = {
    call,
    actions: [fileAction("write", slot.path, call), ...setIdActions(mode, slot.path)],
    note: "new file",
    exclusive: exclusiveness(how),
    places: [{ path: slot.path, parent: slot.parent }],
    makes: statFd,
    gives: { closeOnExec: (how.flags & O_CLOEXEC) !== 0 },
    pinned: [slot.parent],
    perform: () => {
      const flags = (keptFlags(how.flags) & ~O_TRUNC) | O_CREAT | O_EXCL | O_NOFOLLOW;
      const fd = access.tasks.masked(mask, () => sys(SYSCALLS.openat, slot.parent, slot.nameAt, flags, mode));
      return fd === -ERRNO.EEXIST && !exclusive ? AGAIN : fd;
    },
    save: (undo) => undo.create(slot.parent, slot.path, "file"),
    done: (undo, fd) => undo.born(fd),
  };
  return operation;
}

/** O_TMPFILE: a file without a name in a folder; linkat(2) may name it later, and is judged then. */
function decodeUnnamed(task: Task, access: TaskAccess, how: Opening): Decoded {
  if ((how.flags & O_TMPFILE) !== O_TMPFILE || (how.flags & O_ACCMODE) === 0) return -ERRNO.EINVAL;
  const place = access.paths.object(task, how.dirfd, true, how.resolve);
  if (typeof place === "number") return place;
  if (place.kind !== "directory") {
    sys(SYSCALLS.close, place.fd);
    return -ERRNO.ENOTDIR;
  }
  const call: Call = { name: "open", args: [`${place.path}/`, openMode(how.flags)] };
  const mask = access.tasks.umask(task);
  const mode = how.mode & 0o7777;
  const flags = (how.flags & ~(O_CREAT | O_NOFOLLOW)) | O_CLOEXEC;
  return {
    call,
    // Any name will do to judge: the file has none.
    actions: [fileAction("write", joinPath(place.path, "#tmpfile"), call), ...setIdActions(mode, place.path)],
    note: "new file without a name",
    places: [{ path: joinPath(place.path, "#tmpfile"), parent: place.fd }],
    makes: statFd,
    gives: { closeOnExec: (how.flags & O_CLOEXEC) !== 0 },
    pinned: [place.fd],
    perform: () => access.tasks.masked(mask, () => reopen(place.fd, flags, mode)),
  };
}

const modes = new Map<number, string>();

/** `create`, `truncate`, `write`, `read-write` in this order, joined by `+`. */
function openMode(flags: number): string {
  const telling = flags & (O_ACCMODE | O_CREAT | O_TRUNC | TMPFILE_BIT);
  const known = modes.get(telling);
  if (known !== undefined) return known;
  const words = [
    ...((flags & O_CREAT) !== 0 || (flags & TMPFILE_BIT) !== 0 ? ["create"] : []),
    ...((flags & O_TRUNC) !== 0 ? ["truncate"] : []),
    ...((flags & O_ACCMODE) === 1 ? ["write"] : (flags & O_ACCMODE) !== 0 ? ["read-write"] : []),
  ];
  const mode = telling === 0 ? "read" : words.join("+");
  modes.set(telling, mode);
  return mode;
}

/** Whoever reads a disk reads every file on it; other devices are keyboards, screens, memory (devices.txt of the kernel). */
function tellsAll({ kind, stat }: PinnedObject): boolean {
  if (kind !== "char") return kind === "block";
  const [major, minor] = stat.rdev;
  const isTerminal = (major === 5 && (minor === 0 || minor === 2)) || (major >= 136 && major <= 143);
  return !isTerminal && !(major === 1 && HARMLESS_MINORS.has(minor));
}

/** null, zero, full, random, urandom. */
const HARMLESS_MINORS: ReadonlySet<number> = new Set([3, 5, 7, 8, 9]);

/** What the sandbox lets through; the same list as in sandbox/landlock.ts. */
function isSandboxedDevice(path: string): boolean {
  return /^\/dev\/(?:null|zero|full|random|urandom|tty|ptmx|pts\/(?:\d+|ptmx))$/.test(path);
}
