import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { tryImplementations } from "./implementations/run.ts";

/** `npm run implementations` fetches the packages and runs thousands of lines of each; here a few of those that are there already. */
const isIsolated = spawnSync("unshare", ["-mpnif", "true"]).status === 0;
const SEED = Number(process.env["FUZZ_SEED"] ?? 1);

test.skipIf(!isIsolated)("what goes ahead does what was predicted in every implementation", { timeout: 1_200_000 }, async ({ skip }) => {
  const told = await tryImplementations(
    { seed: SEED, pairs: 2, most: 12, fetch: process.env["FETCH_IMPLEMENTATIONS"] !== undefined },
    () => undefined,
  );
  if (told.length === 0) skip("no packages: npm run implementations fetches them");
  expect(told.flatMap(({ implementation, unpredicted }) => unpredicted.map((one) => ({ implementation, ...one })))).toEqual([]);
  expect(told.filter(({ allowed, run }) => allowed > 0 && run === 0).map(({ implementation }) => implementation)).toEqual([]);
});
