import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { linesOf, tryLines } from "./git-lines/run.ts";

/** `npm run git-lines` tries 20,000. */
const LINES = Number(process.env["GIT_LINES"] ?? 500);
const SEED = Number(process.env["FUZZ_SEED"] ?? 1);

const isIsolated = spawnSync("unshare", ["-mpnif", "true"]).status === 0;

test.skipIf(!isIsolated)("no line of git that goes ahead shows what the policy keeps", { timeout: 3_600_000 }, () => {
  const { allowed, printing, shown } = tryLines(linesOf(LINES, SEED));
  expect(shown).toEqual([]);
  // A judge that lets nothing ahead would pass, and lines that git does not understand show nothing.
  expect(allowed).toBeGreaterThan(LINES / 4);
  expect(printing).toBeGreaterThan(LINES / 10);
});
