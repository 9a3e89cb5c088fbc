import { type Grammar, grammarOf, type Kind, type Option } from "../../shell/knowledge/index.ts";
import type { CorpusLine } from "../types.ts";
import { type Level, levels } from "./examples.ts";

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
      const grammar = [...level.parents, level.spec].reduce<Grammar | undefined>((parent, spec) => grammarOf(spec, parent), undefined);
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
function basesOf({ words, spec }: Level): readonly string[] {
  const start = words.join(" ");
  return (spec.examples?.allow ?? [])
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
