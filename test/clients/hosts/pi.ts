import { json, type Client } from "../client.ts";
import { HOME, MOUNTED } from "../place.ts";

export const pi: Client = {
  id: "pi",
  name: "pi",
  package: { name: "@earendil-works/pi-coding-agent", version: "1.6.0" },
  knows: { settings: ["shellCommandPrefix"] },
  command: "pi",
  program: "@earendil-works/pi-coding-agent/dist/bundle/cli.js",
  script: true,
  files: (model) => ({
    [`${HOME}/.pi/agent/models.json`]: json({
      providers: {
        fake: { baseUrl: `${model}/v1`, api: "openai-completions", apiKey: "fake-key", models: [{ id: "fake-model", name: "fake-model" }] },
      },
    }),
    // With a server, `codemode` is on by itself.
    [`${HOME}/.pi/agent/mcp.json`]: json({
      mcpServers: {
        lab: { command: MOUNTED.ownNode, args: [MOUNTED.mcpServer], toolExposure: { "*": "direct", wipe: "codemode" } },
      },
    }),
  }),
  env: () => ({ PI_OFFLINE: "1" }),
  args: "--provider fake --model fake-model --mode json -p PROMPT",
  detours: {
    "a command within a script": [{ tool: "codemode", input: { code: 'return await tools.bash({ command: "touch denied.txt" })' } }],
  },
  // What a script does are calls of other tools.
  harmless: "codemode",
  // It asks nothing by itself, so Assent does, and here nobody sits.
  differs: { inside: { runs: false, told: /approval required/ } },
  remarks: { inside: "refused where nobody can answer: pi asks nothing by itself, so Assent asks what the default preset asks" },
  ownRule: { none: "pi has no rules" },
  shell: (command) => ({ tool: "bash", input: { command } }),
  write: (path, content) => ({ tool: "write", input: { path, content } }),
  mcp: (tool) =>
    tool === "wipe"
      ? [{ tool: "codemode", input: { code: 'return await tools.mcp__lab__wipe({ text: "x" })' } }]
      : [{ tool: `mcp__lab__${tool}`, input: { text: "x" } }],
};
