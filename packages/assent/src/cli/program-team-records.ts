import type { Command } from "commander";
import { JSON_OPTION, starts } from "./program-frame.ts";

/** For commands that work on the database. */
export const onServer = (command: Command): Command =>
  command
    .option(
      "--database <address>",
      "the team's PostgreSQL server: postgres://HOST/NAME; ASSENT_TEAM_DATABASE does the same, unseen by others",
    )
    .option("--folder <folder>", "where the embedded database is kept; else in the state folder");

/** `assent team search`, `export`, `erase`: on the server's own shell, where the database is. */
export function addTeamRecordCommands(team: Command): void {
  onServer(team.command("search"))
    .summary("look for records of all machines (on the server)")
    .description("Prints records that the team's machines sent, the newest first. It works on the database, and needs no other right.")
    .argument("[text]", "a part of the record")
    .option("--machine <name>", "of this machine, by its name or id")
    .option("--group <name>", "of machines of this group")
    .option("--verdict <verdict>", "allow, ask or deny")
    .option("--agent <name>", "of this agent")
    .option("--since <time>", "that came then or later: 2h, 7d, 2026-11-01", "7d")
    .option("--until <time>", "that came before then")
    .option("--after <place>", "go on from there: what the page before ended with")
    .option(...JSON_OPTION)
    .action(starts(async () => (await import("./team-records.ts")).teamSearch));
  onServer(team.command("export"))
    .summary("hand all records to another program (on the server)")
    .description(
      "Prints all records as JSON Lines, or sends them to a collector of OpenTelemetry, in the order in which they came. With --cursor the next call " +
        "goes on where this one ended. What came in the last minute is left to it.",
    )
    .option("--format <format>", "jsonl or otlp", "jsonl")
    .option("--to <address>", "of the collector, with otlp: https://HOST:4318")
    .option("--header <name=variable>", "a header for the collector, and the environment variable that holds it", collectHeaders, [])
    .option("--cursor <file>", "a file that holds how far it has come; it is made")
    .option("--after <place>", "go on behind the record of this place, the last that has arrived")
    .action(starts(async () => (await import("./team-records.ts")).teamExport));
  onServer(team.command("erase"))
    .summary("take the text out of a machine's records (on the server)")
    .description(
      "Erases the text of records that a machine sent, for good. Their hashes stay, so that the chain can still be verified. Who did it and when is " +
        "kept. The machine's own log is not touched.",
    )
    .option("--machine <name>", "whose records, by its name or id; it has to be there")
    .option("--before <time>", "those that came before then: 2026-11-01, 30d")
    .option("--matching <text>", "those that hold this text; of a secret give it by --matching -, on standard input")
    .option(...JSON_OPTION)
    .action(starts(async () => (await import("./team-records.ts")).teamErase));
}

const collectHeaders = (one: string, before: readonly string[]): readonly string[] => [...before, one];
