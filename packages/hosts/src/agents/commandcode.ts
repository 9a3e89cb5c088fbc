import { singleQuoted } from "@assent/core/action";
import { isObject } from "@assent/core/data";
import { listed } from "@assent/core/policy";
import type { Host, Input, Outcome, ToolFacts } from "@assent/guard/engine";
import { type Agent, hostFacts, type Setup } from "./host/agent.ts";
import { preToolUse, readShaped, sample, words } from "./host/claude-shape.ts";
import { type HookCall, type Protocol, type Reading, type Reply, reply } from "./host/protocol.ts";
import { files, named, walk } from "./host/reading.ts";

/**
 * Command Code. Measured on 1.64.0: exit code 2 and `permissionDecision: "deny"` stop a tool, also with every question switched off. An
 * ask, an allow, `updatedInput` and `decision: "block"` are heard as silence. With `failClosed` a hook that crashes, answers nonsense or
 * takes too long stops the tool as well; without it the tool runs.
 */

const SHELL: ToolFacts = { does: "shell", field: "command", list: true, folder: "cwd" };
const MANY: ToolFacts = walk("read", "paths target_directory", undefined, { globs: true });

/** What each tool does, and the fields it has. The host renames others after its hooks have heard the call (1.64.0): they are refused. */
const CALLS: Readonly<Record<string, { readonly facts: ToolFacts; readonly fields: ReadonlySet<string> }>> = {
  shell_command: { facts: SHELL, fields: words("command args cwd timeout run_in_background description") },
  monitor_command: { facts: SHELL, fields: words("command args directory description maxDurationMs notify checkAfterMs") },
  read_file: { facts: files("read", "file_path"), fields: words("file_path offset limit") },
  read_multiple_files: { facts: MANY, fields: words("paths offset limit exclude target_directory default_exclude git_ignore") },
  read_directory: { facts: files("list", "path"), fields: words("path exclude") },
  write_file: { facts: files("write", "file_path"), fields: words("file_path content") },
  edit_file: { facts: files("edit", "file_path"), fields: words("file_path old_string new_string replace_all replacement_count") },
  glob: {
    facts: walk("list", "path", "pattern"),
    fields: words("pattern path limit offset"),
  },
  grep: {
    facts: walk("read", "path", "glob"),
    fields: words("pattern path glob output_mode -A -B -C -n -i context type head_limit offset multiline"),
  },
  get_diagnostics: { facts: files("read", "file_paths"), fields: words("file_paths") },
  web_fetch: { facts: { does: "fetch", field: "url" }, fields: words("url format startIndex timeout") },
};

const TOOLS: Readonly<Record<string, ToolFacts>> = {
  ...Object.fromEntries(Object.entries(CALLS).map(([name, { facts }]) => [name, facts])),
  powershell: { does: "opaque", field: "command", language: "powershell" },
  // A command of the host's own, typed for its user: it can change the mode.
  run_command: { does: "opaque", field: "command", language: "slash command" },
  web_search: named("WebSearch"),
  agent: named("Task", "Agent"),
  activate_skill: named("Skill"),
};

const JUDGED = words("PreToolUse");
const OTHERS = words("PostToolUse Stop SessionStart");

/** No hook is called for what a sub-agent does (1.64.0): to start one needs a rule. */
const hostOf = (_mode: string | undefined, _event: string, { payload }: HookCall): Host => ({
  shell: "bash",
  decides: payload["tool_name"] !== "agent",
  asks: false,
  bypassed: false,
  planning: false,
});

function read(call: HookCall): Reading {
  const { tool_input: input, tool_name: tool } = call.payload;
  // Where several files are read it is the older tool for that (1.64.0).
  const name = tool === "read_file" && isObject(input) && input["paths"] !== undefined ? "read_multiple_files" : tool;
  const known = typeof name === "string" && Object.hasOwn(CALLS, name) ? CALLS[name] : undefined;
  const wrong = known !== undefined && isObject(input) ? wrongField(input, known.fields) : undefined;
  if (wrong !== undefined) return { is: "problem", why: wrong };
  const given = known !== undefined && isObject(input) ? (known.facts === SHELL ? withArguments(input) : withFolder(input)) : input;
  return readShaped(
    { ...call, payload: { ...call.payload, tool_name: name, tool_input: given } },
    { agent: "commandcode", judged: JUDGED, others: OTHERS, tools: TOOLS, host: hostOf, root: "COMMANDCODE_PROJECT_DIR" },
  );
}

const LISTS = words("args paths file_paths exclude");

/** What the host would carry out otherwise than it was shown to the hook. */
function wrongField(input: Input, fields: ReadonlySet<string>): string | undefined {
  for (const [name, value] of Object.entries(input)) {
    if (!fields.has(name)) return `the tool has no field \`${name.slice(0, 60)}\`: use ${[...fields].slice(0, 3).join(", ")}`;
    if (LISTS.has(name) && !(Array.isArray(value) && value.every((item) => typeof item === "string")))
      return `\`${name}\` is not a list of texts`;
    if (typeof value === "string" && /^\s*\[[^\]]*\]\(/.test(value) && name.endsWith("path"))
      return `\`${name}\` is a link of Markdown, and no path`;
  }
  return undefined;
}

/** The host puts `args` behind the command, in quotes or, for its rules and dialogs, without (1.64.0): both are judged. */
function withArguments(input: Input): Input {
  const { command, args, directory } = input;
  const plain = Array.isArray(args) ? args.map(String) : [];
  const placed = directory === undefined ? input : { ...input, cwd: directory };
  if (plain.length === 0 || typeof command !== "string") return placed;
  return { ...placed, command: [[command, ...plain.map(singleQuoted)].join(" "), [command, ...plain].join(" ")] };
}

/** Relative names are meant from `target_directory`. */
function withFolder(input: Input): Input {
  const { paths, target_directory: folder } = input;
  if (!Array.isArray(paths) || typeof folder !== "string" || folder === "") return input;
  return { ...input, paths: paths.map((path) => (/^[/~]/.test(String(path)) ? String(path) : `${folder}/${String(path)}`)) };
}

function write({ answer, request }: Outcome): Reply {
  const open = answer.decision === "none" && !request.host.decides;
  const reason = open ? `approval required: ${UNHEARD}` : answer.modelReason;
  return reply(preToolUse(open || answer.decision === "deny" ? "deny" : "none", `Assent: ${reason}`));
}

const UNHEARD = "what a sub-agent does reaches no hook (do it yourself, or ask the user to run: assent allow agent)";

export const protocol: Protocol = {
  id: "commandcode",
  tools: TOOLS,
  read,
  write,
  refuse: (why) => reply(preToolUse("deny", `Assent: ${why}`)),
  noOpinion: reply({}),
};

const facts = /* @__PURE__ */ hostFacts({
  calls: [
    { telling: 75, fields: { tool_display_name: "there" } },
    { telling: 45, variables: { COMMANDCODE_PROJECT_DIR: "there" } },
  ],
  files: {
    // Mods are code in its process.
    userLocked: [".commandcode/settings.json", ".commandcode/mods/", ".commandcode/trusted-hooks.json"],
    userAsked: [".commandcode/"],
    userOwn: [".commandcode/plans/", ".commandcode/taste/"],
    project: [".commandcode/"],
    secrets: [".commandcode/auth.json", ".commandcode/credentials.json", ".commandcode/mcp-tokens.json", ".commandcode/providers.json"],
  },
  commands: {
    programs: ["command-code", "commandcode", "cmdc", "cmd"],
    packages: ["command-code"],
    aliases: ["command-code", "commandcode", "cmdc"],
    changes: ["mcp", "mods", "mod", "config", "skills", "login", "logout", "update", "sandbox", "taste"],
    options: {
      hooks: ["--config"],
      questions: /* @__PURE__ */ listed(
        "--yolo; -t; --trust; --plan; --accept-edits; --auto-accept; --permission-mode; --tools-all; --tools-enable",
      ),
      code: ["--mod", "--skill"],
    },
  },
  variables: {
    told: { COMMANDCODE_PROJECT_DIR: "path" },
    marks: ["COMMANDCODE_SESSION_ID", "CMD_AI"],
    controlling: ["COMMANDCODE_*", "CMD_*"],
    asked: ["COMMANDCODE_API*", "CMD_RELOAD_*", "CMD_TEST_INJECT_*"],
  },
});

const setup: Setup = {
  signs: { programs: ["command-code", "cmdc"], folders: [".commandcode"] },
  version: ["command-code", "--version"],
  minimum: "1.64.0",
  sample: (...call) => sample("PreToolUse", "shell_command")(...call),
  events: ["PreToolUse"],
  fails: "the tool is refused, also where the hook takes too long",
  asks: "denied with the reason",
  waits: 30,
  noOpinion: "Command Code's own permissions decide and ask; with `--yolo` everything goes ahead",
  asksLittle: "Command Code with --yolo",
  cannot: [
    "an allow does not spare you Command Code's own question",
    "in its plan mode no hook is called: there its own rules alone say which commands run",
    "a repository's own hooks and mods run without a step of trust, before yours, and one of its hooks can take the place of yours",
    "the host changes calls after its hooks have heard them: fields by another name are refused, but of one that stands there twice, under " +
      "two names, hooks are shown only the last",
    "commands in a skill of the repository (`` !`…` ``) run without a hook where you type its name",
    "no hook is called for what a sub-agent does: to start one is refused, but for a rule that allows the tool `agent`",
  ],
  controlled: {
    project: [".commandcode/settings.json", ".commandcode/settings.local.json", ".mcp.json"],
    user: ["~/.commandcode/settings.json"],
    servers: true,
    bringing: { folders: [".commandcode/agents", ".commandcode/skills", ".agents/skills"] },
    folders: [".commandcode/mods"],
    // Where the model loads it, they do not run (1.64.0).
    typed: { folders: [".commandcode/skills", ".agents/skills"], runs: /(?:^|\s)!`([^`\n]+)`|```!\r?\n([^]*?)```/g },
    signs: [
      { at: ["permissions", "allow"], when: "there", does: "skips", so: "these run without a question", projectOnly: true },
      {
        at: ["permissions", "defaultMode"],
        when: /^(?:yolo|bypass|accept-edits|auto-accept|dont-ask)/,
        does: "skips",
        so: "Command Code asks less by itself",
      },
      { at: ["mods"], when: "there", does: "starts", so: "code that runs in the host's process", projectOnly: true },
      {
        at: ["hooks", "*"],
        when: "there",
        does: "starts",
        so: "hooks of the repository run before Assent's",
        projectOnly: true,
        told: true,
      },
    ],
    said: "hooks of a repository run before yours without a step of trust, and one with your own command takes the place of yours",
  },
  registrations: ({ home, project, command }) => [
    {
      is: "entries",
      file: `${project ?? home}/.commandcode/settings.json`,
      format: "json",
      // No matcher: it is held against `tool_display_name`, and an empty one matches everything (1.64.0).
      entries: setup.events.map((event) => ({
        list: ["hooks", event],
        value: { hooks: [{ type: "command", command: command(event), timeout: 30, failClosed: true }] },
      })),
    },
  ],
};

export const commandCode: Agent<"commandcode"> = {
  id: "commandcode",
  name: "Command Code",
  protocol,
  facts,
  rules: "its rules are read by nobody yet: in `-p` an allow of its own lets no command run",
  setup,
};
