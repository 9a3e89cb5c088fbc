import { isWithin, joinPath } from "@assent/core/path";
import {
  addressOf,
  alloc,
  AT_FDCWD,
  cSlice,
  cString,
  ERRNO,
  lastingAddressOf,
  must,
  O_CLOEXEC,
  O_DIRECTORY,
  O_NOFOLLOW,
  O_PATH,
  pathBytes,
  pathText,
  RESOLVE,
  sys,
  SYSCALLS,
} from "../kernel/index.ts";
import { inTree } from "./processes.ts";
import { shortName, type Task, type Tasks } from "./tasks.ts";
import type { SeccompTrap } from "./listener.ts";
import type { Memory } from "./memory.ts";
import { Mounts } from "../judge/mounts.ts";
import { PlainPath } from "./plain-path.ts";
import { type FileKind, isThere, kindOf, type ObjectStat, statAt, statFd } from "../undo/index.ts";

/** RESOLVE_NO_XDEV, RESOLVE_CACHED */
const WALKABLE = 0x21;
const PATH_MAX = 4096;
const MOST_LINKS = 40;
const SLASH = 0x2f;

/** An object, pinned: whatever happens to its name, the descriptor stays it. */
export interface PinnedObject {
  /** O_PATH. */
  readonly fd: number;
  /** Where it lies, links resolved, as the kernel names it. */
  readonly path: string;
  readonly stat: ObjectStat;
  readonly kind: FileKind;
}

/** A pinned object of which only the name is known. */
interface Folder {
  readonly fd: number;
  readonly path: string;
}

/** A name in a pinned folder, for calls that make, remove or move names. */
export interface PinnedEntry {
  /** O_PATH. */
  readonly parent: number;
  /** C string, a last `/` kept as it was given. */
  readonly name: Buffer;
  readonly nameAt: number;
  /** The name without a last `/`, which would lead through a link. */
  readonly bare: Buffer;
  readonly bareAt: number;
  readonly path: string;
  /** `.`, `..` or nothing: no such call succeeds, and the kernel says how it fails. */
  readonly hopeless: boolean;
  /** A `/` follows the name. */
  readonly slash: boolean;
}

/** Bytes of a number's C string. */
const WIDTH = 8;
const MOST_NAMES = 8192;

let ownFolder = -1;
const names = alloc(WIDTH * (MOST_NAMES + 1));
const namesAt = lastingAddressOf(names);

/**
 * `/proc/self/fd`, open for good: a descriptor of ours is opened again, and its name read, under its number in there.
 * Half of what such a call costs is the way to this folder (evidence/performance.md).
 */
export function ownDescriptors(): number {
  if (ownFolder < 0) {
    const name = cString(Buffer.from("/proc/self/fd"));
    ownFolder = must("openat", AT_FDCWD, addressOf(name), O_PATH | O_CLOEXEC | O_DIRECTORY, 0);
  }
  return ownFolder;
}

/** The address of a descriptor's name in that folder; of a large number good until the next call. */
export function numberName(fd: number): number {
  const at = WIDTH * Math.min(fd, MOST_NAMES);
  if (names[at] === 0 || fd >= MOST_NAMES) names[at + names.write(String(fd), at, "latin1")] = 0;
  return namesAt + at;
}

/** Opens what a descriptor of ours is pinned to. */
export const reopen = (fd: number, flags: number, mode = 0): number => sys(SYSCALLS.openat, ownDescriptors(), numberName(fd), flags, mode);

/**
 * Finds what a path of a supervised task really names, as the task itself would see it, and pins it.
 * Links are resolved by the kernel; only the magic ones of /proc, which mean the asking process, are walked here.
 * Every method returns a negative errno where there is nothing.
 */
export class Paths {
  /** The path last read, NUL-terminated. */
  readonly bytes = alloc(PATH_MAX + 1);
  readonly at = addressOf(this.bytes);
  length = 0;
  /** As much as a path may be long. */
  readonly #most = this.bytes.subarray(0, PATH_MAX);
  readonly #memory: Memory;
  readonly #tasks: Tasks;
  readonly #how = alloc(24);
  readonly #howAt = addressOf(this.#how);
  readonly #link = alloc(PATH_MAX);
  readonly #linkAt = addressOf(this.#link);
  readonly #mounts = new Mounts();
  readonly #plain = new PlainPath();
  readonly #own = `/proc/${process.pid}`;

  readonly #inView: boolean;

  /** `inView`: tasks have mounts of their own. */
  constructor(memory: Memory, tasks: Tasks, inView = false) {
    this.#memory = memory;
    this.#tasks = tasks;
    this.#inView = inView;
  }

  /** Reads the path that argument `at` points to. Its length, or a negative errno. */
  read(trap: SeccompTrap, at: number): number {
    const got = this.#memory.string(trap.tid, trap.long(at), this.#most, this.at, ERRNO.ENAMETOOLONG);
    this.length = got < 0 ? 0 : got;
    return got;
  }

  /** The path last read. */
  get asked(): string {
    return pathText(this.bytes, 0, this.length);
  }

  /** Takes a path of our own making. */
  use(path: Buffer): void {
    path.copy(this.bytes);
    this.bytes[path.length] = 0;
    this.length = path.length;
  }

  /** The object that the path last read leads to. `resolve` adds flags of openat2(2). */
  object(task: Task, dirfd: number, follow: boolean, resolve = 0): PinnedObject | number {
    if (this.length === 0) return -ERRNO.ENOENT;
    const found = this.#resolve(task, dirfd, follow ? 0 : O_NOFOLLOW, follow, resolve);
    return typeof found === "number" ? found : this.#describe(found);
  }

  /** `only`: O_NOFOLLOW, O_DIRECTORY. */
  #resolve(task: Task, dirfd: number, only: number, follow: boolean, resolve: number): Folder | number {
    if (this.#inView) return this.#resolveInView(task, dirfd, only, resolve);
    // IN_ROOT makes even an absolute path begin at the folder.
    const base = this.#base(task, dirfd, 0, (resolve & RESOLVE.IN_ROOT) !== 0);
    if (base < 0 && base !== AT_FDCWD) return base;
    const found = this.#withName(this.#openat2(base, this.at, O_PATH | O_CLOEXEC | only, resolve | RESOLVE.NO_MAGICLINKS));
    // NO_SYMLINKS, BENEATH, IN_ROOT: whoever asks for these does not want to be led through magic links.
    const strict = (resolve & ~WALKABLE) !== 0;
    if (strict && typeof found !== "number" && isWithin(found.path, this.#own)) {
      sys(SYSCALLS.close, found.fd);
      if (base >= 0) sys(SYSCALLS.close, base);
      return -ERRNO.EXDEV;
    }
    const magic =
      typeof found === "number"
        ? !strict && (found === -ERRNO.ELOOP || (found === -ERRNO.ENOENT && this.#mayMeanSelf()))
        : isWithin(found.path, this.#own);
    if (!magic) {
      if (base >= 0) sys(SYSCALLS.close, base);
      return found;
    }
    if (typeof found !== "number") sys(SYSCALLS.close, found.fd);
    const walked = this.#walk(task, base, Buffer.from(this.bytes.subarray(0, this.length)), follow);
    if (walked >= 0 && (only & O_DIRECTORY) !== 0) {
      const stat = statFd(walked);
      if (typeof stat === "number" || kindOf(stat.mode) !== "directory") {
        sys(SYSCALLS.close, walked);
        return typeof stat === "number" ? stat : -ERRNO.ENOTDIR;
      }
    }
    return this.#withName(walked);
  }

  /** From the root that the task has, through its mounts: a relative path begins where its folder lies. The magic links of /proc lead nowhere. */
  #resolveInView(task: Task, dirfd: number, only: number, resolve: number): Folder | number {
    const base = this.#base(task, dirfd, O_DIRECTORY);
    if (base >= 0) {
      const folder = this.#withName(base);
      if (typeof folder === "number") return folder;
      sys(SYSCALLS.close, base);
      const path = Buffer.concat([pathBytes(folder.path), Buffer.of(SLASH), this.bytes.subarray(0, this.length)]);
      if (path.length > PATH_MAX) return -ERRNO.ENAMETOOLONG;
      this.use(path);
    } else if (base !== AT_FDCWD) return base;
    const root = sys(SYSCALLS.openat, task.proc, shortName("root"), O_PATH | O_CLOEXEC | O_DIRECTORY, 0);
    if (root < 0) return root;
    const found = this.#withName(
      this.#openat2(root, this.at, O_PATH | O_CLOEXEC | only, resolve | RESOLVE.IN_ROOT | RESOLVE.NO_MAGICLINKS),
    );
    sys(SYSCALLS.close, root);
    return found;
  }

  /**
   * Segment by segment, so that `/proc/self`, `/proc/thread-self` and the magic links (`fd/N`, `cwd`, `root`, `exe`)
   * mean the task's own. Takes `base` over. proc(5), path_resolution(7).
   */
  #walk(task: Task, base: number, path: Buffer, follow: boolean): number {
    let rest = segments(path);
    let here = base === AT_FDCWD ? this.#root() : base;
    for (let links = 0; rest.length > 0;) {
      if (here < 0) return here;
      const [segment = "", ...after] = rest;
      rest = after;
      const name = Buffer.from(`${segment}\0`, "latin1");
      const next = this.#openat2(here, addressOf(name), O_PATH | O_CLOEXEC | O_NOFOLLOW, RESOLVE.NO_MAGICLINKS);
      const place = next < 0 ? next : statFd(next);
      if (typeof place === "number") return closeBoth(here, next, place);
      if (kindOf(place.mode) !== "symlink" || (rest.length === 0 && !follow)) {
        sys(SYSCALLS.close, here);
        here = next;
        continue;
      }
      if (++links > MOST_LINKS) return closeBoth(here, next, -ERRNO.ELOOP);
      const folder = this.nameOf(here);
      const own = folder === "/proc" ? ownName(segment, task) : undefined;
      const target = own === undefined ? this.linkText(here, addressOf(name)) : Buffer.from(own);
      sys(SYSCALLS.close, next);
      if (typeof target === "number") return closeBoth(here, -1, target);
      if (own === undefined && typeof folder === "string" && isMagic(folder, segment)) {
        const jumped = followMagicLink(task, folder, here, name);
        sys(SYSCALLS.close, here);
        here = jumped;
        continue;
      }
      rest = [...segments(target), ...rest];
      if (target[0] === SLASH) {
        sys(SYSCALLS.close, here);
        here = this.#root();
      }
    }
    return here;
  }

  /** Not in our /proc/self; it may be in the task's: `/dev/fd/63`, `/proc/self/task/TID`. */
  #mayMeanSelf(): boolean {
    const text = this.bytes.toString("latin1", 0, this.length);
    return text.includes("dev/fd/") || text.includes("dev/std") || text.includes("self/");
  }

  #describe({ fd, path }: Folder): PinnedObject | number {
    const stat = statFd(fd);
    if (typeof stat !== "number" && this.#mounts.isForeignProc(path, stat.id)) {
      sys(SYSCALLS.close, fd);
      return -ERRNO.EACCES;
    }
    if (typeof stat !== "number") return { fd, path, stat, kind: kindOf(stat.mode) };
    sys(SYSCALLS.close, fd);
    return stat;
  }

  /** The object behind a descriptor of the task. */
  descriptor(task: Task, fd: number): PinnedObject | number {
    const got = this.#tasks.object(task, fd);
    return got < 0 ? got : this.placeOf(got);
  }

  /** The folder of the path last read, and the name in it. */
  slot(task: Task, dirfd: number, resolve = 0): PinnedEntry | number {
    if (this.length === 0) return -ERRNO.ENOENT;
    let end = this.length;
    while (end > 0 && this.bytes[end - 1] === SLASH) end -= 1;
    let start = end;
    while (start > 0 && this.bytes[start - 1] !== SLASH) start -= 1;
    const slash = end < this.length;
    const name = cSlice(this.bytes, start, this.length);
    const bare = slash ? cSlice(this.bytes, start, end) : name;
    const text = pathText(this.bytes, start, end);
    const parent = this.#folder(task, dirfd, start, resolve);
    if (typeof parent === "number") return parent;
    return {
      parent: parent.fd,
      name: name.bytes,
      nameAt: name.at,
      bare: bare.bytes,
      bareAt: bare.at,
      path: joinPath(parent.path, text),
      hopeless: text === "" || text === "." || text === "..",
      slash,
    };
  }

  /** Something lies at the path last read, wherever links on the way lead. False: that is not known. */
  isTaken(task: Task, dirfd: number): boolean {
    return this.#plain.taken(task, dirfd, this.bytes, this.length) && isThere(AT_FDCWD, this.#plain.at);
  }

  /** What stands before the name that begins at `start`. */
  #folder(task: Task, dirfd: number, start: number, resolve: number): Folder | number {
    if (start === 0) {
      const base = this.#base(task, dirfd, O_DIRECTORY);
      // AT_FDCWD: the path is nothing but slashes.
      if (base === AT_FDCWD) return this.#withName(this.#root());
      return base < 0 ? base : this.#withName(base);
    }
    const length = this.length;
    const held = this.bytes[start] ?? 0;
    this.bytes[start] = 0;
    this.length = start;
    const folder = this.#resolve(task, dirfd, O_DIRECTORY, true, resolve);
    this.bytes[start] = held;
    this.length = length;
    return folder;
  }

  /** A descriptor of ours with its name; takes it over. */
  #withName(fd: number): Folder | number {
    if (fd < 0) return fd;
    const path = this.nameOf(fd);
    if (typeof path === "string") return { fd, path };
    sys(SYSCALLS.close, fd);
    return path;
  }

  /** Where a relative path begins: a descriptor of ours, AT_FDCWD for an absolute path, or a negative errno. */
  #base(task: Task, dirfd: number, only: number, rooted = false): number {
    if (this.bytes[0] === SLASH && !rooted) return AT_FDCWD;
    return dirfd === AT_FDCWD ? this.#tasks.cwd(task) : this.#tasks.object(task, dirfd, only);
  }

  #openat2(base: number, path: number, flags: number, resolve: number): number {
    this.#how.writeUInt32LE(flags, 0);
    this.#how.writeUInt32LE(resolve, 16);
    return sys(SYSCALLS.openat2, base, path, this.#howAt, 24);
  }

  /** Describes a descriptor of ours; takes it over. */
  placeOf(fd: number): PinnedObject | number {
    const named = this.#withName(fd);
    return typeof named === "number" ? named : this.#describe(named);
  }

  /** The kernel's name for a descriptor of ours. */
  nameOf(fd: number): string | number {
    const length = sys(SYSCALLS.readlinkat, ownDescriptors(), numberName(fd), this.#linkAt, PATH_MAX);
    return length < 0 ? length : pathText(this.#link, 0, length);
  }

  /** Name of the folder that the task works in; undefined where it is gone. */
  workingFolder(task: Task): string | undefined {
    const folder = this.#tasks.cwd(task);
    const name = folder < 0 ? folder : this.nameOf(folder);
    if (folder >= 0) sys(SYSCALLS.close, folder);
    return typeof name === "string" ? name : undefined;
  }

  /** Text of a link in a pinned folder. `name`: address of a C string. */
  linkText(folder: number, name: number): Buffer | number {
    const length = sys(SYSCALLS.readlinkat, folder, name, this.#linkAt, PATH_MAX);
    return length < 0 ? length : Buffer.from(this.#link.subarray(0, length));
  }

  #root(): number {
    return sys(SYSCALLS.openat, AT_FDCWD, shortName("/"), O_PATH | O_CLOEXEC | O_DIRECTORY, 0);
  }
}

/** Follows a magic link, if it belongs to the tree. */
function followMagicLink(task: Task, folder: string, here: number, name: Buffer): number {
  const pid = Number(/^\/proc\/(\d+)/.exec(folder)?.[1]);
  if (pid !== task.tgid && pid !== task.tid && !inTree(pid)) return -ERRNO.EACCES;
  return sys(SYSCALLS.openat, here, addressOf(name), O_PATH | O_CLOEXEC, 0);
}

function closeBoth(here: number, next: number, errno: number): number {
  sys(SYSCALLS.close, here);
  if (next >= 0) sys(SYSCALLS.close, next);
  return errno;
}

function segments(path: Buffer): string[] {
  const parts = path.toString("latin1").split("/");
  const slash = parts.at(-1) === "";
  const named = parts.filter((part) => part !== "" && part !== ".");
  // A last `/` asks for a folder, and follows a link.
  return slash ? [...named, "."] : named;
}

function ownName(segment: string, task: Task): string | undefined {
  if (segment === "self") return String(task.tgid);
  return segment === "thread-self" ? `${task.tgid}/task/${task.tid}` : undefined;
}

function isMagic(folder: string, segment: string): boolean {
  const inside = /^\/proc\/\d+(?:\/task\/\d+)?(\/fd|\/map_files|\/ns)?$/.exec(folder);
  if (inside === null) return false;
  return inside[1] !== undefined || segment === "cwd" || segment === "root" || segment === "exe";
}

/** d_path: what the kernel writes after the name of what has none any more. */
const DELETED = " (deleted)";

/**
 * What has no name any more, or never had one (memfd_create(2), O_TMPFILE), is nobody's but the program's. A count of
 * no names alone says nothing: file systems that do not count report none (FUSE), and then the path is a name.
 */
export function isUnlinked({ path, stat }: Pick<PinnedObject, "path" | "stat">): boolean {
  if (stat.nlink !== 0 || !path.endsWith(DELETED)) return false;
  // A file may be called so.
  const there = statAt(AT_FDCWD, addressOf(cString(pathBytes(path))));
  return typeof there === "number" || there.id !== stat.id;
}
