import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import longFiles from "../long-files.json" with { type: "json" };

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
