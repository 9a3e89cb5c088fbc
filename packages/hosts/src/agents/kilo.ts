import { listed } from "@assent/core/policy";
import { type Agent, hostFacts, type Setup } from "./host/agent.ts";
import { openCodeManaged, openCodeProtocol, openCodeSample, openCodeControlled, pluginStub } from "./opencode/index.ts";
import type { Protocol } from "./host/protocol.ts";

export const protocol: Protocol = /* @__PURE__ */ openCodeProtocol("kilo");

const facts = /* @__PURE__ */ hostFacts({
  calls: { none: "its calls look like OpenCode's" },
  files: {
    userLocked: [".config/kilo/kilo.json", ".config/kilo/kilo.jsonc", ".config/kilo/plugin/", ".config/kilo/plugins/"],
    userAsked: [".config/kilo/", ".kilocode/", ".cache/kilo/", ".local/share/kilo/snapshot/"],
    project: [".kilo/", "kilo.json", "kilo.jsonc", ".kilocode/mcp.json", ".kilocodemodes", ".kilocode/"],
    machine: ["/etc/kilo/"],
    secrets: [".local/share/kilo/auth.json", ".local/share/kilo/mcp-auth.json"],
  },
  commands: {
    programs: ["kilo", "kilocode"],
    packages: ["@kilocode/cli"],
    aliases: ["kilo", "kilocode"],
    changes: ["plugin", "plug"],
    options: {
      hooks: ["--pure"],
      questions: ["--auto", "--yolo"],
      // The last three show its server to the network.
      code: ["--attach", "--tool", "--command", "--cors", "--mdns"],
    },
  },
  variables: {
    controlling: ["KILO_*"],
    asked: /* @__PURE__ */ listed(
      "KILO_PURE; KILO_CONFIG; KILO_CONFIG_DIR; KILO_CONFIG_CONTENT; KILO_PERMISSION; KILO_DISABLE_DEFAULT_PLUGINS",
      "KILO_TEST_MANAGED_CONFIG_DIR",
    ),
  },
});

const setup: Setup = {
  signs: { programs: ["kilo"], folders: [".config/kilo", ".kilo"] },
  version: ["kilo", "--version"],
  minimum: "7.7.9",
  sample: openCodeSample,
  events: ["tool.execute.before", "permission.asked"],
  fails: "a plugin that throws denies; Kilo waits for a plugin that hangs",
  asks: "denied with the reason",
  noOpinion: "goes ahead, but for what Kilo's own rules ask",
  confines: "commands that none of its rules may match",
  asksLittle: "Kilo",
  cannot: [
    "with `--pure` or `KILO_PURE=1` Kilo loads no plugins, not even an administrator's",
    "commands that a repository brings to be typed (`.kilo/command/`) run the shell in their text (`` !`…` ``) without a question, and no " +
      "plugin hears of it",
    "by itself Kilo asks about little: what has no rule and no protection goes ahead",
  ],
  managed: /* @__PURE__ */ openCodeManaged("kilo"),
  controlled: /* @__PURE__ */ openCodeControlled(
    "kilo",
    {
      names: ["kilo.json", "kilo.jsonc", "opencode.json", "opencode.jsonc"],
      folders: [".kilo", ".kilocode"],
      typed: [".kilo/workflows", ".kilocode/workflows"],
    },
    "Kilo 7.7.9",
  ),
  registrations: ({ home, project, module, registered }) => [
    {
      is: "file",
      file: project === undefined ? `${home}/.config/kilo/plugin/assent.js` : `${project}/.kilo/plugin/assent.js`,
      text: pluginStub(module("plugin-opencode.mjs"), "kilo", registered),
      mode: 0o644,
    },
  ],
};

export const kilo: Agent<"kilo"> = {
  id: "kilo",
  name: "Kilo Code CLI",
  protocol,
  facts,
  rules: async () => ({ rules: (await import("./opencode/rules.ts")).openCodeRules("kilo", ".kilo") }),
  setup,
};
