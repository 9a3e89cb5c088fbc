import type { Call, FileAction, FileOperation } from "@assent/core/action";
import { addressOf, AT_EMPTY_PATH, AT_FDCWD, AT_REMOVEDIR, ERRNO, pathText, sys, SYSCALLS } from "../kernel/index.ts";
import type { SeccompTrap } from "./listener.ts";
import { aboutObject, type Decoded, type DecodedCall, fileAction, type Handlers, setIdActions, type TaskAccess } from "./operation.ts";
import { isUnlinked, numberName, ownDescriptors, type PinnedEntry, type PinnedObject } from "./paths.ts";
import { type FileKind, kindOf, type ObjectStat, type PinnedName, statAt } from "../undo/index.ts";
import type { Task } from "./tasks.ts";

const AT_SYMLINK_FOLLOW = 0x400;
const NOREPLACE = 1;
const EXCHANGE = 2;

/** Calls that make, remove and move names. */
export const nameHandlers = {
  unlink: (trap, task, access) => decodeRemoval(trap, task, access, AT_FDCWD, 0, 0),
  rmdir: (trap, task, access) => decodeRemoval(trap, task, access, AT_FDCWD, 0, AT_REMOVEDIR),
  unlinkat: (trap, task, access) => decodeRemoval(trap, task, access, trap.int(0), 1, trap.unsigned(2)),
  mkdir: (trap, task, access) => decodeMkdir(trap, task, access, AT_FDCWD, 0, trap.unsigned(1)),
  mkdirat: (trap, task, access) => decodeMkdir(trap, task, access, trap.int(0), 1, trap.unsigned(2)),
  rename: (trap, task, access) => decodeRename(trap, task, access, [AT_FDCWD, 0], [AT_FDCWD, 1], 0),
  renameat: (trap, task, access) => decodeRename(trap, task, access, [trap.int(0), 1], [trap.int(2), 3], 0),
  renameat2: (trap, task, access) => decodeRename(trap, task, access, [trap.int(0), 1], [trap.int(2), 3], trap.unsigned(4)),
  link: (trap, task, access) => decodeLink(trap, task, access, [AT_FDCWD, 0], [AT_FDCWD, 1], 0),
  linkat: (trap, task, access) => decodeLink(trap, task, access, [trap.int(0), 1], [trap.int(2), 3], trap.unsigned(4)),
  symlink: (trap, task, access) => decodeSymlink(trap, task, access, AT_FDCWD, 1),
  symlinkat: (trap, task, access) => decodeSymlink(trap, task, access, trap.int(1), 2),
  mknod: (trap, task, access) => decodeMknod(trap, task, access, AT_FDCWD, 0),
  mknodat: (trap, task, access) => decodeMknod(trap, task, access, trap.int(0), 1),
} satisfies Handlers;

/** Reads a path argument and pins its folder. */
export function slotOf(trap: SeccompTrap, task: Task, access: TaskAccess, dirfd: number, argument: number): PinnedEntry | number {
  const length = access.paths.read(trap, argument);
  return length < 0 ? length : access.paths.slot(task, dirfd);
}

/** As the undo store names it: without the NUL and a last `/`. */
function pinnedName({ parent, name, path }: PinnedEntry): PinnedName {
  let end = name.length - 1;
  while (end > 0 && name[end - 1] === 0x2f) end -= 1;
  return { parentFd: parent, name: name.subarray(0, end), path };
}

function recordBirth(slot: PinnedEntry, kind: FileKind): Pick<DecodedCall, "places" | "makes" | "save" | "done"> {
  return {
    places: [{ path: slot.path, parent: slot.parent }],
    makes: () => statAt(slot.parent, slot.bareAt),
    save: (undo) => undo.create(slot.parent, slot.path, kind),
    done: (undo) => undo.bornAt(slot.parent, pinnedName(slot).name),
  };
}

/** Leaves without an operation: what was pinned is let go. */
function closeAndReturn(result: number, ...pinned: readonly { readonly parent?: number; readonly fd?: number }[]): number {
  for (const { parent, fd } of pinned) {
    if (parent !== undefined) sys(SYSCALLS.close, parent);
    if (fd !== undefined) sys(SYSCALLS.close, fd);
  }
  return result;
}

function decodeRemoval(trap: SeccompTrap, task: Task, access: TaskAccess, dirfd: number, argument: number, flags: number): Decoded {
  if ((flags & ~AT_REMOVEDIR) !== 0) return -ERRNO.EINVAL;
  const slot = slotOf(trap, task, access, dirfd, argument);
  if (typeof slot === "number") return slot;
  const remove = (): number => sys(SYSCALLS.unlinkat, slot.parent, slot.nameAt, flags);
  // These never succeed, and the kernel has its own error for each.
  if (slot.hopeless) return closeAndReturn(remove(), slot);
  const stat = statAt(slot.parent, slot.bareAt);
  if (typeof stat === "number") return closeAndReturn(stat, slot);
  const isFolder = kindOf(stat.mode) === "directory";
  if (isFolder && flags === 0) return closeAndReturn(-ERRNO.EISDIR, slot);
  if ((!isFolder && flags !== 0) || (!isFolder && slot.slash)) return closeAndReturn(-ERRNO.ENOTDIR, slot);
  const call: Call = { name: isFolder ? "rmdir" : "delete", args: [slot.path] };
  return {
    call,
    actions: [fileAction("delete", slot.path, call)],
    places: [{ path: slot.path, object: stat }],
    pinned: [slot.parent],
    save: (undo, anyway) => undo.remove(pinnedName(slot), stat, anyway),
    perform: remove,
  };
}

function decodeMkdir(trap: SeccompTrap, task: Task, access: TaskAccess, dirfd: number, argument: number, mode: number): Decoded {
  const length = access.paths.read(trap, argument);
  if (length < 0) return length;
  // `mkdir -p` begins with what is there already.
  if (access.paths.isTaken(task, dirfd)) return -ERRNO.EEXIST;
  const slot = access.paths.slot(task, dirfd);
  if (typeof slot === "number") return slot;
  if (slot.hopeless) return closeAndReturn(-ERRNO.EEXIST, slot);
  if (typeof statAt(slot.parent, slot.bareAt) !== "number") return closeAndReturn(-ERRNO.EEXIST, slot);
  const call: Call = { name: "mkdir", args: [slot.path] };
  const mask = access.tasks.umask(task);
  const bits = mode & 0o1777;
  return {
    call,
    actions: [fileAction("mkdir", slot.path, call)],
    note: "new folder",
    pinned: [slot.parent],
    perform: () => access.tasks.masked(mask, () => sys(SYSCALLS.mkdirat, slot.parent, slot.nameAt, bits)),
    ...recordBirth(slot, "directory"),
  };
}

type PathArgument = readonly [dirfd: number, argument: number];

function decodeRename(
  trap: SeccompTrap,
  task: Task,
  access: TaskAccess,
  [fromFd, fromAt]: PathArgument,
  [toFd, toAt]: PathArgument,
  flags: number,
): Decoded {
  // WHITEOUT makes a device of it, which nothing supervised may have.
  if ((flags & ~(NOREPLACE | EXCHANGE)) !== 0 || flags === (NOREPLACE | EXCHANGE)) return -ERRNO.EINVAL;
  const from = slotOf(trap, task, access, fromFd, fromAt);
  if (typeof from === "number") return from;
  const to = slotOf(trap, task, access, toFd, toAt);
  if (typeof to === "number") return closeAndReturn(to, from);
  const rename = (): number => sys(SYSCALLS.renameat2, from.parent, from.nameAt, to.parent, to.nameAt, flags);
  if (from.hopeless || to.hopeless) return closeAndReturn(rename(), from, to);
  const source = statAt(from.parent, from.bareAt);
  if (typeof source === "number") return closeAndReturn(source, from, to);
  const victim = statAt(to.parent, to.bareAt);
  const taken = typeof victim !== "number";
  if (taken && (flags & NOREPLACE) !== 0) return closeAndReturn(-ERRNO.EEXIST, from, to);
  if (!taken && (flags & EXCHANGE) !== 0) return closeAndReturn(-ERRNO.ENOENT, from, to);
  const exchanges = (flags & EXCHANGE) !== 0;
  const isFolder = (stat: ObjectStat): boolean => kindOf(stat.mode) === "directory";
  if (exchanges && taken && !isFolder(victim) && to.slash) return closeAndReturn(-ERRNO.ENOTDIR, from, to);
  if (!isFolder(source) && (from.slash || (!exchanges && to.slash))) return closeAndReturn(-ERRNO.ENOTDIR, from, to);
  // rename(2): two names of one file are left as they are. Not done: by then a name could mean another file, which nobody has judged.
  if (taken && victim.id === source.id) return closeAndReturn(0, from, to);
  const call: Call = { name: "rename", args: [from.path, to.path] };
  return {
    call,
    actions: [
      movedAction(from.path, source, call),
      arrivingAction(to.path, source, call),
      ...(taken ? [exchanges ? movedAction(to.path, victim, call) : fileAction("delete", to.path, call)] : []),
      ...(exchanges && taken ? [arrivingAction(from.path, victim, call)] : []),
    ],
    places: [
      { path: from.path, object: source },
      { path: to.path, parent: to.parent, ...(taken ? { object: victim } : {}) },
    ],
    ...(taken && !exchanges ? { note: `replaces a ${kindOf(victim.mode)}` } : {}),
    about: {
      moves:
        exchanges && taken
          ? [
              [from.path, to.path],
              [to.path, from.path],
            ]
          : [[from.path, to.path]],
    },
    pinned: [from.parent, to.parent],
    save: (undo, anyway) => undo.rename(pinnedName(from), pinnedName(to), exchanges, anyway),
    perform: rename,
  };
}

/** A folder is moved with everything in it. */
function movedAction(path: string, stat: ObjectStat, call: Call): FileAction {
  return kindOf(stat.mode) === "directory"
    ? fileAction("rename", path, call, { target: { kind: "tree", path }, recursive: true })
    : fileAction("rename", path, call);
}

function arrivingAction(path: string, stat: ObjectStat, call: Call): FileAction {
  const kind = kindOf(stat.mode);
  const operation: FileOperation = kind === "directory" ? "mkdir" : kind === "symlink" ? "link" : "write";
  return fileAction(operation, path, call);
}

function decodeLink(
  trap: SeccompTrap,
  task: Task,
  access: TaskAccess,
  [oldFd, oldAt]: PathArgument,
  [newFd, newAt]: PathArgument,
  flags: number,
): Decoded {
  if ((flags & ~(AT_SYMLINK_FOLLOW | AT_EMPTY_PATH)) !== 0) return -ERRNO.EINVAL;
  const length = access.paths.read(trap, oldAt);
  if (length < 0) return length;
  const source: PinnedObject | number =
    length === 0 && (flags & AT_EMPTY_PATH) !== 0
      ? oldFd === AT_FDCWD
        ? -ERRNO.EPERM // A folder has one name only.
        : access.paths.descriptor(task, oldFd)
      : access.paths.object(task, oldFd, (flags & AT_SYMLINK_FOLLOW) !== 0);
  if (typeof source === "number") return source;
  const slot = slotOf(trap, task, access, newFd, newAt);
  if (typeof slot === "number") return closeAndReturn(slot, source);
  if (slot.hopeless || typeof statAt(slot.parent, slot.bareAt) !== "number") return closeAndReturn(-ERRNO.EEXIST, source, slot);
  if (slot.slash) return closeAndReturn(-ERRNO.ENOENT, source, slot);
  if (source.kind === "directory") return closeAndReturn(-ERRNO.EPERM, source, slot);
  const call: Call = { name: "link", args: [source.path, slot.path] };
  const isNew = isUnlinked(source);
  return {
    call,
    actions: [
      fileAction("write", slot.path, call),
      // Through its new name the same file can be changed and read; one without a name yet is the program's own.
      ...(isNew ? [] : [fileAction("edit", source.path, call), fileAction("read", source.path, call)]),
    ],
    about: aboutObject(source),
    places: [
      { path: source.path, object: source.stat },
      { path: slot.path, parent: slot.parent },
    ],
    // One without a name was made by whoever names it now.
    ...(isNew ? { makes: () => source.stat } : {}),
    note: "another name for the same file",
    pinned: [source.fd, slot.parent],
    perform: () => sys(SYSCALLS.linkat, ownDescriptors(), numberName(source.fd), slot.parent, slot.nameAt, AT_SYMLINK_FOLLOW),
    save: (undo) => undo.link(isNew ? undefined : source.path, pinnedName(slot), source.stat),
  };
}

function decodeSymlink(trap: SeccompTrap, task: Task, access: TaskAccess, dirfd: number, argument: number): Decoded {
  const length = access.paths.read(trap, 0);
  if (length < 0) return length;
  if (length === 0) return -ERRNO.ENOENT;
  const text = Buffer.from(access.paths.bytes.subarray(0, length + 1));
  const slot = slotOf(trap, task, access, dirfd, argument);
  if (typeof slot === "number") return slot;
  if (slot.hopeless || typeof statAt(slot.parent, slot.bareAt) !== "number") return closeAndReturn(-ERRNO.EEXIST, slot);
  if (slot.slash) return closeAndReturn(-ERRNO.ENOENT, slot);
  const call: Call = { name: "symlink", args: [pathText(text.subarray(0, -1)), slot.path] };
  return {
    call,
    actions: [fileAction("link", slot.path, call)],
    note: "new link",
    pinned: [slot.parent],
    perform: () => sys(SYSCALLS.symlinkat, addressOf(text), slot.parent, slot.nameAt),
    ...recordBirth(slot, "symlink"),
  };
}

const NODES: Readonly<Record<number, FileKind>> = { 0: "file", 0o100000: "file", 0o010000: "fifo", 0o140000: "socket" };

const DEVICES: ReadonlySet<number> = new Set([0o020000, 0o060000]);

function decodeMknod(trap: SeccompTrap, task: Task, access: TaskAccess, dirfd: number, argument: number): Decoded {
  const mode = trap.unsigned(argument + 1);
  const kind = NODES[mode & 0o170000];
  const isDevice = DEVICES.has(mode & 0o170000);
  if (kind === undefined && !isDevice) return (mode & 0o170000) === 0o040000 ? -ERRNO.EPERM : -ERRNO.EINVAL;
  const slot = slotOf(trap, task, access, dirfd, argument);
  if (typeof slot === "number") return slot;
  if (slot.hopeless || typeof statAt(slot.parent, slot.bareAt) !== "number") return closeAndReturn(-ERRNO.EEXIST, slot);
  if (slot.slash) return closeAndReturn(-ERRNO.ENOENT, slot);
  // Devices need a capability that nothing supervised has.
  if (kind === undefined) return closeAndReturn(-ERRNO.EPERM, slot);
  const call: Call = { name: "mknod", args: [slot.path, kind] };
  const mask = access.tasks.umask(task);
  const bits = mode & 0o177777;
  return {
    call,
    actions: [fileAction("write", slot.path, call), ...(kind === "file" ? setIdActions(bits, slot.path) : [])],
    note: `new ${kind}`,
    pinned: [slot.parent],
    perform: () => access.tasks.masked(mask, () => sys(SYSCALLS.mknodat, slot.parent, slot.nameAt, bits, 0)),
    ...recordBirth(slot, kind),
  };
}
