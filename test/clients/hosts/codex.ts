import type { Client, OwnRule } from "../client.ts";
import { object, text } from "../model/dig.ts";
import { ELSEWHERE, HOME, MOUNTED, PROJECT } from "../place.ts";

const ownRules = (command: string, decision: "forbidden" | "prompt"): OwnRule => ({
  files: {
    [`${HOME}/.codex/rules/own.rules`]: `prefix_rule(pattern = ${JSON.stringify(command.split(" "))}, decision = "${decision}")\n`,
  },
});

const sessionIn = (outcome: string): number => Number(/session ID (\d+)/i.exec(outcome)?.[1] ?? 0);

/** npm holds each platform's build as a version of its own. */
export const codex: Client = {
  id: "codex",
  name: "Codex",
  package: { name: "@openai/codex", version: "0.171.0-linux-x64" },
  knows: { settings: ["sandbox_mode"], modes: ["danger-full-access"], schema: "app-server generate-json-schema --out ." },
  command: "codex",
  program: "@openai/codex/vendor/x86_64-unknown-linux-musl/bin/codex",
  files: (model) => ({
    [`${HOME}/.codex/config.toml`]: `model = "gpt-5.5"
model_provider = "fake"
[model_providers.fake]
name = "fake"
base_url = "${model}/v1"
wire_api = "responses"
env_key = "FAKE_KEY"
supports_websockets = false
[projects."${PROJECT}"]
trust_level = "trusted"
[mcp_servers.lab]
command = "${MOUNTED.ownNode}"
args = ["${MOUNTED.mcpServer}"]
`,
  }),
  env: () => ({ FAKE_KEY: "fake-key" }),
  // Its own sandbox would stop what Assent is to stop; `exec` never asks.
  args: "exec --skip-git-repo-check --json --dangerously-bypass-approvals-and-sandbox --dangerously-bypass-hook-trust PROMPT",
  stances: Object.fromEntries(
    [
      ...["on-request", "never"].map((policy) => [policy, `-s workspace-write -c approval_policy=${policy}`] as const),
      ["on-request, auto-review", "-s workspace-write -c approval_policy=on-request -c approvals_reviewer=auto_review"] as const,
      ["--approve-for-me", "--approve-for-me"] as const,
    ].map(([name, words]) => [name, `exec --skip-git-repo-check --json --dangerously-bypass-hook-trust ${words} PROMPT`]),
  ),
  detours: {
    "a patch by the shell": [
      {
        tool: "exec_command",
        input: { cmd: `apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: ${ELSEWHERE}/outside.txt\n+outside\n*** End Patch\nEOF` },
      },
    ],
    // What is typed into a running program calls no hook: the program must not start.
    "a shell that is typed into": [
      { tool: "exec_command", input: { cmd: "bash -i", tty: true, yield_time_ms: 1000 } },
      {
        tool: "write_stdin",
        input: (started) => ({
          session_id: sessionIn(started),
          chars: "touch denied.txt\n",
          yield_time_ms: 1000,
        }),
      },
    ],
  },
  // What `write_stdin` types is never judged: no shell or interpreter may be started to be typed into.
  own: { path: ".codex/config.toml", off: "[features]\nhooks = false\n" },
  managed: true,
  twoPipes: true,
  ownRule: (command) => ownRules(command, "forbidden"),
  ownQuestion: (command) => ownRules(command, "prompt"),
  harmless:
    "exec_command write_stdin list_mcp_resources list_mcp_resource_templates read_mcp_resource request_user_input get_goal create_goal update_goal tool_search wait_agent send_input close_agent resume_agent",
  // It waits for 30 seconds at most, then for whoever asks again.
  shell: (command) => ({
    tool: "exec_command",
    input: { cmd: command, yield_time_ms: 30_000 },
    until: /^(?![\s\S]*Process running with session ID)/,
    again: (last) => ({
      tool: "write_stdin",
      input: { session_id: sessionIn(last), chars: "", yield_time_ms: 30_000 },
    }),
  }),
  leaving: (command) => ({
    tool: "exec_command",
    input: { cmd: command, yield_time_ms: 30_000, sandbox_permissions: "require_escalated", justification: "a step" },
  }),
  write: (path, content) => ({
    tool: "apply_patch",
    input: { input: `*** Begin Patch\n*** Add File: ${path}\n${content.replaceAll(/^(?=.)/gm, "+")}*** End Patch\n` },
  }),
  mcp: (tool) => [
    { tool: "tool_search", input: { query: `lab ${tool}` } },
    { tool, input: { text: "x" } },
  ],
  agent: (prompt) => [
    { tool: "tool_search", input: { query: "spawn_agent wait_agent" } },
    { tool: "spawn_agent", input: { message: prompt } },
    { tool: "wait_agent", input: (spawned) => ({ targets: [text(object(spawned)["agent_id"])], timeout_ms: 30_000 }) },
  ],
};
