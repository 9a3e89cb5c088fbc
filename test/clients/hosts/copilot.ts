import { json, type Client } from "../client.ts";
import { HOME, MOUNTED } from "../place.ts";

export const copilot: Client = {
  id: "copilot",
  name: "GitHub Copilot CLI",
  package: { name: "@github/copilot-linux-x64", version: "1.0.102" },
  command: "copilot",
  program: "@github/copilot-linux-x64/copilot",
  files: () => ({
    [`${HOME}/.copilot/mcp-config.json`]: json({
      mcpServers: { lab: { type: "local", command: MOUNTED.ownNode, args: [MOUNTED.mcpServer], tools: ["*"] } },
    }),
  }),
  env: (model) => ({
    COPILOT_OFFLINE: "true",
    COPILOT_PROVIDER_BASE_URL: `${model}/v1`,
    // It takes the key out of all its output, wherever it occurs.
    COPILOT_PROVIDER_API_KEY: "fake-key-that-occurs-nowhere",
    COPILOT_MODEL: "gpt-4.1",
  }),
  args: "-p PROMPT",
  modes: { usual: "", free: "--allow-all-tools --allow-all-paths" },
  harmless: "read_bash stop_bash list_bash fetch_copilot_cli_documentation sql session_store_sql read_agent list_agents write_agent",
  ownRule: (command) => ({ args: `--deny-tool shell(${command}:*)` }),
  shell: (command) => ({ tool: "bash", input: { command, description: "a step" } }),
  write: (path, content) => ({ tool: "create", input: { path, file_text: content } }),
  mcp: (tool) => [{ tool: `lab-${tool}`, input: { text: "x" } }],
  differs: { broken: { told: /hook/i } },
  agent: (prompt) => [
    {
      tool: "task",
      input: { name: "step", description: "a step", prompt, agent_type: "general-purpose", mode: "sync" },
    },
  ],
};
