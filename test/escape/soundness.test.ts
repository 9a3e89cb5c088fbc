import { build } from "esbuild";
import { mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type CorpusLine,
  baseFor,
  exampleLines,
  hidesTemp,
  type LineResult,
  neededPaths,
  unpredicted,
  verifyLines,
  wholeCorpus,
} from "../../src/verify/index.ts";

/**
 * The kernel checks the parser: commands run for real in namespaces of their own, and whatever they do was predicted.
 * `npm run verify` runs everything; here is a sample of each family. docs/soundness.md tells how it is done.
 */
const ROOT = join(import.meta.dirname, "../..");
const PATH = `${dirname(process.execPath)}:/usr/sbin:/usr/bin:/sbin:/bin`;
const needed = neededPaths([ROOT], PATH);
const base = baseFor(needed) ?? "";
const place = `${base}:${hidesTemp(needed) ? "hide" : "keep"}`;
const env = { PATH, NODE_NO_WARNINGS: "1" };
const LONG = 300_000;
const LIAR = join(ROOT, `node_modules/.cache/assent/liar-${process.pid}.mjs`);

const run = async (lines: readonly string[], worker: readonly string[]): Promise<readonly LineResult[]> =>
  verifyLines(
    lines.map((line) => ({ line, family: "test" })),
    { worker: [process.execPath, ...worker], workers: 1, whatever: false, patience: 10_000, env },
  );
const assent = [join(ROOT, "dist/bin.cjs"), "verify", "--worker", place];
const missed = (result: LineResult | undefined): readonly string[] =>
  result === undefined
    ? ["no result"]
    : result.outcome.is === "run"
      ? unpredicted(result.outcome).map(({ text }) => text)
      : [JSON.stringify(result.outcome)];

describe("a table that lies is caught", () => {
  beforeAll(async () => {
    mkdirSync(dirname(LIAR), { recursive: true });
    await build({
      entryPoints: [join(import.meta.dirname, "harness/liar.ts")],
      outfile: LIAR,
      bundle: true,
      platform: "node",
      format: "esm",
      target: "node20",
      packages: "external",
      logLevel: "warning",
    });
  });
  afterAll(() => rmSync(LIAR, { force: true }));

  /** What the line does that only a lie leaves out. `$P`: the project; `$H`: home. */
  const LIES: readonly (readonly [line: string, effects: readonly string[]])[] = [
    ["env true", ["exec true"]],
    ["env sh -c 'exec cat /dev/null'", ["exec sh -c exec cat /dev/null", "exec cat /dev/null"]],
    ["touch new.txt", ["write $P/new.txt"]],
    ["mkdir made", ["mkdir $P/made"]],
    ["rm b.txt", ["delete $P/b.txt"]],
    ["mv b.txt c.txt", ["rename $P/b.txt", "write $P/c.txt", "delete $P/c.txt"]],
    ["ln -s a.txt made", ["link $P/made"]],
    ["chmod 600 b.txt", ["metadata $P/b.txt"]],
    ["truncate -s 0 b.txt", ["edit $P/b.txt"]],
    ["cat ~/.ssh/id_rsa", ["read $H/.ssh/id_rsa"]],
    ["cat link.txt", ["read $P/a.txt"]],
    ["bash -c 'echo x > /dev/tcp/127.0.0.1/9'", ["connect localhost:9"]],
  ];

  test("exec, write, delete, read of a secret, connect", { timeout: LONG }, async () => {
    const results = await run(
      LIES.map(([line]) => line),
      [LIAR, place],
    );
    const fill = (text: string): string => text.replace("$P", `${base}/dev/project`).replace("$H", `${base}/dev`);
    expect(results.map((result) => [result.line, missed(result).toSorted()])).toEqual(
      LIES.map(([line, effects]) => [line, effects.map(fill).toSorted()]),
    );
  });
});

/** Programs that every Linux has, or that these tests need anyway; `npm run verify` runs what else is installed. */
const FAMILIES = [
  "coreutilsCreate",
  "coreutilsFiles",
  "coreutilsInfo",
  "coreutilsLines",
  "coreutilsText",
  "findutils",
  "git",
  "text",
  "textLanguages",
];
const OF_A_FAMILY = 8;
const PROGRAMS = 30;

/** Evenly from the whole. */
const evenly = (lines: readonly CorpusLine[], most: number): readonly string[] =>
  lines.length <= most
    ? lines.map(({ line }) => line)
    : Array.from({ length: most }, (_, at) => lines[Math.floor((at * lines.length) / most)]?.line ?? "");

function sample(): readonly string[] {
  const examples = exampleLines();
  const programs = wholeCorpus().filter(({ family }) => family === "shell programs");
  return [
    ...FAMILIES.flatMap((family) =>
      evenly(
        examples.filter((one) => one.family === family),
        OF_A_FAMILY,
      ),
    ),
    ...evenly(programs, PROGRAMS),
  ];
}

test("a sample of what is allowed does what was predicted, and nothing else", { timeout: LONG }, async () => {
  const results = await run(sample(), assent);
  const wrong = results.flatMap(({ line, outcome }) =>
    outcome.is === "broken" ? [[line, outcome.why]] : unpredicted(outcome).map(({ text, program }) => [line, `${program}: ${text}`]),
  );
  expect(wrong).toEqual([]);
  expect(results.filter(({ outcome }) => outcome.is === "run").length).toBeGreaterThan(50);
});
