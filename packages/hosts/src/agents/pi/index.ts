import type { Host, Outcome, ToolFacts } from "@assent/guard/engine";
import { type Agent, hostFacts, type Setup } from "../host/agent.ts";
import { inputInstead, SELF_TEST } from "../host/claude-shape.ts";
import { type HookCall, type Protocol, type Reading, type Reply, reply } from "../host/protocol.ts";
import { factsOf, files, requestOf, shell, text, walk } from "../host/reading.ts";

/**
 * pi. Measured on 0.87.1: an extension blocks a tool by `{ block, reason }`, and by throwing; pi itself asks nobody. The
 * extension (`plugin.ts`) judges in pi's own process; `check --agent pi` takes the same as JSON, with `hasUI` and `cwd`
 * of the extension's context beside the event.
 */

const TOOLS: Readonly<Record<string, ToolFacts>> = {
  bash: shell(),
  powershell: { does: "opaque", field: "command", language: "powershell" },
  read: files("read", "path"),
  write: files("write", "path"),
  edit: files("edit", "path"),
  grep: walk("read", "path", "glob"),
  find: walk("list", "path", "pattern"),
  ls: { does: "file", operation: "list", fields: ["path"], fallback: "." },
};

/** Since 1.6.0: scripts and searches that have nothing but the other tools, whose calls are judged as they come. */
const CALLING = new Set(["codemode", "tool_search"]);

function read({ payload, event, folder }: HookCall): Reading {
  const type = text(payload["type"]) ?? event;
  if (type !== undefined && type !== "tool_call") return { is: "nothing", why: `nothing to decide on event ${type.slice(0, 60)}` };
  // pi has no permissions of its own, so silence would be a yes to what a default asks about.
  const host: Host = { shell: "bash", decides: false, asks: payload["hasUI"] === true, bypassed: false, planning: false, confines: true };
  return requestOf({
    agent: "pi",
    event: "tool_call",
    tool: payload["toolName"],
    input: payload["input"],
    cwd: payload["cwd"],
    folder,
    facts: factsOf(TOOLS, payload["toolName"]),
    host,
    session: payload["sessionId"],
    names: { tool: "toolName", input: "input", cwd: "cwd" },
  });
}

function write(outcome: Outcome): Reply {
  const { answer, request } = outcome;
  const reason = `Assent: ${answer.modelReason}`;
  // Where nobody has an opinion pi would simply go ahead.
  if (answer.decision === "none" && CALLING.has(request.tool)) return reply({});
  if (answer.decision === "none")
    return reply(request.host.asks ? { ask: true, reason } : { block: true, reason: `Assent: approval required: ${answer.modelReason}` });
  if (answer.decision === "deny") return reply({ block: true, reason });
  const input = inputInstead(outcome);
  return reply(answer.decision === "ask" ? { ask: true, reason } : input === undefined ? {} : { input });
}

export const protocol: Protocol = {
  id: "pi",
  tools: TOOLS,
  read,
  write,
  refuse: (why) => reply({ block: true, reason: `Assent: ${why}` }),
  noOpinion: reply({}),
};

const facts = /* @__PURE__ */ hostFacts({
  calls: [
    { telling: 110, fields: { type: ["tool_call"] } },
    { telling: 110, fields: { toolCallId: "there" } },
  ],
  files: {
    // The last three: what the PATH of each command begins with, and packages that run in its process.
    userLocked: [".pi/agent/extensions/", ".pi/agent/settings.json", ".pi/agent/bin/", ".pi/agent/npm/", ".pi/agent/git/"],
    project: [".pi/"],
    secrets: ["auth", "mcp-auth", "models", "oauth"].map((name) => `.pi/agent/${name}.json`),
  },
  commands: {
    programs: ["pi"],
    packages: ["@earendil-works/pi-coding-agent", "@mariozechner/pi-coding-agent"],
    changes: ["install", "remove", "uninstall", "update", "config"],
    prints: ["auth print-api-key", "auth print-bearer-token", "auth --credentials"],
    options: {
      hooks: ["--no-extensions", "-ne"],
      questions: ["--approve", "-a"],
      code: ["--extension", "-e"],
    },
  },
  variables: { controlling: ["PI_*"], asked: ["PI_CODING_AGENT_DIR"] },
});

const setup: Setup = {
  signs: { programs: ["pi"], folders: [".pi"] },
  version: ["pi", "--version"],
  minimum: "0.87.1",
  sample: (command, cwd) => ({ payload: { type: "tool_call", sessionId: SELF_TEST, cwd, toolName: "bash", input: { command } } }),
  events: ["tool_call"],
  fails: "blocks the tool",
  asks: "a dialog with the reason, also about what nobody has an opinion on; without a user interface a denial with the reason",
  confines: "every command",
  noOpinion: "goes ahead: pi asks nothing by itself",
  cannot: ["commands that the user types behind `!` are not judged"],
  controlled: {
    project: [".pi/settings.json", ".pi/mcp.json"],
    user: ["~/.pi/agent/settings.json"],
    folders: [".pi/extensions"],
    servers: true,
    signs: [
      // `-PATH` or `!PATTERN` in the user's own takes a plugin out, in a project's it does not (1.6.0).
      { at: ["extensions"], when: /"[-!][^"]*(?:assent\.js|\*[^"]*)"/, does: "off", so: "it takes Assent's extension out", userOnly: true },
      { at: ["extensions"], when: "there", does: "starts", so: "code that runs in the host's process", projectOnly: true },
      { at: ["packages"], when: "there", does: "starts", so: "code that runs in the host's process", projectOnly: true },
      { at: ["npmCommand"], when: "there", does: "starts", so: "packages are installed by it", projectOnly: true },
      { at: ["externalEditor"], when: "there", does: "starts", so: "a program that the host starts", projectOnly: true },
      { at: ["selfUpdateCommand"], when: "there", does: "starts", so: "the host is updated by it", projectOnly: true },
      { at: ["httpProxy"], when: "there", does: "controls", so: "the model is asked through it", projectOnly: true },
      { at: ["sessionShareDestination"], when: "there", does: "controls", so: "sessions are copied there", projectOnly: true },
      { at: ["defaultProjectTrust"], when: /^(?!ask|never)/, does: "skips", so: "folders are trusted unasked", projectOnly: true },
      { at: ["shellPath"], when: "there", does: "controls", so: "commands are run by it", projectOnly: true },
      { at: ["shellCommandPrefix"], when: "there", does: "controls", so: "it stands before every command", projectOnly: true },
    ],
    said: "a repository's own extensions run in the same process, and `.pi/mcp.json` starts servers once the folder is trusted",
  },
  registrations: ({ home, project, module, registered }) => [
    {
      is: "file",
      file: project === undefined ? `${home}/.pi/agent/extensions/assent.js` : `${project}/.pi/extensions/assent.js`,
      text: stub(module("plugin-pi.mjs"), registered),
      mode: 0o644,
    },
  ],
};

/** Blocks everything when the program is not where it was: nothing else would tell that nobody judges any more. */
const stub = (module: string, registered: object): string => `// Written by \`assent install\`; \`assent uninstall\` removes it.
const loading = import(${JSON.stringify(`file://${encodeURI(module)}`)}).then(
  (assent) => assent.judge,
  (error) => () => ({ block: true, reason: "Assent cannot be loaded, so this is refused: install it again (" + error.message + ")" }),
);

export default (pi) => {
  pi.on("tool_call", async (event, context) => (await loading)(event, context, ${JSON.stringify(registered)}));
};
`;

export const pi: Agent<"pi"> = { id: "pi", name: "pi", protocol, facts, rules: "it has no permissions of its own", setup };
