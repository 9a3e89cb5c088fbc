import { shellWord } from "@assent/core/data";

/** `NAME=value` in front of a command gives it a variable, as it was typed. */
const ASSIGNMENT = /^([A-Za-z_][A-Za-z0-9_]*=)([^]*)$/;

/**
 * The command line that operands mean: one word is a line as it was typed, several are the words of one command, which the
 * shell has already read. Undefined without words; `wrong` where options stand behind a whole line, and would become its words.
 */
export function lineOfWords(words: readonly string[]): { readonly line: string } | { readonly wrong: string } | undefined {
  const [first, ...rest] = words;
  if (first === undefined) return undefined;
  if (rest.length === 0) return { line: first };
  if (/\s/.test(first) && !ASSIGNMENT.test(first))
    return { wrong: "options stand before the command, and a command line is one word or all its words" };
  const program = words.findIndex((word) => !ASSIGNMENT.test(word));
  return { line: words.map((word, at) => (at < program ? assignment(word) : shellWord(word))).join(" ") };
}

function assignment(word: string): string {
  const [, name = "", value = ""] = ASSIGNMENT.exec(word) ?? [];
  return `${name}${value === "" ? "" : shellWord(value)}`;
}
