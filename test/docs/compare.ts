/** What is another at each run: run ids, times, numbers of processes, how long something took. */
const CHANGING: readonly (readonly [pattern: RegExp, is: string])[] = [
  [/\b\d{8}-\d{6}-[0-9a-f]{6}\b/g, "RUN"],
  [/\b\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?: UTC|Z)?/g, "TIME"],
  [/\b\d{4}-\d\d-\d\d\b/g, "DAY"],
  [/\(\d+ ←/g, "(PID ←"],
  [/\b\d+(?:\.\d+)? ?(?:ms|s)\b/g, "TOOK"],
  [/\s+$/g, ""],
];

const settled = (line: string): string => CHANGING.reduce((text, [pattern, is]) => text.replaceAll(pattern, is), line);

/** `…` within a line leaves out what is there. */
function isLine(said: string, printed: string): boolean {
  const [first = "", ...rest] = settled(said).split("…");
  const text = settled(printed);
  if (rest.length === 0) return first === text;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const [index, part] of rest.entries()) {
    const found = index === rest.length - 1 ? (text.endsWith(part) ? text.length - part.length : -1) : text.indexOf(part, at);
    if (found < at) return false;
    at = found + part.length;
  }
  return true;
}

/** Whether what is said to be printed is; a line `...` leaves out any number of lines. `written`: how it would be true. */
export function compare(
  said: readonly string[],
  printed: readonly string[],
): { readonly same: boolean; readonly written: readonly string[] } {
  const trimmed = said.at(-1) === "" ? said.slice(0, -1) : said;
  if (fits(trimmed, printed)) return { same: true, written: said };
  return { same: false, written: rewrite(said, printed) };
}

function fits(said: readonly string[], printed: readonly string[]): boolean {
  const [line, ...rest] = said;
  if (line === undefined) return printed.length === 0;
  if (line.trim() === "...")
    return Array.from({ length: printed.length + 1 }, (_, skip) => skip).some((skip) => fits(rest, printed.slice(skip)));
  const [first, ...others] = printed;
  return first !== undefined && isLine(line, first) && fits(rest, others);
}

/** What is printed, with the omissions of what was said: for each line the one printed that is most like it. */
function rewrite(said: readonly string[], printed: readonly string[]): readonly string[] {
  if (!said.some((line) => line.trim() === "...")) return printed;
  const written: string[] = [];
  let at = 0;
  for (const line of said) {
    if (line.trim() === "...") {
      written.push(line);
      continue;
    }
    const likes = printed.map((other, index) => (index < at ? -1 : isLine(line, other) ? 2 : likeness(line, other)));
    const best = likes.indexOf(Math.max(...likes));
    if (best < at) continue;
    const found = printed[best] ?? "";
    written.push(isLine(line, found) ? line : found);
    at = best + 1;
  }
  return written;
}

function likeness(one: string, other: string): number {
  const words = (line: string): Set<string> => new Set(line.split(/\W+/).filter((word) => word !== ""));
  const [a, b] = [words(one), words(other)];
  const both = [...a].filter((word) => b.has(word)).length;
  return both / Math.max(1, a.size + b.size - both);
}
