import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
// @ts-expect-error -- a plain script
import { PARTS } from "../../scripts/night.mjs";
// @ts-expect-error -- a plain script
import * as testFileScript from "../../scripts/test-files.mjs";
import longFiles from "../long-files.json" with { type: "json" };
import { isBuilt } from "../build-once.ts";
import { sampled } from "../sampled.ts";
import { scratch } from "../scratch.ts";

const { testFiles } = testFileScript as { readonly testFiles: (root: string) => string[] };

/** What `npm test` leaves to `npm run test:rest`. */

const ROOT = join(import.meta.dirname, "../..");
const LONG = Object.keys(longFiles);
const [SOME = ""] = LONG;

/** The files that vitest would play. */
function chosen(environment: Readonly<Record<string, string>>, ...words: readonly string[]): readonly string[] {
  const { stdout } = spawnSync("npx", ["vitest", "list", "--filesOnly", ...words], {
    cwd: ROOT,
    encoding: "utf8",
    env: { ...process.env, TEST_SHORT: undefined, ...environment },
  });
  return [...stdout.matchAll(/^\[\w+\] (.*)$/gm)].map(([, file = ""]) => file);
}

it("each file of tests is in a project, with those that fetch what they need or need the whole page", () => {
  expect(testFiles(ROOT).toSorted()).toEqual([...new Set(chosen({ TEST_PAGE: "1" }))].toSorted());
});

describe("a file that takes long", () => {
  it("is there", () => {
    expect(LONG.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });

  it("is left out by npm test, and by nothing else", () => {
    const short = chosen({ TEST_SHORT: "1" });
    const left = chosen({}).filter((file) => !short.includes(file));
    expect(left.toSorted()).toEqual(LONG);
  });

  it.each([[SOME], [join(ROOT, SOME)], ["test/escape"]])("is played by npm test where %s is named", (word) => {
    expect(chosen({ TEST_SHORT: "1" }, word)).toEqual(chosen({}, word));
  });

  it("is played by CI", () => {
    const script = readFileSync(join(ROOT, ".ci/run"), "utf8");
    for (const line of ["play test", "play test:rest"]) expect(script.split("\n")).toContain(line);
  });
});

describe("a table of which npm test plays a part", () => {
  const rows = Array.from({ length: 1000 }, (_, row) => row);

  it("is played whole without a seed", () => {
    // Of the rest, as of npm test, a part is drawn.
    if (process.env["SAMPLE_SEED"] === undefined) expect(sampled(rows, 10)).toEqual(rows);
    else expect(sampled(rows, 10).length).toBe(100);
  });

  it("gives the same rows for the same seed, in their order, and others for another", () => {
    const first = sampled(rows, 10, "7");
    expect(first).toHaveLength(100);
    expect(first).toEqual(first.toSorted((a, b) => a - b));
    expect(sampled(rows, 10, "7")).toEqual(first);
    expect(sampled(rows, 10, "8")).not.toEqual(first);
  });

  it("gives each row before long, and some of the smallest table", () => {
    const given = new Set(Array.from({ length: 100 }, (_, seed) => sampled(rows, 10, String(seed + 1))).flat());
    expect(given.size).toBe(1000);
    expect(sampled(["one"], 10, "3")).toEqual(["one"]);
    expect(sampled([], 10, "3")).toEqual([]);
  });

  it("is played whole by night", () => {
    const { stdout } = spawnSync(process.execPath, ["scripts/long-tests.mjs", "--list"], { cwd: ROOT, encoding: "utf8", timeout: 20_000 });
    const listed = stdout.trim().split("\n");
    expect(listed.filter((line) => line.startsWith("play\t"))).toEqual(LONG.map((file) => `play\t${file}`));
    for (const file of ["shell/evaluated-text", "supervise/programs/git-settings", "shell/knowledge/option-forms", "cli/run-remembered"])
      expect(listed).toContain(`sampled\ttest/${file}.test.ts`);
    // What tries to get out, races, and what was promised is played whole each time.
    expect(listed.filter((line) => /^sampled\t.*(?:\/(?:escape|attack|ledger|survives)\/|races|fuzz)/.test(line))).toEqual([]);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as the script says
    expect((PARTS as readonly (readonly string[])[]).map(([, command]) => command)).toContain("npm run test:sampled");
  });
});

describe("what is built", () => {
  const made = (...times: readonly (readonly [file: string, seconds: number])[]): boolean => {
    const { root } = scratch();
    for (const [file, seconds] of times) {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      writeFileSync(join(root, file), "");
      utimesSync(join(root, file), seconds, seconds);
    }
    for (const folder of ["packages", "packages/some", "packages/some/src", "packages/core", "packages/core/knowledge", "scripts"])
      if (existsSync(join(root, folder))) utimesSync(join(root, folder), 1, 1);
    return isBuilt(root);
  };
  const BUILT = [
    ["dist/knowledge.mjs", 100],
    ["dist/bin.cjs", 101],
    ["dist/hook.cache", 102],
    ["packages/team-server/dist/team.mjs", 101],
  ] as const;

  it.each([
    ["what is newer than all it is made of", true, [...BUILT, ["packages/some/src/a.ts", 50], ["packages/core/knowledge/a.table", 60]]],
    ["nothing", false, [["packages/some/src/a.ts", 50]]],
    ["without its caches, as a build that was ended leaves it", false, BUILT.filter(([file]) => !file.endsWith(".cache"))],
    ["older than a source", false, [...BUILT, ["packages/some/src/a.ts", 200]]],
    ["older than a table", false, [...BUILT, ["packages/core/knowledge/a.table", 200]]],
    ["older than a script of the build", false, [...BUILT, ["scripts/build.mjs", 200]]],
    ["of a source that changed while it was built", false, [...BUILT, ["packages/some/src/a.ts", 101]]],
  ] as const)("%s: %s", (_what, expected, times) => expect(made(...times)).toBe(expected));

  it("a file that is gone counts", () => {
    const { root } = scratch();
    for (const [file, seconds] of [...BUILT, ["packages/some/src/a.ts", 50]] as const) {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      writeFileSync(join(root, file), "");
      utimesSync(join(root, file), seconds, seconds);
    }
    expect(isBuilt(root)).toBe(false);
  });
});
