import type { Agent, Setup } from "./agent.ts";
import { openCodeProtocol, openCodeSample, openCodeSteered, pluginStub } from "./opencode-shape.ts";
import type { Protocol } from "./protocol.ts";

export const protocol: Protocol = openCodeProtocol("opencode");

const setup: Setup = {
  signs: { programs: ["opencode"], folders: [".config/opencode", ".opencode"] },
  version: ["opencode", "--version"],
  minimum: "1.18.33",
  sample: openCodeSample,
  events: ["tool.execute.before", "permission.asked"],
  fails: "a plugin that throws denies; OpenCode waits for a plugin that hangs",
  asks: "a plugin cannot make OpenCode ask: what must be asked is denied with the reason; where OpenCode asks by itself, it asks",
  silence: "goes ahead, but for what OpenCode's own rules ask",
  cannot: [
    "`opencode run --pure` loads no plugins",
    "without network its first start with a folder of plugins waits about a minute for a package",
    "by itself OpenCode asks about little: what has no rule and no protection goes ahead",
  ],
  steered: /* @__PURE__ */ openCodeSteered("opencode", ".opencode"),
  registrations: ({ home, project, module, registered }) => [
    {
      is: "file",
      file: project === undefined ? `${home}/.config/opencode/plugins/assent.js` : `${project}/.opencode/plugins/assent.js`,
      text: pluginStub(module("plugin-opencode.mjs"), "opencode", registered),
      mode: 0o644,
    },
  ],
};

export const opencode: Agent = { id: "opencode", name: "OpenCode", protocol, setup };
