import { Argument, Command, Option, Help } from "commander";
import { REFUSALS_TOLD, RULES_READ, EFFECTS, type Effect } from "@assent/core/policy";
import { LISTED } from "./command-table.ts";
import type { StatusLineOptions } from "./status-line.ts";
import {
  collect,
  existingFile,
  filesArgument,
  folderOption,
  frame,
  JSON_OPTION,
  policyOption,
  starts,
  whenAlone,
} from "./program-frame.ts";
import { takeCommandWords } from "./option-behind.ts";
import { addLogCommands } from "./program-log.ts";
import { addAgentCommands, addPolicyCommands, addTrustCommands, listing } from "./program-policy.ts";
import { addStayingCommands } from "./program-daemon.ts";
import { addRunCommands, addTryCommand } from "./program-run.ts";

/** The table of commands: what is parsed, and what help, completions and the man page are made from. */
export function program(): Command {
  const assent = frame();

  assent
    .command("check")
    .summary("answer one hook call of an agent host")
    .description("Reads a host's hook call on standard input and prints the answer. This is what `assent install` registers.")
    .option("--agent <name>", "the host (docs/agents.md), generic, or auto", "auto")
    .option("--event <name>", "the host's name of the event, or auto", "auto")
    .option("--policy <file>", "add a policy file", collect, []);

  addAgentCommands(assent);

  assent
    .command("status")
    .summary("say what protects here, what is on, and what was refused last")
    .description(
      "Prints the agents that ask Assent, the policy files, what goes ahead without you, what waits for you and the last refusals.",
    )
    .addOption(folderOption("for this folder"))
    .option("--line", "one short line, for a shell's prompt or a host's status line")
    .option("--stdin", "with --line: the folder is `cwd` of the JSON on standard input")
    .option(...JSON_OPTION)
    .action(async (options: Parameters<typeof import("./status.ts").status>[0] & StatusLineOptions & { readonly line?: boolean }) => {
      if (options.line === true) return (await import("./status-line.ts")).printStatus(options);
      const { status } = await import("./status.ts");
      process.exitCode = await status(options);
    });

  assent
    .command("why")
    .summary("say why the last question or refusal here came, and what changes it")
    .description(
      "Looks the last question or refusal in this folder up in the log, and says what it was, why, and the one line that changes it.",
    )
    .addOption(folderOption("in this folder"))
    .option("--report <text>", "write a new file for an issue: the decision, without secrets, your name and your folders")
    .option(...JSON_OPTION)
    .action(starts(async () => (await import("./why.ts")).why));

  addPageCommand(assent);
  addStayingCommands(assent);
  addVerbCommands(assent);

  takeCommandWords(assent.command("explain"))
    .summary("say what a request would do, the verdict and why")
    .description("Judges a shell command, or with --tool any tool call, without running anything.")
    .argument("[command...]", "shell command, quoted as one word or as its words; options come before it")
    .option("--tool <name>", "the tool, by the host's name for it", "Bash")
    .option("--input <json>", "the tool's input")
    .addOption(folderOption("where it would run"))
    .addOption(policyOption())
    .option(...JSON_OPTION)
    .option("--diff <file>", "compare with this file in place of your own policy file", existingFile)
    .option("--confined", "as if what cannot be known ran sandboxed: what would, and what could still be asked inside")
    .option("--batch", "read requests as JSON Lines on standard input, print one JSON object a line")
    .action(starts(async () => (await import("./explain.ts")).explain));

  assent
    .command("test")
    .summary("run the examples and tables that test a policy")
    .description(
      "Checks the examples of policy files and the lines of *.assent-test tables. Without files: the policies in force here and every table of the project.",
    )
    .addArgument(filesArgument("policy files and tables"))
    .addOption(policyOption())
    .option("--junit <file>", "write a report for CI servers (JUnit XML); - prints it")
    .option(...JSON_OPTION)
    .action(starts(async () => (await import("./test.ts")).test));

  listing(assent.command("rules"));

  assent
    .command("doctor")
    .summary("say what protects on this machine, and what does not")
    .description(
      "Tries what supervision needs of the kernel, without restricting anything, and puts two requests to the registered hook " +
        "of each agent. Exit code 1 when `assent run` would refuse to start, or a registered hook does not answer as it should.",
    )
    .option(...JSON_OPTION)
    .action(starts(async () => (await import("./doctor.ts")).doctor));

  assent
    .command("lint")
    .summary("look for rules that do not do what they seem to")
    .description(
      "Looks at the policies in force here, or at the files given, for rules that allow too much, stop too little or do " +
        "nothing. Exit code 1 when there are warnings or errors. docs/lint.md explains each code.",
    )
    .addArgument(filesArgument("policy files"))
    .addOption(policyOption())
    .option("--fix", "rewrite deny and ask rules in the style of other tools, such as Bash(git push *), after asking")
    .option("--yes", "with --fix: do not ask")
    .option("--sarif <file>", "write a report for code hosts (SARIF 2.1.0); - prints it")
    .option(...JSON_OPTION)
    .action(starts(async () => (await import("./lint.ts")).lint));

  addRunCommands(assent, undefined, async (...given) => (await import("./run-sandboxed.ts")).runElsewhere(...given));
  addTryCommand(assent);
  addUndoCommands(assent);
  addRunsCommand(assent);
  addPolicyCommands(assent);
  addImportCommands(assent);

  addTrustCommands(assent);
  addLogCommands(assent);
  addMcpCommand(assent);

  assent
    .command("completion")
    .summary("print a completion script for a shell")
    .description("Prints a script that completes commands, options and files: `source <(assent completion bash)`.")
    .addArgument(new Argument("<shell>", "whose script").choices(["bash", "zsh", "fish"]))
    .action(starts(async () => (await import("./completion.ts")).completion));

  assent.addCommand(
    new Command("completions")
      .addArgument(new Argument("<kind>").choices(LISTED))
      .action(starts(async () => (await import("./completions.ts")).listNames)),
    { hidden: true },
  );

  assent
    .command("demo")
    .summary("judge a set of real requests, and supervise a small program, in a scratch project")
    .description(
      "Judges real requests through the code of the hook, runs none of them, then runs a small script under supervision and " +
        "undoes what it did. All in a scratch project that is removed afterwards; nothing leaves the machine.",
    )
    .action(starts(async () => (await import("./demo.ts")).demo));
  addOwnCommands(assent);
  groupCommands(assent, "named");
  debuggable(assent);
  return assent;
}

/** What Assent says of itself. */
function addOwnCommands(assent: Command): void {
  assent
    .command("version")
    .summary("print the version")
    .option(...JSON_OPTION)
    .action(async (options: { readonly json?: boolean }) => {
      const { printVersion } = await import("./version.ts");
      printVersion(options);
    });

  // Commander's own prints the whole help for a topic that there is not.
  assent.helpCommand(false);
  assent
    .command("help")
    .summary("say how a command is used")
    .addArgument(new Argument("[topic...]", "the command, for example: rule add"))
    .option("--all", "list every command, the seldom ones, too")
    .action((words: readonly string[], { all }: { readonly all?: boolean }) => {
      if (all === true) groupCommands(assent, "all");
      const topic = words.reduce<Command | undefined>((above, word) => above?.commands.find((sub) => sub.name() === word), assent);
      if (topic === undefined) assent.error(`error: unknown command '${words.join(" ")}'`, { exitCode: 2 });
      else topic.outputHelp();
    });
}

/** `--debug` works behind a command as well as before it. */
function debuggable(command: Command): void {
  for (const sub of command.commands) {
    if (!sub.options.some(({ long }) => long === "--debug")) sub.addOption(new Option("--debug").hideHelp());
    debuggable(sub);
  }
}

const RUN = "the run, or how its id begins; by default the last one in this project";

const SESSION = [
  "--session [session]",
  "all that one session of an agent did, its tools' edits and its sandboxed commands; by default the last one in this folder",
] as const;
const SINCE = ["--since <time>", "only what was done since: 10m, 2h, 2026-11-01"] as const;

/** What a supervised run did, and taking it back. */
function addUndoCommands(assent: Command): void {
  assent
    .command("receipt")
    .summary("say what a run did")
    .description(
      "Prints what a supervised run created, changed, deleted and renamed, the hosts it reached, what it started, what was asked and refused.",
    )
    .argument("[run]", RUN)
    .option("--list", "list the runs that are kept")
    .option("--sessions", "list what is kept by agent and session")
    .option(...SESSION)
    .option(...SINCE)
    .option("--all", "every path, no folder summed up")
    .option(...JSON_OPTION)
    .action(starts(async () => (await import("./receipt.ts")).receipt));

  assent
    .command("seen")
    .summary("look at changed files that decide which programs later commands start")
    .description(
      "Lists files such as mise.toml that an agent changed. Commands that use them run sandboxed until you have looked. " +
        "With paths or --all it shows the files, and asks.",
    )
    .argument("[paths...]", "look at these files")
    .option("--all", "look at all of them")
    .option(...JSON_OPTION)
    .action(starts(async () => (await import("./seen.ts")).seenFiles));

  assent
    .command("diff")
    .summary("show the files a run changed, before and now")
    .description("Prints unified diffs of the text files that a supervised run changed; of other files their sizes.")
    .argument("[run]", RUN)
    .argument("[paths...]", "only these files and folders")
    .option(...SESSION)
    .option(...SINCE)
    .option(...JSON_OPTION)
    .action(starts(async () => (await import("./diff.ts")).diff));

  assent
    .command("undo")
    .summary("take back what a run did to files")
    .description(
      "Brings back what a supervised run changed, deleted and renamed, and deletes what it made. What was changed since is " +
        "left alone and listed (exit code 1); a repository goes back as a whole or not at all. The undo is recorded as a run: " +
        "undo that to have it all back.",
    )
    .argument("[run]", RUN.replace("the last one", "the last one not undone yet that changed something"))
    .argument("[paths...]", "only these files and folders")
    .option(...SESSION)
    .option(...SINCE)
    .option("--dry-run", "say what would be done")
    .option("--diff", "with --dry-run, show the lines that would change, too")
    .option("--at <folder>", "where the folder in which the run was started lies now, if it was moved")
    .option("--force", "also take back what was changed since, but for repositories")
    .option("--yes", "do not ask")
    .option(...JSON_OPTION)
    .action(starts(async () => (await import("./undo.ts")).undo));
}

/** What undo keeps, and how much room that takes. */
function addRunsCommand(assent: Command): void {
  const runs = assent
    .command("runs")
    .summary("list what is kept for undo, and make room")
    .description("What undo keeps of runs and of tools' edits, and what it takes on the disk.");
  whenAlone(runs, "list")
    .summary("list what is kept, with its size")
    .option(...JSON_OPTION)
    .action(starts(async () => (await import("./runs.ts")).list));
  runs
    .command("clean")
    .summary("remove what is old; it cannot be undone any more")
    .option("--older <time>", "what ended before: 7d (the default), 12h, 2026-11-01")
    .option("--all", "everything but what still runs")
    .option("--yes", "do not ask")
    .option(...JSON_OPTION)
    .action(starts(async () => (await import("./runs.ts")).clean));
}

/** `assent mcp`: the gateway in front of an MCP server. */
function addMcpCommand(assent: Command): void {
  takeCommandWords(assent.command("mcp"), { starts: true })
    .summary("stand in front of an MCP server and judge its tool calls")
    .description(
      "Stands between an MCP client and a server and judges every tool call by the policy, as mcp__NAME__tool. The server is " +
        "a command, on standard input and output, or an address; so is the client, unless --listen serves it by HTTP. Tools " +
        "that are denied are not listed; a question is put to the client where it can be asked, else the call is refused and " +
        "says why (docs/mcp.md).",
    )
    .argument("[command...]", "the server and its arguments; options of `assent mcp` come before it, `--` may stand between")
    .option("--name <name>", "the server's name in rules; by default made of its command")
    .option(
      "--confine",
      "run the server itself under supervision: it reads no secrets, changes the project alone, connects where rules allow",
    )
    .option("--url <url>", "the server is reached by streamable HTTP")
    .option("--header <header>", "sent to it with every request; ${VARIABLE} in it is taken from the environment", collect, [])
    .option("--listen <place>", "serve clients by streamable HTTP, at /mcp: PORT or HOST:PORT; by default on 127.0.0.1")
    .option("--token-env <variable>", "clients must send the token in this variable; needed beyond this machine")
    .option("--allow-host <name>", "a further name under which clients reach it", collect, [])
    .option("--allow-origin <origin>", "pages of this origin may use it", collect, [])
    .addOption(policyOption())
    .action(starts(async () => (await import("./mcp.ts")).mcp));
}

/** Rules of agent hosts, in and out. */
function addImportCommands(assent: Command): void {
  assent
    .command("import")
    .summary("take over the rules of agent hosts and other tools")
    .description(
      "Reads the permission rules of the agents on this machine, turns them into rules of your policy (those of a project " +
        "into the project's), shows the difference and asks. What cannot be said here is listed with file and line. Exit code 1 " +
        "when something was lost.",
    )
    .argument("[files...]", "read these files in place of those on this machine; needs --agent, unless the text tells")
    .option("--agent <name>", `only this one; may be repeated: ${RULES_READ.join(", ")}`, collect)
    .option("--dry-run", "only show what would be added")
    .option("--yes", "do not ask")
    .option(...JSON_OPTION)
    .action(starts(async () => (await import("./import.ts")).importRules));

  assent
    .command("export")
    .summary("give an agent host your refusals as rules of its own")
    .description(
      "Turns the deny rules of your policy into native rules of a host: a second net where its hooks fail open. Prints them, " +
        "or writes them into the host's settings beside what stands there. What the host has no words for is listed; exit code 1 then.",
    )
    .requiredOption("--agent <name>", REFUSALS_TOLD.join(", ").replace(/, (?=[^,]*$)/, " or "))
    .option("--local", "the policy of this git repository, into the settings of the project")
    .option("--allow", "instead: exact commands known to be harmless, which the host then takes without a check of its own")
    .option("--write", "write them into the host's settings, after asking")
    .option("--remove", "take out what an export wrote")
    .option("--yes", "do not ask")
    .option(...JSON_OPTION)
    .action(starts(async () => (await import("./export.ts")).exportRules));
}

/** `assent open`: the page. */
function addPageCommand(assent: Command): void {
  assent
    .command("open")
    .summary("open the page in your browser: questions, decisions, runs, the policy")
    .description(
      "Opens a page in the browser, on this machine only: pending questions, what was decided, runs and their undo, the policy " +
        "with an editor, suggested rules (docs/page.md). Its process ends when no page has been open for a while.",
    )
    .addOption(folderOption("the folder whose policy the page shows first"))
    .option("--print", "open nothing: print the path of the file that opens the page, once, within a minute")
    .option("--link", "open nothing: print the address that opens the page, once, within a minute")
    .addOption(new Option("--serve").hideHelp())
    .option(...JSON_OPTION)
    .action(starts(async () => (await import("./open.ts")).open));
}

/** What `assent --help` lists, by what a person wants to do. Every other command works as well: `assent help --all` lists it. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  "Begin:": ["install", "uninstall", "doctor", "status", "demo"],
  "Say what goes ahead:": ["allow", "ask", "deny", "auto", "trust", "edit", "rules", "explain"],
  "Questions and decisions:": ["why", "approvals", "log", "open"],
  "Run, look, take back:": ["run", "receipt", "diff", "undo"],
  "In front of tools, on many machines:": ["mcp", "team"],
};

const NAMED = Object.values(GROUPS).flat();

class GroupedHelp extends Help {
  readonly #which: "named" | "all";

  constructor(which: "named" | "all") {
    super();
    this.#which = which;
  }

  override groupItems<T extends Command | Option>(_all: T[], visible: T[], groupOf: (item: T) => string): Map<string, T[]> {
    const isShown = (item: T): boolean => !("commands" in item) || this.#which === "all" || NAMED.includes(item.name());
    const placeOf = (item: T): number => (NAMED.includes(item.name()) ? NAMED.indexOf(item.name()) : NAMED.length);
    const shown = visible.filter(isShown).toSorted((a, b) => placeOf(a) - placeOf(b));
    return super.groupItems(shown, shown, groupOf);
  }
}

/** Shows the commands of `assent` in groups: those that `GROUPS` names, or all. */
export function groupCommands(assent: Command, which: "named" | "all"): void {
  for (const command of assent.commands) {
    const [group] = Object.entries(GROUPS).find(([, names]) => names.includes(command.name())) ?? ["Others:"];
    command.helpGroup(group);
  }
  assent.createHelp = () => Object.assign(new GroupedHelp(which), assent.configureHelp());
}

const SUMMARIES: Readonly<Record<Effect, string>> = {
  allow: "let a command go ahead from now on",
  ask: "be asked before a command from now on",
  deny: "refuse a command from now on",
};

/** `assent allow`, `ask`, `deny`: a rule in the words of the command it is about. */
function addVerbCommands(assent: Command): void {
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
