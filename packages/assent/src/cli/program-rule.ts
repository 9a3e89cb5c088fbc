import { Option, type Command } from "commander";
import { EFFECTS, type Effect } from "@assent/core/policy";
import { takeCommandWords } from "./option-behind.ts";
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
      .option("--force", "a tool is really called so, although it looks like a slip of the finger")
      .option(...JSON_OPTION);
    takeCommandWords(command, { sisters: EFFECTS });
    if (effect === "allow")
      command
        .addOption(new Option("--for <time>", "a grant for a while, in place of a rule: 30m, 2h, at most 7d").conflicts(["dryRun", "json"]))
        .addOption(
          new Option("--here", "say yes to the sentence that it is about, once for this repository (docs/consents.md)").conflicts([
            "for",
            "yes",
            "dryRun",
            "json",
            "project",
          ]),
        )
        .addOption(new Option("--run <run>", "choose from what this run was refused (`assent receipt --list`)").conflicts(["for", "yes"]))
        .addOption(new Option("--all", "with --run: everything that a rule can allow, without asking").conflicts("dryRun"))
        .addOption(
          new Option(
            "--global",
            "with --run: into your own policy, for agents too, not only for this program under `assent run`",
          ).conflicts("project"),
        );
    type Options = Parameters<typeof import("./allow.ts").decideOn>[2] & Partial<Parameters<typeof import("./allow-run.ts").allowRun>[1]>;
    command.action(async (words: readonly string[], { run, ...options }: Options) => {
      if (run !== undefined) {
        const { allowRun } = await import("./allow-run.ts");
        process.exitCode = await allowRun(words, { ...options, run });
        return;
      }
      if (options.all === true || options.global === true)
        command.error(`error: ${options.all === true ? "--all" : "--global"} goes with --run`, { exitCode: 2 });
      if (options.for !== undefined && options.yes === true)
        command.error("error: a grant is agreed to at the terminal: say it without --yes (a rule for ever, without --for, takes --yes)", {
          exitCode: 2,
        });
      const { decideOn } = await import("./allow.ts");
      process.exitCode = await decideOn(effect, words, options);
    });
  }
}
