import {
  addressOf,
  alloc,
  AT_FDCWD,
  ERRNO,
  F_SETFL,
  O_CLOEXEC,
  O_DIRECTORY,
  O_NOFOLLOW,
  O_NONBLOCK,
  pathText,
  sys,
  SYSCALLS,
} from "../kernel/index.ts";
import { glanceAt, isOnNamedDisk, statFd } from "../undo/index.ts";
import type { SeccompTrap } from "./listener.ts";
import type { TaskAccess } from "./operation.ts";
import type { DoorOptions } from "./options.ts";
import { shortName, type Task } from "./tasks.ts";

const O_NOCTTY = 0o400;
const O_LARGEFILE = process.arch === "arm64" ? 0o400000 : 0o100000;
/** With no flag but these an open reads, and follows the way that the path says. */
const PLAIN = O_CLOEXEC | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_LARGEFILE;
/** RESOLVE_NO_MAGICLINKS, RESOLVE_NO_SYMLINKS. */
const AS_WRITTEN = 6;
const PATH_MAX = 4096;
const SLASH = 0x2f;
const DOT = 0x2e;
/** A step that is none, or leads back; a last `/`. */
const ODD = /\/\.{0,2}(?:\/|$)/;
/** Files that mean whoever asks, or a device. */
const PECULIAR = /^\/(?:proc|dev|sys)(?:\/|$)/;
/** d_path: what the kernel writes after the name of what has none any more. */
const DELETED = / \(deleted\)$/;

/**
 * Opens for reading whose answer is known: by far the most calls. The path is taken by its text, and what has been judged before under
 * this very name (`RunJudge.known`) is opened at once, where any other open is pinned first, named by the kernel, judged, and opened again.
 *
 * INVARIANT: only what lies at this name is opened, for no link is followed on the way (RESOLVE_NO_SYMLINKS), and only files and
 * folders on file systems that tell names apart as we do; a file with other names only if these are not protected. So the name judged
 * is the name that the kernel has for it, and the verdict is anybody's: it does not depend on who asks, so that the task need not be the
 * one we have met under its number. Whatever is otherwise goes the long way.
 */
export class PlainReads {
  readonly #access: TaskAccess;
  readonly #options: Pick<DoorOptions, "judge" | "tally" | "tellsAll">;
  readonly #path = alloc(2 * PATH_MAX + 2);
  readonly #pathAt = addressOf(this.#path);
  /** `struct open_how`. */
  readonly #how = alloc(24);
  readonly #howAt = addressOf(this.#how);
  /** Opened, and no file or folder: kept open until the long way has looked at it, for whoever waits at the other end of a pipe. */
  #odd = -1;

  constructor(access: TaskAccess, options: Pick<DoorOptions, "judge" | "tally" | "tellsAll">) {
    this.#access = access;
    this.#options = options;
    this.#how.writeUInt32LE(AS_WRITTEN, 16);
  }

  /** Answers the call of a task that was met under this number before. False: it goes the long way, and then `release` is called. */
  serve(trap: SeccompTrap, task: Task): boolean {
    const at = trap.nr === SYSCALLS.openat ? 1 : trap.nr === SYSCALLS.open ? 0 : -1;
    if (at < 0 || this.#options.tellsAll) return false;
    const flags = trap.unsigned(at + 1);
    if ((flags & ~PLAIN) !== 0) return false;
    const path = this.#pathOf(trap, task, at);
    if (path === undefined) return false;
    const operation = (flags & O_DIRECTORY) === 0 ? "read" : "list";
    const verdict = this.#options.judge.known(operation, path);
    if (verdict === undefined) return false;
    // Not waiting: nothing that a program may do keeps the door.
    this.#how.writeUInt32LE((flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) >>> 0, 0);
    const fd = sys(SYSCALLS.openat2, AT_FDCWD, this.#pathAt, this.#howAt, 24);
    if (fd < 0) return false;
    if (!this.#isPlain(fd, operation, path)) {
      this.#odd = fd;
      return false;
    }
    if ((flags & O_NONBLOCK) === 0) sys(SYSCALLS.fcntl, fd, F_SETFL, flags & ~O_CLOEXEC);
    this.#give(trap, fd, (flags & O_CLOEXEC) !== 0);
    sys(SYSCALLS.close, fd);
    this.#options.tally.addRead(task.tgid, operation, path, verdict);
    return true;
  }

  release(): void {
    if (this.#odd >= 0) sys(SYSCALLS.close, this.#odd);
    this.#odd = -1;
  }

  #isPlain(fd: number, operation: "read" | "list", path: string): boolean {
    const found = glanceAt(fd);
    if (found === undefined || !isOnNamedDisk(fd, found)) return false;
    if (operation === "list") return found.kind === "directory";
    if (found.kind !== "file") return false;
    const { judge } = this.#options;
    if (!judge.mayBeKept(found.nlink)) return true;
    const stat = found.nlink === 0 ? -1 : statFd(fd);
    return typeof stat !== "number" && !judge.isKept(path, stat);
  }

  /** What was read from the task's memory is believed only while the call waits; the kernel gives to no other (ADDFD: ENOENT). */
  #give(trap: SeccompTrap, fd: number, closeOnExec: boolean): void {
    const { listener } = this.#access;
    const installed = listener.give(trap, fd, closeOnExec);
    if (installed < 0 && installed !== -ERRNO.ENOENT) listener.answer(trap, installed);
  }

  /** The whole path as its text says it, in `#path` too; undefined: something else has to find out where it leads. */
  #pathOf(trap: SeccompTrap, task: Task, at: number): string | undefined {
    const { paths } = this.#access;
    const length = paths.read(trap, at);
    if (length <= 0) return undefined;
    const { bytes } = paths;
    let start = 0;
    let end = 0;
    if (bytes[0] !== SLASH) {
      end = this.#folderOf(trap, task, at);
      if (end <= 0) return undefined;
      while (bytes[start] === DOT && bytes[start + 1] === SLASH) start += 2;
      if (end > 1) this.#path[end++] = SLASH;
    }
    if (end + length - start >= PATH_MAX) return undefined;
    // With its NUL.
    bytes.copy(this.#path, end, start, length + 1);
    const path = pathText(this.#path, 0, end + length - start);
    return ODD.test(path) || PECULIAR.test(path) ? undefined : path;
  }

  /** The kernel's name for where a relative path begins, in `#path`; its length. */
  #folderOf(trap: SeccompTrap, task: Task, at: number): number {
    const dirfd = at === 0 ? AT_FDCWD : trap.int(0);
    if (dirfd < 0 && dirfd !== AT_FDCWD) return -1;
    const name = dirfd === AT_FDCWD ? "cwd" : `fd/${dirfd}`;
    const length = sys(SYSCALLS.readlinkat, task.proc, shortName(name), this.#pathAt, PATH_MAX);
    if (length <= 0 || this.#path[0] !== SLASH) return -1;
    return this.#path[length - 1] === 0x29 && DELETED.test(this.#path.toString("latin1", 0, length)) ? -1 : length;
  }
}
