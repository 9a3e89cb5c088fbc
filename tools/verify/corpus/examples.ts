import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import {
  aboutEntry,
  allEntries,
  entriesBelow,
  grammarOf,
  type KnowledgeEntry,
  type Examples,
  type Grammar,
  type Kind,
  type Option,
} from "@assent/core/shell/knowledge";
import type { CorpusLine } from "../types.ts";

/** An entry or a subcommand of one, with the words that lead to it. */
interface Level {
  readonly family: string;
  readonly words: readonly string[];
  /** All of the program. */
  readonly names: readonly string[];
  readonly entry: KnowledgeEntry;
  readonly examples: Examples;
  /** The program has a name that stands before this one. */
  readonly isAlias: boolean;
  /** Those it inherits from. */
  readonly parents: readonly KnowledgeEntry[];
}

/** Subcommands by the first of their names, or by every one. */
type Naming = "first name" | "every name";

function* below(level: Level, naming: Naming): Generator<Level> {
  yield level;
  for (const { keys, entry } of entriesBelow(level.entry)) {
    const inner = { ...level, entry, examples: aboutEntry(entry).examples ?? {}, parents: [...level.parents, level.entry] };
    for (const name of naming === "every name" ? keys.filter((one) => !one.includes("*")) : keys.slice(0, 1))
      yield* below({ ...inner, words: [...level.words, ...name.split(" ")] }, naming);
  }
}

/** Every level of every table, once for each name of the program. */
export function levels(naming: Naming = "first name"): readonly Level[] {
  return allEntries().flatMap((entry) => {
    const { family = "", examples = {} } = aboutEntry(entry);
    const names = entry.names.split(" ");
    return names.flatMap((name, at) => [...below({ family, words: [name], names, entry, examples, isAlias: at > 0, parents: [] }, naming)]);
  });
}

/** The tables' own examples of what is allowed without a question. */
export function exampleLines(): readonly CorpusLine[] {
  const lines = levels().flatMap(({ family, examples }) => (examples.allow ?? []).map((line) => [line, { line, family }] as const));
  return [...new Map(lines).values()];
}

/** Of one command: so many options alone, and so many pairs. */
const SINGLES = 14;
const PAIRS = 3;

/**
 * Lines made from the option tables: of every command that an example allows, options alone and a sample of pairs, in their
 * different spellings, with operands that the scratch project has. Whether a line is allowed the judge says; what is not is not run.
 */
export function optionLines(): readonly CorpusLine[] {
  return levels()
    .filter(({ isAlias }) => !isAlias)
    .flatMap((level) => {
      const bases = basesOf(level);
      const grammar = [...level.parents, level.entry].reduce<Grammar | undefined>((parent, entry) => grammarOf(entry, parent), undefined);
      if (bases.length === 0 || grammar === undefined) return [];
      const options = sample(
        [...new Set(grammar.options.values())].flatMap((option, at) => spelled(option, grammar, at)),
        SINGLES,
      );
      const pairs = sample(options, PAIRS).map((option, at) => `${option} ${options[(at * 7 + 3) % options.length]}`);
      const given = [...options, ...pairs].map((option, at) => put(level, bases[at % bases.length] ?? "", option));
      return given.map((line) => ({ line, family: level.family }));
    });
}

/** Evenly from the whole list. */
function sample<T>(list: readonly T[], most: number): readonly T[] {
  if (list.length <= most) return list;
  return Array.from({ length: most }, (_, at) => list[Math.floor((at * list.length) / most)]).filter((one) => one !== undefined);
}

const put = ({ words }: Level, base: string, option: string): string => {
  const start = words.join(" ");
  return `${start} ${option}${base.slice(start.length)}`;
};

/** The shortest examples that are one plain command. */
function basesOf({ words, examples }: Level): readonly string[] {
  const start = words.join(" ");
  return (examples.allow ?? [])
    .filter((line) => (line === start || line.startsWith(`${start} `)) && !/[|&;<>$`\n(){}]/.test(line))
    .toSorted((a, b) => dashes(a) - dashes(b) || a.length - b.length)
    .slice(0, 2);
}

const dashes = (line: string): number => line.split(" ").filter((word) => word.startsWith("-")).length;

/** The option by one of its names, with a value where it takes one; which spelling depends on where it stands in the table. */
function spelled({ names, argument, kind, second }: Option, grammar: Grammar, at: number): readonly string[] {
  const name = names[at % names.length] ?? "";
  if (argument === "none") return [name];
  const value = valueOf(kind);
  if (value === undefined) return argument === "optional" ? [name] : [];
  if (second !== undefined) return [`${name} ${value} ${valueOf(second) ?? "x"}`];
  const glued = name.startsWith("--") || grammar.style === "words" ? `${name}=${value}` : `${name}${value}`;
  return argument === "optional" ? [name, glued] : [at % 3 === 0 ? glued : `${name} ${value}`];
}

const VALUES: Readonly<Partial<Record<Kind["is"], string>>> = {
  text: "1",
  word: "1",
  number: "2",
  name: "tiny",
  only: "'*.ts'",
  without: "'*.md'",
  env: "A=1",
  sed: "'s/foo/bar/'",
  awk: "'{ print $1 }'",
  jq: ".",
  yq: ".",
  sql: "'select 1'",
  dir: "src",
  gitkey: "core.quotePath=false",
};

/** Something of that kind; undefined: there is nothing harmless. */
function valueOf(kind: Kind): string | undefined {
  if (kind.is === "file")
    return kind.operation === "read" || kind.operation === "list" ? (kind.tree || kind.operation === "list" ? "src" : "a.txt") : undefined;
  return VALUES[kind.is];
}

/** A program of the tables that is installed, or a subcommand of it, by one of its names. */
export interface OptionLevel {
  readonly level: Level;
  /** The program's file. */
  readonly file: string;
  /** What may print the options of what has no manual page of its own, in the order in which it is tried. */
  readonly helps: readonly string[];
}

/** What there is on `path`; with `only` no other programs. */
export function optionLevels(path: string, only: readonly string[] = []): readonly OptionLevel[] {
  const folders = path.split(":").filter((folder) => folder.startsWith("/"));
  const files = new Map<string, string | undefined>();
  const fileOf = (program: string): string | undefined => {
    if (!files.has(program))
      files.set(
        program,
        folders.map((folder) => `${folder}/${program}`).find((one) => existsSync(one)),
      );
    return files.get(program);
  };
  return levels("every name").flatMap((level) => {
    const [program = ""] = level.words;
    const file = only.length > 0 && !only.includes(program) ? undefined : fileOf(program);
    if (file === undefined || (level.parents.length > 0 && isSameAsAnother(level, file, fileOf))) return [];
    return [{ level, file, helps: manualsOf(level.words.join("-")).length > 0 ? [] : helpsOf(level) }];
  });
}

/** Of names that lead to one file the subcommands are tried by the first. */
function isSameAsAnother({ words: [program], names }: Level, file: string, fileOf: (name: string) => string | undefined): boolean {
  const before = names.slice(0, names.indexOf(program ?? ""));
  return before.some((name) => {
    const other = fileOf(name);
    return other !== undefined && realpathSync(other) === realpathSync(file);
  });
}

/** The ways in which programs are asked for the options of a subcommand. */
function helpsOf({ words: [program = "", ...rest] }: Level): readonly string[] {
  const all = [program, ...rest].join(" ");
  return rest.length === 0 ? [`${all} --help`] : [`${all} --help`, [program, "help", ...rest].join(" "), `${all} -h`, `${all} help`];
}

/** Whether what was said tells any option: another way of asking may be tried where it does not. */
export const tellsOptions = (text: string): boolean => namesIn([text]).length > 0;

/**
 * Every option of every installed program of the tables, whether the tables list it or not: each letter, and each long name
 * that the program's file or its manual page has; of a subcommand, what its manual page, its help (`helps`, by the first way to ask for it) and its
 * entry have. Four shapes each, with and without something to work on, because an option that takes a value where the tables
 * think it takes none, or the other way round, swallows or leaves over a word. Whether a line is allowed the judge says; what
 * is not is not run.
 *
 * They come in rounds, so that a run that is broken off has seen what differs most: of every option of every program the shape
 * that shows most, then the next; what a subcommand has from its parents is tried with one subcommand first, then with another,
 * with two more, with four more.
 */
export function everyOptionLines(of: readonly OptionLevel[], helps: ReadonlyMap<string, string> = new Map()): readonly CorpusLine[] {
  const lines = new Map<string, CorpusLine & { readonly round: number; readonly at: number }>();
  /** How many subcommands have had an option of their parents. */
  const inherited = new Map<string, number>();
  for (const one of of) {
    const { level, file } = one;
    const told = toldOf(one, helps);
    const above = grammarAbove(level)?.options;
    const options =
      level.parents.length === 0 ? [...LETTERS, ...longNames([textOf(file), ...told])] : [...new Set([...listed(level), ...namesIn(told)])];
    for (const [at, option] of options.entries()) {
      const name = `${level.words[0]} ${option}`;
      const before = above?.has(option) === true ? (inherited.get(name) ?? 0) : 0;
      if (above?.has(option) === true) inherited.set(name, before + 1);
      for (const [shape, line] of shapes(level.words.join(" "), option, operandOf(level)).entries())
        if (!lines.has(line)) lines.set(line, { line, family: level.family, round: shape + Math.ceil(Math.log2(before + 1)), at });
    }
  }
  return [...lines.values()].toSorted((a, b) => a.round - b.round || a.at - b.at).map(({ line, family }) => ({ line, family }));
}

/** What is said of a program or a subcommand to people: its help, its manual pages. */
export const toldOf = ({ level, helps: asked }: OptionLevel, helps: ReadonlyMap<string, string>): readonly string[] => [
  helps.get(asked[0] ?? "") ?? "",
  ...manualsOf(level.words.join("-")),
];

const LETTERS = [..."abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"].map((letter) => `-${letter}`);

/** Those that show most come first. */
const shapes = (program: string, option: string, operand: string): readonly string[] => [
  `${program} ${option} ${operand}`,
  option.startsWith("--") ? `${program} ${option}=1 ${operand}` : `${program} ${option} 1 ${operand}`,
  `${program} ${operand} ${option}`,
  `${program} ${option}`,
];

/** What the shortest allowed example works on: `a.zip` for unzip. */
function operandOf({ examples }: Level): string {
  const words = (examples.allow ?? [])
    .filter((line) => /^[\w ./-]+$/.test(line))
    .toSorted((a, b) => a.length - b.length)
    .map((line) => line.split(" ").slice(1))
    .map((rest) => rest.findLast((word) => /^[\w/]+\.\w+$/.test(word)));
  return words.find((word) => word !== undefined) ?? "a.txt";
}

/** What the entry of a subcommand has itself; its parents' options are tried there. */
const listed = (level: Level): readonly string[] => {
  const above = grammarAbove(level);
  return [...grammarOf(level.entry, above).options.keys()].filter((name) => above?.options.has(name) !== true);
};

const grammarAbove = ({ parents }: Level): Grammar | undefined =>
  parents.reduce<Grammar | undefined>((parent, one) => grammarOf(one, parent), undefined);

/** More than this of a program's file is not looked through. */
const MOST_BYTES = 16 * 2 ** 20;

const textOf = (file: string): string => (statSync(file).size > MOST_BYTES ? "" : readFileSync(file, "latin1"));

const manualsOf = (name: string): readonly string[] =>
  ["1", "8", "6"]
    .map((section) => `/usr/share/man/man${section}/${name}.${section}.gz`)
    .filter((page) => existsSync(page))
    .map((page) => gunzipSync(readFileSync(page)).toString("latin1").replaceAll("\\-", "-"));

const longNames = (texts: readonly string[]): readonly string[] => allOf(texts, /(?<![\w-])--[a-z][a-z0-9-]{1,30}(?![\w-])/g);

/** In a text for people, letters count too. */
const namesIn = (texts: readonly string[]): readonly string[] => [...longNames(texts), ...allOf(texts, /(?<![\w-])-[A-Za-z0-9](?![\w-])/g)];

const allOf = (texts: readonly string[], pattern: RegExp): readonly string[] => [
  ...new Set(texts.flatMap((text) => [...text.matchAll(pattern)].map(([name]) => name))),
];
