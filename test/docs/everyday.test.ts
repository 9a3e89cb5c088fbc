import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import everyday from "../../bench/everyday.json" with { type: "json" };
import { SAMPLE, sampled } from "../sampled.ts";
import { DIST } from "../scratch.ts";

const REPOSITORY = join(import.meta.dirname, "../..");

it("sixty everyday commands stand on the page, each once", () => {
  expect(new Set(everyday.map(([, command]) => command)).size).toBe(60);
});

const WAYS = sampled(["assent run", "sandboxed"], 2).join(",");

it(`at most one of them is refused without need, in a run and sandboxed, with nobody to ask (${SAMPLE})`, { timeout: 180_000 }, () => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(REPOSITORY, "scripts/run.mjs"), "bench/everyday.ts", "--check", "evidence/everyday.md", "--ways", WAYS],
    { cwd: REPOSITORY, env: { ...process.env, ASSENT_DIST: DIST }, encoding: "utf8" },
  );
  expect({ status, said: status === 0 ? "" : stdout + stderr }).toEqual({ status: 0, said: "" });
});
