import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { baseName } from "@assent/core/path";
import { readVariable, variableNames } from "@assent/core/shell/knowledge";
import type { CorpusLine } from "../types.ts";
import type { OptionLevel } from "./examples.ts";

/** One program in a shape that is allowed, with variables in front of it; without any: what it does by itself. */
export interface VariableLine extends CorpusLine {
  /** The same without variables. */
  readonly alone: string;
  readonly variables: readonly string[];
}

/** How variables reach a program. */
const FORMS: readonly ((line: string, variables: readonly string[]) => string)[] = [
  (line, variables) => `${variables.join(" ")} ${line}`,
  (line, variables) => `env ${variables.join(" ")} ${line}`,
  (line, variables) => `export ${variables.join(" ")}; ${line}`,
];

/** The line with these variables; which way is chosen by `turn`. */
export function withVariables(
  { alone, family }: Pick<VariableLine, "alone" | "family">,
  variables: readonly string[],
  turn: number,
): VariableLine {
  const form = FORMS[turn % FORMS.length] ?? FORMS[0];
  return { line: form?.(alone, variables) ?? alone, alone, variables, family };
}

/**
 * Values that would show: files and folders of the scratch home, a command that leaves a mark, a program, an address that
 * answers to nobody, and what switches something on. The first that may be allowed are tried.
 */
const decoys = (home: string): readonly string[] => [
  `${home}/other/readme.md`,
  `'touch ${home}/canary'`,
  "http://127.0.0.1:9/decoy",
  "./list.txt",
  `${home}/other`,
  "whoami",
  "a.sh",
  "1",
  "cat",
  "'*'",
  "0",
  "''",
];

/** So many rounds of values for every line; each name has another value in each. */
const ROUNDS = 4;
/** Lines of a program, and of one with subcommands. */
const SHAPES = 2;
const SUBCOMMAND_SHAPES = 6;
/** So many of the variables that are never allowed are judged all the same, each way. */
const REFUSED_SAMPLE = 4;
/** In one line; more are several lines. */
const MOST_AT_ONCE = 700;

export interface VariableOptions {
  /** Of the scratch world. */
  readonly home: string;
  /** Only every n-th program. */
  readonly every: number;
}

/**
 * Every installed program of the tables, with the variables that its file, the libraries it links and its manual page
 * name, and with all that are harmless to everybody. The variables that may be allowed stand together in a line.
 */
export function everyVariableLines(of: readonly OptionLevel[], { home, every }: VariableOptions): readonly VariableLine[] {
  const programs = new Map<string, OptionLevel[]>();
  for (const one of of) {
    const [program = ""] = one.level.words;
    programs.set(program, [...(programs.get(program) ?? []), one]);
  }
  const values = decoys(home);
  return [...programs].flatMap(([program, levels], turn) => {
    const [top] = levels;
    if (top === undefined || turn % every !== 0) return [];
    const { family } = top.level;
    const names = variablesOf(program, top.file);
    const reads = levels.map(({ level }) => level.entry.reads ?? "").join("\n");
    const chosen = names.map((name) => [name, values.filter((value) => mayBeAllowed(name, value, reads)).slice(0, ROUNDS)] as const);
    const never = chosen.filter(([, allowed]) => allowed.length === 0).map(([name]) => name);
    return shapesOf(program, levels).flatMap((alone, at): VariableLine[] => {
      const line = { alone, family };
      const rounds = Array.from({ length: ROUNDS }, (_, round) =>
        chosen.flatMap(([name, allowed]) => (allowed[round] === undefined ? [] : [`${name}=${allowed[round]}`])),
      );
      const spread = never.filter((_, n) => n % Math.max(1, Math.floor(never.length / REFUSED_SAMPLE)) === at).slice(0, REFUSED_SAMPLE);
      return [
        withVariables(line, [], 0),
        ...rounds.flatMap((variables, round) => pieces(variables).map((some) => withVariables(line, some, turn + round))),
        ...spread.flatMap((name, n) => FORMS.map((_, form) => withVariables(line, [`${name}=${values[n % values.length] ?? ""}`], form))),
      ].map((one) => (one.variables.length === 0 ? { ...one, line: alone } : one));
    });
  });
}

function pieces(variables: readonly string[]): readonly (readonly string[])[] {
  const count = Math.ceil(variables.length / MOST_AT_ONCE);
  return Array.from({ length: count }, (_, at) => variables.slice(at * MOST_AT_ONCE, (at + 1) * MOST_AT_ONCE));
}

/** Whether the judge could think so: it alone says whether it does. */
function mayBeAllowed(name: string, value: string, reads: string): boolean {
  const found = readVariable(name, value.replaceAll("'", ""));
  if (found === "harmless") return true;
  if (new RegExp(`(?:^|[ \\n])${name}(?: [^=\\n]*)?=(?!refuse)`).test(reads)) return true;
  return found === "unknown" && /(?:^|\n)\s*\*=/.test(reads);
}

/** Lines of the tables' own examples, for each name of the program. */
function shapesOf(program: string, levels: readonly OptionLevel[]): readonly string[] {
  const examples = levels.flatMap(({ level }) =>
    (level.examples.allow ?? [])
      .filter((line) => /^[\w ./:@,+=-]+$/.test(line) && /^[\w.+-]+(?: |$)/.test(line) && !/^\w+=/.test(line))
      .map((line) => line.split(" "))
      .filter(([first = ""]) => first === program || level.isAlias)
      .map(([, ...rest]) => [program, ...rest].join(" ")),
  );
  const all = [...new Set(examples)].toSorted((a, b) => a.length - b.length);
  const most = levels.length > 1 ? SUBCOMMAND_SHAPES : SHAPES;
  if (all.length <= most) return all;
  return Array.from({ length: most }, (_, at) => all[Math.round((at * (all.length - 1)) / (most - 1))] ?? program);
}

/** The shell keeps these to itself, and a line that sets them ends there. */
const KEPT = new Set("UID EUID PPID BASHOPTS SHELLOPTS BASH_VERSINFO".split(" "));

/** More names than this are the strings of a whole language. */
const MOST_NAMES = 600;

function variablesOf(program: string, file: string): readonly string[] {
  const own = [...textsOf(file).flatMap(namesOf), ...manualsOf(program).flatMap((page) => [...page.matchAll(WORD)].map(([name]) => name))];
  const linked = librariesOf(file).flatMap(namesOf);
  return [...new Set([...variableNames(), ...own, ...linked])].filter((name) => !KEPT.has(name)).slice(0, MOST_NAMES);
}

const WORD = /(?<![\w-])[A-Z][A-Z0-9_]{2,40}(?![\w-])/g;
const LITERAL = /(?<=\0)(?:[A-Z][A-Z0-9_]{2,40}|[a-z]+_(?:proxy|config_\w+))(?=\0)/g;
const isBinary = (text: string): boolean => text.startsWith("\u007fELF");

/** In a binary the whole of a string is the name: what getenv(3) is given. */
const namesOf = (text: string): readonly string[] => [
  ...new Set([...text.matchAll(isBinary(text) ? LITERAL : WORD)].map(([name]) => name)),
];

const MOST_BYTES = 16 * 2 ** 20;

const textOf = (file: string): string => (statSync(file).size > MOST_BYTES ? "" : readFileSync(file, "latin1"));

/** A script, and what lies beside it in a package of its own (`/usr/lib/python3/dist-packages/NAME`). */
function textsOf(file: string): readonly string[] {
  const name = baseName(file);
  const folder = `/usr/lib/python3/dist-packages/${name}`;
  const beside = existsSync(folder) ? readdirSync(folder).filter((one) => one.endsWith(".py")) : [];
  return [textOf(file), ...beside.map((one) => textOf(`${folder}/${one}`))];
}

const LIBRARY_FOLDERS = [`/usr/lib/${process.arch === "arm64" ? "aarch64" : "x86_64"}-linux-gnu`, "/usr/lib64", "/usr/lib"];
const libraries = new Map<string, string>();

/** Those it links, and those they link. */
function librariesOf(file: string): readonly string[] {
  const seen = new Map<string, string>();
  const texts = [textOf(file)];
  for (const text of texts) {
    if (!isBinary(text)) continue;
    for (const [name] of text.matchAll(/(?<=\0)lib[\w+.-]+\.so[.\d]*(?=\0)/g)) {
      const path = seen.has(name) ? undefined : LIBRARY_FOLDERS.map((folder) => `${folder}/${name}`).find((one) => existsSync(one));
      if (path === undefined) continue;
      const known = libraries.get(path) ?? textOf(path);
      libraries.set(path, known);
      seen.set(name, known);
      texts.push(known);
    }
  }
  return [...seen.values()];
}

const manualsOf = (name: string): readonly string[] =>
  ["1", "8", "6"]
    .map((section) => `/usr/share/man/man${section}/${name}.${section}.gz`)
    .filter((page) => existsSync(page))
    .map((page) => gunzipSync(readFileSync(page)).toString("latin1"));
