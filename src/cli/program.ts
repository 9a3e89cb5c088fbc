import { Argument, type Command, Option } from "commander";
import { addAgentCommands } from "./program-agents.ts";
import { frame } from "./program-frame.ts";
import { addLogCommands } from "./program-log.ts";
import { addImportCommands } from "./program-import.ts";
import { addMcpCommand } from "./program-mcp.ts";
import { addPolicyCommands } from "./program-policy.ts";
import { addRunCommands } from "./program-run.ts";
import { addTrustCommands } from "./program-trust.ts";
import { addUndoCommands } from "./program-undo.ts";
import { addVerifyCommand } from "./program-verify.ts";

const collect = (value: string, before: readonly string[]): readonly string[] => [...before, value];

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
    .command("explain")
    .summary("say what a request would do, the verdict and why")
    .description("Judges a shell command, or with --tool any tool call, without running anything.")
    .argument("[command]", "shell command, as an agent would send it")
    .option("--tool <name>", "the tool, by the host's name for it", "Bash")
    .option("--input <json>", "the tool's input")
    .option("--cwd <folder>", "where it would run")
    .option("--policy <file>", "add a policy file", collect, [])
    .option("--json", "print JSON (docs/json.md)")
    .option("--diff <file>", "compare with this file in place of your own policy file")
    .option("--batch", "read requests as JSON Lines on standard input, print one JSON object a line")
    .action(async (command: string | undefined, options: Parameters<typeof import("./explain.ts").explain>[1]) => {
      const { explain } = await import("./explain.ts");
      process.exitCode = explain(command, options);
    });

  assent
    .command("test")
    .summary("run the examples and tables that test a policy")
    .description(
      "Checks the examples of policy files and the lines of *.assent-test tables. Without files: the policies in force here and every table of the project.",
    )
    .argument("[files...]", "policy files and tables")
    .option("--policy <file>", "add a policy file", collect, [])
    .option("--json", "print JSON (docs/json.md)")
    .action(async (files: readonly string[], options: Parameters<typeof import("./test.ts").test>[1]) => {
      const { test } = await import("./test.ts");
      process.exitCode = test(files, options);
    });

  assent
    .command("rules")
    .summary("list every rule and setting in force")
    .description("Prints the rules of all policy files that apply here, with their places, and marks those that never decide anything.")
    .option("--cwd <folder>", "for this folder")
    .option("--policy <file>", "add a policy file", collect, [])
    .option("--json", "print JSON (docs/json.md)")
    .action(async (options: Parameters<typeof import("./rules.ts").rules>[0]) => {
      const { rules } = await import("./rules.ts");
      process.exitCode = rules(options);
    });

  assent
    .command("doctor")
    .summary("say what protects on this machine, and what does not")
    .description(
      "Tries what supervision needs of the kernel, without restricting anything, and puts two requests to the registered hook of each agent. Exit code 1 when `assent run` would refuse to start, or a registered hook does not answer as it should.",
    )
    .option("--json", "print JSON (docs/json.md)")
    .action(async (options: Parameters<typeof import("./doctor.ts").doctor>[0]) => {
      const { doctor } = await import("./doctor.ts");
      process.exitCode = await doctor(options);
    });

  assent
    .command("lint")
    .summary("look for rules that do not do what they seem to")
    .description(
      "Looks at the policies in force here, or at the files given, for rules that allow too much, stop too little or do nothing. Exit code 1 when there are warnings or errors. docs/lint.md explains each code.",
    )
    .argument("[files...]", "policy files")
    .option("--policy <file>", "add a policy file", collect, [])
    .option("--json", "print JSON (docs/json.md)")
    .action(async (files: readonly string[], options: Parameters<typeof import("./lint.ts").lint>[1]) => {
      const { lint } = await import("./lint.ts");
      process.exitCode = lint(files, options);
    });

  addRunCommands(assent);
  addUndoCommands(assent);
  addVerifyCommand(assent);
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
    .action(async (shell: Parameters<typeof import("./completion.ts").completion>[0]) => {
      const { completion } = await import("./completion.ts");
      process.exitCode = completion(shell);
    });

  assent
    .command("demo")
    .summary("judge a set of real requests, and supervise a small program, in a scratch project")
    .description(
      "Judges real requests through the code of the hook, runs none of them, then runs a small script under supervision and undoes what it did. All in a scratch project that is removed afterwards; nothing leaves the machine.",
    )
    .action(async () => {
      const { demo } = await import("./demo.ts");
      process.exitCode = await demo();
    });
  debuggable(assent);
  return assent;
}

/** `--debug` works behind a command as well as before it. */
function debuggable(command: Command): void {
  for (const sub of command.commands) {
    if (!sub.options.some(({ long }) => long === "--debug")) sub.addOption(new Option("--debug").hideHelp());
    debuggable(sub);
  }
}
