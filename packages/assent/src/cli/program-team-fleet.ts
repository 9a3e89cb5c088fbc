import type { Command } from "commander";
import { JSON_OPTION, starts, whenAlone, whole } from "./program-frame.ts";
import { onServer } from "./program-team-records.ts";

/** `assent team fleet`: keys by which machines let themselves in. */
export function addTeamFleetCommands(team: Command): void {
  const fleet = team
    .command("fleet")
    .summary("keys by which machines let themselves in (on the server)")
    .description("Makes and revokes keys for many machines that join without anybody who types a code (docs/team.md).");
  onServer(fleet.command("key"))
    .summary("make a key")
    .description(
      "Makes a key that lets machines into a group, and prints it once. Root writes it into /etc/assent/team.json of each machine.",
    )
    .option("--group <name>", "of machines, whose policy they get", "default")
    .option("--name <name>", "what people call the key; else its group's name")
    .option("--uses <count>", "so many machines", whole(1, 999_999, 100), 100)
    .option("--expires <time>", "until then: 12h, 30d", "30d")
    .option(...JSON_OPTION)
    .action(starts(async () => (await import("./team-fleet.ts")).fleetKey));
  onServer(fleet.command("revoke"))
    .summary("let nobody in by a key any more")
    .argument("<id>", "of the key, as `assent team fleet list` has it")
    .option("--machines", "send away the machines that it let in, too")
    .action(starts(async () => (await import("./team-fleet.ts")).fleetRevoke));
  onServer(whenAlone(fleet, "list"))
    .summary("list keys, and how many machines each let in")
    .option(...JSON_OPTION)
    .action(starts(async () => (await import("./team-fleet.ts")).fleetList));
}
