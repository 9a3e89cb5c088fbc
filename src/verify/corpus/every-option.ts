import { existsSync, readFileSync, statSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { grammarOf, type Grammar } from "../../shell/knowledge/index.ts";
import type { CorpusLine } from "../types.ts";
import { type Level, levels } from "./examples.ts";

/** A program of the tables that is installed, or a subcommand of it, by one of its names. */
export interface OptionLevel {
  readonly level: Level;
  /** The program's file. */
  readonly file: string;
  /** What prints the options of a subcommand that has no manual page of its own. */
  readonly help: string | undefined;
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
    if (file === undefined || (level.isAlias && level.parents.length > 0)) return [];
    const asks = level.parents.length > 0 && manualsOf(level.words.join("-")).length === 0;
    return [{ level, file, help: asks ? `${level.words.join(" ")} --help` : undefined }];
  });
}

/**
 * Every option of every installed program of the tables, whether the tables list it or not: each letter, and each long name
 * that the program's file or its manual page has; of a subcommand, what its manual page, its help (`helps`, by line) and its
 * entry have. Four shapes each, with and without something to work on, because an option that takes a value where the tables
 * think it takes none, or the other way round, swallows or leaves over a word. Whether a line is allowed the judge says; what
 * is not is not run.
 */
export function everyOptionLines(of: readonly OptionLevel[], helps: ReadonlyMap<string, string> = new Map()): readonly CorpusLine[] {
  const lines = new Map<string, CorpusLine>();
  for (const { level, file, help } of of) {
    const options =
      level.parents.length === 0
        ? [...LETTERS, ...longNames([textOf(file), ...manualsOf(level.words.join("-"))])]
        : [...new Set([...listed(level), ...namesIn([helps.get(help ?? "") ?? "", ...manualsOf(level.words.join("-"))])])];
    for (const option of options)
      for (const line of shapes(level.words.join(" "), option, operandOf(level))) lines.set(line, { line, family: level.family });
  }
  return [...lines.values()];
}

const LETTERS = [..."abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"].map((letter) => `-${letter}`);

const shapes = (program: string, option: string, operand: string): readonly string[] => [
  `${program} ${option}`,
  `${program} ${option} ${operand}`,
  option.startsWith("--") ? `${program} ${option}=1 ${operand}` : `${program} ${option} 1 ${operand}`,
  `${program} ${operand} ${option}`,
];

/** What the shortest allowed example works on: `a.zip` for unzip. */
function operandOf({ spec }: Level): string {
  const words = (spec.examples?.allow ?? [])
    .filter((line) => /^[\w ./-]+$/.test(line))
    .toSorted((a, b) => a.length - b.length)
    .map((line) => line.split(" ").slice(1))
    .map((rest) => rest.findLast((word) => /^[\w/]+\.\w+$/.test(word)));
  return words.find((word) => word !== undefined) ?? "a.txt";
}

/** What the entry of a subcommand has itself; its parents' options are tried there. */
const listed = ({ spec, parents }: Level): readonly string[] => {
  const above = parents.reduce<Grammar | undefined>((parent, one) => grammarOf(one, parent), undefined);
  return [...grammarOf(spec, above).options.keys()].filter((name) => above?.options.has(name) !== true);
};

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
