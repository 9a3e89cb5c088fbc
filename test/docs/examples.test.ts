import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { pages, readBlocks, readPage, readTyped } from "./blocks.ts";
import { compare } from "./compare.ts";
import { NOT_RUN_LIST, notRunList } from "./not-run.ts";
import { runPage } from "./run.ts";

const ROOT = join(import.meta.dirname, "../..");
const withExamples = pages(ROOT)
  .map((file) => ({ file, blocks: readPage(ROOT, file) }))
  .filter(({ blocks }) => blocks.some(({ notRun, slow }) => notRun === undefined && slow === undefined));

describe("examples of README and docs do what the page says: npm run examples", () => {
  it.concurrent.each(withExamples)("$file", { timeout: 300_000 }, async ({ blocks }) => {
    const outcomes = await runPage(ROOT, blocks, false);
    expect(outcomes.filter(({ problem }) => problem !== undefined).map(({ block, problem }) => `${block.line}: ${problem}`)).toEqual([]);
  });

  it("those that are not run are listed, with the reason: npm run examples -- --write", () => {
    expect(notRunList(ROOT)).toBe(readFileSync(join(ROOT, NOT_RUN_LIST), "utf8"));
    expect(withExamples.length).toBeGreaterThan(10);
  });

  it("every block says what it is", () => {
    const known = /^(?:|console|sh|text|ts|js|json|jsonc|md|yaml|toml|ini)$/;
    const others = pages(ROOT).flatMap((file) =>
      readPage(ROOT, file).filter(({ language, text }) => !known.test(language) || (language === "" && text !== "")),
    );
    expect(others.map(({ file, line }) => `${file}:${line}`)).toEqual([]);
  });
});

describe("reading examples", () => {
  it("takes what comments say about the block behind them, and shell without a block", () => {
    const text =
      "<!-- before: a -->\n<!-- answers: y, n -->\n\n```console\n$ b\n```\n<!-- before: c -->\n\nText\n\n<!-- not run: needs a host -->\n```sh\nd\n```";
    expect(readBlocks("x.md", text)).toMatchObject([
      { text: "$ b", before: ["a"], answers: ["y", "n"] },
      { text: "", before: ["c"] },
      { text: "d", notRun: "needs a host", before: [] },
    ]);
    expect(() => readBlocks("x.md", "<!-- not runn: x -->\n")).toThrow(/nothing that is known/);
    expect(() => readBlocks("x.md", "<!-- not run -->\n```sh\na\n```")).toThrow(/why/);
    expect(() => readBlocks("x.md", "```sh\na")).toThrow(/without an end/);
  });

  it("takes a command over several lines, and what it prints", () => {
    expect(readTyped("$ a \\\n  b\nout\n$ c")).toEqual([
      { command: "a \\\n  b", prints: ["out"], line: 0 },
      { command: "c", line: 3 },
    ]);
  });

  it.each<[said: string, printed: string, same: boolean]>([
    ["a", "a", true],
    ["a", "b", false],
    ["a", "a|b", false],
    ["a|...", "a|b|c", true],
    ["...|c", "a|b|c", true],
    ["...|b", "a|b|c", false],
    ["a…c", "abc", true],
    ["a…c", "abd", false],
    ["a…b…c", "acbc", true],
    ["a…b…c", "abb", false],
    ["run 20260101-000000-abcdef", "run 20261231-235959-012345", true],
    ["run 20260101-000000-abcdef", "run x", false],
  ])("%s of %s: %s", (said, printed, same) => {
    expect(compare(said.split("|"), printed.split("|")).same).toBe(same);
  });
});
