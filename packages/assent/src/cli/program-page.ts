import { type Command, Option } from "commander";
import { folderOption, JSON_OPTION, starts } from "./program-frame.ts";

/** `assent open`: the page. */
export function addPageCommand(assent: Command): void {
  assent
    .command("open")
    .summary("open the page in your browser: questions, decisions, runs, the policy")
    .description(
      "Opens a page in the browser, on this machine only: pending questions, what was decided, runs and their undo, the policy " +
        "with an editor, suggested rules (docs/page.md). Its process ends when no page has been open for a while.",
    )
    .addOption(folderOption("the folder whose policy the page shows first"))
    .option("--print", "open nothing: print the path of the file that opens the page, once, within a minute")
    .option("--link", "open nothing: print the address that opens the page, once, within a minute")
    .addOption(new Option("--serve").hideHelp())
    .option(...JSON_OPTION)
    .action(starts(async () => (await import("./open.ts")).open));
}
