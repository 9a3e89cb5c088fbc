import type { Command } from "commander";

const JSON_OPTION = ["--json", "print JSON (docs/json.md)"] as const;
const RUN = "the run, or how its id begins; by default the last one in this folder, else the last";

/** What a supervised run did, and taking it back. */
export function addUndoCommands(assent: Command): void {
  assent
    .command("receipt")
    .summary("say what a run did")
    .description(
      "Prints what a supervised run created, changed, deleted and renamed, the hosts it reached, what it started, what was asked and refused.",
    )
    .argument("[id]", RUN)
    .option("--list", "list the runs that are kept")
    .option("--all", "every path, no folder summed up")
    .option(...JSON_OPTION)
    .action(async (id: string | undefined, options: Parameters<typeof import("./receipt.ts").receipt>[1]) => {
      const { receipt } = await import("./receipt.ts");
      process.exitCode = receipt(id, options);
    });

  assent
    .command("diff")
    .summary("show the files a run changed, before and now")
    .description("Prints unified diffs of the text files that a supervised run changed; of other files their sizes.")
    .argument("[id]", RUN)
    .argument("[paths...]", "only these files and folders")
    .option(...JSON_OPTION)
    .action(async (id: string | undefined, paths: readonly string[], options: Parameters<typeof import("./diff.ts").diff>[2]) => {
      const { diff } = await import("./diff.ts");
      process.exitCode = diff(id, paths, options);
    });

  assent
    .command("undo")
    .summary("take back what a run did to files")
    .description(
      "Brings back what a supervised run changed, deleted and renamed, and deletes what it made. What was changed since is left alone and listed (exit code 1); a repository goes back as a whole or not at all. The undo is recorded as a run: undo that to have it all back.",
    )
    .argument("[id]", RUN.replace("the last one", "the last one not undone yet that changed something"))
    .argument("[paths...]", "only these files and folders")
    .option("--dry-run", "say what would be done")
    .option("--force", "also take back what was changed since, but for repositories")
    .option("--yes", "do not ask")
    .option(...JSON_OPTION)
    .action(async (id: string | undefined, paths: readonly string[], options: Parameters<typeof import("./undo.ts").undo>[2]) => {
      const { undo } = await import("./undo.ts");
      process.exitCode = await undo(id, paths, options);
    });
}
