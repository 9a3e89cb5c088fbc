import { expect, it } from "vitest";
import { agentNamed } from "@assent/hosts/agents";
import { decide } from "@assent/guard/engine";
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
  ["claude", "mcp__github__create_file", { path: ".git/hooks/pre-commit", command: "terraform apply" }, "deny"],
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

it.each([
  ["codemode", undefined, false],
  ["tool_search", undefined, false],
  ["some_tool", undefined, true],
  ["codemode", "ask", true],
])("pi: %s, whose calls come by themselves, with the rule %s asks: %s", (tool, rule, asks) => {
  const place = scratch();
  if (rule !== undefined) place.write("~/.agent-permissions.jsonc", JSON.stringify({ permissions: { [rule]: [tool] } }));
  const payload = { type: "tool_call", toolName: tool, input: { code: "await tools.bash({})" }, cwd: place.project, hasUI: true };
  const protocol = agentNamed("pi")?.protocol;
  const reading = protocol?.read({ payload, event: "tool_call", env: place.machine.env, folder: place.project });
  if (protocol === undefined || reading?.is !== "request") throw new Error("no request");
  const { envelope } = protocol.write(decide(reading.request, { machine: place.machine, ...engine, audit: false }));
  expect(envelope?.["ask"] ?? false).toBe(asks);
});

/** What the hosts make of a path (their own programs were read): what they open is judged. */
const SPELLINGS: [agent: string, payload: Record<string, unknown>, verdict: string][] = [
  ["gemini", { tool_name: "read_file", tool_input: { file_path: "%2eenv" } }, "deny"],
  ["gemini", { tool_name: "read_file", tool_input: { file_path: "@.env" } }, "deny"],
  ["gemini", { tool_name: "write_file", tool_input: { file_path: "@.git/hooks/pre-commit" } }, "deny"],
  ["gemini", { tool_name: "write_file", tool_input: { file_path: "%2eclaude/settings.json" } }, "ask"],
  ["gemini", { tool_name: "write_file", tool_input: { file_path: "a%20b.txt" } }, "ask"],
  // It looks for a file of that name elsewhere.
  ["gemini", { tool_name: "replace", tool_input: { file_path: "prod.yml", old_string: "a", new_string: "b" } }, "deny"],
  ["gemini", { tool_name: "read_many_files", tool_input: { include: ["**/*"] } }, "ask"],
  ["gemini", { tool_name: "read_many_files", tool_input: { include: [".e*"] } }, "ask"],
  ["gemini", { tool_name: "read_many_files", tool_input: { include: ["src/{../.env,x}"] } }, "deny"],
  ["gemini", { tool_name: "read_many_files", tool_input: { include: ["src/**/*.ts", "README.md"] } }, "allow"],
  ["gemini", { tool_name: "glob", tool_input: { pattern: "{/srv/closed/*,src/*}" } }, "deny"],
  ["pi", { toolName: "write", input: { path: "@~/.bashrc" } }, "deny"],
  ["pi", { toolName: "write", input: { path: "@~/.agent-permissions.jsonc" } }, "deny"],
  ["pi", { toolName: "read", input: { path: "top\u00a0secret/x" } }, "deny"],
  ["pi", { toolName: "read", input: { path: "@types/node.d.ts" } }, "allow"],
];

it.each(SPELLINGS)("%s: %j is the file that the host opens", (id, own, verdict) => {
  const place = scratch();
  place.write(
    "~/.agent-permissions.jsonc",
    '{ "permissions": { "deny": ["Read(top secret/**)", "Edit(config/prod.yml)", "List(/srv/closed/**)"] } }',
  );
  for (const name of [".env", "src/a.ts", "README.md", "config/prod.yml", "top secret/x"]) place.write(name, "x");
  const payload = { session_id: "s", cwd: place.project, hook_event_name: "BeforeTool", type: "tool_call", ...own };
  const reading = agentNamed(id)?.protocol.read({ payload, event: undefined, env: place.machine.env, folder: place.project });
  if (reading?.is !== "request") throw new Error(`no request: ${JSON.stringify(reading)}`);
  expect(decide(reading.request, { machine: place.machine, ...engine, audit: false }).verdict.decision).toBe(verdict);
});

/** Some hosts expand these, some do not. */
it.each(["~", "~/.ssh", " ~/x", "file:///etc"])("a command in the folder %j is not judged in another", (workdir) => {
  const place = scratch();
  const payload = { event: "tool.execute.before", tool: "bash", args: { command: "ls", workdir }, directory: place.project };
  const reading = agentNamed("opencode")?.protocol.read({ payload, event: undefined, env: {}, folder: place.project });
  expect(reading?.is).toBe("problem");
});
