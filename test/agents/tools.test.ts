import { expect, it } from "vitest";
import { agentNamed } from "../../src/agents/index.ts";
import { decide } from "../../src/guard/index.ts";
import { engine, scratch } from "../scratch.ts";

/** Tools beside the usual ones that run commands or touch files. Seen on offer by the real clients (`npm run test:agents`). */
const TOOLS: [agent: string, tool: string, input: Record<string, unknown>, verdict: string][] = [
  // What nobody has described yet: its fields can only narrow.
  ["claude", "NextYearsTool", { command: "terraform apply" }, "deny"],
  ["claude", "NextYearsTool", { script: "cat .env" }, "deny"],
  ["claude", "NextYearsTool", { file_path: "~/.ssh/id_rsa" }, "deny"],
  ["claude", "NextYearsTool", { paths: ["src/a.ts", "~/.ssh/id_rsa"] }, "deny"],
  ["claude", "NextYearsTool", { path: ".git/hooks/pre-commit" }, "ask"],
  ["claude", "NextYearsTool", { command: "ls", path: "src" }, "none"],
  ["claude", "NextYearsTool", { command: "$x y" }, "none"],
  ["claude", "mcp__github__create_file", { path: ".git/hooks/pre-commit", command: "terraform apply" }, "none"],
  ["claude", "Monitor", { command: "terraform apply", description: "d", timeout_ms: 1000 }, "deny"],
  ["qwen", "monitor", { command: "terraform apply", description: "d" }, "deny"],
  ["qwen", "monitor", { command: "ls", directory: "/" }, "allow"],
  ["qwen", "zoom_image", { file_path: "~/.ssh/id_rsa", x1: 0, y1: 0, x2: 9, y2: 9 }, "deny"],
  ["qwen", "notebook_edit", { notebook_path: ".git/hooks/pre-commit", new_source: "x" }, "deny"],
];

it.each(TOOLS)("%s: %s %j is judged by what it does", (id, tool, input, verdict) => {
  const place = scratch();
  place.write("~/.agent-permissions.jsonc", '{ "permissions": { "deny": ["Bash(terraform:*)"] } }');
  const payload = { session_id: "s", cwd: place.project, hook_event_name: "PreToolUse", tool_name: tool, tool_input: input };
  const reading = agentNamed(id)?.protocol.read({ payload, event: "PreToolUse", env: place.machine.env, folder: place.project });
  if (reading?.is !== "request") throw new Error(`no request: ${JSON.stringify(reading)}`);
  expect(decide(reading.request, { machine: place.machine, ...engine, audit: false }).verdict.decision).toBe(verdict);
});
