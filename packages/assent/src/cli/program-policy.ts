import { Argument, Option, type Command } from "commander";
import { addApprovalCommands } from "./program-approvals.ts";
import { collect, folderOption, JSON_OPTION, policyOption, starts, whenAlone } from "./program-frame.ts";

/** The commands with which a person changes a policy. An agent that asks for one is denied (packages/core/src/policy/floor-commands.ts). */
export function addPolicyCommands(assent: Command): void {
  where(assent.command("init"))
    .summary("write a commented policy to start from")
    .description("Writes a policy file with comments and no rules. Never overwrites one.")
    .option(...JSON_OPTION)
    .action(starts(async () => (await import("./edit.ts")).init));

  where(assent.command("edit"))
    .summary("open the policy in your editor, then check it")
    .description(
      "Opens the policy in $VISUAL, $EDITOR, nvim, vim, vi or nano, makes it when it is missing, and says what is wrong with it.",
    )
    .action(starts(async () => (await import("./edit.ts")).edit));

  const rule = assent
    .command("rule")
    .summary("add, remove or list rules")
    .description("Changes the rules of a policy file. Its comments and layout stay as they are.");

  where(effect(rule.command("add")))
    .summary("add a rule")
    .argument("<rule>", 'for example "Bash(npm test:*)"')
    .option("--why <text>", "the reason, shown with the verdict")
    .option("--force", "a tool is really called so, although it looks like a slip of the finger")
    .option(...JSON_OPTION)
    .action(starts(async () => (await import("./rule.ts")).add));

  where(effect(rule.command("remove")))
    .summary("remove a rule, with the comments directly above it and on its line")
    .argument("<rule>", "the rule, as `assent rules` shows it")
    .option(...JSON_OPTION)
    .action(starts(async () => (await import("./rule.ts")).remove));

  listing(rule.command("list")).description("The same as `assent rules`.");

  assent
    .command("trust")
    .summary("let the allow rules of this project's policy count")
    .description("Shows what the project's policy would allow and asks. The trust ends with any change to the file.")
    .addOption(new Option("--list", "show the projects you trust").conflicts(["revoke", "yes"]))
    .addOption(new Option("--revoke [path]", "end the trust in this project, or in the one at <path>").conflicts("yes"))
    .addOption(new Option("--global", "agree to the packs that your own policy names").conflicts(["list", "revoke"]))
    .option("--yes", "do not ask")
    .option(...JSON_OPTION)
    .action(starts(async () => (await import("./trust.ts")).trust));

  addProfileCommands(assent);
}

/** `assent rules`, and by its other name. */
export const listing = (command: Command): Command =>
  command
    .summary("list every rule and setting in force")
    .description("Prints the rules of all policy files that apply here, with their places, and marks those that never decide anything.")
    .addOption(folderOption("for this folder"))
    .addOption(policyOption())
    .option(...JSON_OPTION)
    .action(starts(async () => (await import("./rules.ts")).rules));

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

const NAME = "a profile's name, or the program: a word as you would type it, or its path";

/** The policies kept for single programs. */
function addProfileCommands(assent: Command): void {
  const profile = assent
    .command("profile")
    .summary("look at and change what is remembered for a program")
    .description("Profiles hold the rules remembered for one program under `assent run`, a policy file each.");

  profile
    .command("list")
    .summary("list the profiles")
    .option(...JSON_OPTION)
    .action(starts(async () => (await import("./profile.ts")).list));

  profile
    .command("show")
    .summary("list the rules of a profile")
    .argument("<profile>", NAME)
    .option(...JSON_OPTION)
    .action(starts(async () => (await import("./profile.ts")).show));

  profile
    .command("clear")
    .summary("remove a profile, whole")
    .argument("<profile>", NAME)
    .option(...JSON_OPTION)
    .action(starts(async () => (await import("./profile.ts")).clear));

  profile
    .command("edit")
    .summary("open a profile in your editor, then check it")
    .description(
      "Opens the profile in $VISUAL, $EDITOR, nvim, vim, vi or nano, makes it when it is missing, and says what is wrong with it.",
    )
    .argument("<profile>", NAME)
    .action(starts(async () => (await import("./profile.ts")).editProfile));

  profile
    .command("import")
    .summary("take over the profiles of ptrace-approve")
    .description(
      "Reads a profiles.json of ptrace-approve. A pattern that cannot be kept is listed with the reason; then nothing is " +
        "written and the exit code is 1, unless --partly.",
    )
    .argument("<file>", "usually ~/.config/ptrace-approve/profiles.json")
    .option("--partly", "write what can be kept; the exit code stays 1")
    .option(...JSON_OPTION)
    .action(starts(async () => (await import("./profile-import.ts")).importProfiles));
}

/** What a person agrees to, whom he trusts, and what ends that. */
export function addTrustCommands(assent: Command): void {
  const auto = assent
    .command("auto")
    .summary("what may go ahead without you")
    .description("Agree, or no longer agree, to what agents do without asking (docs/trust.md).");
  auto
    .command("sandbox")
    .summary("let tests, builds and scripts go ahead sandboxed")
    .description(
      "What can be undone and stays inside the policy goes ahead without a question, sandboxed. Asks you, at the terminal, and writes it " +
        "into your own policy.",
    )
    .option("--for <time>", "for so long, such as 2h or 3d; then it asks again")
    .option("--tried", "try each first: nothing on disk changes before it has ended and was judged as a whole (docs/how-to/try.md)")
    .action(starts(async () => (await import("./auto.ts")).autoSandbox));
  auto
    .command("ask")
    .summary("be asked about tests, builds and scripts, too")
    .description("What cannot be known beforehand is asked from now on.")
    .action(starts(async () => (await import("./auto.ts")).autoAsk));
  auto
    .command("on")
    .summary("agree, at the terminal")
    .description("Asks you, at the terminal, whether what the policy allows may go ahead by itself, its mode included.")
    .option("--subagents-only", "for trusted sub-agents only")
    .action(starts(async () => (await import("./auto.ts")).autoOn));
  auto
    .command("off")
    .summary("decide everything yourself")
    .description("What would be allowed is asked from now on.")
    .action(starts(async () => (await import("./auto.ts")).autoOff));
  whenAlone(auto, "status")
    .summary("say what goes ahead without you here, and who says so")
    .description("Prints what goes ahead without you here, row by row, what you agreed to, and what policy and environment say.")
    .option(...JSON_OPTION)
    .action(starts(async () => (await import("./auto.ts")).autoStatus));

  const confine = assent
    .command("confine")
    .summary("run what cannot be known supervised, instead of asking")
    .description(
      "What can be undone and stays inside the policy goes ahead without a question, supervised; only what leaves the policy " +
        "or cannot be taken back is asked (docs/confine.md). Takes effect at an agent's next call.",
    );
  confine
    .command("on")
    .summary("agree, at the terminal")
    .description("Says which questions go away and which stay, asks you, and writes it into your own policy.")
    .option("--log", "sandbox nothing yet: keep asking, and log what would have been sandboxed")
    .action(starts(async () => (await import("./confine.ts")).confineOn));
  confine
    .command("off")
    .summary("be asked again")
    .description("What cannot be known is asked from now on.")
    .action(starts(async () => (await import("./confine.ts")).confineOff));
  whenAlone(confine, "status")
    .summary("say what holds here")
    .description("Prints whether what cannot be known runs sandboxed here.")
    .option(...JSON_OPTION)
    .action(starts(async () => (await import("./confine.ts")).confineStatus));

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
  whenAlone(agents, "list")
    .summary("list who is trusted and who is restricted")
    .description("Lists the agents that you or the policy have named.")
    .option(...JSON_OPTION)
    .action(starts(async () => (await import("./agents.ts")).listAgents));

  const breaker = assent
    .command("breaker")
    .summary("what happens after many refusals")
    .description(
      "After some refusals in a row (`automation.breaker.denials`) a session's allows become questions, until a person resets it.",
    );
  whenAlone(breaker, "status")
    .summary("list refusals in a row")
    .description("Lists refusals in a row, by session and agent.")
    .option(...JSON_OPTION)
    .action(starts(async () => (await import("./breaker.ts")).breakerStatus));
  breaker
    .command("reset")
    .summary("start counting again")
    .description("Forgets the refusals in a row. Only at a terminal.")
    .action(starts(async () => (await import("./breaker.ts")).breakerReset));

  addGrantCommands(assent);
  addApprovalCommands(assent);
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
    .option("--unconfined", 'what it allows is not sandboxed either, under "unknown": "confine"')
    .option("--session <session>", "only in this session of an agent (`assent log --json` shows it)")
    .option("--agent <name>", "only for this agent or sub-agent")
    .option("--program <program>", "only for what this program does")
    .option("--project", "only in this project; a rule with a relative path always is")
    .option("--why <text>", "for you, and for the log")
    .action(starts(async () => (await import("./grants.ts")).addedGrant));
  whenAlone(grants, "list")
    .summary("list what is granted")
    .description("Lists the remembered answers that hold now, those of running `assent run`s among them.")
    .option("--all", "and those that are over, or damaged")
    .option(...JSON_OPTION)
    .action(starts(async () => (await import("./grants.ts")).listGrants));
  grants
    .command("revoke")
    .summary("take a grant back")
    .description("Takes back one remembered answer, or all.")
    .argument("[grant]", "as `assent grants list` shows it")
    .option("--all", "all of them")
    .action(starts(async () => (await import("./grants.ts")).revokedGrants));
}

/** The commands that deal with agent hosts. */
export function addAgentCommands(assent: Command): void {
  assent
    .command("install")
    .summary("register Assent with the agents on this machine")
    .description(
      "Finds the agents on this machine, shows what it would change in their settings, asks, and writes. Other hooks, " +
        "comments and layout stay; a second run changes nothing.",
    )
    .option("--agent <host>", "only this agent; may be repeated", collect)
    .option("--local", "register in this project instead of for all projects")
    .option("--managed", "as root: register for everybody, where neither a repository nor a user can take it out")
    .option("--dry-run", "show the changes, write nothing")
    .option("-y, --yes", "do not ask")
    .option("--status-line", "let the agent's status line show what `assent status --line` says, unless you have one of your own")
    .option("--no-status-line", "take that out again")
    .option("--replace-guards", "take the hooks of other guards that it knows out, a copy kept, without asking")
    .addOption(
      new Option("--mode <mode>", "write the agents' own files, or let rulesync write them")
        .choices(["auto", "direct", "rulesync"])
        .default("auto"),
    )
    .action(starts(async () => (await import("./install.ts")).install));

  assent
    .command("uninstall")
    .summary("take Assent out of the agents' settings")
    .description("Takes out exactly what `assent install` put in: byte for byte where nobody else has changed the file since.")
    .option("--agent <host>", "only this agent; may be repeated", collect)
    .option("--local", "only in this project")
    .option("--managed", "as root: what was registered for everybody")
    .option("--all", "remove your policy, the log, runs and what undo needs, too")
    .option("--dry-run", "show the changes, write nothing")
    .option("-y, --yes", "do not ask")
    .action(starts(async () => (await import("./install.ts")).uninstall));

  assent
    .command("bypass")
    .summary("skip questions for a while")
    .description(
      "Lets agents do for a while what would be asked, everywhere or in this terminal pane. What is denied stays denied, and every decision is logged.",
    )
    .addArgument(new Argument("[what]", "on, off or status").choices(["on", "off", "status"]).default("status"))
    .option("--for <time>", "how long: 10m, 2h; 24h at most")
    .option("--pane", "only in this pane of zellij, tmux, WezTerm or kitty")
    .option(...JSON_OPTION)
    .action(
      async (what: Parameters<typeof import("./bypass.ts").bypass>[0], options: Parameters<typeof import("./bypass.ts").bypass>[1]) => {
        const { bypass } = await import("./bypass.ts");
        process.exitCode = bypass(what, options);
      },
    );
}
