import type { Command } from "commander";

const JSON_OPTION = ["--json", "print JSON (docs/json.md)"] as const;

/** What a person agrees to, whom he trusts, and what ends that. */
export function addTrustCommands(assent: Command): void {
  const auto = assent
    .command("auto")
    .summary("what may go ahead without you")
    .description("Agree, or no longer agree, to what agents do without asking (docs/trust.md).");
  auto
    .command("on")
    .summary("agree, at the terminal")
    .description("Asks you, at the terminal, whether what the policy allows may go ahead by itself, its mode included.")
    .option("--subagents-only", "for trusted sub-agents only")
    .action(async (options: Parameters<typeof import("./auto.ts").autoOn>[0]) => {
      const { autoOn } = await import("./auto.ts");
      process.exitCode = await autoOn(options);
    });
  auto
    .command("off")
    .summary("decide everything yourself")
    .description("What would be allowed is asked from now on.")
    .action(async () => {
      const { autoOff } = await import("./auto.ts");
      process.exitCode = autoOff();
    });
  auto
    .command("status", { isDefault: true })
    .summary("say what holds here, and who says so")
    .description("Prints whether things go ahead by themselves, what you agreed to, and what policy and environment say.")
    .option(...JSON_OPTION)
    .action(async (options: Parameters<typeof import("./auto.ts").autoStatus>[0]) => {
      const { autoStatus } = await import("./auto.ts");
      process.exitCode = autoStatus(options);
    });

  const agents = assent
    .command("agents")
    .summary("which sub-agents are trusted")
    .description("Names sub-agents: as soon as one is trusted, what the others want is asked; what a restricted one wants always is.");
  for (const [word, opinion, summary] of [
    ["trust", "trusted", "let a sub-agent go ahead as the main agent does"],
    ["restrict", "restricted", "ask about everything an agent wants"],
    ["forget", "forgotten", "take a name out again"],
  ] as const)
    agents
      .command(word)
      .summary(summary)
      .description(`Names an agent: ${summary}.`)
      .argument("<name>", "the agent's name, as the host gives it (`assent log --stats`)")
      .action(async (name: string) => {
        const { nameAgent } = await import("./agents.ts");
        process.exitCode = nameAgent(name, opinion);
      });
  agents
    .command("list", { isDefault: true })
    .summary("list who is trusted and who is restricted")
    .description("Lists the agents that you or the policy have named.")
    .option(...JSON_OPTION)
    .action(async (options: Parameters<typeof import("./agents.ts").listAgents>[0]) => {
      const { listAgents } = await import("./agents.ts");
      process.exitCode = listAgents(options);
    });

  const breaker = assent
    .command("breaker")
    .summary("what happens after many refusals")
    .description(
      "After some refusals in a row (`automation.breaker.denials`) a session's allows become questions, until a person resets it.",
    );
  breaker
    .command("status", { isDefault: true })
    .summary("list refusals in a row")
    .description("Lists refusals in a row, by session and agent.")
    .option(...JSON_OPTION)
    .action(async (options: Parameters<typeof import("./breaker.ts").breakerStatus>[0]) => {
      const { breakerStatus } = await import("./breaker.ts");
      process.exitCode = breakerStatus(options);
    });
  breaker
    .command("reset")
    .summary("start counting again")
    .description("Forgets the refusals in a row. Only at a terminal.")
    .action(async () => {
      const { breakerReset } = await import("./breaker.ts");
      process.exitCode = breakerReset();
    });

  addGrantCommands(assent);
}

function addGrantCommands(assent: Command): void {
  const grants = assent
    .command("grants")
    .summary("answers given in advance, for a while")
    .description("Remembered answers: what may go ahead for a time, a number of times, a session (docs/trust.md).");
  grants
    .command("add")
    .summary("answer yes in advance, at the terminal")
    .description("Lets what a rule describes go ahead without a question, for a while. Asks you, at the terminal. Denies hold.")
    .argument("<rule>", 'as in a policy: "Bash(npm install:*)", "Delete(build/**)"')
    .option("--for <time>", "how long: 30m, 2h, 3d; at most 7 days (default: 1h)")
    .option("--count <number>", "how often")
    .option("--session <id>", "only in this session of an agent (`assent log --json` shows it)")
    .option("--agent <name>", "only for this agent or sub-agent")
    .option("--program <name>", "only for what this program does")
    .option("--project", "only in this project; a rule with a relative path always is")
    .option("--why <text>", "for you, and for the log")
    .action(async (rule: string, options: import("./grants.ts").AddOptions) => {
      const { addedGrant } = await import("./grants.ts");
      process.exitCode = await addedGrant(rule, options);
    });
  grants
    .command("list", { isDefault: true })
    .summary("list what is granted")
    .description("Lists the remembered answers that hold now, those of running `assent run`s among them.")
    .option("--all", "and those that are over, or damaged")
    .option(...JSON_OPTION)
    .action(async (options: Parameters<typeof import("./grants.ts").listGrants>[0]) => {
      const { listGrants } = await import("./grants.ts");
      process.exitCode = listGrants(options);
    });
  grants
    .command("revoke")
    .summary("take a grant back")
    .description("Takes back one remembered answer, or all.")
    .argument("[id]", "as `assent grants list` shows it")
    .option("--all", "all of them")
    .action(async (id: string | undefined, options: Parameters<typeof import("./grants.ts").revokedGrants>[1]) => {
      const { revokedGrants } = await import("./grants.ts");
      process.exitCode = revokedGrants(id, options);
    });
}
