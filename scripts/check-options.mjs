/**
 * Compares the option tables of `src/shell/knowledge` with what the programs on this machine say about themselves.
 *
 *     node scripts/check-options.mjs            every known program that is installed
 *     node scripts/check-options.mjs sort tar   only these
 *
 * Prints what `--help` names and the table lacks, and the other way round. Differences are often meant (an option left
 * out because it is dangerous, a spelling of another system), so the result is for reading and the exit code is 0
 * unless `--strict` is given and something is missing.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

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

async function loadTables() {
  const contents = `export { FAMILIES } from "./src/shell/knowledge/index.ts"; export { grammarOf } from "./src/shell/knowledge/read-spec.ts";`;
  const outfile = join(mkdtempSync(join(tmpdir(), "check-options-")), "tables.mjs");
  await build({ stdin: { contents, resolveDir: process.cwd() }, bundle: true, format: "esm", outfile, logLevel: "silent" });
  try {
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(dirname(outfile), { recursive: true });
  }
}

const { FAMILIES, grammarOf } = await loadTables();
const strict = process.argv.includes("--strict");
const wanted = process.argv.slice(2).filter((word) => !word.startsWith("-"));
let lacking = 0;
for (const spec of FAMILIES.flat()) {
  for (const name of spec.names.split(" ")) {
    if (SKIP.has(name) || (wanted.length > 0 && !wanted.includes(name))) continue;
    const help = helpOf(name);
    if (help === undefined) continue;
    const said = optionsOfHelp(help);
    let listed;
    try {
      listed = new Set(grammarOf(spec).options.keys());
    } catch (error) {
      console.log(`${name}\n  broken: ${error.message}`);
      lacking++;
      continue;
    }
    const commented = new Set(spec.options?.match(/(?<=#.*)--?[\w-]+/g) ?? []);
    const missing = [...said].filter((o) => !listed.has(o) && !commented.has(o));
    const extra = [...listed].filter((o) => !said.has(o));
    if (missing.length === 0 && (extra.length === 0 || said.size < 3)) continue;
    lacking += missing.length;
    console.log(
      `${name}${missing.length > 0 ? `\n  not in the table: ${missing.join(" ")}` : ""}${extra.length > 0 ? `\n  not in --help:    ${extra.join(" ")}` : ""}`,
    );
  }
}
if (strict && lacking > 0) process.exitCode = 1;
