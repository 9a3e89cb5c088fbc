import { readKind, type Kind } from "./read-spec.ts";

/** Words of this form, separated by blanks. */
const wordsOf = (word: string): RegExp => new RegExp(`^\\s*(?:(?:${word})(?:\\s+|$))*$`);

/** What a value may look like. Where a value is only known at run time, `any` alone fits. */
export const GRAMMARS = {
  any: /^[^]*$/,
  flag: /^(?:[01]|true|false|yes|no|on|off|y|n|auto|always|never)?$/i,
  number: /^[-+]?\d*(?:\.\d+)?$/,
  /** A name without a slash. */
  word: /^(?!\.\.?$)[\w.+@%-]*$/,
  /** Levels and patterns for what is logged, separated by commas or colons. */
  filter: /^(?![/~.])[\w*:=,.+@[\]{} -]*$/,
  /** glibc opens a locale whose name has a slash as a path (setlocale(3)). */
  locale: /^(?!\.)[\w.@:-]*$/,
  /** A name below the system's folder of zones, or POSIX's own notation; never a path (tzset(3); musl takes `./x` for one). */
  zone: /^:?(?:[A-Za-z][\w+-]*(?:\/[A-Za-z][\w+-]*){0,2}|(?:[A-Za-z]+|<[\w+-]+>)[-+\d:]*(?:[A-Za-z]+|<[\w+-]+>)?[-+\d:]*(?:,[MJ\d.:/+-]+){0,2})?$/,
  colours: /^[\w*.+~=;:-]*$/,
  /** Nothing that a shell or make would expand. */
  plain: /^[\w./:,@%+= -]*$/,
  /** Who or what a commit names. */
  text: /^[^\0]*$/,
  /** Flags of compilers that optimise, warn, define a plain word or choose a standard; none that names a file or a plugin. */
  compiling: wordsOf(
    [
      String.raw`-O[0-3sgz]?|-Ofast|-g[0-3]?|-pipe|-pthread|-w|-pedantic|-ansi|-static|-W(?!l,|a,|p,)[a-z][a-z0-9+=-]*`,
      String.raw`-std=[a-z0-9+]+|-m(?:arch|tune|cpu)=[\w.+-]+|-m(?:32|64)`,
      String.raw`-f(?:PIC|pic|PIE|pie|wrapv|lto|sanitize=[a-z,-]+|(?:no-)?(?:strict-aliasing|omit-frame-pointer|exceptions|rtti|common))`,
      String.raw`-D\w+(?:=\w*)?|-U\w+`,
    ].join("|"),
  ),
} as const;

type GrammarName = keyof typeof GRAMMARS;

/** A row of `CommandSpec.reads`. */
export interface ReadsRow {
  readonly names: readonly string[];
  /** `words`: more words for the command line, which an allow rule for the program answers, as it answers options. */
  readonly what: RegExp | Kind | "words";
}

const readings = new Map<string, readonly ReadsRow[]>();

/** Reads the rows of `reads`; throws on what it does not understand. */
export function readReads(text: string): readonly ReadsRow[] {
  const known = readings.get(text);
  if (known !== undefined) return known;
  const rows = text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .map((line): ReadsRow => {
      const match = /^([\w* ]+)=(\S*)$/.exec(line);
      if (match === null) throw new Error(`the variables \`${line}\` are not understood`);
      const [, names = "", what = ""] = match;
      return { names: names.trim().split(/\s+/), what: readValue(what) };
    });
  readings.set(text, rows);
  return rows;
}

const readValue = (text: string): ReadsRow["what"] => (text === "words" ? text : (readGrammar(text) ?? readKind(text)));

/** A grammar by its name, `{a,b}` for exactly these values, `/PATTERN/`, or `words /PATTERN/` for words of that form. */
export function readGrammar(text: string): RegExp | undefined {
  const [, words, pattern] = /^(words )?\/(.*)\/$/.exec(text) ?? [];
  if (pattern !== undefined) return words === undefined ? new RegExp(pattern) : wordsOf(pattern);
  const values = /^\{(.*)\}$/.exec(text)?.[1];
  if (values !== undefined) return new RegExp(`^(?:${values.split(",").map(escape).join("|")})$`);
  return isGrammar(text) ? GRAMMARS[text] : undefined;
}

const escape = (text: string): string => text.replaceAll(/[.+*?^$(){}|[\]\\]/g, "\\$&");
const isGrammar = (text: string): text is GrammarName => Object.hasOwn(GRAMMARS, text);
