import type { Action, Call } from "../../action/index.ts";
import type { Errand, Host } from "../judge/index.ts";
import { ERRNO, pathBytes, pathText, sys, SYSCALLS } from "../kernel/index.ts";
import { interpreterOf } from "./interpreters.ts";
import type { Trap } from "./listener.ts";
import type { Bench } from "./operation.ts";
import { AT_FDCWD, type Place } from "./paths.ts";
import type { Task } from "./tasks.ts";

const AT_SYMLINK_NOFOLLOW = 0x100;
const AT_EMPTY_PATH = 0x1000;
/** Strings and pointers together, execve(2); more fails in the kernel too. */
const ARGUMENTS_MAX = 6 << 20;
/** BINPRM_MAX_RECURSION: an interpreter of an interpreter, at most this deep. */
const MOST_INTERPRETERS = 5;

/** One program that an exec starts: the file itself, and after it the interpreters its first lines name. */
export interface Started {
  /** The path as the caller gave it; the file may be reached through a link whose name says what it is to be. */
  readonly word: string;
  readonly path: string;
  /** Device and inode; empty where it cannot be known. */
  readonly id: string;
  readonly size: number;
  readonly argv: readonly string[];
  /** Where its bytes can be read. */
  readonly file: string;
  /** The kernel starts the dynamic loader, which loads this program (ld.so(8)). */
  readonly loaded?: true;
}

/** An exec, decoded. The kernel does it, and `verifyExec` looks at what it really did. */
export interface Exec {
  readonly call: Call;
  /** The file named, then its interpreters in the order in which the kernel follows them. */
  readonly chain: readonly [Started, ...Started[]];
  /** What a dynamic loader that is started by name goes on to load. */
  readonly loads?: Started | undefined;
  readonly pinned: readonly number[];
  /** What judging found out: the command as an action, what it is started for, the trusted names it goes by. */
  readonly action?: Action;
  readonly errand?: Errand;
  readonly named?: readonly Host[];
  readonly says?: readonly string[];
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
  const chain = chainOf(bench, task, place, words, dirfd === AT_FDCWD || word.startsWith("/") ? word : fileName(dirfd, word));
  const loads = LOADER.test(place.path) ? loadedBy(bench, task, words) : undefined;
  return {
    call: { name: "exec", args: [place.path, words] },
    chain,
    loads,
    pinned: loads === undefined ? [place.fd] : [place.fd, loads.fd],
  };
}

/** How execveat(2) calls a file for its interpreter. */
const fileName = (dirfd: number, word: string): string => (word === "" ? `/dev/fd/${dirfd}` : `/dev/fd/${dirfd}/${word}`);

/** Follows interpreters as the kernel does. */
function chainOf(bench: Bench, task: Task, place: Place, argv: readonly string[], word: string): [Started, ...Started[]] {
  let file = `/proc/self/fd/${place.fd}`;
  const chain: [Started, ...Started[]] = [{ word, path: place.path, id: place.stat.id, size: place.stat.size, argv, file }];
  let name = word;
  let words = argv;
  for (let depth = 0; depth < MOST_INTERPRETERS; depth++) {
    const interpreter = interpreterOf(file, name);
    if (interpreter === undefined) break;
    words = [interpreter.path, ...interpreter.arguments, name, ...words.slice(interpreter.keepsFirst ? 0 : 1)];
    // As the task itself finds it: a relative one in its folder, one in /proc/self in its own.
    bench.paths.use(pathBytes(interpreter.path));
    const found = bench.paths.object(task, AT_FDCWD, true);
    if (typeof found === "number") {
      if (interpreter.opened) chain.push({ word: interpreter.path, path: interpreter.path, id: "", size: 0, argv: words, file: "" });
      break;
    }
    sys(SYSCALLS.close, found.fd);
    const { id, size } = found.stat;
    file = found.path;
    name = interpreter.path;
    chain.push({ word: name, path: found.path, id: interpreter.opened ? "" : id, size, argv: words, file });
  }
  return chain;
}

const LOADER = /\/ld(?:-linux[^/]*|-musl-[^/]*|-\d[^/]*|64)?\.so(?:\.\d+)?$/;
/** ld.so(8): options with a value. */
const LOADER_VALUE = /^--(?:library-path|preload|audit|argv0|glibc-hwcaps-(?:prepend|mask)|inhibit-rpath)$/;

/** The program that a dynamic loader is told to load. */
function loadedBy(bench: Bench, task: Task, argv: readonly string[]): (Started & { readonly fd: number }) | undefined {
  let at = 1;
  while (argv[at]?.startsWith("--") === true) at += LOADER_VALUE.test(argv[at] ?? "") ? 2 : 1;
  const word = argv[at];
  if (word === undefined || word === "") return undefined;
  bench.paths.use(pathBytes(word));
  const found = bench.paths.object(task, AT_FDCWD, true);
  if (typeof found === "number") return undefined;
  const { id, size } = found.stat;
  return { word, path: found.path, id, size, argv: argv.slice(at), file: `/proc/self/fd/${found.fd}`, loaded: true, fd: found.fd };
}
