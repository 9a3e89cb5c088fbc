import { spawn } from "node:child_process";
import { constants } from "node:os";
import { isInside } from "../supervise/outer/index.ts";
import { BESIDE } from "./beside.ts";

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
 * `assent run`, as whoever started it sees it: a process that ends when the program does, with its status. The supervisor
 * is a process beside it (run-beside.ts), for what the program leaves behind must stay under the policy after that.
 * False: a supervisor is there already, and this process is to join its run.
 */
export function runFront(file: string, words: readonly string[]): boolean {
  if (isInside()) return false;
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
