import { json, type Client } from "../client.ts";
import { ELSEWHERE, HOME, MOUNTED } from "../place.ts";

const settings = (...deny: readonly string[]): string =>
  json({
    security: { auth: { selectedType: "openai" } },
    // An allow of ours does not answer its own question, which nobody hears without a terminal.
    permissions: { allow: ["Bash(touch *)", "mcp__lab__note"], deny },
    mcpServers: { lab: { command: MOUNTED.ownNode, args: [MOUNTED.mcpServer] } },
  });

export const qwen: Client = {
  id: "qwen",
  name: "Qwen Code",
  package: { name: "@qwen-code/qwen-code", version: "0.24.4" },
  knows: { settings: ["discoveryCommand", "excludedEnvVars"], modes: ["yolo"] },
  command: "qwen",
  program: "@qwen-code/qwen-code/cli-entry.js",
  script: true,
  files: () => ({
    [`${HOME}/.qwen/settings.json`]: settings(),
  }),
  env: (model) => ({ OPENAI_API_KEY: "fake-key", OPENAI_BASE_URL: `${model}/v1`, OPENAI_MODEL: "fake-model" }),
  args: "-p PROMPT -m fake-model --output-format stream-json",
  // Without a terminal it offers tools that change something only if they are named.
  modes: { usual: "--approval-mode auto-edit --allowed-tools run_shell_command", free: "--approval-mode yolo" },
  detours: {
    // Its file tools refuse relative paths themselves.
    "a relative path": [],
    "an edit that creates": [{ tool: "edit", input: { file_path: `${ELSEWHERE}/outside.txt`, old_string: "", new_string: "outside\n" } }],
    "a monitored command": [
      { tool: "tool_search", input: { query: "select:monitor" } },
      { tool: "tool_call", input: { name: "monitor", arguments: { command: "touch denied.txt", description: "a step" } } },
    ],
  },
  own: { path: ".qwen/settings.json", off: json({ disableAllHooks: true }) },
  managed: true,
  ownShell: true,
  harmless:
    "ask_user_question enter_plan_mode exit_plan_mode get_goal list_agents tool_call tool_search update_goal loop_wakeup read_mcp_resource report_findings",
  edited: { usual: "--acp -m fake-model --approval-mode default", free: "--acp -m fake-model --approval-mode yolo" },
  ownRule: (command) => ({ files: { [`${HOME}/.qwen/settings.json`]: settings(`Bash(${command}:*)`) } }),
  shell: (command) => ({ tool: "run_shell_command", input: { command, is_background: false, description: "a step" } }),
  write: (path, content) => ({ tool: "write_file", input: { file_path: path, content } }),
  // MCP tools are not offered but found, and called through another tool.
  mcp: (tool) => [
    { tool: "tool_search", input: { query: `select:mcp__lab__${tool}` } },
    { tool: "tool_call", input: { name: `mcp__lab__${tool}`, arguments: { text: "x" } } },
  ],
  agent: (prompt) => [{ tool: "agent", input: { description: "a step", prompt, subagent_type: "general-purpose" } }],
};
