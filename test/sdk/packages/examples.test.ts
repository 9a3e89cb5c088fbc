import { join } from "node:path";
import { expect, it } from "vitest";
import { runExamples } from "../../adapters/examples.ts";
import { SDKS } from "../../adapters/scenarios.ts";

it.each([...SDKS, "mcp"])("examples/%s.mjs runs, and prints what it should", { timeout: 300_000 }, async (wanted) => {
  const found = await runExamples(join(import.meta.dirname, "../../.."), (name) => name === wanted);
  expect([...found]).toEqual([[wanted, undefined]]);
});
