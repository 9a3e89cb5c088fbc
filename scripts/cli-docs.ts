import { commandTable } from "../src/cli/command-table.ts";
import { manPage } from "../src/cli/man-page.ts";
import { program } from "../src/cli/program.ts";

/** What is generated from the table of commands. */
export const cliDocs: readonly { readonly file: string; readonly update: (before: string) => string }[] = [
  { file: "man/assent.1", update: () => manPage(commandTable(program())) },
];
