import type { Command } from "commander";

const JSON_OPTION = ["--json", "print JSON (docs/json.md)"] as const;
const NAME = "a profile's name, or the program: a word as you would type it, or its path";

/** The policies kept for single programs. */
export function addProfileCommands(assent: Command): void {
  const profile = assent
    .command("profile")
    .summary("look at and change what is remembered for a program")
    .description("Profiles hold the rules remembered for one program under `assent run`, a policy file each.");

  profile
    .command("list")
    .summary("list the profiles")
    .option(...JSON_OPTION)
    .action(async (options: Parameters<typeof import("./profile.ts").list>[0]) => {
      const { list } = await import("./profile.ts");
      process.exitCode = list(options);
    });

  profile
    .command("show")
    .summary("list the rules of a profile")
    .argument("<name>", NAME)
    .option(...JSON_OPTION)
    .action(async (name: string, options: Parameters<typeof import("./profile.ts").show>[1]) => {
      const { show } = await import("./profile.ts");
      process.exitCode = show(name, options);
    });

  profile
    .command("clear")
    .summary("remove a profile, whole")
    .argument("<name>", NAME)
    .option(...JSON_OPTION)
    .action(async (name: string, options: Parameters<typeof import("./profile.ts").clear>[1]) => {
      const { clear } = await import("./profile.ts");
      process.exitCode = clear(name, options);
    });

  profile
    .command("edit")
    .summary("open a profile in your editor, then check it")
    .description(
      "Opens the profile in $VISUAL, $EDITOR, nvim, vim, vi or nano, makes it when it is missing, and says what is wrong with it.",
    )
    .argument("<name>", NAME)
    .action(async (name: string) => {
      const { editProfile } = await import("./profile.ts");
      process.exitCode = editProfile(name);
    });

  profile
    .command("import")
    .summary("take over the profiles of ptrace-approve")
    .description(
      "Reads a profiles.json of ptrace-approve. A pattern that cannot be kept is listed with the reason; then nothing is written and the exit code is 1, unless --partly.",
    )
    .argument("<file>", "usually ~/.config/ptrace-approve/profiles.json")
    .option("--partly", "write what can be kept; the exit code stays 1")
    .option(...JSON_OPTION)
    .action(async (file: string, options: Parameters<typeof import("./profile-import.ts").importProfiles>[1]) => {
      const { importProfiles } = await import("./profile-import.ts");
      process.exitCode = importProfiles(file, options);
    });
}
