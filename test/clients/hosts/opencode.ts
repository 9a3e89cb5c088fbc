import { json, type Client, type Origin } from "../client.ts";
import { ELSEWHERE, HOME, MOUNTED } from "../place.ts";

/** It adds the first line by itself. */
const settings = (model: Origin, more: object = {}): string =>
  json({
    $schema: "https://opencode.ai/config.json",
    provider: {
      fake: {
        npm: "@ai-sdk/openai-compatible",
        options: { baseURL: `${model}/v1`, apiKey: "fake-key" },
        models: { "fake-model": { tool_call: true, limit: { context: 100_000, output: 4000 } } },
      },
    },
    model: "fake/fake-model",
    small_model: "fake/fake-model",
    mcp: { lab: { type: "local", command: [MOUNTED.ownNode, MOUNTED.mcpServer], enabled: true } },
    ...more,
  });

export const opencode: Client = {
  id: "opencode",
  name: "OpenCode",
  package: { name: "opencode-linux-x64", version: "1.18.34" },
  knows: { settings: ["enabled_providers"] },
  command: "opencode",
  program: "opencode-linux-x64/bin/opencode",
  files: (model) => ({
    [`${HOME}/.config/opencode/opencode.json`]: settings(model),
    // Beside a plugin it wants a package of its own, and tries to get it for more than a minute.
    [`${HOME}/.npmrc`]: "fetch-retries=0\n",
  }),
  env: () => ({ OPENCODE_DISABLE_MODELS_FETCH: "1", OPENCODE_DISABLE_AUTOUPDATE: "1" }),
  args: "run --format json PROMPT",
  modes: { usual: "", free: "--auto" },
  serves: "serve",
  own: { path: "opencode.json", off: json({ plugin: [] }) },
  managed: true,
  detours: {
    "an edit that creates": [{ tool: "edit", input: { filePath: `${ELSEWHERE}/outside.txt`, oldString: "", newString: "outside\n" } }],
    "a command's folder": [{ tool: "bash", input: { command: "touch outside.txt", description: "a step", workdir: ELSEWHERE } }],
  },
  harmless: "todowrite",
  twoPipes: true,
  ownRule: (command, model) => ({
    files: {
      [`${HOME}/.config/opencode/opencode.json`]: settings(model, { permission: { bash: { "*": "allow", [`${command}*`]: "deny" } } }),
    },
  }),
  shell: (command) => ({ tool: "bash", input: { command, description: "a step" } }),
  write: (path, content) => ({ tool: "write", input: { filePath: path, content } }),
  mcp: (tool) => [{ tool: `lab_${tool}`, input: { text: "x" } }],
  agent: (prompt) => [{ tool: "task", input: { description: "a step", prompt, subagent_type: "general" } }],
};
