import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";

const STUBS = join(import.meta.dirname, "../../stubs");
const folder = mkdtempSync(join(tmpdir(), "assent-stubs-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("a plan that is not whole", () => {
  const START = ["assent-try 1", "n", String(0x20000000 + 0x20000)];
  it.each([
    ["is empty", []],
    ["is of another version", ["assent-try 2", "n", "537001984", "x", "/bin/true", "1", "true", ""]],
    ["has no namespaces", ["assent-try 1", "x", "/bin/true", "1", "true", ""]],
    ["has namespaces of other kinds", ["assent-try 1", "n", "1", "x", "/bin/true", "1", "true", ""]],
    ["has a number that is none", ["assent-try 1", "n", "5370x", "x", "/bin/true", "1", "true", ""]],
    ["has a step that nobody knows", [...START, "q", "x", "/bin/true", "1", "true", ""]],
    ["ends in the middle of a step", [...START, "p", "/"]],
    ["has no program", [...START, "r"]],
    ["has fewer words than it says", [...START, "x", "/bin/echo", "3", "echo", ""]],
    ["has nothing between words and environment", [...START, "x", "/bin/echo", "1", "echo", "A=1"]],
    ["has no walls", [...START, "x", "/bin/echo", "1", "echo", ""]],
  ])("starts nothing where it %s", (_, words) => {
    const plan = join(folder, "plan");
    writeFileSync(plan, words.map((word) => `${word}\0`).join(""));
    const ran = spawnSync("sh", ["-c", `"$0" 3< "$1" 4>&1; echo "status $?"`, join(STUBS, `try-${process.arch}`), plan], {
      encoding: "utf8",
    });
    expect(ran.stdout).toMatch(/^E \d+ \d+\nstatus (?:0|125)\n$/);
  });
});
