import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runAgent } from "../../adapters/agents.ts";
import { placeFor } from "../../adapters/places.ts";
import { DIST } from "../../scratch.ts";

/** Real agents with a policy in code, put through test/adapters/scenarios.ts. Those that need a newer Node.js or much space: `npm run sdks`. */

describe.each(["langchain", "openai-agents", "ai-sdk"] as const)("%s", (sdk) => {
  it("allows, asks and denies as the scenarios say, and goes on in another process", { timeout: 180_000 }, () => {
    const results = runAgent(sdk, { ...placeFor(sdk, DIST, process.execPath), root: join(import.meta.dirname, "../../..") });
    expect(results.flatMap(({ scenario, problems }) => problems.map((problem) => [scenario.says, problem]))).toEqual([]);
    // The questions of one step are one pause.
    expect(results.find(({ scenario }) => scenario.id === "several")?.pauses).toEqual([["rm -rf a", "rm -rf b", "rm -rf c"]]);
  });
});
