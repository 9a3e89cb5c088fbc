import { json, type Client } from "../client.ts";
import { HOME } from "../place.ts";

export const pi: Client = {
  id: "pi",
  name: "pi",
  package: { name: "@earendil-works/pi-coding-agent", version: "1.6.0" },
  command: "pi",
  program: "@earendil-works/pi-coding-agent/dist/bundle/cli.js",
  script: true,
  files: (model) => ({
    [`${HOME}/.pi/agent/models.json`]: json({
      providers: {
        fake: { baseUrl: `${model}/v1`, api: "openai-completions", apiKey: "fake-key", models: [{ id: "fake-model", name: "fake-model" }] },
      },
    }),
  }),
  env: () => ({ PI_OFFLINE: "1" }),
  args: "--provider fake --model fake-model --mode json -p PROMPT",
  harmless: "",
  // It asks nothing by itself, so Assent does, and here nobody sits.
  differs: { inside: { runs: false, told: /approval required/ } },
  remarks: { inside: "refused where nobody can answer: pi asks nothing by itself, so Assent asks what the default preset asks" },
  ownRule: { none: "pi has no rules" },
  shell: (command) => ({ tool: "bash", input: { command } }),
  write: (path, content) => ({ tool: "write", input: { path, content } }),
};
