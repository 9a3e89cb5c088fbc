import { type Command, Option } from "commander";

/** `assent verify`: predictions against what the kernel saw. */
export function addVerifyCommand(assent: Command): void {
  assent
    .command("verify")
    .summary("run commands in a scratch project and compare what they do with what was predicted")
    .description(
      "Runs a command, or without one every built-in example that is allowed without a question, in a disposable project in namespaces of its own, and holds everything the kernel saw against what the judge predicted. Exit code 1 when something happened that was not predicted (docs/soundness.md).",
    )
    .argument("[command]", "shell command; without one, the built-in corpus")
    .addOption(new Option("--all", "the whole corpus, generated lines included").conflicts("family"))
    .option("--options", "every option of every installed program of the tables, four shapes each")
    .option("--environment", "every installed program of the tables, with the variables that it, its libraries and its manual name")
    .option("--only <program...>", "with --options and --environment: of these programs only")
    .option("--resume <file>", "leave out the lines that this file, the --json output of an earlier run, tells about")
    .option("--sample <n>", "only every n-th line")
    .option("--family <name>", "only the lines of this family of the tables")
    .option("--corpus <file>", "also the lines of this file, one command a line")
    .option("--json", "print JSON (docs/json.md)")
    .addOption(new Option("--worker <words>").hideHelp())
    .action(async (command: string | undefined, options: Parameters<typeof import("./verify.ts").verify>[1]) => {
      const { verify } = await import("./verify.ts");
      process.exitCode = await verify(command, options);
    });
}
