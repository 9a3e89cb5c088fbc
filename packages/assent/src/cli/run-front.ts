import { spawn } from "node:child_process";
import { constants } from "node:os";
import { FCNTL, native, sys, SYSCALLS } from "@assent/supervisor/supervise/kernel";
import { isInside } from "@assent/supervisor/supervise/outer";
import { BESIDE } from "./beside.ts";

export { becomeKept } from "./try-kept.ts";

const PASSED = ["SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGALRM"] as const;

/** Signals whose default is to end a process, and to leave no core file of it (signal(7)). */
const ENDING: Readonly<Partial<Record<string, NodeJS.Signals>>> = {
  1: "SIGHUP",
  2: "SIGINT",
  9: "SIGKILL",
  12: "SIGUSR2",
  14: "SIGALRM",
  15: "SIGTERM",
};

declare const __dirname: string;
const file = `${__dirname}/bin.cjs`;

/** Ends as the program did: `7` with that status, `s15` by that signal, as far as that is possible. */
function end(how: string): void {
  const by = how.startsWith("s") ? how.slice(1) : undefined;
  const signal = by === undefined ? undefined : ENDING[by];
  if (signal !== undefined) {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  }
  process.exit(by === undefined ? Number(how) : 128 + Number(by));
}

/**
 * Becomes the static program that does the same (stubs/front.c): what Node needs to start a process and to end takes as long as
 * a quarter of its start. Comes back where that program is missing, cannot be started, or could not pass options of Node on.
 */
function becomeFront(words: readonly string[]): void {
  if (process.platform !== "linux" || process.execArgv.length > 0) return;
  const front = `${__dirname}/front-${process.arch}`;
  try {
    // Node has marked all that it was given to be closed.
    for (const fd of [0, 1, 2]) sys(SYSCALLS.fcntl, fd, FCNTL.SETFD, 0);
    // The environment stays what the kernel gave this process, to the byte.
    native.load(null).func("int execv(const char *file, const char **words)")(front, [
      front,
      process.execPath,
      file,
      "run",
      ...words,
      null,
    ]);
  } catch {
    // Without koffi.
  }
}

/**
 * `assent run`, as whoever started it sees it: a process that ends when the program does, with its status. The supervisor
 * is a process beside it (run-beside.ts), for what the program leaves behind must stay under the policy after that.
 * False: a supervisor is there already, and this process is to join its run.
 */
export function runFront(words: readonly string[]): boolean {
  if (isInside()) return false;
  becomeFront(words);
  const child = spawn(process.execPath, [...process.execArgv, file, "run", BESIDE, ...words], {
    stdio: ["inherit", "inherit", "inherit", "pipe"],
  });
  for (const signal of PASSED) process.on(signal, () => child.kill(signal));
  child.stdio[3]?.on("data", (status: Buffer) => end(status.toString("latin1")));
  child.on("error", (error) => {
    process.stderr.write(`assent: ${error.message}\n`);
    process.exit(125);
  });
  child.on("exit", (code, signal) => process.exit(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
  return true;
}
