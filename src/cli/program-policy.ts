import { type Command, Option } from "commander";
import { addProfileCommands } from "./program-profile.ts";

const JSON_OPTION = ["--json", "print JSON (docs/json.md)"] as const;

/** The commands with which a person changes a policy. An agent that asks for one is denied (src/policy/floor-commands.ts). */
export function addPolicyCommands(assent: Command): void {
  where(assent.command("init"))
    .summary("write a commented policy to start from")
    .description("Writes a policy file with comments and no rules. Never overwrites one.")
    .option(...JSON_OPTION)
    .action(async (options: Parameters<typeof import("./init.ts").init>[0]) => {
      const { init } = await import("./init.ts");
      process.exitCode = init(options);
    });

  where(assent.command("edit"))
    .summary("open the policy in your editor, then check it")
    .description(
      "Opens the policy in $VISUAL, $EDITOR, nvim, vim, vi or nano, makes it when it is missing, and says what is wrong with it.",
    )
    .action(async (options: Parameters<typeof import("./edit.ts").edit>[0]) => {
      const { edit } = await import("./edit.ts");
      process.exitCode = edit(options);
    });

  const rule = assent
    .command("rule")
    .summary("add or remove a rule")
    .description("Changes the rules of a policy file. Its comments and layout stay as they are.");

  where(effect(rule.command("add")))
    .summary("add a rule")
    .argument("<rule>", 'for example "Bash(npm test:*)"')
    .option("--why <text>", "the reason, shown with the verdict")
    .option(...JSON_OPTION)
    .action(async (text: string, options: Parameters<typeof import("./rule.ts").add>[1]) => {
      const { add } = await import("./rule.ts");
      process.exitCode = add(text, options);
    });

  where(effect(rule.command("remove")))
    .summary("remove a rule, with the comments directly above it and on its line")
    .argument("<rule>", "the rule, as `assent rules` shows it")
    .option(...JSON_OPTION)
    .action(async (text: string, options: Parameters<typeof import("./rule.ts").remove>[1]) => {
      const { remove } = await import("./rule.ts");
      process.exitCode = remove(text, options);
    });

  assent
    .command("trust")
    .summary("let the allow rules of this project's policy count")
    .description("Shows what the project's policy would allow and asks. The trust ends with any change to the file.")
    .addOption(new Option("--list", "show the projects you trust").conflicts(["revoke", "yes"]))
    .addOption(new Option("--revoke [path]", "end the trust in this project, or in the one at <path>").conflicts("yes"))
    .option("--yes", "do not ask")
    .option(...JSON_OPTION)
    .action(async (options: Parameters<typeof import("./trust.ts").trust>[0]) => {
      const { trust } = await import("./trust.ts");
      process.exitCode = await trust(options);
    });

  addProfileCommands(assent);
}

function where(command: Command): Command {
  return command
    .addOption(new Option("--local", "the policy of this git repository").conflicts("global"))
    .option("--global", "your own policy, for every project (the default)");
}

function effect(command: Command): Command {
  return command
    .addOption(new Option("--allow", "it goes ahead").conflicts(["ask", "deny"]))
    .addOption(new Option("--ask", "a person confirms it").conflicts(["deny"]))
    .option("--deny", "it is refused");
}
