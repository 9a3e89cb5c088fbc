import { type Verdict, verdictOf } from "../../policy/index.ts";
import { readFileSync } from "node:fs";
import { messageOf } from "../../state/index.ts";
import { alloc, ERRNO, pathText, sys, SYSCALLS, lastingAddressOf } from "../kernel/index.ts";
import type { Exec } from "./exec.ts";
import { O_CLOEXEC, O_PATH } from "./paths.ts";
import { statFd } from "../undo/index.ts";
import { shortName, type Task } from "./tasks.ts";

/** ptrace(2). */
const SEIZE = 0x4206;
const INTERRUPT = 0x4207;
const CONT = 7;
const DETACH = 17;
const O_TRACEEXEC = 0x10;
const EVENT_EXEC = 4;
const WALL = 0x40000000;
const SIGTRAP = 5;
const SIGKILL = 9;

/** How an exec ended. `gone`: the task died in it. */
export type ExecEnd =
  /** `steered`: its environment makes it run code of somebody else. */
  | { readonly is: "started"; readonly pid: number; readonly steered: boolean }
  | { readonly is: "failed" }
  | { readonly is: "gone"; readonly status: number }
  | { readonly is: "tampered"; readonly what: string; readonly pid: number; readonly status: number };

/** Nobody could look at what would be started. */
export const UNVERIFIED = (errno: string): Verdict =>
  verdictOf("deny", "exec.unverified", {
    reason: `what is started could not be verified (ptrace: ${errno}): a program that traces it, or may not be read, or a sandbox around this run that allows no ptrace, stands in the way`,
  });

export const TAMPERED = (what: string): Verdict =>
  verdictOf("deny", "exec.tampered", { reason: `${what}: the arguments were changed while they were judged; the program was killed` });

const status = alloc(4);
const statusAt = lastingAddressOf(status);

/** Takes hold of a task that waits in an exec. A negative errno where that is not possible. */
export function holdExec(tid: number): number {
  const seized = sys(SYSCALLS.ptrace, SEIZE, tid, 0, O_TRACEEXEC);
  // Should the exec fail, the task stops on its way back instead, so that one of both stops always comes.
  return seized < 0 ? seized : sys(SYSCALLS.ptrace, INTERRUPT, tid, 0, 0);
}

/**
 * Waits for the exec to happen, and compares what the kernel started with what was judged: at this stop the old memory
 * is gone and the new program has not run an instruction, so nobody can change what is compared. A difference proves
 * that the arguments were changed between judging and starting; the program is killed before it begins.
 *
 * INVARIANT: runs on the thread that called `holdExec`, and the runtime waits for no process it has not started.
 */
export function verifyExec(exec: Exec, { tid: held, tgid }: Task, own: Readonly<Record<string, string>>, reaped: Reaped): ExecEnd {
  // A thread that execs takes the number of its process over.
  const waitFor = (): number => waitForOne(held, tgid, reaped);
  const tid = waitFor();
  if (tid < 0) return { is: "gone", status: 0 };
  const word = status.readInt32LE(0);
  if ((word & 0xff) !== 0x7f) return { is: "gone", status: word };
  const isExec = word >> 8 === (SIGTRAP | (EVENT_EXEC << 8));
  if (!isExec) {
    const event = word >> 16;
    // A stop for a signal hands the signal on; the stop of INTERRUPT has nothing to hand on.
    sys(SYSCALLS.ptrace, DETACH, tid, 0, event === 0 ? (word >> 8) & 0xff : 0);
    return { is: "failed" };
  }
  let difference: string | undefined;
  let steered = false;
  try {
    difference = differs(tid, exec);
    // Only a program that is trusted with something can be abused.
    steered = difference === undefined && (exec.programs?.length ?? 0) > 0 && isSteered(tid, own);
  } catch (error) {
    difference = `what was started could not be looked at (${messageOf(error)})`;
  }
  if (difference === undefined) {
    sys(SYSCALLS.ptrace, DETACH, tid, 0, 0);
    return { is: "started", pid: tid, steered };
  }
  sys(SYSCALLS.kill, tid, SIGKILL);
  // Its parent hears of its end only after we have: until then it would be a zombie of ours.
  while (waitFor() >= 0 && (status.readInt32LE(0) & 0xff) === 0x7f) sys(SYSCALLS.ptrace, CONT, tid, 0, SIGKILL);
  return { is: "tampered", what: difference, pid: tid, status: SIGKILL };
}

/** A child of ours has ended meanwhile. wait(2) status. */
export type Reaped = (pid: number, status: number) => void;

/** Waits for a task that is known by one of two numbers. The number it has, or a negative errno. */
function waitForOne(tid: number, tgid: number, reaped: Reaped): number {
  for (;;) {
    // Waiting for a number that it has given up would never end.
    const waited = sys(SYSCALLS.wait4, -1, statusAt, WALL, 0);
    if (waited === tid || waited === tgid || (waited < 0 && waited !== -ERRNO.EINTR)) return waited;
    if (waited > 0) reaped(waited, status.readInt32LE(0));
  }
}

function differs(pid: number, { chain }: Exec): string | undefined {
  const last = chain[chain.length - 1] ?? chain[0];
  const fd = sys(SYSCALLS.openat, -100, shortName(`/proc/${pid}/exe`), O_PATH | O_CLOEXEC, 0);
  const stat = fd < 0 ? fd : statFd(fd);
  if (fd >= 0) sys(SYSCALLS.close, fd);
  if (typeof stat === "number") return "the program that was started cannot be seen";
  if (last.id !== "" && stat.id !== last.id) return `another program was started than ${last.path}`;
  const words = splitArguments(readFileSync(`/proc/${pid}/cmdline`));
  if (words.length === last.argv.length && words.every((word, at) => word === last.argv[at])) return undefined;
  return "other arguments were used than those that were judged";
}

/** Variables that load code into a program, or tell it whose to run: ld.so(8) and the manuals of the interpreters. */
const STEERING =
  /^(?:LD_(?:PRELOAD|LIBRARY_PATH|AUDIT|ORIGIN_PATH)|GCONV_PATH|NODE_OPTIONS|PYTHON(?:PATH|HOME|STARTUP|INSPECT)|PERL(?:5LIB|5OPT|LIB|5DB)|RUBY(?:LIB|OPT)|BASH_ENV|ENV|ZDOTDIR|OPENSSL_(?:CONF|MODULES|ENGINES)|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|npm_config_(?:node_options|init_module|script_shell))=/i;

/** Of node's options those that load or open something; the others are about memory and warnings. */
const LOADING =
  /(?:^|\s)"?(?:-r|--(?:require|import|loader|experimental-loader|inspect\S*|env-file|openssl-config|icu-data-dir|snapshot-blob))/;

/** At this stop the environment is what the kernel copied. What the person who started the run has set is theirs. */
function isSteered(pid: number, own: Readonly<Record<string, string>>): boolean {
  return readFileSync(`/proc/${pid}/environ`, "latin1")
    .split("\0")
    .some((item) => {
      if (!STEERING.test(item)) return false;
      const [, name = "", value = ""] = /^([^=]*)=([^]*)$/.exec(item) ?? [];
      if (name === "NODE_OPTIONS" && !LOADING.test(value)) return false;
      return value !== "" && Buffer.from(own[name] ?? "").toString("latin1") !== value;
    });
}

function splitArguments(bytes: Buffer): string[] {
  const words: string[] = [];
  for (let start = 0; start < bytes.length;) {
    const end = bytes.indexOf(0, start);
    words.push(pathText(bytes.subarray(start, end < 0 ? bytes.length : end)));
    start = end < 0 ? bytes.length : end + 1;
  }
  return words;
}
