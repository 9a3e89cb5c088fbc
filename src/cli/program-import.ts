import type { Command } from "commander";

const collect = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

/** Rules of agent hosts, in and out. */
export function addImportCommands(assent: Command): void {
  assent
    .command("import")
    .summary("take over the rules of agent hosts and other tools")
    .description(
      "Reads the permission rules of the agents on this machine, turns them into rules of your policy (those of a project into the project's), shows the difference and asks. What cannot be said here is listed with file and line. Exit code 1 when something was lost.",
    )
    .argument("[files...]", "read these files in place of those on this machine; needs --agent, unless the text tells")
    .option(
      "--agent <name>",
      "only this one; may be repeated: claude, codex, opencode, kilo, gemini, qwen, copilot, cursor, dippy, cc-safety-net, autonomous-dev, pydantic-ai-backend, agentperm",
      collect,
    )
    .option("--dry-run", "only show what would be added")
    .option("--yes", "do not ask")
    .option("--json", "print JSON (docs/json.md)")
    .action(async (files: readonly string[], options: Parameters<typeof import("./import.ts").importRules>[1]) => {
      const { importRules } = await import("./import.ts");
      process.exitCode = await importRules(files, options);
    });

  assent
    .command("export")
    .summary("give an agent host your refusals as rules of its own")
    .description(
      "Turns the deny rules of your policy into native rules of a host: a second net where its hooks fail open. Prints them, or writes them into the host's settings beside what stands there. What the host has no words for is listed; exit code 1 then.",
    )
    .requiredOption("--agent <name>", "claude, codex, opencode, kilo, gemini, qwen, cursor or copilot")
    .option("--local", "the policy of this git repository, into the settings of the project")
    .option("--write", "write them into the host's settings, after asking")
    .option("--remove", "take out what an export wrote")
    .option("--yes", "do not ask")
    .option("--json", "print JSON (docs/json.md)")
    .action(async (options: Parameters<typeof import("./export.ts").exportRules>[0]) => {
      const { exportRules } = await import("./export.ts");
      process.exitCode = await exportRules(options);
    });
}
