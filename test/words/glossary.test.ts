import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { faultsOf } from "./prose.ts";

const page = readFileSync(join(import.meta.dirname, "../../docs/glossary.md"), "utf8");
const rows = page.split("\n").flatMap((line) => {
  const [, word, meaning] = /^\| \*\*(.+?)\*\* \| (.+) \|$/.exec(line) ?? [];
  return word === undefined || meaning === undefined ? [] : [{ word, meaning }];
});

describe("the glossary", () => {
  it("has at most twelve words", () => {
    expect(rows.length).toBeGreaterThan(5);
    expect(rows.length).toBeLessThanOrEqual(12);
  });

  it.each(rows)("$word: one or two plain sentences", ({ meaning }) => {
    expect(faultsOf(meaning)).toEqual([]);
    expect(meaning.replace(/`[^`]*`/g, "X").split(/(?<=[.:])\s/).length).toBeLessThanOrEqual(3);
    expect(meaning).toMatch(/\.$/);
  });
});

describe("what is held against a text", () => {
  it.each([
    ["delete recursively /root: the policy would go with it", 1],
    ["2 files, 14 rules: nothing to say", 1],
    ["wants to listen on port 3111", 1],
    ["there is no folder `x`", 1],
    ["`floor.self` in /home/me/upkeep", 0],
    ["the folder does not exist", 0],
    [`${"word ".repeat(31)}.`, 1],
    [`${"word ".repeat(30)}.`, 0],
  ])("%s", (text, faults) => {
    expect(faultsOf(text)).toHaveLength(faults);
  });
});
