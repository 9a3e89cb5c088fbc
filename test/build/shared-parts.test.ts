import { readdirSync, readFileSync, writeFileSync, mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { build, type BuildOptions, type Plugin } from "esbuild";
import { describe, expect, it } from "vitest";
import { partsOf } from "../../packages/assent/src/cli/load-part.ts";
import { DIST, scratch } from "../scratch.ts";
import { PART_TEXTS } from "./part-texts.ts";

interface Sharing {
  readonly shareModules: (
    parts: Readonly<Record<string, BuildOptions>>,
    takes: Readonly<Record<string, readonly string[]>>,
    halves?: Readonly<Record<string, RegExp>>,
  ) => Promise<Readonly<Record<string, BuildOptions>>>;
}
// @ts-expect-error -- a plain script
const { shareModules } = (await import("../../scripts/shared-parts.mjs")) as Sharing;

describe("parts that take modules from others", () => {
  const taken = [...PART_TEXTS].flatMap(([taker, text]) =>
    [...text.matchAll(/\[([\w$,]+)\]=require\("(\.\/[\w.-]+\.cjs)"\)\.shared\((\d+)\)/g)].map(([, names = "", giver = "", which]) => ({
      taker,
      names: names.split(","),
      giver,
      which: Number(which),
    })),
  );

  it("have whatever they take", () => {
    const { load } = partsOf(DIST, createRequire(join(DIST, "bin.cjs")), false);
    for (const taker of [
      "more.judge",
      "more.reader",
      "start.confiner",
      "more.session",
      "more.held-question",
      "run.more",
      "run.spare",
      "run.listen",
      "apply",
    ])
      expect([taker, taken.filter((one) => one.taker === taker).length > 0]).toEqual([taker, true]);
    const missing = taken.filter(({ names, giver, which }) => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- made by scripts/shared-parts.mjs
      const { shared } = load(giver) as { shared: (which: number) => readonly unknown[] };
      return names.some((name, at) => name !== "" && shared(which)[at] === undefined);
    });
    expect(missing).toEqual([]);
  });

  it("take nothing that makes a start slower: the hook, a tried run and what every command is started by take from nobody, a run what both have", () => {
    const takers = new Set(taken.map(({ taker }) => taker));
    const starts = [...PART_TEXTS.keys()].filter((name) => name.startsWith("start.") && name !== "start.confiner");
    for (const part of ["hook", "shell", "try", ...starts]) expect([part, takers.has(part)]).toEqual([part, false]);
    expect([...new Set(taken.filter(({ taker }) => taker === "run").map(({ giver }) => giver))]).toEqual(["./try.cjs"]);
    // Nobody but who is a run, or is loaded by one, loads all of `assent run`.
    expect([...new Set(taken.filter(({ giver }) => giver === "./run.cjs").map(({ taker }) => taker))].toSorted()).toEqual([
      "run.listen",
      "run.more",
      "run.spare",
    ]);
  });

  it("and whoever asks a part for a function finds it there, commands and the library, too", () => {
    const { load } = partsOf(DIST, createRequire(join(DIST, "bin.cjs")), false);
    const asked = ["", "chunks/"]
      .flatMap((folder) => readdirSync(join(DIST, folder)).map((file) => folder + file))
      .filter((file) => /\.[cm]js$/.test(file))
      .flatMap((file) =>
        [...readFileSync(join(DIST, file), "latin1").matchAll(/\("(\.\/[\w.-]+\.cjs)"\)\.(\w+)/g)].map(([, part = "", name = ""]) => ({
          file,
          part,
          name,
        })),
      );
    for (const name of ["superviseRun", "killTree", "rulesForRefused", "lowerShell"])
      expect([name, asked.some((one) => one.name === name)]).toEqual([name, true]);
    const missing = asked.filter(({ part, name }) => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a part of ours
      const exports = load(part) as Readonly<Record<string, unknown>>;
      return exports[name] === undefined;
    });
    expect(missing).toEqual([]);
  });

  it("each can be the first that is loaded", () => {
    expect(PART_TEXTS.size).toBeGreaterThan(40);
    for (const part of PART_TEXTS.keys()) {
      const { load } = partsOf(DIST, createRequire(join(DIST, "bin.cjs")), false);
      expect([part, typeof load(`./${part}.cjs`)]).toEqual([part, "object"]);
    }
  });
});

const SOURCE = "packages/some/src/some";

describe("taking modules", () => {
  const FILES = {
    "count.ts": "let seen = 0; export const count = () => (seen += 1); export const unused = () => 'only the taker';",
    "machine.ts": "export const machine = () => 'a machine';",
    "asks.ts": "import { machine } from './machine.ts'; export const asks = () => machine();",
    "half.ts": "export const lesser = () => 1; export const greater = () => 2;",
    "giver.ts":
      "import { count } from './count.ts'; import { asks } from './asks.ts'; import { lesser } from './half.ts'; export const give = () => [count(), asks(), lesser()];",
    "taker.ts":
      "import { count } from './count.ts'; import { asks } from './asks.ts'; import { greater } from './half.ts'; export const take = () => [count(), asks(), greater()];",
    "middle.ts": "import { count } from './count.ts'; export const middle = () => count();",
    "last.ts": "import { count } from './count.ts'; import { middle } from './middle.ts'; export const last = () => [count(), middle()];",
  };

  const otherMachine: Plugin = {
    name: "other-machine",
    setup(bundle) {
      bundle.onLoad({ filter: /machine\.ts$/ }, () => ({ contents: "export const machine = () => 'another machine';", loader: "js" }));
    },
  };

  async function made(
    parts: Readonly<Record<string, BuildOptions>>,
    takes: Readonly<Record<string, readonly string[]>>,
    halves?: Readonly<Record<string, RegExp>>,
  ): Promise<{
    readonly folder: string;
    readonly load: (part: string) => Readonly<Record<string, () => unknown>>;
    readonly text: (part: string) => string;
  }> {
    const { root } = scratch();
    mkdirSync(join(root, SOURCE), { recursive: true });
    for (const [name, text] of Object.entries(FILES)) writeFileSync(join(root, SOURCE, name), text);
    const options = Object.fromEntries(
      Object.entries(parts).map(([name, more]) => [
        name,
        {
          absWorkingDir: root,
          bundle: true,
          format: "cjs",
          minify: true,
          metafile: true,
          external: ["./*.cjs"],
          entryPoints: [join(root, SOURCE, `${name}.ts`)],
          outfile: join(root, `${name}.cjs`),
          ...more,
        } satisfies BuildOptions,
      ]),
    );
    for (const one of Object.values(await shareModules(options, takes, halves))) await build(one);
    const require = createRequire(join(root, "x"));
    return {
      folder: root,
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- built above
      load: (part) => require(`./${part}.cjs`) as Readonly<Record<string, () => unknown>>,
      text: (part) => readFileSync(join(root, `${part}.cjs`), "utf8"),
    };
  }

  it("what is the same is there once, with what it remembers", async () => {
    const { load, text } = await made({ giver: {}, taker: {} }, { taker: ["giver"] });
    expect(load("giver")["give"]?.()).toEqual([1, "a machine", 1]);
    expect(load("taker")["take"]?.()).toEqual([2, "a machine", 2]);
    expect(text("taker")).not.toContain("a machine");
    // What nobody asks for the giver does not bring along.
    expect(text("giver")).not.toContain("only the taker");
  });

  it("what differs, and what imports that, each has of its own", async () => {
    const { load } = await made({ giver: {}, taker: { plugins: [otherMachine] } }, { taker: ["giver"] });
    expect(load("giver")["give"]?.()).toEqual([1, "a machine", 1]);
    expect(load("taker")["take"]?.()).toEqual([2, "another machine", 2]);
  });

  it("of what a giver has the lesser part of, it gives nothing", async () => {
    const { load, text } = await made({ giver: {}, taker: {} }, { taker: ["giver"] }, { giver: /^some\/half\.ts$/ });
    expect(load("taker")["take"]?.()).toEqual([1, "a machine", 2]);
    expect(text("giver")).not.toContain("greater");
    expect(text("giver")).not.toMatch(/\(\)=>2/);
  });

  it("by way of one that takes itself: from whom that has it", async () => {
    const { load, text } = await made({ giver: {}, middle: {}, last: {} }, { middle: ["giver"], last: ["middle"] });
    expect(load("giver")["give"]?.()).toEqual([1, "a machine", 1]);
    expect(load("last")["last"]?.()).toEqual([2, 3]);
    expect(text("middle")).not.toContain("+=1");
    expect(text("last")).toContain('require("./giver.cjs")');
  });
});
