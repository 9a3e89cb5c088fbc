import { json, type Client } from "../client.ts";
import { ELSEWHERE, HOME, MOUNTED } from "../place.ts";

export const gemini: Client = {
  id: "gemini",
  name: "Gemini CLI",
  package: { name: "@google/gemini-cli", version: "0.61.0" },
  knows: { settings: ["hooksConfig", "discoveryCommand", "defaultApprovalMode", "excludedEnvVars"], modes: ["yolo"] },
  command: "gemini",
  program: "@google/gemini-cli/bundle/gemini.js",
  script: true,
  files: () => ({
    [`${HOME}/.gemini/settings.json`]: json({
      security: { auth: { selectedType: "gemini-api-key" } },
      mcpServers: { lab: { command: MOUNTED.ownNode, args: [MOUNTED.mcpServer] } },
    }),
  }),
  env: (model) => ({ GEMINI_API_KEY: "fake-key", GOOGLE_GEMINI_BASE_URL: model, GEMINI_CLI_TRUST_WORKSPACE: "true" }),
  // Under any other mode a run without a terminal is not even offered tools that change something.
  // Under any other mode a run without a terminal is not even offered tools that change something.
  args: "-p PROMPT -m gemini-2.5-pro --output-format stream-json --approval-mode yolo",
  // Its own file tools stay in the folders it is given.
  modes: { usual: "", free: `--include-directories ${HOME}` },
  detours: {
    "an edit that creates": [
      {
        tool: "replace",
        input: { file_path: `${ELSEWHERE}/outside.txt`, old_string: "", new_string: "outside\n", instruction: "a step" },
      },
    ],
    "a command's folder": [{ tool: "run_shell_command", input: { command: "touch outside.txt", dir_path: ELSEWHERE } }],
  },
  own: { path: ".gemini/settings.json", off: json({ hooksConfig: { enabled: false } }) },
  managed: true,
  harmless:
    "update_topic list_background_processes read_background_output write_todos enter_plan_mode exit_plan_mode activate_skill complete_task",
  twoPipes: true,
  ownShell: true,
  notes: "\n\n[System] Tool input parameters were modified by a hook before execution.",
  ownRule: (command) => ({
    files: {
      [`${HOME}/.gemini/policies/own.toml`]: `[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = "${command}"\ndecision = "deny"\npriority = 900\n`,
    },
  }),
  shell: (command) => ({ tool: "run_shell_command", input: { command, description: "a step" } }),
  write: (path, content) => ({ tool: "write_file", input: { file_path: path, content } }),
  mcp: (tool) => [{ tool: `mcp_lab_${tool}`, input: { text: "x" } }],
  differs: { subagent: { subagent: false } },
  remarks: { subagent: "its hooks are not told which agent calls" },
  agent: (prompt) => [{ tool: "invoke_agent", input: { agent_name: "generalist", prompt } }],
};
