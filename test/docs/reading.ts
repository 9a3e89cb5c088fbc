/** What a person reads of a page as sentences: no headings, code blocks, tables, comments; inline code counts as one word. */
export function prose(markdown: string): string {
  return markdown
    .replaceAll(/<!--[\s\S]*?-->/g, "")
    .replaceAll(/^( *)(```+)[\s\S]*?^\1\2$/gm, "")
    .split("\n")
    .filter((line) => !/^\s*(?:\||#|!\[)/.test(line))
    .map((line) => line.replace(/^\s*(?:[-*]|\d+\.) /, ""))
    .join("\n")
    .replaceAll(/`[^`]*`/g, "x")
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/[*_]{1,2}/g, "")
    .replaceAll(/\s+/g, " ")
    .trim();
}

const sentencesOf = (text: string): readonly string[] => text.split(/[.!?:;](?=\s|$)| · /).filter((sentence) => /\w/.test(sentence));
const wordsOf = (text: string): readonly string[] => text.match(/[\p{L}\d][\p{L}\d'’-]*/gu) ?? [];

/** By groups of vowels, a silent e at the end left out. */
function syllablesOf(word: string): number {
  const groups = word
    .toLowerCase()
    .replace(/(?:[^laeiouy]es|[^td]ed|[^laeiouy]e)$/, "")
    .match(/[aeiouy]+/g);
  return Math.max(1, groups?.length ?? 1);
}

/** The grade of school that a text asks for (Flesch and Kincaid, 1975). */
export function gradeOf(text: string): number {
  const words = wordsOf(text);
  const sentences = Math.max(1, sentencesOf(text).length);
  const syllables = words.reduce((sum, word) => sum + syllablesOf(word), 0);
  return 0.39 * (words.length / sentences) + 11.8 * (syllables / Math.max(1, words.length)) - 15.59;
}

const withoutBlocks = (markdown: string): string => markdown.replaceAll(/^( *)(```+)[\s\S]*?^\1\2$/gm, "").replaceAll(/`[^`\n]*`/g, "");

export const linksOf = (markdown: string): readonly string[] =>
  [...withoutBlocks(markdown).matchAll(/\]\(([^()\s]+(?:\([^()]*\))?)\)/g)].map(([, link = ""]) => link);

/** The names of a page's headings, as GitHub and the site make them. */
export function anchorsOf(markdown: string): readonly string[] {
  const seen = new Map<string, number>();
  return [...markdown.replaceAll(/^( *)(```+)[\s\S]*?^\1\2$/gm, "").matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = ""]) => {
    const name = heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replaceAll(" ", "-");
    const times = seen.get(name) ?? 0;
    seen.set(name, times + 1);
    return times === 0 ? name : `${name}-${times}`;
  });
}
