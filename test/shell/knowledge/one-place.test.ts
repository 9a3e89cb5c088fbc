import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, test } from "vitest";
import { readTables } from "../../../packages/core/src/shell/knowledge/read-table.ts";
import { tableFiles } from "./table-files.ts";

/** What is known of programs stands in the tables, and of agents in their files: no other file has a list of programs. */

const ROOT = join(import.meta.dirname, "../../..");
const { entries, asides } = readTables(tableFiles());
const NAMES = new Set([...entries.map(({ spec }) => spec.names), ...asides.map(({ names }) => names)].flatMap((names) => names.split(" ")));

/** Also what is done to files and systems: lists of these are none of programs. */
const DEEDS = new Set(
  "read write open rename move mkdir rmdir link mknod chmod chown chattr code exec host port time age session export".split(" "),
);

/** Files, or folders, that have such a list, and why. */
const EXCEPT: Readonly<Record<string, string>> = {
  "assent/src/cli/auto-table.ts": "a line that is judged",
  "assent/src/cli/completion.ts": "Assent's own completions are for three shells",
  "assent/src/cli/edit.ts": "in this order a person's editor is chosen",
  "assent/src/cli/loader-variables.ts": "how each program's variable names code is a pattern of its own",
  "assent/src/cli/program.ts": "Assent's own completions are for three shells",
  "core/src/policy/tables/protected-paths.ts": "endings of files",
  "core/src/shell/interpret": "the shells' own languages",
  "core/src/shell/languages": "names of languages, each with a reader here",
  "core/src/shell/programs/analyse": "each reads the programs of its own, by their entries' `analyse`",
  "core/src/shell/programs/code.ts": "names of languages, each with a reader here",
  "core/src/policy/tables/agent-table.ts": "written from the agents' own files",
  "core/src/shell/programs/elsewhere.ts": "names of fields",
  "core/src/shell/programs/git-keys.ts": "what git itself writes into its configuration",
  "core/src/shell/programs/named-paths.ts": "schemes of addresses",
  hosts: "the agents' own files",
  "library/src/sdk/approve/can-auto-approve.ts": "what Codex says of commands, word for word",
  "library/src/sdk/core/make-guard.ts": "the shells that the library takes",
  "library/src/sdk/create-guard/create-guard.ts": "the shells that the library takes",
  "supervisor/src/supervise/services/services.ts": "where the helpers of the tables lie on a system",
  "supervisor/src/supervise/net/judge-socket.ts": "names of sockets",
  "supervisor/src/supervise/undo/repositories.ts": "names of folders",
};

/** `a|b|c` of a pattern, `["a", "b", "c"]`, `"a b c"`, and the keys of lines below one another. */
function listsIn(text: string): readonly (readonly string[])[] {
  const all = (pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([found]) => found);
  return [
    ...all(/[\w.+-]+(?:\|[\w.+-]+){2,}/g).map((found) => found.split("|")),
    ...all(/"[\w.+[-]+"(?:,\s*"[\w.+[-]+")+/g).map((found) => found.split(/[",\s]+/)),
    ...all(/["`][\w.+[-]+(?:\s+[\w.+[-]+){2,}["`]/g).map((found) => found.split(/["`\s]+/)),
    ...all(/(?:^\s+"?[\w.+-]+"?: .*,?\n){3,}/gm).map((found) =>
      found.split("\n").flatMap((line) => /^\s+"?([\w.+-]+)"?: /.exec(line)?.[1] ?? []),
    ),
  ];
}

/** Three names, and most of the list. */
function isOfPrograms(list: readonly string[]): boolean {
  const words = [...new Set(list)].filter((word) => word.length > 1 && !DEEDS.has(word));
  const named = words.filter((word) => NAMES.has(word));
  return named.length >= 3 && named.length / words.length >= 0.7;
}

const sources = (folder: string): readonly string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === "node_modules" || entry.name === "dist" ? [] : sources(path);
    return /(?<!\.d)\.tsx?$/.test(entry.name) ? [path] : [];
  });

const found = sources(join(ROOT, "packages"))
  .filter((file) => file.includes("/src/"))
  .flatMap((file) => {
    const text = readFileSync(file, "utf8").replace(/^\s*(?:\/\/|\/?\*).*$/gm, "");
    const list = listsIn(text).find(isOfPrograms);
    return list === undefined ? [] : [[relative(join(ROOT, "packages"), file), list.join(" ")] as const];
  });
const excepted = (file: string): string | undefined => Object.keys(EXCEPT).find((one) => file === one || file.startsWith(`${one}/`));

test("no file beside the tables and the agents has a list of programs", () => {
  expect(found.filter(([file]) => excepted(file) === undefined)).toEqual([]);
});

test("each exception has such a list", () => {
  expect(Object.keys(EXCEPT).filter((one) => !found.some(([file]) => excepted(file) === one))).toEqual([]);
});
