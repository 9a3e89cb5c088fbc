import { describe, expect, it } from "vitest";
// @ts-expect-error -- a plain script
import * as rule from "../../scripts/imports.mjs";

const { importProblems, allProblems } = rule as {
  importProblems: (path: string, text: string) => { message: string }[];
  allProblems: (root: string) => unknown[];
};

/** [file, text, what is wrong with it] */
const ROWS: [file: string, text: string, problem: RegExp | undefined][] = [
  ["engine/a.ts", 'import { x } from "../policy/index.ts";', undefined],
  ["engine/a.ts", 'import { x } from "./b.ts";', undefined],
  ["policy/a.ts", 'import { x } from "../engine/index.ts";', /imports point the other way/],
  ["policy/a.ts", 'import type { X } from "../shell/index.ts";', /imports point the other way/],
  ["policy/a.ts", 'export * from "../cli/index.ts";', /imports point the other way/],
  ["policy/a.ts", 'const x = await import("../cli/index.ts");', /imports point the other way/],
  ["engine/a.ts", 'import { x } from "../policy/judge.ts";', /through an index\.ts/],
  ["engine/a.ts", 'import { x } from "../policy/read/index.ts";', undefined],
  ["agents/a.ts", 'import { x } from "../sdk/index.ts";', /imports point the other way/],
  ["sdk/a.ts", 'import { x } from "../agents/claude/index.ts";', undefined],
  ["supervise/a.ts", 'import { x } from "../agents/index.ts";', /imports point the other way/],
  ["action/a.ts", 'import { x } from "../policy/index.ts";', /imports point the other way/],
  ["shell/a.ts", 'import { x } from "node:fs";', /is pure/],
  ["shell/knowledge/a.ts", 'import x from "node:path";', /is pure/],
  ["policy/a.ts", "const now = Date.now();", /is pure/],
  ["policy/a.ts", "const home = process.env.HOME;", /is pure/],
  ["policy/a.ts", "// Date.now() is not called\nconst x = 1;", undefined],
  ["state/a.ts", 'import { x } from "node:fs";', undefined],
  ["shell/a.ts", 'import { parse } from "unbash";', undefined],
  ["engine/a.ts", 'import x from "../../scripts/imports.mjs";', /leaves src/],
  ["drawer/a.ts", "", /not in docs/],
  ["a.ts", "", /belongs to a folder/],
];

describe("import directions", () => {
  it.each(ROWS)("%s: %s", (file, text, problem) => {
    const found = importProblems(file, text).map(({ message }) => message);
    if (problem === undefined) expect(found).toEqual([]);
    else expect(found.join("\n")).toMatch(problem);
  });

  it("hold in src", () => expect(allProblems("src")).toEqual([]));
});
