/**
 * Compares the options of `packages/core/knowledge/*.table` with what the programs on this machine say about themselves.
 *
 *     node scripts/check-options.mjs            every known program that is installed
 *     node scripts/check-options.mjs sort tar   only these
 *
 * Prints what `--help` names and the table lacks, and the other way round, and options whose value is a file or a command there and a
 * mere text here (`tar --add-file=FILE` was one: it let secrets through). Differences are often meant (an option left
 * out because it is dangerous, a spelling of another system), so the result is for reading and the exit code is 0
 * unless `--strict` is given and something is missing.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { knowledgeFolder, readKnowledge } from "./knowledge.mjs";

// Built from text: a control character in a regular expression literal is an error to the linter.
const OVERSTRUCK = new RegExp(`.${String.fromCharCode(8)}`, "g");
const COLOUR = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, "g");

/** Long and short options at the beginning of indented lines; a value is shown by `=X`, ` X` or `[=X]`. */
export function optionsOfHelp(help) {
  const found = new Set();
  for (const line of help.replace(OVERSTRUCK, "").replace(COLOUR, "").split("\n")) {
    const head = /^\s{0,12}(?=[-+])(.*)$/.exec(line)?.[1]?.split(/\s{2,}|\t| : /)[0];
    if (head === undefined) continue;
    for (const [, name] of head.matchAll(/(?:^|[\s,|/(])(--?[A-Za-z0-9@%?][\w.-]*)/g)) found.add(name.replace(/[.-]+$/, ""));
  }
  return found;
}

const NAMES_A_FILE = /(?:FILE|PATH|DIR|FOLDER|COMMAND|CMD|PROG|SCRIPT|ARCHIVE|PAGER|EDITOR|SHELL)/i;

/** Options whose value is called after a file or a command: `--add-file=FILE`, `-o <path>`. */
export function filesOfHelp(help) {
  const found = new Set();
  for (const line of help.replace(OVERSTRUCK, "").replace(COLOUR, "").split("\n")) {
    const [head] = /^\s{0,12}-.*$/.test(line) ? line.split(/\s{2,}(?=[a-z])|\t/) : [""];
    for (const [, name, value] of (head.startsWith(" ") ? head : ` ${head}`).matchAll(
      /[\s,](--?[A-Za-z0-9][\w-]*)\[?[= ]([<A-Z][\w|.-]*)/g,
    ))
      if (NAMES_A_FILE.test(value)) found.add(name);
  }
  return found;
}

/** Options of an entry whose value is inert. */
const textsOf = ({ options = "" }) =>
  new Set(options.split("\n").flatMap((row) => (/=text\]?(?:\s|$)/.test(row) ? (row.split(/\[?=/, 1)[0].match(/-\S+/g) ?? []) : [])));

function helpOf(program) {
  let text = "";
  for (const argument of ["--help", "-h"]) {
    const run = spawnSync(program, [argument], {
      encoding: "utf8",
      timeout: 5000,
      input: "",
      env: { ...process.env, LC_ALL: "C", COLUMNS: "200" },
    });
    if (run.error !== undefined) return undefined;
    text += `${run.stdout}\n${run.stderr}`;
    if (optionsOfHelp(text).size > 1) break;
  }
  return text;
}

/** Programs whose `-h` or `--help` is no help: it would start something. */
const SKIP = new Set([
  "[",
  "test",
  "reboot",
  "shutdown",
  "halt",
  "poweroff",
  "yes",
  "true",
  "false",
  "echo",
  "expr",
  "printf",
  "w",
  "vim",
  "vi",
  "ex",
  "view",
  "emacs",
  "nano",
  "top",
  "htop",
  "sudo",
]);

const root = fileURLToPath(new URL("..", import.meta.url));
const { entries } = await readKnowledge(root);

/** The names in the rows of an entry. */
const optionsOf = ({ options = "" }) => new Set(options.split("\n").flatMap((row) => row.split(/\[?=|->/, 1)[0].match(/[-+]\S+/g) ?? []));

/** The names in comments of an entry: what is left out on purpose. */
function leftOut({ family, line }) {
  const rest = readFileSync(join(knowledgeFolder(root), `${family}.table`), "utf8")
    .split("\n")
    .slice(line);
  const end = rest.findIndex((row) => row === "");
  const comments = rest.slice(0, end === -1 ? undefined : end).filter((row) => row.trim().startsWith("#"));
  return new Set(comments.join("\n").match(/--?[\w-]+/g) ?? []);
}

const strict = process.argv.includes("--strict");
const wanted = process.argv.slice(2).filter((word) => !word.startsWith("-"));
let lacking = 0;
for (const entry of entries) {
  const { spec } = entry;
  for (const name of spec.names.split(" ")) {
    if (SKIP.has(name) || (wanted.length > 0 && !wanted.includes(name))) continue;
    const help = helpOf(name);
    if (help === undefined) continue;
    const said = optionsOfHelp(help);
    const listed = optionsOf(spec);
    const commented = leftOut(entry);
    const missing = [...said].filter((o) => !listed.has(o) && !commented.has(o));
    const extra = [...listed].filter((o) => !said.has(o));
    const texts = textsOf(spec);
    const files = [...filesOfHelp(help)].filter((o) => texts.has(o));
    if (files.length > 0) console.log(`${name}\n  names a file:     ${files.join(" ")}`);
    if (missing.length === 0 && (extra.length === 0 || said.size < 3)) continue;
    lacking += missing.length;
    console.log(
      `${name}${missing.length > 0 ? `\n  not in the table: ${missing.join(" ")}` : ""}${extra.length > 0 ? `\n  not in --help:    ${extra.join(" ")}` : ""}`,
    );
  }
}
if (strict && lacking > 0) process.exitCode = 1;
