import { complain } from "./policy-target.ts";
import type { RunFlags } from "./run-flags.ts";
import { STATUS } from "./run-status.ts";

/** The options of `assent run` that run nothing. Undefined: there is none, so something is to be run. */
export async function manage(words: readonly string[], flags: RunFlags): Promise<number | undefined> {
  const { skill, backgroundWait, backgroundRespond, backgroundPattern, list, rules, clear } = flags;
  const asked = [skill, backgroundWait, backgroundRespond, list, rules, clear].filter((one) => one !== undefined);
  if (asked.length === 0) return undefined;
  if (asked.length > 1 || words.length > 0) {
    const message = asked.length > 1 ? "these options do one thing each" : "this option runs no program";
    complain("run", message, "`assent run --help` lists the options");
    return STATUS.wrongUsage;
  }
  if (list === true) return (await import("./profile.ts")).list({});
  if (rules !== undefined) return (await import("./profile.ts")).show(rules, {});
  if (clear !== undefined) return (await import("./profile.ts")).clear(clear, {});
  const background = await import("./run-background.ts");
  if (backgroundWait !== undefined) return background.backgroundWait(backgroundWait);
  const [folder = "", seq = "", action = ""] = backgroundRespond ?? [];
  return backgroundRespond === undefined ? background.skill() : background.backgroundRespond(folder, seq, action, backgroundPattern);
}
