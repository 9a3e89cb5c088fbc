import type { Command } from "commander";
import { JSON_OPTION, starts, whenAlone } from "./program-frame.ts";
import { addTeamCommands } from "./program-team.ts";

/** What stays between calls: here, and for a team. */
export function addStayingCommands(assent: Command): void {
  addDaemonCommands(assent);
  addTeamCommands(assent);
}

/** `assent daemon` and what it has. */
function addDaemonCommands(assent: Command): void {
  const daemon = assent
    .command("daemon")
    .summary("a judge that stays between calls, so that hooks are answered at once")
    .description(
      "Says whether one runs. It starts with a hook call where a person has agreed to it, and ends after 30 minutes without one (docs/daemon.md).",
    );
  daemon
    .command("on")
    .summary("let one stay")
    .description("From now on a hook call starts a judge that answers the next ones.")
    .action(starts(async () => (await import("./daemon.ts")).daemonOn));
  daemon
    .command("off")
    .summary("let none stay")
    .description("Ends the one that runs; each hook call starts a process of its own from then on.")
    .action(starts(async () => (await import("./daemon.ts")).daemonOff));
  daemon
    .command("stop")
    .summary("end the one that runs")
    .description("Ends it; the next hook call starts another one.")
    .action(starts(async () => (await import("./daemon.ts")).daemonStop));
  whenAlone(daemon, "status")
    .summary("say whether one runs")
    .description("Prints whether a judge stays between calls, since when, and how many calls it has answered.")
    .option(...JSON_OPTION)
    .action(starts(async () => (await import("./daemon.ts")).daemon));
}
