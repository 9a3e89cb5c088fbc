import type { Command } from "commander";
import { rootOf, takeCommandWords } from "./option-behind.ts";
import { JSON_OPTION, policyOption } from "./program-frame.ts";

/** `assent try`: a part of the whole table alone, so that `assent run` does not load it. */
export function addTryCommand(assent: Command): void {
  takeCommandWords(assent.command("try"), { starts: true })
    .summary("run a command on a view of your files, look at what it did, then apply it or not")
    .description(
      "Runs a command whose changes stay on layers of their own: nothing on disk changes before you have seen what it did. It has no network. " +
        "Without `--` the first word may be list, show, apply or drop: what was kept (docs/how-to/try.md).",
    )
    .argument("[command...]", "the command; or list, show ID, apply ID, drop ID")
    .option("--apply", "apply it if the policy allows all of it, else keep it: status 75")
    .addOption(policyOption())
    .option(...JSON_OPTION)
    .action(async (words: readonly string[], flags: Parameters<typeof import("./try.ts").tryCommand>[1], command: Command) => {
      const { tryCommand } = await import("./try.ts");
      const raw = rootOf(command).rawArgs;
      process.exit(await tryCommand(words, flags, raw.slice(2, raw.length - words.length).includes("--")));
    });
}
