import type { Call } from "@assent/core/action";
import { addressOf, alloc, AT_EMPTY_PATH, AT_FDCWD, ERRNO, sys, SYSCALLS } from "../kernel/index.ts";
import type { SeccompTrap } from "./listener.ts";
import { attributeName, pinFlagged, pinFollowed, pinItself, pinOpened, procName } from "./metadata.ts";
import { writeMemory } from "./net/index.ts";
import { aboutObject, closeAll, type Decoded, type DecodedCall, fileAction, type Handlers, PASS, type TaskAccess } from "./operation.ts";
import { isUnlinked, type PinnedObject } from "./paths.ts";
import type { Task } from "./tasks.ts";

/** XATTR_SIZE_MAX, XATTR_LIST_MAX (linux/limits.h): the kernel gives no more, whatever room there is. */
const MOST = 65_536;
/** Rights, labels and marks of the kernel's, which `ls -l` looks at: they are about a file as its mode is, and not in it (xattr(7)). */
const ABOUT_A_FILE = /^(?:security|system)\./;
/** inotify(7). */
const IN_DONT_FOLLOW = 0x0200_0000;

type Find = (trap: SeccompTrap, task: Task, access: TaskAccess) => PinnedObject | number;
const followed: Find = (trap, task, access) => pinFollowed(trap, task, access, AT_FDCWD, 0);
const itself: Find = (trap, task, access) => pinItself(trap, task, access, AT_FDCWD, 0);
const opened: Find = (trap, task, access) => pinOpened(task, access, trap.int(0));
/** With an empty path it is the descriptor, which must be more than a name (fs/xattr.c, Linux 6.18). */
const flagged: Find = (trap, task, access) => {
  const flags = trap.unsigned(2);
  const bare = (flags & AT_EMPTY_PATH) !== 0 && trap.int(0) >= 0 && access.paths.read(trap, 1) === 0;
  return bare ? opened(trap, task, access) : pinFlagged(trap, task, access, trap.int(0), 1, flags);
};

/**
 * What tells of a file or a folder without an open: the values of extended attributes are read as what is in a file, and whoever
 * watches a folder is told the names in it. Landlock covers neither. A watch of a file tells when it changes, which stat(2) tells, too.
 */
export const tellingHandlers = {
  getxattr: (trap, task, access) => decodeGet(trap, task, access, followed),
  lgetxattr: (trap, task, access) => decodeGet(trap, task, access, itself),
  fgetxattr: (trap, task, access) => decodeGet(trap, task, access, opened),
  getxattrat: (trap, task, access) => {
    // struct xattr_args: value u64, size u32, flags u32 (linux/xattr.h).
    const length = trap.long(5);
    if (length < 16 || length > 4096) return length < 16 ? -ERRNO.EINVAL : -ERRNO.E2BIG;
    const args = access.memory.bytes(trap.tid, trap.long(4), length);
    if (typeof args === "number") return args;
    if (args.subarray(16).some((byte) => byte !== 0)) return -ERRNO.E2BIG;
    if (args.readUInt32LE(12) !== 0) return -ERRNO.EINVAL;
    const at = args.readUInt32LE(0) + args.readUInt32LE(4) * 0x1_0000_0000;
    return decodeGet(trap, task, access, flagged, 3, { at, size: args.readUInt32LE(8) });
  },
  listxattr: (trap, task, access) => decodeList(trap, task, access, followed),
  llistxattr: (trap, task, access) => decodeList(trap, task, access, itself),
  flistxattr: (trap, task, access) => decodeList(trap, task, access, opened),
  listxattrat: (trap, task, access) => decodeList(trap, task, access, flagged, { at: trap.long(3), size: trap.long(4) }),

  inotify_add_watch: (trap, task, access) => {
    const mask = trap.unsigned(2);
    const pin = (mask & IN_DONT_FOLLOW) === 0 ? pinFollowed : pinItself;
    const place = pin(trap, task, access, AT_FDCWD, 1);
    if (typeof place === "number") return place;
    // Without a copy of the task's descriptor the kernel does it, and another thread may change the name meanwhile (docs/security.md).
    if (access.tasks.copies.makesSockets) return settle(trap, access, { ...telling(place, place.kind === "directory"), leaves: true });
    const own = access.tasks.copies.usable(task, trap.int(0));
    const work = telling(place, place.kind === "directory", () =>
      own < 0 ? own : sys(SYSCALLS.inotify_add_watch, own, procName(place), (mask & ~IN_DONT_FOLLOW) >>> 0),
    );
    return settle(trap, access, own < 0 ? work : { ...work, pinned: [place.fd, own] });
  },
} satisfies Handlers;

/** Where a task wants to have what it is told. */
interface Room {
  readonly at: number;
  readonly size: number;
}

/** The name is looked at before the file (fs/xattr.c). */
function decodeGet(
  trap: SeccompTrap,
  task: Task,
  access: TaskAccess,
  find: Find,
  argument = 1,
  room: Room = { at: trap.long(2), size: trap.long(3) },
): Decoded {
  const name = attributeName(trap, access, argument);
  if (typeof name === "number") return name;
  const place = find(trap, task, access);
  if (typeof place === "number") return place;
  const perform = (): number =>
    fill(trap, room, (at, size) => sys(SYSCALLS.getxattr, procName(place), addressOf(name), size === 0 ? 0 : at, size));
  return settle(trap, access, telling(place, !ABOUT_A_FILE.test(name.toString("latin1")), perform));
}

/** Programs list them by themselves, before they look at those that are about the file: nobody is asked about that. */
function decodeList(
  trap: SeccompTrap,
  task: Task,
  access: TaskAccess,
  find: Find,
  room: Room = { at: trap.long(1), size: trap.long(2) },
): Decoded {
  const place = find(trap, task, access);
  if (typeof place === "number") return place;
  const perform = (): number => fill(trap, room, (at, size) => sys(SYSCALLS.listxattr, procName(place), size === 0 ? 0 : at, size));
  return settle(trap, access, { ...telling(place, true, perform), quiet: true });
}

function fill({ tid }: SeccompTrap, { at, size }: Room, tell: (at: number, size: number) => number): number {
  const bytes = alloc(Math.min(size, MOST));
  const told = tell(addressOf(bytes), bytes.length);
  return told > 0 && bytes.length > 0 && !writeMemory(tid, at, bytes.subarray(0, told)) ? -ERRNO.EFAULT : told;
}

/** As an open for reading: one rule is about both. */
function telling(place: PinnedObject, isJudged: boolean, perform: () => number = () => 0): DecodedCall {
  const call: Call = { name: "open", args: [place.path, "read"] };
  const holds = place.kind === "directory" || (place.kind === "file" && !isUnlinked(place));
  return {
    call,
    actions:
      isJudged && holds && place.path.startsWith("/") ? [fileAction(place.kind === "directory" ? "list" : "read", place.path, call)] : [],
    about: place.kind === "file" ? aboutObject(place) : undefined,
    places: [{ path: place.path, object: place.stat }],
    pinned: [place.fd],
    perform,
  };
}

/** What no rule speaks about is done at once, and nowhere noted. */
function settle(trap: SeccompTrap, access: TaskAccess, work: DecodedCall): Decoded {
  if (work.actions.length > 0) return work;
  const result = work.leaves === true ? PASS : access.listener.valid(trap) ? work.perform() : -ERRNO.EACCES;
  closeAll(work.pinned);
  return result;
}
