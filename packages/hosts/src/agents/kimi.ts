import { listed } from "@assent/core/policy";
import { isObject } from "@assent/core/data";
import type { Host, Outcome, ToolFacts } from "@assent/guard/engine";
import { type Agent, hostFacts, type SettingValue, type Setup } from "./host/agent.ts";
import { preToolUse, readShaped, sample, words } from "./host/claude-shape.ts";
import { type Protocol, type Reply, reply } from "./host/protocol.ts";
import { files, named, shell, walk } from "./host/reading.ts";
import { tableOf } from "./host/value.ts";

/**
 * Kimi Code. Measured on 2.1.0: exit code 2 and `permissionDecision: "deny"` with exit code 0 stop a tool, also in its mode that asks
 * nothing. An allow, an ask, `updatedInput` and the older `decision: "block"` are heard as silence. Another exit code lets the tool run,
 * and so does a hook that takes too long.
 */

const TOOLS: Readonly<Record<string, ToolFacts>> = {
  Bash: shell("command", "cwd"),
  Read: files("read", "path"),
  ReadMediaFile: files("read", "path"),
  Write: files("write", "path"),
  Edit: files("edit", "path"),
  Glob: walk("list", "path", "pattern"),
  // ripgrep, with hidden files (2.1.0).
  Grep: walk("read", "path", "glob", { search: { glob: "glob", type: "type", lifts: "include_ignored" } }),
  FetchURL: { does: "fetch", field: "url" },
  WebSearch: named("WebSearch"),
  Agent: named("Task", "Agent"),
  AgentSwarm: named("Task", "Agent"),
  Skill: named("Skill"),
};

const JUDGED = words("PreToolUse");
const OTHERS = words(
  "PostToolUse PostToolUseFailure PermissionRequest PermissionResult UserPromptSubmit UserPromptQueued TurnStarted Stop StopFailure Interrupt " +
    "SessionStart SessionEnd SessionHeartbeat SubagentStart SubagentStop TaskStarted PreCompact PostCompact Notification",
);

const hostOf = (): Host => ({ shell: "bash", decides: true, asks: false, bypassed: false, planning: false });

function write({ answer }: Outcome): Reply {
  return reply(preToolUse(answer.decision === "deny" ? "deny" : "none", `Assent: ${answer.modelReason}`));
}

export const protocol: Protocol = {
  id: "kimi",
  tools: TOOLS,
  read: ({ payload, ...call }) =>
    readShaped(
      { ...call, payload: { ...payload, tool_use_id: payload["tool_call_id"] } },
      { agent: "kimi", judged: JUDGED, others: OTHERS, tools: TOOLS, host: hostOf },
    ),
  write,
  refuse: (why) => reply(preToolUse("deny", `Assent: ${why}`)),
  noOpinion: reply({}),
};

const EVENTS = new Set([...JUDGED, ...OTHERS]);

/** A hook that Kimi Code takes: one that it does not take has it drop the whole list (2.1.0). */
const isTaken = (hook: SettingValue): boolean =>
  isObject(hook) &&
  Object.entries(hook).every(([key, value]) =>
    key === "timeout"
      ? typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= 600
      : /^(?:event|matcher|command)$/.test(key) && typeof value === "string",
  ) &&
  typeof hook["event"] === "string" &&
  EVENTS.has(hook["event"]) &&
  Boolean(hook["command"]);

const folderOf = ({ home, env }: { readonly home: string; readonly env: Readonly<Record<string, string | undefined>> }): string =>
  env["KIMI_CODE_HOME"] || `${home}/.kimi-code`;

const facts = /* @__PURE__ */ hostFacts({
  calls: [{ telling: 95, events: ["PreToolUse"], fields: { tool_call_id: "there", client_type: "there" } }],
  files: {
    // Plugins bring hooks, servers and code; the last ones are programs that it starts or downloads.
    userLocked: [".kimi-code/config.toml", ".kimi/config.toml", ".kimi-code/plugins/", ".kimi-code/bin/", ".kimi-code/updates/"],
    userAsked: [".kimi/", ".kimi-code/"],
    project: [".kimi/", ".kimi-code/", "kimi.plugin.json", ".kimi-plugin/"],
    secrets: [".kimi/config.toml", ".kimi/config.json", ".kimi-code/config.toml", ".kimi-code/credentials/", ".kimi/credentials/"],
  },
  commands: {
    programs: ["kimi"],
    packages: ["@moonshot-ai/kimi-code"],
    aliases: ["kimi"],
    changes: ["provider", "login", "upgrade", "update", "migrate", "web", "rc", "remote"],
    options: {
      questions: /* @__PURE__ */ listed("-y; --yolo; --yes; --auto; --auto-approve; --remote-control; --rc"),
      code: /* @__PURE__ */ listed(
        "--agent-file; --skills-dir; --allow-remote-shutdown; --allowed-host; --dangerous-bypass-auth; --debug-endpoints",
        "--insecure-no-tls; --base-url; --host",
      ),
    },
  },
  variables: { controlling: ["KIMI_*"], asked: ["KIMI_CODE_HOME", "KIMI_SHELL_PATH"] },
});

const setup: Setup = {
  signs: { programs: ["kimi"], folders: [".kimi-code"] },
  version: ["kimi", "--version"],
  minimum: "2.1.0",
  sample: (...call) => sample("PreToolUse", "Bash")(...call),
  events: ["PreToolUse"],
  fails: "the tool runs; the registered command turns a crash into a refusal, but not a hook that takes too long",
  asks: "denied with the reason",
  waits: 30,
  noOpinion: "Kimi's own permissions decide and ask; with `--auto`, and with `-p`, everything goes ahead",
  asksLittle: "Kimi Code with --auto",
  cannot: [
    "an allow does not spare you Kimi's own question",
    "one hook in your `config.toml` that Kimi does not understand (an unknown key or event, a time over 600 s) makes it drop all of them: " +
      "`assent doctor` says so",
    "the host does not say which calls are a sub-agent's",
    "names of servers and tools over 64 characters are shortened by the host: rules have to name what it sends",
  ],
  controlled: {
    project: [".kimi-code/mcp.json", ".mcp.json", ".kimi-code/local.toml"],
    user: ["~/.kimi-code/config.toml"],
    servers: true,
    bringing: { folders: [".kimi-code/agents", ".kimi-code/skills", ".agents/agents", ".agents/skills"] },
    signs: [
      { at: ["default_permission_mode"], when: /^(?:yolo|auto)$/, does: "skips", so: "Kimi asks less by itself" },
      { at: ["yolo"], when: true, does: "skips", so: "Kimi asks nothing by itself" },
      { at: ["workspace", "additional_dir"], when: "there", does: "skips", so: "Kimi works in these folders too", projectOnly: true },
    ],
    said: "hooks and permissions are read from your own folder alone; a trusted repository's `.kimi-code/mcp.json` and `.mcp.json` start servers",
  },
  registrations: (place) => [
    {
      is: "entries",
      file: `${folderOf(place)}/config.toml`,
      format: "toml",
      // Nothing but these keys, and no matcher: `*` is no regular expression, and would never match.
      entries: setup.events.map((event) => ({ list: ["hooks"], value: { event, command: place.command(event), timeout: 30 } })),
    },
  ],
  weaknesses: (place) => [
    {
      file: `${folderOf(place)}/config.toml`,
      find: (value) => {
        const { hooks } = tableOf(value);
        const broken = Array.isArray(hooks) ? hooks.findIndex((hook: SettingValue) => !isTaken(hook)) : -1;
        return broken < 0
          ? []
          : [
              `hook ${broken + 1} of its list has a key, an event or a time that Kimi Code does not take, so it calls none of them: correct it`,
            ];
      },
    },
  ],
};

export const kimi: Agent<"kimi"> = {
  id: "kimi",
  name: "Kimi Code",
  protocol,
  facts,
  rules: "its rules cannot be exported: its hooks alone are known to hold",
  setup,
};
