import { closeSync, openSync, readSync } from "node:fs";
import type { Action, Call } from "../../action/index.ts";
import type { Errand } from "../judge/index.ts";
import { addressOf, alloc, cString, ERRNO, pathBytes, pathText, sys, SYSCALLS } from "../kernel/index.ts";
import type { Trap } from "./listener.ts";
import type { Bench } from "./operation.ts";
import { AT_FDCWD, O_CLOEXEC, O_PATH, type Place } from "./paths.ts";
import type { Task } from "./tasks.ts";

const AT_SYMLINK_NOFOLLOW = 0x100;
const AT_EMPTY_PATH = 0x1000;
/** Strings and pointers together, execve(2); more fails in the kernel too. */
const ARGUMENTS_MAX = 6 << 20;
/** BINPRM_MAX_RECURSION: an interpreter of an interpreter, at most this deep. */
const MOST_INTERPRETERS = 5;
const BINPRM_BUF_SIZE = 256;

/** One program that an exec starts: the file itself, and after it the interpreters its first lines name. */
export interface Started {
  /** The path as the caller gave it; the file may be reached through a link whose name says what it is to be. */
  readonly word: string;
  readonly path: string;
  /** Device and inode. */
  readonly id: string;
  readonly size: number;
  readonly argv: readonly string[];
}

/** An exec, decoded. The kernel does it, and `verifyExec` looks at what it really did. */
export interface Exec {
  readonly call: Call;
  /** The file named, then its interpreters in the order in which the kernel follows them. */
  readonly chain: readonly [Started, ...Started[]];
  readonly pinned: readonly number[];
  /** What judging found out: the command as an action, what it is started for, the trusted names it goes by. */
  readonly action?: Action;
  readonly errand?: Errand;
  readonly programs?: readonly string[];
}

/** execve(2), execveat(2). A number: a negative errno. */
export function decodeExec(trap: Trap, task: Task, bench: Bench): Exec | number {
  const at = trap.nr === SYSCALLS.execveat;
  const [dirfd, path, argvAt, flags] = at ? [trap.int(0), 1, 2, trap.unsigned(4)] : [AT_FDCWD, 0, 1, 0];
  if ((flags & ~(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH)) !== 0) return -ERRNO.EINVAL;
  const length = bench.paths.read(trap, path);
  if (length < 0) return length;
  const word = pathText(Buffer.from(bench.paths.bytes.subarray(0, length)));
  const place =
    length === 0 && (flags & AT_EMPTY_PATH) !== 0
      ? bench.paths.descriptor(task, dirfd)
      : bench.paths.object(task, dirfd, (flags & AT_SYMLINK_NOFOLLOW) === 0);
  if (typeof place === "number") return place;
  const native = place.kind === "symlink" ? ERRNO.ELOOP : place.kind !== "file" ? ERRNO.EACCES : 0;
  const argv = native === 0 ? bench.memory.strings(trap.tid, trap.long(argvAt), ARGUMENTS_MAX) : -native;
  if (typeof argv === "number") {
    sys(SYSCALLS.close, place.fd);
    return argv;
  }
  // Linux 5.18: an empty argv becomes one empty string.
  const words = argv.length === 0 ? [""] : argv.map((item) => pathText(item));
  const chain = chainOf(bench, place, words, word === "" ? `/dev/fd/${dirfd}` : word);
  return { call: { name: "exec", args: [place.path, words] }, chain, pinned: [place.fd] };
}

/** Follows `#!` lines as the kernel's binfmt_script does. */
function chainOf(bench: Bench, place: Place, argv: readonly string[], word: string): [Started, ...Started[]] {
  const chain: [Started, ...Started[]] = [{ word, path: place.path, id: place.stat.id, size: place.stat.size, argv }];
  let file = `/proc/self/fd/${place.fd}`;
  let name = word;
  let words = argv;
  for (let depth = 0; depth < MOST_INTERPRETERS; depth++) {
    const line = interpreterLine(file);
    if (line === undefined) break;
    words = [line.interpreter, ...(line.argument === undefined ? [] : [line.argument]), name, ...words.slice(1)];
    // A relative interpreter means the caller's folder: nobody writes that, and what cannot be found here is never verified as right.
    const found = bench.paths.placeOf(
      sys(SYSCALLS.openat, AT_FDCWD, addressOf(cString(pathBytes(line.interpreter))), O_PATH | O_CLOEXEC, 0),
    );
    if (typeof found === "number") break;
    sys(SYSCALLS.close, found.fd);
    const { id, size } = found.stat;
    chain.push({ word: line.interpreter, path: found.path, id, size, argv: words });
    [file, name] = [line.interpreter, line.interpreter];
  }
  return chain;
}

function interpreterLine(file: string): { readonly interpreter: string; readonly argument: string | undefined } | undefined {
  const start = startOf(file);
  if (start[0] !== 0x23 || start[1] !== 0x21) return undefined;
  const end = start.indexOf(0x0a);
  const text = pathText(Buffer.from(start.subarray(2, end < 0 ? start.length : end))).replace(/\0[^]*$/, "");
  const [, interpreter, argument] = /^[ \t]*([^ \t]+)[ \t]*([^]*?)[ \t]*$/.exec(text) ?? [];
  return interpreter === undefined ? undefined : { interpreter, argument: argument === "" ? undefined : argument };
}

/** As much of a file as the kernel looks at; nothing where it cannot be read. */
function startOf(file: string): Buffer {
  try {
    const fd = openSync(file, "r");
    try {
      const start = alloc(BINPRM_BUF_SIZE);
      return start.subarray(0, readSync(fd, start, 0, BINPRM_BUF_SIZE, 0));
    } finally {
      closeSync(fd);
    }
  } catch {
    return alloc(0);
  }
}
