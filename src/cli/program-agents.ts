import { Argument, type Command, Option } from "commander";

const collect = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

/** The commands that deal with agent hosts. */
export function addAgentCommands(assent: Command): void {
  assent
    .command("install")
    .summary("register Assent with the agents on this machine")
    .description(
      "Finds the agents on this machine, shows what it would change in their settings, asks, and writes. Other hooks, comments and layout stay; a second run changes nothing.",
    )
    .option("--agent <name>", "only this agent; may be repeated", collect)
    .option("--local", "register in this project instead of for all projects")
    .option("--managed", "as root: register for everybody, where neither a repository nor a user can take it out")
    .option("--dry-run", "show the changes, write nothing")
    .option("-y, --yes", "do not ask")
    .addOption(
      new Option("--mode <mode>", "write the agents' own files, or let rulesync write them")
        .choices(["auto", "direct", "rulesync"])
        .default("auto"),
    )
    .action(async (options: Parameters<typeof import("./install.ts").install>[0]) => {
      const { install } = await import("./install.ts");
      process.exitCode = await install(options);
    });

  assent
    .command("uninstall")
    .summary("take Assent out of the agents' settings")
    .description("Takes out exactly what `assent install` put in: byte for byte where nobody else has changed the file since.")
    .option("--agent <name>", "only this agent; may be repeated", collect)
    .option("--local", "only in this project")
    .option("--managed", "as root: what was registered for everybody")
    .option("--dry-run", "show the changes, write nothing")
    .option("-y, --yes", "do not ask")
    .action(async (options: Parameters<typeof import("./install.ts").uninstall>[0]) => {
      const { uninstall } = await import("./install.ts");
      process.exitCode = await uninstall(options);
    });

  assent
    .command("bypass")
    .summary("waive questions for a while")
    .description(
      "Lets agents do for a while what would be asked, everywhere or in this terminal pane. What is denied stays denied, and every decision is logged.",
    )
    .addArgument(new Argument("<what>", "on, off or status").choices(["on", "off", "status"]))
    .option("--for <time>", "how long: 10m, 2h; 24h at most")
    .option("--pane", "only in this pane of zellij, tmux, WezTerm or kitty")
    .action(
      async (what: Parameters<typeof import("./bypass.ts").bypass>[0], options: Parameters<typeof import("./bypass.ts").bypass>[1]) => {
        const { bypass } = await import("./bypass.ts");
        process.exitCode = bypass(what, options);
      },
    );
}
