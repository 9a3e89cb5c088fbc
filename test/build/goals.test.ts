import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type GoalReport, measuredGoal, ratios, tableOf, writeTable } from "../../bench/goals/report.ts";
import type { GoalRow } from "../../bench/goals/rows.ts";
import { scratch } from "../scratch.ts";

/** What `npm run bench` makes of what it measured. */

const row: Omit<GoalRow, "bare"> = {
  id: "a.b",
  area: "a",
  what: "a thing | of two",
  unit: "x",
  goal: 1.5,
  how: "npm run a",
  times: 1,
  own: () => 0,
};
const bare = (): number => 0;
const report = (rows: GoalReport["rows"]): GoalReport => ({
  date: "2026-11-26",
  commit: "abc1234",
  rounds: 3,
  machine: { node: "v20", linux: "6", processors: 2, load: ["load 0", "load 1"] },
  rows,
});

describe("a goal", () => {
  it.each<readonly [string, number[], number[] | undefined, figure: number, reached: boolean]>([
    ["is a multiple of the medians where there is a bare side", [30, 10, 12], [10, 10, 10], 1.2, true],
    ["is missed above it", [30, 16, 12], [10, 10, 10], 1.6, false],
    ["is reached at just that", [15], [10], 1.5, true],
    ["is the median alone where there is none", [1, 9, 1.4], undefined, 1.4, true],
  ])("%s", (_, own, alone, figure, reached) => {
    const found = measuredGoal(alone === undefined ? row : { ...row, bare }, { own, bare: alone ?? [] });
    expect(found).toMatchObject({ figure, reached });
  });

  it("that could not be measured is not reached", () => {
    expect(measuredGoal(row, { own: [], bare: [] })).toMatchObject({ reached: false, failed: "it was not measured" });
    expect(measuredGoal(row, { own: [1], bare: [] }, "no git")).toMatchObject({ reached: false, failed: "no git" });
  });

  it("is compared pair by pair", () => {
    expect(ratios([10, 40, 90], [10, 20, 30])).toEqual({ median: 2, p10: 1, p90: 3 });
  });
});

describe("the table", () => {
  const rows = [
    measuredGoal({ ...row, bare }, { own: [12], bare: [10] }),
    measuredGoal({ ...row, unit: "ms" }, { own: [250], bare: [] }),
    measuredGoal(row, { own: [], bare: [] }),
  ];

  it("says of each row what was measured and whether that is enough", () => {
    const text = tableOf(report(rows));
    expect(text).toMatch(/^1 of 3 goals are reached\. Measured on 2026-11-26 at abc1234/);
    expect(text.split("\n").slice(4)).toEqual([
      "| a thing \\| of two | ≤ 1.50 × | 1.20 × (1.20 to 1.20) | reached | `npm run a` |",
      "| a thing \\| of two | ≤ 1.50 ms | 250 ms (250 to 250) | **missed** | `npm run a` |",
      "| a thing \\| of two | ≤ 1.50 × | not measured | **no figure** | `npm run a` |",
    ]);
  });

  it("is written in the place of the last one, and nowhere else", () => {
    const place = scratch();
    const file = join(place.root, "page.md");
    writeFileSync(file, "before\n<!-- goals: npm run bench:goals -->\n\nold\n\n<!-- /goals -->\nafter\n");
    for (const round of [1, 2]) {
      writeTable(file, report(rows));
      expect(readFileSync(file, "utf8"), String(round)).toBe(
        `before\n<!-- goals: npm run bench:goals -->\n\n${tableOf(report(rows))}\n\n<!-- /goals -->\nafter\n`,
      );
    }
    writeFileSync(file, "nothing");
    expect(() => writeTable(file, report(rows))).toThrow(/no place/);
  });

  it("has its place in the documentation", () => {
    expect(readFileSync(join(import.meta.dirname, "../../evidence/performance.md"), "utf8")).toMatch(
      /<!-- goals: npm run bench:goals -->[^]*<!-- \/goals -->/,
    );
  });
});
