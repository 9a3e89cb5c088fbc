import { existsSync } from "node:fs";
import { stateFolder, thisMachine } from "@assent/guard/state";
import { FCNTL, native, sys, SYSCALLS } from "@assent/supervisor/supervise/kernel";
import { givenVariables, planFile, STARTED_ANEW } from "@assent/supervisor/supervise/try";

declare const __dirname: string;

/**
 * Becomes the static program that runs a command by the plan that was kept of it, and starts Assent again where there is something to be
 * judged (stubs/try.c). Returns false where none is kept. `words`: behind `try`.
 */
export function becomeKept(words: readonly string[]): false {
  if (process.platform !== "linux" || process.execArgv.length > 0 || STARTED_ANEW.test(process.argv0)) return false;
  const given = [`${__dirname}/bin.cjs`, "try", ...words];
  const tried = `${stateFolder(thisMachine())}/tried`;
  try {
    const plan = planFile(tried, given, givenVariables(), process.cwd());
    if (!existsSync(plan)) return false;
    for (const fd of [0, 1, 2]) sys(SYSCALLS.fcntl, fd, FCNTL.SETFD, 0);
    const stub = `${__dirname}/try-${process.arch}`;
    native.load(null).func("int execv(const char *file, const char **words)")(stub, [stub, plan, tried, process.execPath, ...given, null]);
  } catch {
    // Without koffi, or in a folder that is gone: it is planned as if there were none.
  }
  return false;
}
