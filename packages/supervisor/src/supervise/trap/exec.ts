import { closeSync, openSync, readdirSync, readFileSync, readSync } from "node:fs";
import type { Started } from "../judge/types.ts";
import { alloc, AT_EMPTY_PATH, AT_FDCWD, AT_SYMLINK_NOFOLLOW, ERRNO, pathBytes, pathText, sys, SYSCALLS } from "../kernel/index.ts";
import { withoutZygote } from "./browser.ts";
import { type ElfFile, NO_ELF, readElf } from "./elf.ts";
import type { SeccompTrap } from "./listener.ts";
import type { DecodedExec, Handlers, TaskAccess } from "./operation.ts";
import { type PinnedObject } from "./paths.ts";
import type { Task } from "./tasks.ts";

/** Strings and pointers together, execve(2); more fails in the kernel too. */
const ARGUMENTS_MAX = 6 << 20;
/** BINPRM_MAX_RECURSION: an interpreter of an interpreter, at most this deep. */
const MOST_INTERPRETERS = 5;

/** Starts of programs. */
export const execHandlers = {
  execve: (trap, task, access) => decodeExec(trap, task, access, { dirfd: AT_FDCWD, path: 0, argvAt: 1, flags: 0 }),
  execveat: (trap, task, access) => decodeExec(trap, task, access, { dirfd: trap.int(0), path: 1, argvAt: 2, flags: trap.unsigned(4) }),
} satisfies Handlers;

interface ExecArguments {
  readonly dirfd: number;
  /** Numbers of the arguments. */
  readonly path: number;
  readonly argvAt: number;
  /** AT_* flags. */
  readonly flags: number;
}

function decodeExec(
  trap: SeccompTrap,
  task: Task,
  access: TaskAccess,
  { dirfd, path, argvAt, flags }: ExecArguments,
): DecodedExec | number {
  if ((flags & ~(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH)) !== 0) return -ERRNO.EINVAL;
  const length = access.paths.read(trap, path);
  if (length < 0) return length;
  const word = pathText(Buffer.from(access.paths.bytes.subarray(0, length)));
  const place =
    length === 0 && (flags & AT_EMPTY_PATH) !== 0
      ? access.paths.descriptor(task, dirfd)
      : access.paths.object(task, dirfd, (flags & AT_SYMLINK_NOFOLLOW) === 0);
  if (typeof place === "number") return place;
  const native = place.kind === "symlink" ? ERRNO.ELOOP : place.kind !== "file" ? ERRNO.EACCES : 0;
  const argv = native === 0 ? access.memory.strings(trap.tid, trap.long(argvAt), ARGUMENTS_MAX) : -native;
  if (typeof argv === "number") {
    sys(SYSCALLS.close, place.fd);
    return argv;
  }
  // Linux 5.18: an empty argv becomes one empty string.
  const given = argv.length === 0 ? [""] : argv.map((item) => pathText(item));
  const words = withoutZygote(access.memory, trap.tid, trap.long(argvAt), given);
  const called = dirfd === AT_FDCWD || word.startsWith("/") ? word : fileName(dirfd, word);
  return { call: { name: "exec", args: [place.path, words] }, ...startsOf(access, task, place, words, called) };
}

/** How execveat(2) calls a file for its interpreter. */
const fileName = (dirfd: number, word: string): string => (word === "" ? `/dev/fd/${dirfd}` : `/dev/fd/${dirfd}/${word}`);

/** Follows interpreters as the kernel does. */
function startsOf(access: TaskAccess, task: Task, place: PinnedObject, argv: readonly string[], word: string): Omit<DecodedExec, "call"> {
  let last: Started = { word, path: place.path, id: place.stat.id, size: place.stat.size, argv, file: `/proc/self/fd/${place.fd}` };
  const chain: [Started, ...Started[]] = [last];
  const maps: LoadedProgram[] = [];
  const pinned = [place.fd];
  const ended = (loads: readonly LoadedProgram[]): Omit<DecodedExec, "call"> => {
    return { chain, loads, maps, pinned: [...pinned, ...[...loads, ...maps].map(({ fd }) => fd)] };
  };
  for (;;) {
    const { interpreter, elf } = lookInto(last.file, last.word);
    for (const path of elf.interpreters) maps.push(...loadedProgram(access, task, path, last.argv, "kernel"));
    if (interpreter === undefined) return ended(loadedBy(access, task, last, elf));
    if (chain.length > MOST_INTERPRETERS) return ended([]);
    const words = [interpreter.path, ...interpreter.arguments, last.word, ...last.argv.slice(interpreter.keepsFirst ? 0 : 1)];
    // As the task itself finds it: a relative one in its folder, one in /proc/self in its own.
    access.paths.use(pathBytes(interpreter.path));
    const found = access.paths.object(task, AT_FDCWD, true);
    if (typeof found !== "number") pinned.push(found.fd);
    // What is read of a pipe would wait for somebody who writes.
    if (typeof found === "number" || found.kind !== "file") {
      if (interpreter.opened) chain.push({ word: interpreter.path, path: interpreter.path, id: "", size: 0, argv: words, file: "" });
      return ended([]);
    }
    const { id, size } = found.stat;
    const file = `/proc/self/fd/${found.fd}`;
    last = { word: interpreter.path, path: found.path, id: interpreter.opened ? "" : id, size, argv: words, file };
    chain.push(last);
  }
}

/** musl's is its libc.so, by another name. */
const LOADER = /\/(?:ld(?:-linux[^/]*|-musl-[^/]*|-\d[^/]*|64)?|libc)\.so(?:\.\d+)?$/;
const MOST_LOADERS = 32;
/** ld.so(8): options with a value. */
const LOADER_VALUE = /^--(?:library-path|preload|audit|argv0|glibc-hwcaps-(?:prepend|mask)|inhibit-rpath)$/;

/** The program that a dynamic loader is told to load, and where that is another loader, what that one loads. */
function loadedBy(access: TaskAccess, task: Task, { path, argv }: Started, elf: ElfFile, most = MOST_LOADERS): readonly LoadedProgram[] {
  if (most === 0 || (!elf.isLoader && !LOADER.test(path))) return [];
  let at = 1;
  while (argv[at]?.startsWith("--") === true) at += LOADER_VALUE.test(argv[at] ?? "") ? 2 : 1;
  const loads = loadedProgram(access, task, argv[at] ?? "", argv.slice(at), "loader");
  return loads.flatMap((one) => [one, ...loadedBy(access, task, one, lookInto(one.file, one.word).elf, most - 1)]);
}

type LoadedProgram = Started & { readonly fd: number };

function loadedProgram(
  access: TaskAccess,
  task: Task,
  word: string,
  argv: readonly string[],
  by: "kernel" | "loader",
): readonly LoadedProgram[] {
  access.paths.use(pathBytes(word));
  const found = access.paths.object(task, AT_FDCWD, true);
  if (typeof found === "number") return [];
  const { fd, path, stat, kind } = found;
  if (kind !== "file") sys(SYSCALLS.close, fd);
  if (kind !== "file") return [];
  const loaded = by === "kernel" && LOADER.test(path) ? "loader" : "program";
  return [{ word, path, id: stat.id, size: stat.size, argv, file: `/proc/self/fd/${fd}`, loaded, fd }];
}

/** BINPRM_BUF_SIZE: so much of a file the kernel looks at. */
const LOOKED_AT = 256;
/** What linkers write in front of a program holds its rows, and the name of its loader. */
const USUAL_HEADER = 1024;
const BINFMT_MISC = "/proc/sys/fs/binfmt_misc";

/** What the kernel starts in the place of a file that another program interprets. */
interface Interpreter {
  readonly path: string;
  /** Words in front of the file's name. */
  readonly arguments: readonly string[];
  /** The first word of the command stays behind the file's name (binfmt_misc, flag P). */
  readonly keepsFirst: boolean;
  /** The kernel has it open since it was registered (binfmt_misc, flag F): its path may lead elsewhere, or nowhere. */
  readonly opened: boolean;
}

/** `#!`, as binfmt_script(load_script) reads it. */
function lineOf(start: Buffer): Interpreter | undefined {
  if (start[0] !== 0x23 || start[1] !== 0x21) return undefined;
  const end = start.indexOf(0x0a);
  // Without a newline the last byte looked at is lost to the NUL that ends the text.
  const text = pathText(Buffer.from(start.subarray(2, end < 0 ? LOOKED_AT - 1 : end))).replace(/\0[^]*$/, "");
  const [, path, argument] = /^[ \t]*([^ \t]+)[ \t]*([^]*?)[ \t]*$/.exec(text) ?? [];
  if (path === undefined) return undefined;
  return { path, arguments: argument === undefined || argument === "" ? [] : [argument], keepsFirst: false, opened: false };
}

/** What the kernel finds in a file before it starts it: binfmt_misc, then `#!`; nothing where it cannot be read. `name`: by which it is started. */
function lookInto(file: string, name: string): { readonly interpreter?: Interpreter | undefined; readonly elf: ElfFile } {
  try {
    const fd = openSync(file, "r");
    try {
      const bytes = alloc(USUAL_HEADER);
      const read = bytes.subarray(0, readSync(fd, bytes, 0, USUAL_HEADER, 0));
      const start = read.subarray(0, LOOKED_AT);
      return { interpreter: registered(start, name) ?? lineOf(start), elf: readElf(fd, read) };
    } finally {
      closeSync(fd);
    }
  } catch {
    return { elf: NO_ELF };
  }
}

interface Format {
  readonly interpreter: Interpreter;
  readonly matches: (start: Buffer, name: string) => boolean;
}

let formats: readonly Format[] | undefined;

/** Kernel documentation, admin-guide/binfmt-misc.rst. Nothing supervised can register another. */
function registered(start: Buffer, name: string): Interpreter | undefined {
  formats ??= readFormats();
  return formats.find(({ matches }) => matches(start, name))?.interpreter;
}

function readFormats(): readonly Format[] {
  try {
    if (!readFileSync(`${BINFMT_MISC}/status`, "latin1").startsWith("enabled")) return [];
    return readdirSync(BINFMT_MISC)
      .filter((name) => name !== "status" && name !== "register")
      .flatMap((name) => parseFormat(readFileSync(`${BINFMT_MISC}/${name}`, "latin1")) ?? []);
  } catch {
    return [];
  }
}

function parseFormat(text: string): Format | undefined {
  const field = (name: string): string | undefined => new RegExp(`^${name}:? (.*)$`, "m").exec(text)?.[1];
  const path = field("interpreter");
  if (!text.startsWith("enabled") || path === undefined) return undefined;
  const flags = field("flags") ?? "";
  const interpreter: Interpreter = { path, arguments: [], keepsFirst: flags.includes("P"), opened: flags.includes("F") };
  const extension = field("extension");
  if (extension !== undefined) return { interpreter, matches: (_, name) => name.slice(name.lastIndexOf(".")) === extension };
  const magic = Buffer.from(field("magic") ?? "", "hex");
  const mask = Buffer.from(field("mask") ?? "", "hex");
  const offset = Number(field("offset") ?? 0);
  if (magic.length === 0) return undefined;
  return {
    interpreter,
    matches: (start) => magic.every((byte, at) => (((start[offset + at] ?? 0) ^ byte) & (mask[at] ?? 0xff)) === 0),
  };
}
