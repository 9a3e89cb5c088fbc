import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { judgeOnly } from "@assent/page/preview";
import {
  askHelp,
  baseFor,
  cannotConfine,
  hidesTemp,
  neededPaths,
  optionLevels,
  toldOf,
  type OptionLevel,
} from "../../../tools/verify/index.ts";

/**
 * Where the help of a program says that an option takes a file, a folder, an address or a command, and the judge allows a line
 * with one and expects nothing of it: to be looked at by a person. Running such a line shows it only where the program comes to
 * open the file, which one that asks a server first does not.
 *
 *     node scripts/run.mjs test/shell/help-values/run.ts [--keep FILE] [--all] NAME…
 *
 * `--keep FILE` writes down what the programs say, and reads it there the next time; `--all` shows every value that nothing is
 * expected of, whatever the help calls it.
 */

interface ToldValue {
  readonly option: string;
  /** What the help calls the value. */
  readonly meta: string;
  readonly about: string;
}

const ROOT = join(import.meta.dirname, "../../..");
/** Names of no secret and of nothing that is there. */
const VALUES = ["zz1/zz2.txt", "https://zz1.example/zz2"];

/** `-o, --output FILE  where to`, `--output=<file>`, `--output string   where to`. */
export function valuesIn(help: string): readonly ToldValue[] {
  const found: ToldValue[] = [];
  const lines = stripVTControlCharacters(help)
    // Manual pages: changes of font, and the macros at the beginning of a line.
    .replace(/\\f(?:[A-Z]|\(..|\[\w*\])|\\[&|]|^\.(?:[BI]{1,2}|BR|RB|IR|RI|IP|It|TP|Op)\b/gm, "")
    .replace(/^(?=.*--?\w)["\s]+|"/gm, (quote) => quote.replaceAll('"', ""))
    .split("\n");
  for (const [at, line] of lines.entries()) {
    const match =
      /^\s*[[(]?((?:-{1,2}[A-Za-z0-9][\w.-]*(?:(?:[= ]|\[=)[<[]?[\w|.,:/-]+[>\]]*)?(?:\s*[,|/]\s*|\s+or\s+|\s+(?=--)))*)(-{1,2}[A-Za-z0-9][\w.-]*)(?:\[=|[= ]\[?)([<{"'(]?[\w.,|:/@ -]*?[>})"'\]]*)(?:\s{2,}(.*)|\s*$|\t(.*))/.exec(
        line,
      );
    if (match === null) continue;
    const [, before = "", last = "", meta = "", one = "", two = ""] = match;
    if (meta.trim() === "") continue;
    const about = `${one}${two}`.trim() || (lines[at + 1]?.trim() ?? "");
    for (const option of new Set([...(before.match(/(?<![\w-])-{1,2}[A-Za-z0-9][\w.-]*/g) ?? []), last]))
      found.push({ option, meta, about });
  }
  return found;
}

const NAMES_A_PLACE =
  /file|path|dir|folder|url|uri|host|addr|endpoint|server|cmd|command|exec|program|script|plugin|template|editor|pager|output|socket|keyring|config|log|cert|cache|import|export|save|dump|trace|profile/i;

const operands = (level: OptionLevel): readonly string[] => {
  const [shortest = ""] = (level.level.examples.allow ?? [])
    .filter((line) => /^[\w ./:@-]+$/.test(line) && line.startsWith(`${level.level.words.join(" ")} `))
    .toSorted((a, b) => a.length - b.length);
  const rest = shortest
    .slice(level.level.words.join(" ").length)
    .split(" ")
    .filter((word) => word !== "" && !word.startsWith("-"));
  return ["", " a.txt", ...(rest.length > 0 ? [` ${rest.join(" ")}`] : [])];
};

/** A line with the value that is allowed, although nothing is expected of the value. */
function heedless(level: OptionLevel, { option }: ToldValue, value: string): string | undefined {
  const words = level.level.words.join(" ");
  for (const operand of operands(level))
    for (const put of option.startsWith("--")
      ? [`${option}=${value}`, `${option} ${value}`]
      : [`${option} ${value}`, `${option}${value}`]) {
      const command = `${words} ${put}${operand}`;
      const { verdict, basis } = judgeOnly({ tool: "Bash", input: { command }, cwd: ROOT }, MACHINE, []);
      if (verdict.decision !== "allow") continue;
      const isExpected = (basis?.lowered.actions ?? []).some((action) => action.kind !== "exec" && JSON.stringify(action).includes("zz1"));
      if (!isExpected) return command;
    }
  return undefined;
}

const MACHINE = {
  home: "/home/dev",
  env: { HOME: "/home/dev", PATH: process.env["PATH"] ?? "" },
  platform: process.platform,
  uid: process.getuid?.(),
  temp: ["/tmp"],
  managedPolicy: "/nonexistent",
};

async function helpsOf(of: readonly OptionLevel[], keep: string | undefined): Promise<ReadonlyMap<string, string>> {
  let kept: readonly (readonly [string, string])[] = [];
  try {
    if (keep !== undefined) kept = JSON.parse(readFileSync(keep, "utf8")) as readonly (readonly [string, string])[];
  } catch {
    // The first time.
  }
  const known = new Map(kept);
  const asked = of.map(({ helps }) => helps).filter(([first]) => first !== undefined && !known.has(first));
  if (asked.length === 0) return known;
  const needed = neededPaths([ROOT], process.env["PATH"]);
  const problem = cannotConfine();
  const base = baseFor(needed);
  if (problem !== undefined || base === undefined) throw new Error(problem ?? "the scratch project has no place");
  const worker = [
    process.execPath,
    join(ROOT, "scripts/run.mjs"),
    join(ROOT, "tools/verify/main.ts"),
    "--worker",
    `${base}:${hidesTemp(needed) ? "hide" : "keep"}`,
  ];
  for (const [line, text] of await askHelp(asked, { worker, workers: 2, whatever: true, patience: 5000 })) known.set(line, text);
  if (keep !== undefined) writeFileSync(keep, JSON.stringify([...known]));
  return known;
}

async function main(argv: readonly string[]): Promise<void> {
  const at = argv.indexOf("--keep");
  const keep = at < 0 ? undefined : argv[at + 1];
  const names = argv.filter((word, index) => !word.startsWith("--") && (at < 0 || index !== at + 1));
  const of = optionLevels(process.env["PATH"] ?? "", names);
  const helps = await helpsOf(of, keep);
  let values = 0;
  /** Subcommands of one program that say the same of an option are one to look at. */
  const alike = new Map<string, { readonly lines: readonly string[]; more: number }>();
  for (const level of of) {
    const told = new Map(
      toldOf(level, helps)
        .flatMap(valuesIn)
        .map((one) => [one.option, one]),
    );
    for (const one of told.values()) {
      values++;
      if (!argv.includes("--all") && !NAMES_A_PLACE.test(`${one.option} ${one.meta} ${one.about}`)) continue;
      const found = VALUES.flatMap((value) => heedless(level, one, value) ?? []);
      if (found.length === 0) continue;
      const key = `${level.level.words[0]}: ${one.option} ${one.meta}: ${one.about.slice(0, 200)}`;
      const before = alike.get(key);
      if (before === undefined) alike.set(key, { lines: found, more: 0 });
      else before.more++;
    }
  }
  for (const [key, { lines, more }] of alike)
    process.stdout.write(
      `${key}\n${lines.map((line) => `    ${line}\n`).join("")}${more > 0 ? `    and of ${more} more subcommands\n` : ""}`,
    );
  process.stdout.write(`${of.length} programs and subcommands, ${values} options with a value, ${alike.size} to be looked at\n`);
}

if (process.env["VITEST"] === undefined) await main(process.argv.slice(2));
