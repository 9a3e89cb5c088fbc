import type { Command } from "commander";
import { existingFile, JSON_OPTION, namingCommands, some, starts, whole } from "./program-frame.ts";

const days = whole(1, 3650, 14);

/** The audit log: shown, counted, proven, learnt from. */
export function addLogCommands(assent: Command): void {
  const log = assent
    .command("log")
    .summary("show decisions")
    .description("Prints the audit log, oldest first: the last decisions, or with --since all of a time (docs/audit.md).")
    .option("-n, --lines <count>", "how many of the last decisions (default: 50; with --since: all)", some)
    .option("--since <time>", "from then on: 30m, 2h, 7d, or 2026-11-01")
    .option("--agent <name>", "of this agent or sub-agent")
    .option("--session <session>", "of this session")
    .option("--denied", "refused ones")
    .option("--command <program>", "that would have started this program")
    .option("--stats", "how many of which kind, instead of each")
    .option("-f, --follow", "go on as decisions are made")
    .option("--json", "print the lines as they are stored (docs/json.md)")
    .action(starts(async () => (await import("./log.ts")).log));

  namingCommands(log, log);
  log
    .command("verify")
    .summary("prove that no record was changed, removed, moved or cut off")
    .description("Follows the log's chain of hashes. Exits with 1 where it does not hold, and says the file and line.")
    .option(...JSON_OPTION)
    .action(async (_options: unknown, command: Command) => {
      const { logVerify } = await import("./log.ts");
      process.exitCode = logVerify(command.optsWithGlobals());
    });

  log
    .command("export")
    .summary("write the log as JSON Lines, or send it to an OpenTelemetry collector")
    .description(
      "Prints every record as it is stored, or with --otlp sends what was not sent yet to the collector that your policy " +
        "names (audit.otlp; docs/audit.md). What a collector that is away does not take stays in the log and is sent by the next call.",
    )
    .option("--since <time>", "from then on: 30m, 2h, 7d, or 2026-11-01")
    .option("--to <file>", "write a new file instead of standard output")
    .option("--otlp", "send it by OTLP over HTTP")
    .option("-f, --follow", "with --otlp: go on as decisions are made")
    .option("--timeout <seconds>", "with --otlp: how long one message is tried (default: 30)", some)
    .action(async (_options: unknown, command: Command) => {
      const { logExport } = await import("./log-export.ts");
      process.exitCode = await logExport(command.optsWithGlobals());
    });

  assent
    .command("suggest")
    .summary("rules that would have saved the most questions")
    .description(
      "Reads the log and prints allow rules, each with the questions it would have saved. Every one is held against what was " +
        "denied and against what must never be allowed (docs/audit.md).",
    )
    .option("--days <count>", "how far back to look", days, 14)
    .option("--apply", "write them to your policy, after asking")
    .option(...JSON_OPTION)
    .action(starts(async () => (await import("./suggest.ts")).suggest));

  assent
    .command("replay")
    .summary("say what would change under another policy")
    .description("Judges the requests of the log again, as they are under your policy and as they would be with another one.")
    .option("--policy <file>", "the file to try in place of your own", existingFile)
    .option("--confined", "as if what cannot be known ran sandboxed (`assent confine on`)")
    .option("--days <count>", "how far back to look", days, 14)
    .option(...JSON_OPTION)
    .action(starts(async () => (await import("./replay.ts")).replay));
}
