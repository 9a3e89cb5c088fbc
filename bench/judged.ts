import { readFileSync } from "node:fs";

/** A line that interrupts, drawn by a seed, and what two who did not know of each other said of the question. */
export interface Judged {
  readonly command: string;
  readonly first: string;
  readonly second: string;
}

/** Rows of `line, first, second`: `right WHY` or `needless WHY`; empty: not judged yet. Breaks and tabs of a line are written `⏎` and `⇥`. */
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
  const isNeedless = (text: string): boolean => text.startsWith("needless");
  const both = all.filter(({ first, second }) => first !== "" && second !== "");
  const share = (part: number, whole: number): string =>
    whole === 0 ? "not yet" : `${part} of ${whole} (${((100 * part) / whole).toFixed(1)} %)`;
  const of = (column: "first" | "second"): string => {
    const given = all.filter((one) => one[column] !== "");
    return share(given.filter((one) => isNeedless(one[column])).length, given.length);
  };
  const agreed = both.filter(({ first, second }) => isNeedless(first) === isNeedless(second)).length;
  const rows = [
    ["the first", of("first")],
    ["the second", of("second")],
    ["both", share(both.filter(({ first, second }) => isNeedless(first) && isNeedless(second)).length, both.length)],
    ["the two say the same", share(agreed, both.length)],
  ];
  return [
    `Needless of ${all.length} lines that interrupt, sandboxed:`,
    "",
    "| said by | |",
    "|---|---|",
    ...rows.map(([a, b]) => `| ${a} | ${b} |`),
  ].join("\n");
}
