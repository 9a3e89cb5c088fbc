import type { Call, CallName } from "@assent/core/action";
import {
  addressOf,
  alloc,
  AT_EMPTY_PATH,
  AT_FDCWD,
  AT_SYMLINK_NOFOLLOW,
  ERRNO,
  lastingAddressOf,
  pathText,
  SIGXFSZ,
  sys,
  SYSCALLS,
} from "../kernel/index.ts";
import type { SeccompTrap } from "./listener.ts";
import { aboutObject, type Decoded, type DecodedCall, fileAction, type Handlers, type TaskAccess } from "./operation.ts";
import { isUnlinked, numberName, ownDescriptors, type PinnedObject } from "./paths.ts";
import { shortName, type Task } from "./tasks.ts";

const XATTR_NAME_MAX = 255;
const XATTR_SIZE_MAX = 65_536;
const XATTR_CREATE_REPLACE = 3;
/** struct timespec[2], struct timeval[2]. */
const TIMES = 32;
const UTIMBUF = 16;
const UTIME_OMIT = 0x3ffffffen;
const empty = alloc(1);
const emptyAt = lastingAddressOf(empty);

const RLIMIT_FSIZE = 1;
const limit = alloc(16);
const UNLIMITED = 2n ** 64n - 1n;

/** The limit is the program's, not the trap handler's; whoever passes it gets a signal, too (truncate(2), setrlimit(2)). */
function isTooLarge({ tgid, tid }: Task, size: number): boolean {
  if (sys(SYSCALLS.prlimit64, tgid, RLIMIT_FSIZE, 0, addressOf(limit)) < 0) return false;
  const most = limit.readBigUInt64LE(0);
  if (most === UNLIMITED || BigInt(size) <= most) return false;
  sys(SYSCALLS.tgkill, tgid, tid, SIGXFSZ);
  return true;
}

/**
 * Changes of mode, owner, times, attributes and length. Landlock covers none of them but truncate (up to ABI 7), so all are done
 * here on the pinned object.
 */
export const metadataHandlers = {
  truncate: (trap, task, access) => {
    if (((trap.words[3] ?? 0) | 0) < 0) return -ERRNO.EINVAL;
    const place = pinFollowed(trap, task, access, AT_FDCWD, 0);
    if (typeof place === "number") return place;
    const size = trap.long(1);
    const native = place.kind === "directory" ? ERRNO.EISDIR : place.kind === "file" ? 0 : ERRNO.EINVAL;
    if (native !== 0) return closeAndReturn(place, -native);
    const call: Call = { name: "truncate", args: [place.path, String(size)] };
    return {
      call,
      actions: [fileAction("edit", place.path, call)],
      about: aboutObject(place),
      places: [{ path: place.path, object: place.stat }],
      pinned: [place.fd],
      save: (undo, anyway) => undo.modify(place.fd, place.path, place.stat, anyway),
      perform: () => (size > place.stat.size && isTooLarge(task, size) ? -ERRNO.EFBIG : sys(SYSCALLS.truncate, procName(place), size)),
    };
  },

  chmod: (trap, task, access) => decodeChmod(pinFollowed(trap, task, access, AT_FDCWD, 0), trap.unsigned(1)),
  fchmod: (trap, task, access) => decodeChmod(pinOpened(task, access, trap.int(0)), trap.unsigned(1)),
  fchmodat: (trap, task, access) => decodeChmod(pinFollowed(trap, task, access, trap.int(0), 1), trap.unsigned(2)),
  fchmodat2: (trap, task, access) => decodeChmod(pinFlagged(trap, task, access, trap.int(0), 1, trap.unsigned(3)), trap.unsigned(2)),

  chown: (trap, task, access) => decodeChown(pinFollowed(trap, task, access, AT_FDCWD, 0), trap.int(1), trap.int(2)),
  lchown: (trap, task, access) => decodeChown(pinItself(trap, task, access, AT_FDCWD, 0), trap.int(1), trap.int(2)),
  fchown: (trap, task, access) => decodeChown(pinOpened(task, access, trap.int(0)), trap.int(1), trap.int(2)),
  fchownat: (trap, task, access) => decodeChown(pinFlagged(trap, task, access, trap.int(0), 1, trap.unsigned(4)), trap.int(2), trap.int(3)),

  utime: (trap, task, access) => decodeUtimes(trap, access, () => pinFollowed(trap, task, access, AT_FDCWD, 0), 1, "utimbuf"),
  utimes: (trap, task, access) => decodeUtimes(trap, access, () => pinFollowed(trap, task, access, AT_FDCWD, 0), 1, "timeval"),
  futimesat: (trap, task, access) => decodeUtimes(trap, access, () => pinPathOrDescriptor(trap, task, access, 0), 2, "timeval"),
  utimensat: (trap, task, access) =>
    decodeUtimes(trap, access, () => pinPathOrDescriptor(trap, task, access, trap.unsigned(3)), 2, "timespec"),

  setxattr: (trap, task, access) => decodeSetAttribute(trap, access, () => pinFollowed(trap, task, access, AT_FDCWD, 0)),
  lsetxattr: (trap, task, access) => decodeSetAttribute(trap, access, () => pinItself(trap, task, access, AT_FDCWD, 0)),
  fsetxattr: (trap, task, access) => decodeSetAttribute(trap, access, () => pinOpened(task, access, trap.int(0))),
  removexattr: (trap, task, access) => decodeRemoveAttribute(trap, access, () => pinFollowed(trap, task, access, AT_FDCWD, 0)),
  lremovexattr: (trap, task, access) => decodeRemoveAttribute(trap, access, () => pinItself(trap, task, access, AT_FDCWD, 0)),
  fremovexattr: (trap, task, access) => decodeRemoveAttribute(trap, access, () => pinOpened(task, access, trap.int(0))),
  setxattrat: (trap, task, access) => {
    // struct xattr_args: value u64, size u32, flags u32 (linux/xattr.h).
    const args = access.memory.structure(trap.tid, trap.long(4), trap.long(5), 16);
    if (typeof args === "number") return args;
    const value = args.readUInt32LE(0) + args.readUInt32LE(4) * 0x1_0000_0000;
    const find = (): PinnedObject | number => pinFlagged(trap, task, access, trap.int(0), 1, trap.unsigned(2));
    return decodeSetAttribute(trap, access, find, 3, { value, size: args.readUInt32LE(8), flags: args.readInt32LE(12) });
  },
  removexattrat: (trap, task, access) =>
    decodeRemoveAttribute(trap, access, () => pinFlagged(trap, task, access, trap.int(0), 1, trap.unsigned(2)), 3),
  file_setattr: (trap, task, access) => {
    // struct file_attr grows; 24 bytes is its first version (linux/fs.h).
    const size = trap.long(3);
    if (size < 24 || size > 4096) return size < 24 ? -ERRNO.EINVAL : -ERRNO.E2BIG;
    const attributes = access.memory.bytes(trap.tid, trap.long(2), size);
    if (typeof attributes === "number") return attributes;
    const place = pinFlagged(trap, task, access, trap.int(0), 1, trap.unsigned(4));
    if (typeof place === "number") return place;
    return decodeChange(place, "chattr", [], () => sys(SYSCALLS.file_setattr, AT_FDCWD, procName(place), addressOf(attributes), size, 0));
  },

  // Of all requests the filter traps those that change inode flags: FS_IOC_SETFLAGS, FS_IOC_FSSETXATTR.
  ioctl: (trap, task, access) => {
    const place = access.paths.descriptor(task, trap.int(0));
    if (typeof place === "number") return place;
    const length = (trap.unsigned(1) >>> 16) & 0x3fff;
    const argument = access.memory.bytes(trap.tid, trap.long(2), length);
    if (typeof argument === "number") return closeAndReturn(place, argument);
    const own = access.tasks.copies.usable(task, trap.int(0));
    if (own < 0) return closeAndReturn(place, own);
    const request = trap.unsigned(1);
    return {
      ...decodeChange(place, "chattr", [], () => sys(SYSCALLS.ioctl, own, request, addressOf(argument))),
      pinned: [place.fd, own],
    };
  },
} satisfies Handlers;

/** A place that the call would follow links to. */
export function pinFollowed(trap: SeccompTrap, task: Task, access: TaskAccess, dirfd: number, argument: number): PinnedObject | number {
  const length = access.paths.read(trap, argument);
  return length < 0 ? length : access.paths.object(task, dirfd, true);
}

/** The link itself, where it is one. */
export function pinItself(trap: SeccompTrap, task: Task, access: TaskAccess, dirfd: number, argument: number): PinnedObject | number {
  const length = access.paths.read(trap, argument);
  return length < 0 ? length : access.paths.object(task, dirfd, false);
}

/** With the AT_* flags that such calls take. */
export function pinFlagged(
  trap: SeccompTrap,
  task: Task,
  access: TaskAccess,
  dirfd: number,
  argument: number,
  flags: number,
): PinnedObject | number {
  if ((flags & ~(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH)) !== 0) return -ERRNO.EINVAL;
  const length = access.paths.read(trap, argument);
  if (length < 0) return length;
  if (length > 0) return access.paths.object(task, dirfd, (flags & AT_SYMLINK_NOFOLLOW) === 0);
  if ((flags & AT_EMPTY_PATH) === 0) return -ERRNO.ENOENT;
  return pinDescriptor(task, access, dirfd);
}

/** The object behind a descriptor that is more than a name of it: with O_PATH such calls end in EBADF (open(2)). */
export function pinOpened(task: Task, access: TaskAccess, fd: number): PinnedObject | number {
  const opened = access.tasks.copies.opened(task, fd);
  return opened < 0 ? opened : access.paths.placeOf(opened);
}

function pinDescriptor(task: Task, access: TaskAccess, dirfd: number): PinnedObject | number {
  if (dirfd !== AT_FDCWD) return access.paths.descriptor(task, dirfd);
  const cwd = access.tasks.cwd(task);
  return cwd < 0 ? cwd : access.paths.placeOf(cwd);
}

/** utimensat(2): without a path the descriptor itself is meant. */
function pinPathOrDescriptor(trap: SeccompTrap, task: Task, access: TaskAccess, flags: number): PinnedObject | number {
  if (trap.long(1) !== 0) return pinFlagged(trap, task, access, trap.int(0), 1, flags);
  if (trap.int(0) === AT_FDCWD) return (flags & ~(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH)) === 0 ? -ERRNO.EFAULT : -ERRNO.EINVAL;
  return flags === 0 ? pinOpened(task, access, trap.int(0)) : -ERRNO.EINVAL;
}

function closeAndReturn(place: PinnedObject, result: number): number {
  sys(SYSCALLS.close, place.fd);
  return result;
}

/** The pinned object as a path, for calls that take no descriptor: the magic link leads to it and no further. */
export const procName = (place: PinnedObject): number => shortName(`/proc/self/fd/${place.fd}`);

function decodeChange(place: PinnedObject, name: CallName, args: readonly string[], perform: () => number): DecodedCall {
  const call: Call = { name, args: [place.path, ...args] };
  const isNamed = place.path.startsWith("/") && !isUnlinked(place);
  return {
    call,
    about: aboutObject(place),
    places: [{ path: place.path, object: place.stat }],
    actions: isNamed ? [fileAction("metadata", place.path, call)] : [],
    pinned: [place.fd],
    save: !isNamed ? undefined : (undo) => undo.metadata(place.fd, place.path, place.stat, name === "chattr" ? "flags" : "attributes"),
    perform,
  };
}

function decodeChmod(place: PinnedObject | number, bits: number): Decoded {
  if (typeof place === "number") return place;
  // chmod(2): the mode of a link cannot be changed.
  if (place.kind === "symlink") return closeAndReturn(place, -ERRNO.EOPNOTSUPP);
  const masked = bits & 0o7777;
  return decodeChange(place, "chmod", [masked.toString(8).padStart(4, "0")], () => setMode(place, masked));
}

/** fchmodat2(2), Linux 6.6, spares the kernel the way through /proc. */
let hasFchmodat2 = true;

function setMode(place: PinnedObject, bits: number): number {
  const result = hasFchmodat2 ? sys(SYSCALLS.fchmodat2, place.fd, emptyAt, bits, AT_EMPTY_PATH) : -ERRNO.ENOSYS;
  if (result !== -ERRNO.ENOSYS) return result;
  hasFchmodat2 = false;
  return sys(SYSCALLS.fchmodat, ownDescriptors(), numberName(place.fd), bits);
}

function decodeChown(place: PinnedObject | number, uid: number, gid: number): Decoded {
  if (typeof place === "number") return place;
  return decodeChange(place, "chown", [String(uid), String(gid)], () =>
    sys(SYSCALLS.fchownat, place.fd, emptyAt, uid === -1 ? 0xffffffff : uid, gid === -1 ? 0xffffffff : gid, AT_EMPTY_PATH),
  );
}

/** Times as utimensat(2) takes them, whatever the older calls were given; NULL means now. */
function decodeUtimes(
  trap: SeccompTrap,
  access: TaskAccess,
  find: () => PinnedObject | number,
  argument: number,
  layout: "utimbuf" | "timeval" | "timespec",
): Decoded {
  let given: Buffer | undefined;
  if (trap.long(argument) !== 0) {
    const read = access.memory.bytes(trap.tid, trap.long(argument), layout === "utimbuf" ? UTIMBUF : TIMES);
    if (typeof read === "number") return read;
    given = timespecs(read, layout);
    if (given === undefined) return -ERRNO.EINVAL;
    // utimensat(2): nothing is to be changed, so nothing is looked for.
    if (layout === "timespec" && [8, 24].every((at) => read.readBigInt64LE(at) === UTIME_OMIT)) return 0;
  }
  const place = find();
  if (typeof place === "number") return place;
  return decodeChange(place, "utime", [], () =>
    sys(SYSCALLS.utimensat, place.fd, emptyAt, given === undefined ? 0 : addressOf(given), AT_EMPTY_PATH),
  );
}

function timespecs(given: Buffer, layout: "utimbuf" | "timeval" | "timespec"): Buffer | undefined {
  if (layout === "timespec") return given;
  const result = alloc(TIMES);
  for (const at of [0, 1]) {
    const seconds = layout === "utimbuf" ? 8 * at : 16 * at;
    given.copy(result, 16 * at, seconds, seconds + 8);
    if (layout === "utimbuf") continue;
    const microseconds = given.readBigInt64LE(seconds + 8);
    if (microseconds < 0n || microseconds >= 1_000_000n) return undefined;
    result.writeBigInt64LE(microseconds * 1000n, 16 * at + 8);
  }
  return result;
}

export function attributeName(trap: SeccompTrap, access: TaskAccess, argument: number): Buffer | number {
  const name = alloc(XATTR_NAME_MAX + 1);
  const length = access.memory.string(trap.tid, trap.long(argument), name, addressOf(name), ERRNO.ERANGE);
  return length < 0 ? length : length === 0 ? -ERRNO.ERANGE : name.subarray(0, length + 1);
}

interface AttributeValue {
  readonly value: number;
  readonly size: number;
  readonly flags: number;
}

/** The name and the value are looked at before the file (fs/xattr.c). */
function decodeSetAttribute(
  trap: SeccompTrap,
  access: TaskAccess,
  find: () => PinnedObject | number,
  argument = 1,
  { value, size, flags }: AttributeValue = { value: trap.long(2), size: trap.long(3), flags: trap.int(4) },
): Decoded {
  if ((flags & ~XATTR_CREATE_REPLACE) !== 0) return -ERRNO.EINVAL;
  const name = attributeName(trap, access, argument);
  if (typeof name === "number") return name;
  if (size > XATTR_SIZE_MAX) return -ERRNO.E2BIG;
  const bytes = access.memory.bytes(trap.tid, value, size);
  if (typeof bytes === "number") return bytes;
  const place = find();
  if (typeof place === "number") return place;
  return decodeChange(place, "setxattr", [pathText(name.subarray(0, -1))], () =>
    sys(SYSCALLS.setxattr, procName(place), addressOf(name), size === 0 ? 0 : addressOf(bytes), size, flags),
  );
}

function decodeRemoveAttribute(trap: SeccompTrap, access: TaskAccess, find: () => PinnedObject | number, argument = 1): Decoded {
  const name = attributeName(trap, access, argument);
  if (typeof name === "number") return name;
  const place = find();
  if (typeof place === "number") return place;
  return decodeChange(place, "removexattr", [pathText(name.subarray(0, -1))], () =>
    sys(SYSCALLS.removexattr, procName(place), addressOf(name)),
  );
}
