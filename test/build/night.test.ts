import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
// @ts-expect-error -- a plain script
import { PARTS, play } from "../../scripts/night.mjs";
import { scratch } from "../scratch.ts";

/** `npm run night`: what no landing has time for. */

type Play = (command: string, minutes: number, env: NodeJS.ProcessEnv, log: string) => Promise<string>;
const ROOT = join(import.meta.dirname, "../..");
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as the script says
const parts = PARTS as readonly (readonly [part: string, command: string, minutes: number])[];
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own
const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { readonly scripts: Readonly<Record<string, string>> };

function night(table: string, ...words: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(ROOT, "scripts/night.mjs"), ...words], {
    encoding: "utf8",
    env: { ...process.env, NIGHT_TABLE: table },
  });
  return { status, stdout, stderr };
}

describe("npm run night", () => {
  it.each(parts)("%s is a command of this package, with a bound", (_part, command, minutes) => {
    expect(Object.keys(scripts)).toContain(/^npm run ([\w:-]+)/.exec(command)?.[1]);
    expect(minutes).toBeGreaterThan(0);
  });

  it("says when each part was played last", () => {
    const { root, write } = scratch();
    const table = join(root, "night.tsv");
    write(table, "part\tplayed\tcommit\tseed\tminutes\tresult\nfuzz\t1\ta\t7\t3.0\tpassed\nfuzz\t2\tb\t8\t4.0\tfailed (1)\n");
    expect(night(table, "--list", "--only", "^fuzz$").stdout).toBe("fuzz\t2\tb\t8\t4.0\tfailed (1)\n");
    const all = night(table, "--list").stdout.trim().split("\n");
    expect(all).toHaveLength(parts.length);
    expect(all).toContain("git-whole\tnever");
  });

  it.each([
    ["true", 1, "passed"],
    ["exit 3", 1, "failed (3)"],
    ["kill -9 $$", 1, "failed (SIGKILL)"],
    // What it started ends with it.
    ["sleep 50 & sleep 50", 0.005, "ended after 0.005 min"],
  ])("%s, at most %d min: %s", async (command, minutes, result) => {
    const log = join(scratch().root, "log");
    const begun = Date.now();
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as the script says
    expect(await (play as Play)(command, minutes, process.env, log)).toBe(result);
    expect(Date.now() - begun).toBeLessThan(40_000);
  });

  it.each([[["--onyl", "fuzz"]], [["--seed", "x"]], [["fuzz"]]])("%j is not understood, and nothing is played", (words) => {
    expect(night(join(scratch().root, "night.tsv"), ...words)).toMatchObject({
      status: 2,
      stdout: "",
      stderr: expect.stringContaining("usage:") as unknown,
    });
  });
});
