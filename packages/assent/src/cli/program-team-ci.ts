import type { Command } from "commander";
import { JSON_OPTION, starts, whenAlone } from "./program-frame.ts";
import { onServer } from "./program-team-records.ts";

const several = (text: string, before: readonly string[]): readonly string[] => [...before, text];

/** `assent team ci`: which jobs of a CI let themselves in. */
export function addTeamCiCommands(team: Command): void {
  const ci = team
    .command("ci")
    .summary("which jobs of a CI let themselves in (on the server)")
    .description("Says which jobs may join by the token that their CI signs for them, without a secret in the repository (docs/team.md).");
  onServer(ci.command("add"))
    .summary("let jobs in")
    .description("Lets jobs join whose token is signed by this issuer, made for this audience, and has all these claims, word for word.")
    .requiredOption("--issuer <address>", "who signs: https://token.actions.githubusercontent.com, or your GitLab")
    .requiredOption("--audience <text>", "whom the token is made for: this server's address")
    .requiredOption("--claim <name=text>", "repository=org/repo, environment=production; again for more", several, [])
    .option("--group <name>", "of machines, whose policy they get", "default")
    .option("--name <name>", "what people call the rule; else the repository")
    .option("--for <time>", "so long a job may speak: 30m, 6h; at most 24h", "2h")
    .option(...JSON_OPTION)
    .action(starts(async () => (await import("./team-ci.ts")).ciAdd));
  onServer(ci.command("remove"))
    .summary("let nobody in by a rule any more, and send away whom it let in")
    .argument("<id>", "of the rule, as `assent team ci list` has it")
    .action(starts(async () => (await import("./team-ci.ts")).ciRemove));
  onServer(whenAlone(ci, "list"))
    .summary("list rules, and how many jobs each let in")
    .option(...JSON_OPTION)
    .action(starts(async () => (await import("./team-ci.ts")).ciList));
}
