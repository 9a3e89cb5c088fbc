import { chmodSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { REFERENCE } from "@assent/hosts/agents";
import { decide } from "@assent/guard/engine";
import { engine, scratch } from "../scratch.ts";
import { outsideLines } from "./outside-lines.ts";

/** What a host that can confine is told, with nothing but `"unknown": "confine"`. */
describe("lines that need something outside the project", () => {
  const place = scratch({ keep: true });
  place.write("~/.agent-permissions.jsonc", '{ "version": 1, "unknown": "confine" }');
  for (const name of ["tool.sh", "gradlew", "mvnw", "small"]) chmodSync(place.write(name, "#!/bin/sh\n"), 0o755);
  place.write("README.md", "read\n");
  place.write("package.json", "{}");
  place.write("~/sibling/README.md", "read\n");
  const host = { shell: "bash", decides: true, asks: true, bypassed: false, planning: false, confines: true } as const;
  const facts = REFERENCE.protocol.tools["Bash"];

  it("there are a hundred of them", () => expect(outsideLines().length).toBeGreaterThanOrEqual(100));

  it.each(outsideLines().map(({ way, line }) => [way, line] as const))("%s: %s", (way, command) => {
    const request = { tool: "Bash", facts, input: { command }, cwd: place.project, host, point: "hook", agent: "claude" };
    const machine = { ...place.machine, env: { ...place.machine.env, DISPLAY: ":0" } };
    const { verdict } = decide(request, { machine, ...engine, policyFiles: [], audit: false, memory: "none" });
    const found = verdict.decision === "allow" ? (verdict.confined === undefined ? "ahead" : "confined") : "ask";
    expect(`${found}: ${verdict.reason}`).toMatch(way === "inside" ? /^confined/ : way === "ahead" ? /^(?:ahead|confined)/ : /^ask/);
  });
});
