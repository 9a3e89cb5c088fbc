import { type Command, InvalidArgumentError } from "commander";
import { existingFile, JSON_OPTION, starts, whole } from "./program-frame.ts";
import { readLength } from "./since.ts";

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
export function addTeamPolicyCommands(team: Command): void {
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
