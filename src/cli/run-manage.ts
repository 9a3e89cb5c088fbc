import { complain } from "./policy-target.ts";
import type { RunFlags } from "./run-flags.ts";
import { STATUS } from "./run-status.ts";

/** The options of `assent run` that run nothing. Undefined: there is none, so something is to be run. */
export async function manage(words: readonly string[], flags: RunFlags): Promise<number | undefined> {
  const asked = [flags.skill === true, flags.backgroundWait, flags.backgroundRespond, flags.list === true, flags.rules, flags.clear].filter(
    (one) => one !== undefined && one !== false,
  );
  if (asked.length === 0) return undefined;
  if (asked.length > 1 || words.length > 0) {
    complain("run", asked.length > 1 ? "one thing at a time" : "this option runs no program", "`assent run --help` lists the options");
    return STATUS.wrongUsage;
  }
  return undefined;
}
