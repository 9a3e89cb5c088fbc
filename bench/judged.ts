import { readFileSync } from "node:fs";

/** A line that interrupts, drawn by a seed, and what two who did not know of each other said of the question. */
export interface Judged {
  readonly command: string;
  readonly first: string;
  readonly second: string;
}

/** Rows of `line, first, second`: `right WHY`, `once WHY` (right the first time: a consent could answer the next) or `needless WHY`; empty: not judged yet. Breaks and tabs of a line are written `⏎` and `⇥`. */
export function readJudged(file: string): readonly Judged[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .slice(1)
    .filter(Boolean)
    .map((row): Judged => {
      const [command = "", first = "", second = ""] = row.split("\t");
      return { command, first, second };
    });
}

/** How many were needless, said by each and by both, in Markdown. */
export function judgedTable(all: readonly Judged[]): string {
  const says = (word: string, text: string): boolean => text.startsWith(word);
  const both = all.filter(({ first, second }) => first !== "" && second !== "");
  const share = (part: number, whole: number): string =>
    whole === 0 ? "not yet" : `${part} of ${whole} (${((100 * part) / whole).toFixed(1)} %)`;
  const of = (column: "first" | "second", word: string): string => {
    const given = all.filter((one) => one[column] !== "");
    return share(given.filter((one) => says(word, one[column])).length, given.length);
  };
  const ofBoth = (word: string): string =>
    share(both.filter(({ first, second }) => says(word, first) && says(word, second)).length, both.length);
  const agreed = both.filter(({ first, second }) => first.split(" ")[0] === second.split(" ")[0]).length;
  const rows = [
    ["the first", of("first", "needless"), of("first", "once")],
    ["the second", of("second", "needless"), of("second", "once")],
    ["both", ofBoth("needless"), ofBoth("once")],
    ["the two say the same", share(agreed, both.length), ""],
  ];
  return [
    `Of ${all.length} lines that interrupt, sandboxed, by two readers who did not know of each other (right once: a yes of the first time could answer the next):`,
    "",
    "| said by | needless | right once |",
    "|---|---|---|",
    ...rows.map((row) => `| ${row.join(" | ")} |`),
  ].join("\n");
}
