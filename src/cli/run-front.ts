import { spawn } from "node:child_process";
import { constants } from "node:os";
import { isInside } from "../supervise/outer/index.ts";
import { BESIDE } from "./beside.ts";

const PASSED = ["SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGALRM"] as const;

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
  child.stdio[3]?.on("data", (status: Buffer) => process.exit(Number(status.toString("latin1"))));
  child.on("error", (error) => {
    process.stderr.write(`assent: ${error.message}\n`);
    process.exit(125);
  });
  child.on("exit", (code, signal) => process.exit(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
  return true;
}
