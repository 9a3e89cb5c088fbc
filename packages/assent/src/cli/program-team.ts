import { Argument, type Command, Option } from "commander";
import type { SentLevel } from "@assent/team/team";
import { existingFile, JSON_OPTION, starts, whenAlone, whole } from "./program-frame.ts";
import { addTeamPolicyCommands } from "./program-team-policy.ts";
import { addTeamCiCommands } from "./program-team-ci.ts";
import { addTeamFleetCommands } from "./program-team-fleet.ts";
import { addTeamRecordCommands } from "./program-team-records.ts";

/** As `SENT_LEVELS`, which only who belongs to a team loads. */
const LEVELS: readonly SentLevel[] = ["verdict", "command", "full"];

const months = whole(1, 1200, 12);
const many = whole(1, 1e15 - 1, 1_000_000);

/** `assent team` and what it has. */
export function addTeamCommands(assent: Command): void {
  const team = assent
    .command("team")
    .summary("many machines: one place where their logs come together")
    .description("Says whether this machine belongs to a team (docs/team.md).");
  team
    .command("serve")
    .summary("start the team server")
    .description(
      "Starts the server that machines join (docs/team.md). It needs the package assent-team beside assent. Without --database it keeps everything " +
        "in a folder, in a database of its own: for trying it. Log lines of JSON go to standard error.",
    )
    .option("--database <address>", "a PostgreSQL server: postgres://HOST/NAME; ASSENT_TEAM_DATABASE does the same, unseen by others")
    .option("--folder <folder>", "where the embedded database is kept; else in the state folder")
    .option("--listen <host:port>", "the address that it takes connections at", "127.0.0.1:8414")
    .option("--url <address>", "how people and machines reach it, where something stands in front of it")
    .option("--tls-cert <file>", "its certificate (PEM)", existingFile)
    .option("--tls-key <file>", "the key of the certificate (PEM)", existingFile)
    .option("--metrics <host:port>", "serve numbers for Prometheus there, at /metrics")
    .option("--admin-link", "print a link for an administrator, though one has been used before")
    .option("--private-webhooks", "let webhooks lead to this machine and to private networks")
    .option("--oidc-issuer <address>", "let people sign in by this provider (OpenID Connect), beside links")
    .option("--oidc-client-id <id>", "what the provider knows this server by")
    .option("--oidc-secret-file <file>", "a file with the client's secret; or ASSENT_TEAM_OIDC_SECRET", existingFile)
    .option("--oidc-groups <claim>", "the claim that has a person's groups", "groups")
    .option("--keep-months <count>", "drop records that came in earlier months than these; a signed checkpoint stays", months)
    .option("--machine-records <count>", "so many records one machine may send on a day; else 500000", many)
    .option("--machine-bytes <count>", "so many bytes one machine may send on a day; else 1073741824 (1 GB)", many)
    .action(starts(async () => (await import("./team-serve.ts")).teamServe));
  team
    .command("join")
    .summary("make this machine one of a team's")
    .description(
      "Asks the server to let this machine in, and shows a code that an administrator types there. From then on `assent team send` sends " +
        "what is decided here.",
    )
    .argument("[address]", "of the server: https://HOST; without it the one that root named in /etc/assent/team.json, by its key")
    .option("--name <name>", "what the machine is called there; else its host name")
    .option("--group <name>", "a group of machines that has a policy of its own")
    .option("--policy-key <id>", "the id of the team's key for policies; without it the server's word is taken once, now")
    .option("--ci", "join as a job of a CI, by the token that the CI signs for it; it leaves by itself")
    .option("--ca <file>", "certificates that vouch for the server, beside those that Node knows (PEM)", existingFile)
    .option(
      "--proxy <address>",
      "what leads to the server: http://HOST:PORT, none, or environment (HTTPS_PROXY and NO_PROXY), which it is without a word",
    )
    .addOption(new Option("--level <level>", "how much of each decision is sent (assent team level)").choices(LEVELS))
    .option(...JSON_OPTION)
    .action(starts(async () => (await import("./team.ts")).teamJoin));
  team
    .command("send")
    .summary("send the log to the team's server, and fetch its policy")
    .description(
      "Fetches the team's policy, and sends what was decided since this machine joined and was not sent yet. What a server that is away " +
        "does not take stays in the log and is sent by the next call.",
    )
    .option("--follow", "go on sending as decisions are made")
    .action(starts(async () => (await import("./team.ts")).teamSend));
  team
    .command("proxy")
    .summary("say by which proxy the team's server is reached")
    .description(
      "From now on the server is reached through this proxy, if it can be: else nothing changes. What was sent stays sent. A name and a password " +
        "in the address can be seen by other users while the command runs: HTTPS_PROXY and the word environment keep them unseen.",
    )
    .argument("<address>", "http(s)://[NAME:PASSWORD@]HOST:PORT, none, or environment (what HTTPS_PROXY and NO_PROXY say)")
    .action(starts(async () => (await import("./team.ts")).teamProxy));
  team
    .command("level")
    .summary("say how much of each decision is sent to the team")
    .description(
      "verdict: when, by which agent and tool, and what was said. command: also the command, path or address, the folder, and why. full: the " +
        "whole record. The content of files is never sent. It counts from the next record that is sent; what was sent stays there.",
    )
    .addArgument(new Argument("[level]", "without it, says which one holds").choices(LEVELS))
    .option(...JSON_OPTION)
    .action(starts(async () => (await import("./team-level.ts")).teamLevel));
  team
    .command("leave")
    .summary("make this machine nobody's but yours")
    .description("Tells the server to forget the machine's token, and forgets it here. What was sent stays there.")
    .option("--offline", "forget it here, even where the server is away")
    .action(starts(async () => (await import("./team.ts")).teamLeave));
  addTeamPolicyCommands(team);
  addTeamRecordCommands(team);
  addTeamFleetCommands(team);
  addTeamCiCommands(team);
  whenAlone(team, "status")
    .summary("say whether this machine belongs to a team")
    .description(
      "Prints the server, the name this machine has there, which policy it has, and how far its log has been sent. Exit code 1 where the server " +
        "is away or knows it no more.",
    )
    .option("--sent", "print the last records and questions that were sent, word for word")
    .option(...JSON_OPTION)
    .action(starts(async () => (await import("./team.ts")).teamStatus));
}
