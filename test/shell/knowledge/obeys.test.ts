import { describe, expect, it } from "vitest";
import { allEntries, entriesBelow, type KnowledgeEntry } from "../../../packages/core/src/shell/knowledge/entries.ts";
import { readObeys } from "../../../packages/core/src/shell/knowledge/read-spec.ts";

// A file of the project is an attacker's: no pattern of `obeys` may take long over any text.

const rowsOf = (entry: KnowledgeEntry): readonly string[] => [
  ...(entry.obeys?.split("\n") ?? []),
  ...entriesBelow(entry).flatMap((below) => rowsOf(below.entry)),
];
const ROWS = [...new Set(allEntries().flatMap(rowsOf))].filter((row) => / (?:if|unless) \//.test(row));

/** What makes a pattern that can read a text in several ways try them all: pieces of what it looks for, many times, and an end that fails. */
function hostileTexts(row: string): readonly string[] {
  const words = [...new Set(row.match(/[A-Za-z][\w-]{2,}/g) ?? [])].slice(0, 12);
  const ends = ["", "!", "\n!"];
  const short = ["a", "a.", "a/", "./", "../", " ", "\n", "\t\n", '"', "{", ", ", "[", "- "];
  const between = words.flatMap((word) => [" ", "a", "a.a", "a/", "./"].map((text) => `${word}": "${text.repeat(40)}`));
  const pairs = words.flatMap((word) => [`${word}:a`, `${word}: a, `, `${word} = `, `"${word}": "a" `].map((text) => text.repeat(40)));
  const long = [...short.map((text) => text.repeat(4000)), ...words.map((word) => word.repeat(800))];
  return [...long, ...between, ...pairs].flatMap((text) => ends.map((end) => text + end));
}

describe("patterns of `obeys` over a hostile text", () => {
  it.each(ROWS)("%s", (row) => {
    const started = process.cpuUsage();
    for (const { says } of readObeys(row)) for (const text of hostileTexts(row)) says?.(text);
    const { user } = process.cpuUsage(started);
    expect(user / 1e6).toBeLessThan(3);
  });
});
