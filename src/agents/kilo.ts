import type { Agent, Setup } from "./agent.ts";
import { openCodeProtocol, openCodeSample, openCodeSteered, pluginStub } from "./opencode-shape.ts";
import type { Protocol } from "./protocol.ts";

export const protocol: Protocol = openCodeProtocol("kilo");

const setup: Setup = {
  signs: { programs: ["kilo"], folders: [".config/kilo", ".kilo"] },
  version: ["kilo", "--version"],
  minimum: "7.7.9",
  sample: openCodeSample,
  events: ["tool.execute.before", "permission.asked"],
  fails: "a plugin that throws denies; Kilo waits for a plugin that hangs",
  asks: "a plugin cannot make Kilo ask: what must be asked is denied with the reason; where Kilo asks by itself, it asks",
  silence: "goes ahead, but for what Kilo's own rules ask",
  cannot: ["by itself Kilo asks about little: what has no rule and no protection goes ahead"],
  steered: /* @__PURE__ */ openCodeSteered("kilo", ".kilo"),
  registrations: ({ home, project, module, registered }) => [
    {
      is: "file",
      file: project === undefined ? `${home}/.config/kilo/plugin/assent.js` : `${project}/.kilo/plugin/assent.js`,
      text: pluginStub(module("plugin-opencode.mjs"), "kilo", registered),
      mode: 0o644,
    },
  ],
};

export const kilo: Agent = { id: "kilo", name: "Kilo Code CLI", protocol, setup };
