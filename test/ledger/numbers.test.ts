import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

/** What pydantic-ai-backend and codex' approvals do (Y, C) and where they fail (YW, CW): each number is in the title of a test. */

const TESTS = join(import.meta.dirname, "..");
/** Not below `node_modules`, which other tests fetch meanwhile. */
const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === "node_modules" ? [] : filesIn(path);
    return entry.name.endsWith(".test.ts") && entry.name !== "numbers.test.ts" ? [path] : [];
  });
const texts = ["ledger", "sdk", "policy", "patch"]
  .flatMap((folder) => filesIn(join(TESTS, folder)))
  .map((path) => readFileSync(path, "utf8").replaceAll(/^\s*(?:\/\/|\*|\/\*).*$/gm, ""));
const titles = texts.flatMap((text) => [...text.matchAll(/["`]([^"`\n]*\b[YC]W?\d+\b[^"`\n]*)["`]/g)].map(([, title = ""]) => title));

/** `C11 to C13` and `Y1, Y2` name each of them. */
const numbers = new Set(
  titles.flatMap((title) => [
    ...[...title.matchAll(/\b([YC]W?)(\d+) to \1(\d+)\b/g)].flatMap(([, kind = "", from, to]) =>
      Array.from({ length: Number(to) - Number(from) + 1 }, (_, at) => `${kind}${Number(from) + at}`),
    ),
    ...[...title.matchAll(/\b[YC]W?\d+\b/g)].map(([number]) => number),
  ]),
);

describe.each([
  ["Y", 18],
  ["YW", 10],
  ["C", 19],
  ["CW", 8],
])("%s", (kind, count) => {
  it("every number has a test that is named after it", () => {
    const missing = Array.from({ length: count }, (_, at) => `${kind}${at + 1}`).filter((number) => !numbers.has(number));
    expect(missing).toEqual([]);
  });
});
