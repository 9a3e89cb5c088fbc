import { describe, expect, it } from "vitest";
// @ts-expect-error -- a plain script
import * as rule from "../../scripts/imports.mjs";

type Problems = { message: string }[];

const { arrowProblems, entranceProblems, importProblems, lineProblems, nameProblems, circleProblems, allProblems } = rule as {
  arrowProblems: (files: ReadonlyMap<string, string>) => Problems;
  entranceProblems: (files: ReadonlyMap<string, string>, published: ReadonlySet<string>) => Problems;
  importProblems: (path: string, text: string) => Problems;
  lineProblems: (path: string, text: string) => Problems;
  nameProblems: (files: ReadonlyMap<string, string>) => Problems;
  circleProblems: (files: ReadonlyMap<string, string>, architecture: string) => Problems;
  allProblems: (root: string) => unknown[];
};

/** [file, text, what is wrong with it] */
const ROWS: [file: string, text: string, problem: RegExp | undefined][] = [
  ["engine/a.ts", 'import { x } from "@assent/core/policy";', undefined],
  ["engine/a.ts", 'import { x } from "../state/index.ts";', undefined],
  ["engine/a.ts", 'import { x } from "../policy/index.ts";', /import `@assent\/core\/policy`/],
  ["engine/a.ts", 'const x = await import("../shell/index.ts");', /import `@assent\/core\/shell`/],
  ["engine/a.ts", 'import { x } from "@assent/core/nothing";', /leaves the source/],
  ["engine/a.ts", 'import { x } from "@assent/core/state";', /same package/],
  ["engine/a.ts", 'import { x } from "@assent/guard/policy";', /import `@assent\/core\/policy`/],
  ["engine/a.ts", 'import { x } from "../../packages/core/src/policy/index.ts";', /leaves the source/],
  ["policy/a.ts", 'import { x } from "../action/index.ts";', undefined],
  ["policy/a.ts", 'import { x } from "@assent/core/action";', /same package/],
  ["policy/a.ts", 'import { x } from "@assent/core/shell";', /imports point the other way/],
  ["policy/a.ts", 'import type { X } from "../signature/index.ts";', /`core` may not import `guard`/],
  ["policy/a.ts", 'import type { X } from "@assent/guard/signature";', /`core` may not import `guard`/],
  ["policy/a.ts", 'import type { X } from "../../../../src/signature/index.ts";', /leaves the source|may not import `guard`/],
  ["engine/a.ts", 'import { x } from "./b.ts";', undefined],
  ["policy/a.ts", 'import { x } from "../engine/index.ts";', /imports point the other way/],
  ["policy/a.ts", 'import type { X } from "../shell/index.ts";', /imports point the other way/],
  ["policy/a.ts", 'export * from "../cli/index.ts";', /imports point the other way/],
  ["policy/a.ts", 'const x = await import("../cli/index.ts");', /imports point the other way/],
  ["engine/a.ts", 'import { x } from "../state/grants.ts";', /through an index\.ts/],
  ["engine/a.ts", 'import { x } from "@assent/core/policy/read";', undefined],
  ["agents/a.ts", 'import { x } from "../sdk/index.ts";', /imports point the other way/],
  ["sdk/a.ts", 'import { x } from "@assent/hosts/agents/claude";', undefined],
  ["sdk/a.ts", 'import { x } from "../agents/claude/index.ts";', /import `@assent\/hosts\/agents\/claude`/],
  ["page/a.ts", 'import { x } from "@assent/library/sdk";', /`page` may not import `library`/],
  ["supervise/a.ts", 'import { x } from "../agents/index.ts";', /imports point the other way/],
  ["action/a.ts", 'import { x } from "../policy/index.ts";', /imports point the other way/],
  ["shell/a.ts", 'import { x } from "node:fs";', /is pure/],
  ["shell/knowledge/a.ts", 'import x from "node:path";', /is pure/],
  ["policy/a.ts", "const now = Date.now();", /is pure/],
  ["policy/a.ts", "const home = process.env.HOME;", /is pure/],
  ["policy/a.ts", "// Date.now() is not called\nconst x = 1;", undefined],
  ["state/a.ts", 'import { x } from "node:fs";', undefined],
  ["shell/a.ts", 'import { parse } from "unbash";', undefined],
  ["engine/a.ts", 'import x from "../../scripts/imports.mjs";', /leaves the source/],
  ["drawer/a.ts", "", /not in docs/],
  ["a.ts", "", /belongs to a folder/],
];

/** [what it is about, files, what docs/architecture.md says, what is wrong] */
const CIRCLES: [what: string, files: Record<string, string>, told: string, problem: RegExp | undefined][] = [
  ["a line", { "state/a.ts": 'import { b } from "./b.ts";', "state/b.ts": "export const b = 1;" }, "", undefined],
  ["values", { "state/a.ts": 'import { b } from "./b.ts";', "state/b.ts": 'export * from "./a.ts";' }, "", /import one another/],
  [
    "values that are told",
    { "state/a.ts": 'import { b } from "./b.ts";', "state/b.ts": 'import { a } from "./a.ts";' },
    "- `state/`",
    /a\.ts/,
  ],
  [
    "the interpreter",
    { "shell/words/a.ts": 'import { b } from "../programs/b.ts";', "shell/programs/b.ts": 'import { a } from "../words/a.ts";' },
    "",
    undefined,
  ],
  ["types", { "state/a.ts": 'import type { B } from "./b.ts";', "state/b.ts": 'import { type A } from "./a.ts";' }, "", /types/],
  [
    "types that are told",
    { "state/a.ts": 'import type { B } from "./b.ts";', "state/b.ts": 'import { type A } from "./a.ts";' },
    "- `state/`",
    undefined,
  ],
];

const TWO = 'export { a } from "./a.ts";\nexport { b } from "./b.ts";';
/** [what it is about, files, what is wrong]; `sdk/index.ts` is published. */
const ENTRANCES: [what: string, files: Record<string, string>, problem: RegExp | undefined][] = [
  ["for another package", { "state/index.ts": TWO, "cli/c.ts": 'import { a } from "@assent/guard/state";' }, undefined],
  ["for another folder", { "state/index.ts": TWO, "audit/c.ts": 'import { a } from "../state/index.ts";' }, undefined],
  ["loaded when it is needed", { "state/index.ts": TWO, "audit/c.ts": 'const { a } = await import("../state/index.ts");' }, undefined],
  ["published", { "sdk/index.ts": TWO }, undefined],
  ["for those inside alone", { "state/d/index.ts": TWO, "state/c.ts": 'import { a } from "./d/index.ts";' }, /nobody outside/],
  ["not an index", { "state/names.ts": TWO, "state/c.ts": 'import { a } from "./names.ts";' }, /nobody outside/],
  ["of one file", { "state/index.ts": 'export * from "./a.ts";', "audit/c.ts": 'import { a } from "../state/index.ts";' }, /be that file/],
  ["of one file, published", { "sdk/index.ts": '// Why.\nexport type {\n  A,\n} from "./a.ts";\n' }, /be that file/],
  ["more than names of others", { "state/index.ts": 'export { a } from "./a.ts";\nexport const b = 1;' }, undefined],
  [
    "asked by one beside it",
    {
      "state/index.ts": TWO,
      "cli/c.ts": 'import { a } from "@assent/guard/state";',
      "state/c.ts": 'import { type a as x } from "./index.ts";',
    },
    /`state\/index.ts` hands on `type a as x`/,
  ],
  [
    "asked by one below it for what it declares",
    { "state/index.ts": `${TWO}\nexport const c = 1;`, "state/d/c.ts": 'import { c } from "../index.ts";' },
    undefined,
  ],
];

describe("structure", () => {
  it.each(ENTRANCES)("an entrance: %s", (_, files, problem) => {
    const found = entranceProblems(new Map(Object.entries(files)), new Set(["sdk/index.ts"])).map(({ message }) => message);
    if (problem === undefined) expect(found).toEqual([]);
    else expect(found.join("\n")).toMatch(problem);
  });

  it.each(CIRCLES)("circles: %s", (_, files, told, problem) => {
    const found = circleProblems(new Map(Object.entries(files)), told).map(({ message }) => message);
    if (problem === undefined) expect(found).toEqual([]);
    else expect(found.join("\n")).toMatch(problem);
  });

  it("two folders inside one import one way", () => {
    const files = (back: string): ReadonlyMap<string, string> =>
      new Map([
        ["policy/a.ts", 'import { b } from "./match/b.ts";\nimport { c } from "./match/c.ts";'],
        ["policy/match/b.ts", back],
        ["policy/match/c.ts", ""],
      ]);
    expect(arrowProblems(files(""))).toEqual([]);
    expect(arrowProblems(files('import type { A } from "../a.ts";'))).toMatchObject([{ path: "policy/match/b.ts" }]);
  });

  it("finds a type that is exported twice, and a line that is too long", () => {
    const files = { "state/a.ts": "export interface Twice {}", "audit/a.ts": "export type Twice = 1;", "audit/b.ts": "type Twice = 1;" };
    expect(nameProblems(new Map(Object.entries(files)))).toMatchObject([{ path: "audit/a.ts" }]);
    expect(lineProblems("state/a.ts", `${"x".repeat(160)}\n${"x".repeat(161)}`)).toMatchObject([{ line: 2 }]);
  });
});

describe("import directions", () => {
  it.each(ROWS)("%s: %s", (file, text, problem) => {
    const found = importProblems(file, text).map(({ message }) => message);
    if (problem === undefined) expect(found).toEqual([]);
    else expect(found.join("\n")).toMatch(problem);
  });

  it("hold in the source", () => expect(allProblems(".")).toEqual([]));
});
