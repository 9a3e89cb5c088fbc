import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { agentTable } from "../../scripts/agent-table.ts";
import { AGENTS } from "@assent/hosts/agents";
import { sourceFiles } from "../sources.ts";
import * as written from "../../packages/core/src/policy/tables/agent-table.ts";

describe("what judging knows of the agents", () => {
  it("is what their files say: npm run generate", () => {
    expect({ ...written }).toEqual(agentTable);
  });

  it.each(AGENTS.map(({ id, facts }) => [id, facts] as const))("%s writes its files as they are compared", (_id, { files }) => {
    const { machine, ...relative } = files;
    for (const path of machine) expect(path).toMatch(/^\/.*\/$/);
    for (const path of Object.values(relative).flat()) expect(path).not.toMatch(/^\/|[A-Z]|;/);
  });

  it("is all that the rest of the source knows of them: no agent is named there", () => {
    // Names that mean nothing else.
    const named = /\b(?:claude|codex|opencode|gemini|qwen|copilot|cline|droid|kilo|windsurf|kiro)\b/i;
    const strange = sourceFiles()
      .filter(({ name }) => name.endsWith(".ts") && !/^(?:agents\/|policy\/tables\/agent-table|sdk\/claude-agent-sdk\/)/.test(name))
      .flatMap(({ name, path }) => {
        // An SDK is a package, whoever it is named after.
        const code = readFileSync(path, "utf8").replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$|\/claude-agent-sdk\//gm, "");
        return code.split("\n").flatMap((line) => (named.test(line) ? [`${name}: ${line.trim().slice(0, 100)}`] : []));
      });
    expect(strange).toEqual([]);
  });
});
