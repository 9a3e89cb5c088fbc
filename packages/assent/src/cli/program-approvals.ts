import { type Command, Option } from "commander";
import { JSON_OPTION, starts } from "./program-frame.ts";

/** `assent approvals`: the questions that wait for a person. */
export function addApprovalCommands(assent: Command): void {
  const approvals = assent
    .command("approvals")
    .summary("answer the questions of agents, runs and tools in a terminal of your own")
    .description(
      "Shows the questions that wait for an answer, and takes answers by one key; new ones appear by themselves. While it is open, " +
        "runs without a terminal, sandboxed commands and the MCP gateway wait for you instead of refusing (docs/approvals.md).",
    )
    .option(...JSON_OPTION)
    .addOption(new Option("--popup").hideHelp())
    .action(starts(async () => (await import("./approvals.ts")).approvals));
  approvals
    .command("list")
    .summary("list the questions that wait for an answer")
    .description("Lists the questions that wait for an answer, and asks nothing.")
    .option(...JSON_OPTION)
    .action(async (options: { readonly json?: boolean }, command: Command) => {
      const { listApprovals } = await import("./approvals.ts");
      process.exitCode = listApprovals({ ...command.optsWithGlobals(), ...options });
    });
  approvals
    .command("answer")
    .summary("answer one question")
    .description("Answers one question. The first answer counts: exits with 1 when another was faster.")
    .argument("<question>", "as `assent approvals list` shows it")
    .argument("<answer>", "yes or no")
    .option("--session", "yes, for the agent's session or the run")
    .option("--for <time>", "yes, and to what is like it for so long: 30m, 2h, 1d")
    .option("--trust", "yes, to the program and what it starts, for this run")
    .option("--always [rule]", "remember it as a rule; by default the narrowest one that is proposed")
    .option("--note <text>", "what the agent is told with a no")
    .action(starts(async () => (await import("./approvals.ts")).answerApproval));
  approvals
    .command("notify")
    .summary("choose how you are told of questions")
    .description(
      "Switches on that you are told of questions: by a desktop notification, a popup in tmux, or the terminal that shows them. " +
        "Off at first. Without a way it says what is on.",
    )
    .argument("[way...]", "desktop, tmux, terminal, or off")
    .option(...JSON_OPTION)
    .action(async (ways: readonly string[], options: { readonly json?: boolean }, command: Command) => {
      const { notifyApprovals } = await import("./approvals-notify.ts");
      process.exitCode = notifyApprovals(ways, { ...command.optsWithGlobals(), ...options });
    });
}
