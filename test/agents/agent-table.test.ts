import { describe, expect, it } from "vitest";
import { agentTable } from "../../scripts/agent-table.ts";
import { AGENTS } from "../../src/agents/index.ts";
import * as written from "../../src/policy/agent-table.ts";

describe("what judging knows of the agents", () => {
  it("is what their files say: npm run generate", () => {
    expect({ ...written }).toEqual(agentTable);
  });

  it.each(AGENTS.map(({ id, facts }) => [id, facts] as const))("%s writes its files as they are compared", (_id, { files }) => {
    const { machine, ...relative } = files;
    for (const path of machine) expect(path).toMatch(/^\/.*\/$/);
    for (const path of Object.values(relative).flat()) expect(path).not.toMatch(/^\/|[A-Z]|;/);
  });
});
