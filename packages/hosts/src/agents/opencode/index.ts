import { isObject } from "@assent/core/data";
import { listed } from "@assent/core/policy";
import type { Host, Input, Outcome, ToolFacts } from "@assent/guard/engine";
import { type Agent, hostFacts, type Sample, type Setup } from "../host/agent.ts";
import type { Controlled } from "../host/controlled.ts";
import { inputInstead, SELF_TEST } from "../host/claude-shape.ts";
import { type HookCall, type Protocol, type Reading, type Reply, reply } from "../host/protocol.ts";
import { factsOf, files, mcp, mcpGuess, named, requestOf, shell, text, walk } from "../host/reading.ts";

/**
 * OpenCode and Kilo, which grew from it. Measured on OpenCode 1.18.33 and Kilo 7.7.9: a plugin denies by throwing in
 * `tool.execute.before`, for sub-agents as well; `permission.ask` is declared and never called; a `permission.asked` event
 * can be answered. The plugin (`plugin.ts`) judges in the host's own process; `check` takes the same as JSON.
 */

const TOOLS: Readonly<Record<string, ToolFacts>> = {
  bash: shell("command", "workdir"),
  // Kilo's (7.7.9); without a command it says or ends what it has started.
  background_process: { does: "shell", field: "command", folder: "workdir", otherwise: named("background_process") },
  read: files("read", "filePath"),
  write: files("write", "filePath"),
  edit: files("edit", "filePath"),
  multiedit: files("edit", "filePath"),
  patch: { does: "patch", field: "patchText" },
  apply_patch: { does: "patch", field: "patchText" },
  list: walk("list", "path"),
  glob: walk("list", "path", "pattern"),
  grep: walk("read", "path", "include", { search: { glob: "include" } }),
  webfetch: { does: "fetch", field: "url" },
  websearch: named("WebSearch"),
  task: named("Task", "Agent"),
  skill: named("Skill"),
};

/** What is no MCP tool although it has an underscore. */
const OWN = new Set(["apply_patch", "todo_write", "todo_read"]);

const BEFORE = "tool.execute.before";
const ASKED = new Set(["permission.ask", "permission.asked"]);

export function openCodeProtocol(id: "opencode" | "kilo"): Protocol {
  // Its own rules are held against what the plugin puts in the place of a command (OpenCode 1.18.33).
  const host = (asks: boolean): Host => ({
    shell: "any",
    decides: true,
    asks,
    bypassed: false,
    planning: false,
    confines: !asks,
    unheard: ["ask", "deny"],
  });

  function read({ payload, event: registered, folder }: HookCall): Reading {
    const event = text(payload["event"]) ?? text(payload["type"]) ?? registered ?? BEFORE;
    const asked = ASKED.has(event);
    if (!asked && event !== BEFORE) return { is: "nothing", why: `nothing to decide on event ${event.slice(0, 60)}` };
    const call = asked ? permissionOf(payload) : { tool: payload["tool"], input: payload["args"] };
    return requestOf({
      agent: id,
      event,
      ...call,
      cwd: payload["directory"] ?? payload["cwd"],
      folder,
      facts: factsFor(call.tool, payload["servers"]),
      host: host(asked),
      root: payload["worktree"],
      session: payload["sessionID"],
      subagent: text(payload["agent"]),
      names: { tool: asked ? "permission.type" : "tool", input: asked ? "permission.metadata" : "args", cwd: "directory" },
    });
  }

  return {
    id,
    tools: TOOLS,
    read,
    write,
    refuse: (why, event) => reply(ASKED.has(event ?? "") ? {} : { status: "deny", reason: `Assent: ${why}` }),
    noOpinion: reply({}),
  };
}

/** `permission` is an object with its type, or in the event the type itself with `metadata` beside it. */
function permissionOf(payload: Input): { readonly tool: unknown; readonly input: unknown } {
  const asked = isObject(payload["properties"]) ? payload["properties"] : payload;
  const own = asked["permission"];
  const type = isObject(own) ? own["type"] : own;
  const metadata = isObject(own) ? own["metadata"] : asked["metadata"];
  if (!isObject(metadata)) return { tool: type, input: metadata ?? {} };
  // Here the path has a small letter.
  return { tool: type, input: metadata["filepath"] === undefined ? metadata : { ...metadata, filePath: metadata["filepath"] } };
}

/** `server_tool`: the plugin knows the servers, so that nothing need be guessed. */
function factsFor(tool: unknown, servers: unknown): ToolFacts | undefined {
  const own = factsOf(TOOLS, tool);
  if (own !== undefined || typeof tool !== "string" || OWN.has(tool)) return own;
  if (!Array.isArray(servers)) return mcpGuess(tool, "_");
  const server: unknown = servers.find((each) => typeof each === "string" && tool.startsWith(`${each}_`));
  return typeof server === "string" ? mcp(server, tool.slice(server.length + 1)) : undefined;
}

function write(outcome: Outcome): Reply {
  const { answer } = outcome;
  const { decision } = answer;
  if (decision === "deny") return reply({ status: "deny", reason: `Assent: ${answer.modelReason}` });
  const input = inputInstead(outcome);
  if (input !== undefined) return reply({ status: "allow", reason: answer.modelReason, input });
  return reply(decision === "allow" ? { status: "allow", reason: answer.modelReason } : {});
}

export const openCodeSample = (command: string, cwd: string): Sample => ({
  payload: { event: BEFORE, tool: "bash", args: { command }, sessionID: SELF_TEST, directory: cwd },
});

const ALLOWED = /^allow$|"(?:\*|bash|edit|external_directory)":"allow"/;

/** What its settings are called, in which folders they and its plugins stand, and where texts stand in which it runs the shell. */
interface OpenCodePlaces {
  readonly names: readonly string[];
  readonly folders: readonly string[];
  readonly typed: readonly string[];
}

const TYPED = /!`([^`]+)`/g;
const inEach = (folders: readonly string[], names: readonly string[]): readonly string[] =>
  folders.flatMap((folder) => names.map((name) => `${folder}/${name}`));

export const openCodeControlled = (id: "opencode" | "kilo", { names, folders, typed }: OpenCodePlaces, driven: string): Controlled => ({
  project: [...names, ...inEach(folders, [...names, "package.json"])],
  servers: [["mcp"]],
  user: inEach([`~/.config/${id}`, `/etc/${id}`], names),
  dotenv: [".env"],
  folders: inEach(folders, ["plugin", "plugins", "tool", "tools"]),
  typed: { folders: [...inEach(folders, ["command", "commands"]), ...typed], runs: TYPED },
  signs: [
    {
      at: ["command", "*", "template"],
      when: /!`[^`]+`/,
      does: "starts",
      so: "the shell in it runs when it is typed, and no plugin hears of it",
      projectOnly: true,
      told: true,
    },
    { at: ["plugin"], when: "there", does: "starts", so: "code that runs in the host's process", projectOnly: true },
    { at: ["lsp", "*", "command"], when: "there", does: "starts", so: "programs that the host starts", projectOnly: true },
    { at: ["lsp", "*", "env"], when: "environment", does: "controls", so: "" },
    { at: ["formatter", "*", "command"], when: "there", does: "starts", so: "programs that the host starts", projectOnly: true },
    { at: ["formatter", "*", "environment"], when: "environment", does: "controls", so: "" },
    { at: ["experimental", "hook", "*"], when: "there", does: "starts", so: "programs that the host starts", projectOnly: true },
    { at: ["dependencies"], when: "there", does: "starts", so: "packages that are installed into the host's process", projectOnly: true },
    { at: ["agent", "*", "permission"], when: ALLOWED, does: "skips", so: "the host asks nothing by itself" },
    { at: ["mode", "*", "permission"], when: ALLOWED, does: "skips", so: "the host asks nothing by itself" },
    { at: ["shell"], when: "there", does: "controls", so: "commands are run by it", projectOnly: true },
    { at: ["skills"], when: "there", does: "controls", so: "skills are taken from there", projectOnly: true },
    { at: ["share"], when: /^auto$/, does: "controls", so: "sessions are copied to a server", projectOnly: true },
    { at: ["autoshare"], when: true, does: "controls", so: "sessions are copied to a server", projectOnly: true },
    { at: ["remote_control"], when: true, does: "controls", so: "each session is open to be controlled from elsewhere", projectOnly: true },
    { at: ["enterprise", "url"], when: "there", does: "controls", so: "sessions are shared there", projectOnly: true },
    { at: ["server"], when: "there", does: "controls", so: "who reaches the host's server", projectOnly: true },
    { at: ["sandbox", "enabled"], when: false, does: "skips", so: "the host sandboxes nothing by itself", projectOnly: true },
    { at: ["provider", "*", "options", "baseURL"], when: "there", does: "controls", so: "the model is asked there", projectOnly: true },
    { at: ["permission"], when: ALLOWED, does: "skips", so: "the host asks nothing by itself" },
  ],
  said:
    `no list of plugins, no plugin of the same name and no \`.env\` in a repository took the plugin out (${driven}); its own plugins run ` +
    "in the same process, and can change a call after yours has judged it",
});

/** Refuses everything when the program is not where it was: nothing else would tell that nobody judges any more. */
export const pluginStub = (
  module: string,
  host: string,
  registered: object,
): string => `// Written by \`assent install\`; \`assent uninstall\` removes it.
const loading = import(${JSON.stringify(`file://${encodeURI(module)}`)}).then(
  (assent) => assent.plugin(${JSON.stringify(host)}, ${JSON.stringify(registered)}),
  (error) => async () => ({
    "tool.execute.before": async () => {
      throw new Error("Assent cannot be loaded, so this is refused: install it again (" + error.message + ")");
    },
  }),
);

export const Assent = async (input) => (await loading)(input);
`;

/** Plugins in a folder of that place are not loaded, so an entry names ours; and one that is gone stops nothing, so it is a stub. */
export const openCodeManaged = (id: "opencode" | "kilo"): NonNullable<Setup["managed"]> => {
  const [file, stub] = [`/etc/${id}/${id}.json`, `/etc/${id}/assent.js`];
  return {
    file,
    registrations: ({ module }) => [
      { is: "file", file: stub, text: pluginStub(module("plugin-opencode.mjs"), id, {}), mode: 0o644 },
      { is: "entries", file, format: "json", entries: [{ list: ["plugin"], value: `file://${stub}` }], mode: 0o644 },
    ],
    known: "measured",
  };
};

export const protocol: Protocol = /* @__PURE__ */ openCodeProtocol("opencode");

const facts = /* @__PURE__ */ hostFacts({
  calls: [{ telling: 120, events: ["permission.ask", "permission.asked", "tool.execute.before"] }],
  files: {
    userLocked: [
      ".config/opencode/opencode.json",
      ".config/opencode/opencode.jsonc",
      ".config/opencode/plugin/",
      ".config/opencode/plugins/",
    ],
    // Its snapshots are repositories, whose configuration names programs.
    userAsked: [".config/opencode/", ".cache/opencode/", ".local/share/opencode/snapshot/"],
    project: [".opencode/", "opencode.json", "opencode.jsonc"],
    machine: ["/etc/opencode/", "/library/application support/opencode/"],
    secrets: [".local/share/opencode/auth.json", ".local/share/opencode/mcp-auth.json", ".config/opencode/auth.json"],
  },
  commands: {
    programs: ["opencode"],
    packages: ["opencode-ai"],
    aliases: ["opencode"],
    changes: ["plugin", "plug"],
    options: {
      hooks: ["--pure"],
      questions: ["--auto", "--yolo"],
      // The last three show its server to the network.
      code: ["--attach", "--tool", "--command", "--cors", "--mdns"],
    },
  },
  variables: {
    marks: ["OPENCODE"],
    controlling: ["OPENCODE_*"],
    asked: /* @__PURE__ */ listed(
      "OPENCODE_PURE; OPENCODE_CONFIG; OPENCODE_CONFIG_DIR; OPENCODE_CONFIG_CONTENT; OPENCODE_PERMISSION",
      "OPENCODE_DISABLE_DEFAULT_PLUGINS; OPENCODE_TEST_MANAGED_CONFIG_DIR",
    ),
  },
});

const setup: Setup = {
  signs: { programs: ["opencode"], folders: [".config/opencode", ".opencode"] },
  version: ["opencode", "--version"],
  minimum: "1.18.33",
  sample: openCodeSample,
  events: ["tool.execute.before", "permission.asked"],
  fails: "a plugin that throws denies; OpenCode waits for a plugin that hangs",
  asks: "denied with the reason",
  noOpinion: "goes ahead, but for what OpenCode's own rules ask",
  confines: "commands that none of its rules may match",
  asksLittle: "OpenCode",
  cannot: [
    "with `--pure` or `OPENCODE_PURE=1` OpenCode loads no plugins, not even an administrator's",
    "without network its first start with a folder of plugins waits about a minute for a package",
    "commands that a repository brings to be typed (`.opencode/command/`) run the shell in their text (`` !`…` ``) without a question, and no " +
      "plugin hears of it",
    "by itself OpenCode asks about little: what has no rule and no protection goes ahead",
  ],
  managed: /* @__PURE__ */ openCodeManaged("opencode"),
  controlled: /* @__PURE__ */ openCodeControlled(
    "opencode",
    {
      names: ["opencode.json", "opencode.jsonc"],
      folders: [".opencode"],
      typed: [".opencode/skill", ".opencode/skills", ".claude/skills", ".agents/skills"],
    },
    "OpenCode 1.18.34",
  ),
  registrations: ({ home, project, module, registered }) => [
    {
      is: "file",
      file: project === undefined ? `${home}/.config/opencode/plugins/assent.js` : `${project}/.opencode/plugins/assent.js`,
      text: pluginStub(module("plugin-opencode.mjs"), "opencode", registered),
      mode: 0o644,
    },
  ],
};

export const opencode: Agent<"opencode"> = { id: "opencode", name: "OpenCode", protocol, facts, rules: () => import("./rules.ts"), setup };
