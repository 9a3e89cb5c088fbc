import { FORBIDDEN } from "./forbidden.ts";

/** What a text does wrong, as a reader would say it. */
export interface Fault {
  readonly text: string;
  readonly fault: string;
}

export const LONGEST_SENTENCE = 30;

/** Quoted commands, rules, paths, ids and links are not prose. */
export function proseOf(text: string): string {
  return text
    .replace(/```[\s\S]*?```/g, " ")
    .replace(/^ {4}(?:\$ |\{").*$/gm, " ")
    .replace(/\[[a-z]+(?:[.-][a-z-]+)*\]/g, "X")
    .replace(/(?<=^|[\s(])'[^'\n]+'(?=[\s).,:;]|$)/gm, "X")
    .replace(/`[^`\n]*`/g, "X")
    .replace(/\]\([^)\n]*\)/g, "]")
    .replace(/https?:\/\/\S+/g, "X")
    .replace(/(?:~|\.{1,2})?\/[^\s,;:()'"]+/g, "X");
}

const sentencesOf = (prose: string): readonly string[] =>
  prose.split(/(?<=[.!?:;])\s+|\n\s*\n|\s[–—]\s/).filter((part) => part.trim() !== "");

const wordsOf = (sentence: string): number => sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

/** Every forbidden word, and every sentence that is too long. */
export function faultsOf(text: string): readonly Fault[] {
  const prose = proseOf(text);
  return [
    ...FORBIDDEN.flatMap(({ word, instead }) => {
      const found = word.exec(prose);
      return found === null ? [] : [{ text, fault: `"${found[0]}" is a word of the code; say: ${instead}` }];
    }),
    ...sentencesOf(prose)
      .filter((sentence) => wordsOf(sentence) > LONGEST_SENTENCE)
      .map((sentence) => ({ text, fault: `a sentence of ${wordsOf(sentence)} words: ${sentence.trim()}` })),
  ];
}
