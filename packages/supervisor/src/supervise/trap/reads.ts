import type { Call } from "@assent/core/action";
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
  sys,
  SYSCALLS,
} from "../kernel/index.ts";
import type { Verdict } from "@assent/core/policy";
import { glanceAt, isOnNamedDisk, statFd } from "../undo/index.ts";
import type { SeccompTrap } from "./listener.ts";
import { type DecodedCall, fileAction, type TaskAccess } from "./operation.ts";
import type { TrapOptions } from "./options.ts";
import { AS_WRITTEN, PlainPath } from "./plain-path.ts";
import type { Recorder } from "./record.ts";
import type { Task } from "./tasks.ts";

const O_NOCTTY = 0o400;
const O_LARGEFILE = process.arch === "arm64" ? 0o400000 : 0o100000;
/** With no flag but these an open reads, and follows the way that the path says. */
const PLAIN = O_CLOEXEC | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_LARGEFILE;
const SLASH = 0x2f;

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
  readonly #options: Pick<TrapOptions, "judge" | "tally" | "tellsAll">;
  readonly #record: Recorder;
  readonly #path = new PlainPath();
  /** `struct open_how`. */
  readonly #how = alloc(24);
  readonly #howAt = addressOf(this.#how);
  /** Opened, and no file or folder: kept open until the long way has looked at it, for whoever waits at the other end of a pipe. */
  #odd = -1;

  constructor(access: TaskAccess, options: Pick<TrapOptions, "judge" | "tally" | "tellsAll">, record: Recorder) {
    this.#record = record;
    this.#access = access;
    this.#options = options;
    this.#how.writeUInt32LE(AS_WRITTEN, 16);
  }

  /** Answers the call of a task that was met under this number before. False: it goes the long way, and then `release` is called. */
  serve(trap: SeccompTrap, task: Task): boolean {
    const at = trap.nr === SYSCALLS.openat ? 1 : trap.nr === SYSCALLS.open ? 0 : -1;
    if (at < 0) return false;
    const flags = trap.unsigned(at + 1);
    if ((flags & ~PLAIN) !== 0) return false;
    const operation = (flags & O_DIRECTORY) === 0 ? "read" : "list";
    if (!this.#takePath(trap, task, at, operation)) return false;
    const path = this.#path.text;
    const verdict = this.#options.judge.known(operation, path);
    if (verdict === undefined) return false;
    // Not waiting: nothing that a program may do keeps the trap handler.
    this.#how.writeUInt32LE((flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) >>> 0, 0);
    const fd = sys(SYSCALLS.openat2, AT_FDCWD, this.#path.at, this.#howAt, 24);
    // Nothing is there, and no link on the way; where a relative path begins may have another name by now.
    if (fd === -ERRNO.ENOENT && this.#access.paths.bytes[0] === SLASH) {
      this.#access.listener.answer(trap, fd);
      return true;
    }
    if (fd < 0) return false;
    if (!this.#isPlain(fd, operation, path)) {
      this.#odd = fd;
      return false;
    }
    if ((flags & O_NONBLOCK) === 0) sys(SYSCALLS.fcntl, fd, F_SETFL, flags & ~O_CLOEXEC);
    this.#give(trap, fd, (flags & O_CLOEXEC) !== 0);
    sys(SYSCALLS.close, fd);
    if (this.#options.tellsAll) this.#note(trap.tid, operation, path, verdict);
    else this.#options.tally.addRead(task.tgid, operation, path, verdict);
    return true;
  }

  release(): void {
    if (this.#odd >= 0) sys(SYSCALLS.close, this.#odd);
    this.#odd = -1;
  }

  #takePath(trap: SeccompTrap, task: Task, at: number, operation: "read" | "list"): boolean {
    const { paths } = this.#access;
    const length = paths.read(trap, at);
    // Of a folder the last `/` says nothing more.
    const slash = operation === "list" && length > 1 && paths.bytes[length - 1] === SLASH ? 1 : 0;
    return this.#path.taken(task, at === 0 ? AT_FDCWD : trap.int(0), paths.bytes, length - slash);
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

  #note(tid: number, operation: "read" | "list", path: string, verdict: Verdict): void {
    const task = this.#access.tasks.get(tid);
    const call: Call = { name: "open", args: [path, "read"] };
    const work: DecodedCall = { call, actions: [fileAction(operation, path, call)], pinned: [], perform: () => 0 };
    if (task !== undefined) this.#record.note(task, work, verdict, "done");
  }

  /** What was read from the task's memory is believed only while the call waits; the kernel gives to no other (ADDFD: ENOENT). */
  #give(trap: SeccompTrap, fd: number, closeOnExec: boolean): void {
    const { listener } = this.#access;
    const installed = listener.give(trap, fd, closeOnExec);
    if (installed < 0 && installed !== -ERRNO.ENOENT) listener.answer(trap, installed);
  }
}
