import { Option, type Command } from "commander";
import { EFFECTS, type Effect } from "../policy/index.ts";
import { JSON_OPTION } from "./program-frame.ts";

const SUMMARIES: Readonly<Record<Effect, string>> = {
  allow: "let a command go ahead from now on",
  ask: "be asked before a command from now on",
  deny: "refuse a command from now on",
};

/** `assent allow`, `ask`, `deny`: a rule in the words of the command it is about. */
export function addVerbCommands(assent: Command): void {
  for (const effect of EFFECTS) {
    const command = assent
      .command(effect)
      .summary(SUMMARIES[effect])
      .description(
        "Finds the rule for a command, or takes one as it is written in a policy, shows it and what it changes, asks, and writes it.",
      )
      .argument("[command...]", 'a command ("npm test", or npm test), or a rule: "Edit(src/**)"; options come before it')
      .addOption(new Option("--project", "into the policy of this git repository, not into your own"))
      .option("--why <text>", "the reason, shown with the verdict")
      .addOption(new Option("--dry-run", "only show the rule").conflicts("yes"))
      .option("--yes", "do not ask")
      .option(...JSON_OPTION)
      .passThroughOptions();
    if (effect === "allow")
      command.addOption(
        new Option("--for <time>", "a grant for a while, in place of a rule: 30m, 2h, at most 7d").conflicts(["yes", "dryRun", "json"]),
      );
    command.action(async (words: readonly string[], options: Parameters<typeof import("./allow.ts").decideOn>[2]) => {
      const { decideOn } = await import("./allow.ts");
      process.exitCode = await decideOn(effect, words, options);
    });
  }
}
