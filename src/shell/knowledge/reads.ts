import { GRAMMARS, type GrammarName } from "./environment.ts";
import { readKind, type Kind } from "./read-spec.ts";

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

function readValue(text: string): ReadsRow["what"] {
  if (text === "words") return text;
  const values = /^\{(.*)\}$/.exec(text)?.[1];
  if (values !== undefined) return new RegExp(`^(?:${values.split(",").map(escape).join("|")})$`);
  return isGrammar(text) ? GRAMMARS[text] : readKind(text);
}

const escape = (text: string): string => text.replaceAll(/[.+*?^$(){}|[\]\\]/g, "\\$&");
const isGrammar = (text: string): text is GrammarName => Object.hasOwn(GRAMMARS, text);
