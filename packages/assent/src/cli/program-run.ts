import { type Command, Option } from "commander";
import { rootOf, takeCommandWords } from "./option-behind.ts";
import { JSON_OPTION, policyOption, starts } from "./program-frame.ts";
import type { Beside } from "./run-beside.ts";

type RunAction = Parameters<typeof import("./run.ts").run>;

/** Another engine than ours may hold a run. Its exit status; undefined: it is ours. */
type RunElsewhere = (words: RunAction[0], flags: RunAction[1]) => Promise<number | undefined>;

/** What only a run that asks can have: `clip` and `run` share it. */
function supervising(command: Command): Command {
  return command
    .option("--profile <profile>", "the profile to use and to remember answers in; by default the program's own")
    .option("-P, --no-prompt", "ask nobody: what is not allowed is refused")
    .addOption(new Option("--log-only", "say what it does and refuse nothing").conflicts(["backgroundDir"]))
    .option("--best-effort", "go on where this kernel cannot protect everything")
    .option("--no-undo", "do not keep what is changed for `assent undo`")
    .addOption(policyOption())
    .option("-q, --quiet", "say nothing but questions and errors")
    .option("--debug", "say every decision that is made without asking, and where an error comes from");
}

/** `assent run`, `wrap` and `clip`: programs under supervision. */
export function addRunCommands(assent: Command, beside?: Beside, elsewhere?: RunElsewhere): void {
  // Options stop at the first word that is none: the rest is the program's.
  supervising(takeCommandWords(assent.command("run"), { starts: true }))
    .summary("run a program under the policy, enforced by the kernel")
    .description(
      "Runs a program and everything it starts under the policy. What it does not allow is asked at the moment it would " +
        "happen. Exits with the program's own status (docs/run.md).",
    )
    .argument("[command...]", "the program and its arguments; options of `assent run` come before it, `--` may stand between")
    .option("--json", "print every judged call as a line of JSON (docs/json.md)")
    .option("-o, --output <file>", "where --log-only and --json print; by default standard error")
    .option("--strace <file>", "write every judged call with its result and verdict")
    .option("--summary <file>", "write what it did as Markdown; $GITHUB_STEP_SUMMARY is added to, any other file replaced")
    .addOption(new Option("--learn", "write a profile from what was needed, for you to review").conflicts(["backgroundDir"]))
    .option("--dry-run", "with --learn: print the profile, write nothing")
    .option("--yes", "with --learn: write without asking")
    .addOption(new Option("--background-dir <folder>", "ask in this folder, for agents (see --skill)").conflicts(["prompt"]))
    .option("--background-wait <folder>", "wait for the next question or the end of a run, and print it")
    .option("--background-respond <folder-seq-action...>", "answer question SEQ: approve, deny, pattern, deny_pattern, trust or quit")
    .option("--background-pattern <rule>", "with --background-respond: the rule to remember")
    .option("--skill", "print how an agent asks and answers through a folder")
    .option("--wait <time>", "carry questions to the team by itself, and wait so long for each: 90s, 5m, 1h (docs/team.md)")
    .option("--clear-run", "forget the profile first")
    .option("--list", "list the profiles")
    .option("--rules <profile>", "print the rules of a profile")
    .option("--clear <profile>", "forget a profile")
    .addOption(
      new Option("--confined <ticket>", "run a command line that a host starts sandboxed: --confined TICKET -- COMMAND").hideHelp(),
    )
    .addHelpText("after", "\nAgents: `assent run --skill` prints how questions are asked and answered without a terminal.")
    .action(async (words: readonly string[], flags: Parameters<typeof import("./run.ts").run>[1], command: Command) => {
      const held = await elsewhere?.(words, flags);
      if (held !== undefined) process.exit(held);
      const { run } = await import("./run.ts");
      // Whatever is still open: the run is over.
      const status = await run(words, flags, {
        help: () => command.outputHelp({ error: true }),
        ...(beside === undefined ? {} : { beside }),
      });
      process.exit(status);
    });

  supervising(assent.command("clip"))
    .summary("run the command line on the clipboard, supervised")
    .description("Shows the command line on the clipboard with everything hidden in it, asks, and runs it in sh under the policy.")
    .action(async (flags: Parameters<typeof import("./clip.ts").clip>[0]) => {
      const { clip } = await import("./clip.ts");
      const status = await clip(flags);
      process.exit(status);
    });

  addWrap(assent);
}

/** `assent try`. */
export function addTryCommand(assent: Command): void {
  takeCommandWords(assent.command("try"), { starts: true })
    .summary("run a command on a view of your files, look at what it did, then apply it or not")
    .description(
      "Runs a command whose changes stay on layers of their own: nothing on disk changes before you have seen what it did. " +
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

const PROFILE = ["--profile <profile>", "the profile; by default named after the program"] as const;
const NAME = "a program on PATH, or its path";

function wrapping(command: Command): Command {
  return command
    .option(...PROFILE)
    .addOption(new Option("--shim", "leave the program as it is and put a launcher in front of it").conflicts("inPlace"))
    .option("--in-place", "change the first line of a script wherever it lies");
}

function addWrap(assent: Command): void {
  const wrap = assent
    .command("wrap")
    .summary("make a program always run under its profile")
    .description(
      "Puts `assent run` in front of a program: in the first line of a script of yours, else by a launcher that PATH finds first.",
    );
  type Options = Parameters<typeof import("./wrap.ts").wrap>[1];

  takeCommandWords(wrap.command("install"), { starts: true })
    .summary("install a package with npm or pipx and wrap its programs")
    .argument("<package>", "as npm or pipx knows it")
    .argument("[options...]", "passed on to npm or pipx")
    .addOption(new Option("--with <tool>", "who installs it").choices(["npm", "pipx"]))
    .option(...PROFILE)
    .action(starts(async () => (await import("./wrap.ts")).installPackage));
  wrapping(wrap.argument("[program]", NAME))
    .option("--list", "list wrapped programs")
    .option(...JSON_OPTION)
    .action(async (name: string | undefined, options: Options & { readonly list?: boolean }) => {
      const { list, wrap: wrapProgram } = await import("./wrap.ts");
      if (name === undefined) process.exitCode = list(options);
      else if (options.list === true || options.json === true) wrap.error("error: --list and --json take no name", { exitCode: 2 });
      else process.exitCode = wrapProgram(name, options);
    });
  // For programs that have the name of a command here, and for who knows it by this name.
  wrapping(wrap.command("wrap", { hidden: true }).argument("<program>", NAME)).action(starts(async () => (await import("./wrap.ts")).wrap));
  for (const command of [wrap.command("unwrap", { hidden: true }), assent.command("unwrap")])
    command
      .summary("take the wrapping of a program away again")
      .argument("<wrapped>", "the program, as `assent wrap --list` shows it")
      .action(starts(async () => (await import("./wrap.ts")).unwrap));
  wrap
    .command("list")
    .summary("list wrapped programs")
    .option(...JSON_OPTION)
    .action(starts(async () => (await import("./wrap.ts")).list));
  // Options of `install` stop at the package.
  wrap.enablePositionalOptions();
}
