import { Argument, type Command, Option, InvalidArgumentError } from "commander";
import type { SentLevel } from "@assent/team/team";
import { existingFile, JSON_OPTION, starts, whenAlone, whole } from "./program-frame.ts";
import { readLength } from "./since.ts";

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

const several = (text: string, before: readonly string[]): readonly string[] => [...before, text];

/** `assent team ci`: which jobs of a CI let themselves in. */
function addTeamCiCommands(team: Command): void {
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

/** `assent team fleet`: keys by which machines let themselves in. */
function addTeamFleetCommands(team: Command): void {
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

const version = whole(1, 1_000_000, 3);

/** A length of time, or `never`, `none`. */
function lasting(text: string): string {
  const read = text === "never" || text === "none" ? 0 : readLength(text);
  if (typeof read === "object") throw new InvalidArgumentError(read.wrong);
  return text;
}

const keyed = (command: Command): Command =>
  command
    .option("--key <file>", "the team's key; else ~/.config/assent/team-policy-key.json", existingFile)
    .option("--server <address>", "the team's server: https://HOST; else the one that this machine belongs to")
    .option("--ca <file>", "certificates that vouch for the server, beside those that Node knows (PEM)", existingFile);
const grouped = (command: Command): Command =>
  keyed(command).option("--group <name>", "of which machines; else those that are in no other group");

/** `assent team policy` and what it has. */
function addTeamPolicyCommands(team: Command): void {
  const policy = team
    .command("policy")
    .summary("one policy for all machines of the team")
    .description("Makes, signs and releases the policy of a team (docs/team.md). What is signed by the team's key holds on every machine.");
  policy
    .command("key")
    .summary("make the key that signs policies")
    .description(
      "Makes an Ed25519 key in a file for you alone, and prints its public half, which an administrator types at the server's page. The server " +
        "never sees the other half. With --after the old key names the new one, and signs nothing more.",
    )
    .option("--out <file>", "where the key is written; else ~/.config/assent/team-policy-key.json")
    .option("--after <file>", "the key that the new one follows", existingFile)
    .option("--server <address>", "the team's server, with --after; else the one that this machine belongs to")
    .option("--ca <file>", "certificates that vouch for the server, beside those that Node knows (PEM)", existingFile)
    .option(...JSON_OPTION)
    .action(starts(async () => (await import("./team-policy.ts")).policyKey));
  grouped(policy.command("sign"))
    .summary("sign a policy file as the next version")
    .description(
      "Checks a policy file and signs it as the version that follows the newest one. Past --expires, for a machine that the server did not tell in " +
        "between that it is still the newest, what is unknown asks.",
    )
    .argument("<file>", "a policy file (docs/policy.md)", existingFile)
    .option("--expires <time>", "how long a machine holds it without news from the server: 12h, 30d, never", lasting, "30d")
    .option("--renew <time>", "until when the server may say that it is still the newest: 365d, none", lasting, "365d")
    .option("--previous <file>", "the signed version that it follows: then no server is asked", existingFile)
    .option("--out <file>", "where it is written; else standard output")
    .option(...JSON_OPTION)
    .action(starts(async () => (await import("./team-policy.ts")).policySign));
  keyed(policy.command("push"))
    .summary("hand a signed version to the server")
    .description("Gives the server a version that was signed. No machine has it before it is released.")
    .argument("<file>", "what `assent team policy sign` wrote", existingFile)
    .option(...JSON_OPTION)
    .action(starts(async () => (await import("./team-policy.ts")).policyPush));
  grouped(policy.command("release"))
    .summary("give a version to machines")
    .description(
      "Gives a version to some or all machines of its group. Machines take none that is older than what they have: to go back, sign the old text again.",
    )
    .argument("<version>", "its number", version)
    .option("--percent <count>", "to so many of a hundred machines", whole(0, 100, 10), 100)
    .option(...JSON_OPTION)
    .action(starts(async () => (await import("./team-policy.ts")).policyRelease));
  keyed(policy.command("list"))
    .summary("list groups, versions, and which machines have them")
    .description("Prints each group of machines with its versions, to how many of them each is released, and what machines say they have.")
    .option(...JSON_OPTION)
    .action(starts(async () => (await import("./team-policy.ts")).policyList));
  grouped(policy.command("show"))
    .summary("print the text of a version")
    .description("Prints the policy of a version, the newest where none is named.")
    .argument("[version]", "its number", version)
    .option(...JSON_OPTION)
    .action(starts(async () => (await import("./team-policy.ts")).policyShow));
  grouped(policy.command("diff"))
    .summary("print what differs between two versions")
    .description("Compares two versions: named ones, else the one that is out to all and the newest.")
    .argument("[from]", "the older one", version)
    .argument("[to]", "the newer one", version)
    .option(...JSON_OPTION)
    .action(
      async (from: number | undefined, to: number | undefined, options: Parameters<typeof import("./team-policy.ts").policyDiff>[2]) => {
        const { policyDiff } = await import("./team-policy.ts");
        process.exitCode = await policyDiff(from, to, options);
      },
    );
  grouped(policy.command("preview"))
    .summary("say what a version would change")
    .description(
      "Judges what the machines of a group asked in the last days once by the version that is out to all and once by another one. Only the two " +
        "versions count, and the files are those that are here.",
    )
    .argument("[version]", "its number; else the newest", version)
    .option("--days <count>", "how far to look back", whole(1, 90, 7), 7)
    .option(...JSON_OPTION)
    .action(starts(async () => (await import("./team-preview.ts")).policyPreview));
  keyed(policy.command("passkeys"))
    .summary("take over the passkeys that people registered")
    .description(
      "Writes the passkeys that people registered at the server into a policy file that says what they have to sign (`team.passkeys`). It shows " +
        "first whose they are and which are new. They count once the file is signed and released.",
    )
    .argument("<file>", "the policy file that is going to be signed", existingFile)
    .option("--person <name...>", "leave everybody else's as they are in the file")
    .option("-y, --yes", "do not ask: what the server says is written")
    .option(...JSON_OPTION)
    .action(starts(async () => (await import("./team-passkeys.ts")).policyPasskeys));
  policy
    .command("trust")
    .summary("agree to the team's key")
    .description("For a machine that joined before its team had a key: from now on it takes the policies that this key signs.")
    .argument("<key>", "the id of the key, as its person read it to you")
    .action(starts(async () => (await import("./team-policy.ts")).policyTrust));
}

/** For commands that work on the database. */
const onServer = (command: Command): Command =>
  command
    .option(
      "--database <address>",
      "the team's PostgreSQL server: postgres://HOST/NAME; ASSENT_TEAM_DATABASE does the same, unseen by others",
    )
    .option("--folder <folder>", "where the embedded database is kept; else in the state folder");

/** `assent team search`, `export`, `erase`: on the server's own shell, where the database is. */
function addTeamRecordCommands(team: Command): void {
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
