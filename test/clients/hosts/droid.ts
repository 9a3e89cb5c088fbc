import { json, type Client, type Origin } from "../client.ts";
import { HOME, MOUNTED } from "../place.ts";

const settings = (model: Origin, more: object = {}): string =>
  json({
    customModels: [
      {
        model: "fake-model",
        id: "custom:fake-0",
        index: 0,
        displayName: "fake",
        baseUrl: `${model}/v1`,
        apiKey: "fake-key",
        provider: "generic-chat-completion-api",
        maxOutputTokens: 4000,
      },
    ],
    ...more,
  });

export const droid: Client = {
  id: "droid",
  name: "Factory Droid",
  package: { name: "@factory/cli-linux-x64", version: "0.225.2" },
  knows: { settings: ["commandDenylist"], modes: ["auto-high"] },
  command: "droid",
  program: "@factory/cli-linux-x64/bin/droid",
  files: (model) => ({
    [`${HOME}/.factory/settings.json`]: settings(model),
    [`${HOME}/.factory/mcp.json`]: json({
      mcpServers: { lab: { type: "stdio", command: MOUNTED.ownNode, args: [MOUNTED.mcpServer], disabled: false } },
    }),
  }),
  env: () => ({ FACTORY_API_KEY: "fk-fake000" }),
  args: "exec PROMPT -m custom:fake-0 -o stream-json",
  modes: { usual: "--auto high", free: "--skip-permissions-unsafe" },
  own: { path: ".factory/settings.json", off: json({ hooksDisabled: true }) },
  managed: true,
  harmless: "ConnectorSearch TaskOutput TaskStop ToolSearch GenerateImage",
  // What it asks about, `exec` refuses.
  ownRule: (command, model) => ({
    mode: "usual",
    files: { [`${HOME}/.factory/settings.json`]: settings(model, { commandDenylist: [command] }) },
  }),
  shell: (command) => ({
    tool: "Execute",
    input: { command, summary: "a step", riskLevel: "low", riskLevelReason: "a file in the project" },
  }),
  write: (path, content) => ({ tool: "Create", input: { file_path: path, content } }),
  mcp: (tool) => [
    { tool: "ToolSearch", input: { query: `select:lab___${tool}` }, until: /Loaded/ },
    { tool: `lab___${tool}`, input: { text: "x" } },
  ],
  remarks: { subagent: "its sub-agents start only for a user who is logged in to Factory" },
};
