import { readFileSync } from "node:fs";
import { errorCode } from "./files.ts";

/** Fields of proc_pid_stat(5) from the third on, the state; undefined: the process is gone. The name before them, in brackets, may hold anything. */
export function processFields(pid: number | "self"): readonly string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    return text.slice(text.lastIndexOf(")") + 2).split(" ");
  } catch {
    return undefined;
  }
}

/** A process that is gone already needs no signal. A negative number: a process group. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Gone already.
  }
}

/** Some process has this number, of whoever. */
export function isNumberTaken(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === "EPERM";
  }
}

/** The variables of an environment that are there. */
export const definedVariables = (env: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
