import { commandTable } from "../packages/assent/src/cli/command-table.ts";
import { manPage } from "../packages/assent/src/cli/man-page.ts";
import { program } from "../packages/assent/src/cli/program.ts";

/** What is generated from the table of commands. */
export const cliDocs: readonly { readonly file: string; readonly update: (before: string) => string }[] = [
  { file: "man/assent.1", update: () => manPage(commandTable(program())) },
];
