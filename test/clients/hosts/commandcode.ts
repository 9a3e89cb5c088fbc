import { json, type Client } from "../client.ts";
import { HOME, MOUNTED } from "../place.ts";

export const commandCode: Client = {
  id: "commandcode",
  name: "Command Code",
  // A later one has no default export, which Command Code imports.
  package: { name: "command-code", version: "1.64.0", beside: ["@opentelemetry/semantic-conventions@1.43.0"] },
  knows: { settings: [], modes: ["dont-ask"] },
  command: "command-code",
  program: "command-code/dist/index.mjs",
  script: true,
  files: (model) => ({
    [`${HOME}/.commandcode/providers.json`]: json({
      provider: {
        fake: { api: "openai-completions", baseURL: `${model}/v1`, apiKey: false, models: { "fake-model": { contextWindow: 100_000 } } },
      },
    }),
    [`${HOME}/.commandcode/auth.json`]: json({ apiKey: "fake-key", userName: "you" }),
    [`${HOME}/.commandcode/mcp.json`]: json({ mcpServers: { lab: { command: MOUNTED.ownNode, args: [MOUNTED.mcpServer] } } }),
  }),
  env: () => ({ CMD_LOCAL_ONLY: "1", COMMANDCODE_SKIP_UPDATES: "1" }),
  args: "--trust --skip-onboarding --no-auto-update -m fake/fake-model -p PROMPT",
  modes: { usual: "--yolo", free: "--yolo" },
  own: { path: ".commandcode/settings.json", off: json({ hooks: {} }) },
  detours: {
    // Its file tools take no relative path that leads out.
    "a relative path": [],
    "words beside the command": [{ tool: "shell_command", input: { command: "touch", args: ["denied.txt"] } }],
    "a field by another name": [{ tool: "shell_command", input: { cmd: "touch denied.txt" } }],
  },
  harmless: "agent_output search_tools",
  ownRule: { none: "an allow of its own lets no command run without a terminal" },
  shell: (command) => ({ tool: "shell_command", input: { command } }),
  write: (path, content) => ({ tool: "write_file", input: { file_path: path, content } }),
  // Tools of servers are found by searching, and stay out of its lists.
  mcp: (tool) => [
    { tool: "search_tools", input: { query: `select:mcp__lab__${tool}` } },
    { tool: `mcp__lab__${tool}`, input: { text: "x" }, unlisted: true },
  ],
  agent: (prompt) => [{ tool: "agent", input: { description: "a step", prompt } }],
  differs: { subagent: { told: /approval required/, verdict: "none", subagent: false } },
  remarks: {
    sandboxed: "its hooks cannot put another command in the place of one",
    subagent: "no hook is called for what its sub-agents do: starting one is refused",
  },
};
