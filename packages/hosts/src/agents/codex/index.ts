import { isObject } from "@assent/core/data";
import { listed } from "@assent/core/policy";
import type { Host, Input, Outcome, ToolFacts } from "@assent/guard/engine";
import { type Agent, hostFacts, type SettingValue, type Setup } from "../host/agent.ts";
import { group, inputInstead, permissionRequest, preToolUse, readShaped, sample, withNote, words } from "../host/claude-shape.ts";
import { type HookCall, type Protocol, type Reading, type Reply, reply } from "../host/protocol.ts";
import { files, named, text } from "../host/reading.ts";
import { tableOf, valueAt } from "../host/value.ts";

/**
 * OpenAI Codex CLI. Measured on 0.169.0: PreToolUse knows no answers but a denial with a reason and an allow with another
 * input; anything else (an ask, a plain allow, a key it does not know) makes the hook fail, and the tool runs.
 * PermissionRequest comes before Codex's own question, where silence lets it ask.
 */

const TOOLS: Readonly<Record<string, ToolFacts>> = {
  // A heredoc for apply_patch is carried out by Codex itself.
  Bash: { does: "shell", field: "command", patches: ["apply_patch", "applypatch"] },
  apply_patch: { does: "patch", field: "command" },
  view_image: files("read", "path"),
  web_search: named("WebSearch"),
  spawn_agent: named("Task", "Agent"),
};

const JUDGED = words("PreToolUse PermissionRequest");
const OTHERS = words(
  "PostToolUse PreCompact PostCompact SessionStart SessionEnd UserPromptSubmit SubagentStart SubagentStop Stop Interrupt PreModelRequest PostModelRequest",
);

/** `bypassPermissions` only means that nobody can be asked: `codex exec` always says it. It is no user's wish. */
const hostOf = (_mode: string | undefined, event: string, { payload }: HookCall): Host => ({
  shell: "any",
  decides: true,
  asks: event === "PermissionRequest",
  bypassed: false,
  planning: false,
  // Here alone another command is taken; its own rules are held against that one (0.169.0).
  confines: event === "PreToolUse" && payload["tool_name"] === "Bash",
  unheard: ["ask", "deny"],
  sandbox: { record: text(payload["transcript_path"]), turn: text(payload["turn_id"]) },
});

function read(call: HookCall): Reading {
  return readShaped(
    { ...call, payload: current(call.payload) },
    { agent: "codex", judged: JUDGED, others: OTHERS, tools: TOOLS, host: hostOf },
  );
}

/** Before its hooks took Claude Code's form, Codex sent `permission: { type, metadata }`. */
function current(payload: Input): Input {
  const { permission } = payload;
  if (payload["tool_name"] !== undefined || !isObject(permission)) return payload;
  const { type, metadata } = permission;
  return { ...payload, tool_name: type === "bash" || type === "shell" ? "Bash" : type, tool_input: isObject(metadata) ? metadata : {} };
}

function write(outcome: Outcome): Reply {
  const { request, answer, verdict } = outcome;
  const reason = `Assent: ${answer.modelReason}`;
  if (request.event === "PermissionRequest") {
    // The folder that a command asks to run in is not told to hooks: only what a person wrote can allow it.
    const blind = answer.decision === "allow" && request.facts?.does === "shell" && verdict.basis !== "rule";
    return reply(blind ? {} : permissionRequest(answer.decision, reason));
  }
  if (answer.decision === "deny") return reply(withNote(preToolUse("deny", reason), verdict.untrusted, answer.reason));
  const updatedInput = inputInstead(outcome);
  return reply(
    updatedInput === undefined ? {} : { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "allow", updatedInput } },
  );
}

export const protocol: Protocol = {
  id: "codex",
  tools: TOOLS,
  read,
  write,
  refuse: (why, event) => reply(event === "PermissionRequest" ? {} : preToolUse("deny", `Assent: ${why}`)),
  noOpinion: reply({}),
};

const home = (place: { readonly home: string; readonly env: Readonly<Record<string, string | undefined>> }): string =>
  text(place.env["CODEX_HOME"]) ?? `${place.home}/.codex`;

/** Codex keeps a hash of each hook that its user has looked at: `FILE:pre_tool_use:GROUP:HANDLER`. */
const isApproved = (state: SettingValue | undefined, file: string): boolean =>
  Object.entries(tableOf(state)).some(
    ([key, entry]) => key.startsWith(`${file}:pre_tool_use:`) && tableOf(entry)["trusted_hash"] !== undefined,
  );

const GREETING = "SessionStart";

const facts = /* @__PURE__ */ hostFacts({
  calls: [
    { telling: 80, events: ["PermissionRequest"], fields: { permission: "object" } },
    { telling: 80, fields: { turn_id: "there", model: "there" } },
  ],
  files: {
    userLocked: [
      ".codex/config.toml",
      ".codex/hooks.json",
      ".codex/hooks/",
      ".codex/rules/",
      // A snapshot is sourced before each command, and its own helpers are started from the other (0.171.0).
      ".codex/shell_snapshots/",
      ".codex/tmp/",
    ],
    // The last three decide whether commands are confined (native/host-sandboxes.ts, rules.ts).
    userAsked: /* @__PURE__ */ listed(
      ".codex/agents/; .codex/prompts/; .codex/sessions/; .codex/environments.toml; .codex/cloud-config-bundle-cache.json",
    ),
    project: [".codex/", ".codex-plugin/"],
    machine: ["/etc/codex/"],
    secrets: [".codex/auth.json"],
  },
  commands: {
    prompted: true,
    programs: ["codex"],
    packages: ["@openai/codex"],
    aliases: ["codex"],
    options: {
      hooks: /* @__PURE__ */ listed("--ignore-user-config; --remote; --profile; -p; --code-mode-host; --permission-profile; -P"),
      questions: /* @__PURE__ */ listed("--approve-for-me; --full-auto; --trust; --ignore-rules"),
      code: ["--listen"],
      valued: /* @__PURE__ */ listed("-c; --config; --enable; --disable; -a; --ask-for-approval; -s; --sandbox"),
    },
  },
  variables: {
    marks: ["CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "CODEX_THREAD_ID", "CODEX_CI"],
    controlling: ["CODEX_*", "OPENAI_BASE_URL"],
    asked: ["CODEX_HOME"],
  },
});

const setup: Setup = {
  signs: { programs: ["codex"], folders: [".codex"] },
  version: ["codex", "--version"],
  minimum: "0.128.0",
  sample: (...call) => sample("PreToolUse", "Bash")(...call),
  events: ["PreToolUse", "PermissionRequest"],
  greets: GREETING,
  fails: "the tool runs; the registered command turns a crash into a refusal, but not a hook that takes too long",
  asks: "denied with the reason",
  waits: 30,
  confines: "commands, where it was started without a sandbox of its own (`danger-full-access`)",
  noOpinion: "Codex's approval policy decides and asks; in `codex exec` nobody is asked and its sandbox alone holds",
  cannot: [
    "hooks are not told the folder (`workdir`) in which a command is to run: relative paths are judged from the session's folder",
    "`write_stdin` to a running program and the hosted web search call no hook",
    "with an approval policy of `never`, as in `codex exec`, nothing can be asked",
    "commands are sandboxed with `danger-full-access` alone: in Codex's own sandbox (`workspace-write`, `read-only`) no program may watch " +
      "another and Assent's records cannot be written, so there Codex's sandbox holds them, and what must be asked is asked or refused",
    "`--ephemeral` sessions, and those with another `CODEX_HOME`, do not tell which sandbox is in force: nothing is sandboxed there",
  ],
  after: "Codex skips new hooks until you have looked at them: start `codex` and approve them in `/hooks`",
  rulesync: { block: "codexcli", events: ["preToolUse", "permissionRequest"], matcher: ".*", timeout: 30 },
  managed: {
    file: "/etc/codex/hooks.json",
    also: [{ file: "/etc/codex/requirements.toml", format: "toml", keys: [{ path: ["features", "hooks"], value: true, must: "be" }] }],
    known: "measured",
  },
  controlled: {
    project: [".codex/config.toml", ".codex/hooks.json"],
    user: ["~/.codex/config.toml", "/etc/codex/config.toml", "/etc/codex/requirements.toml"],
    servers: [["mcp_servers"]],
    signs: [
      { at: ["features", "hooks"], when: false, does: "off", so: "no hook runs, so Assent is not asked" },
      { at: ["features", "codex_hooks"], when: false, does: "off", so: "no hook runs, so Assent is not asked" },
      { at: ["profiles", "*", "features", "hooks"], when: false, does: "off", so: "with this profile no hook runs" },
      { at: ["profiles", "*", "features", "codex_hooks"], when: false, does: "off", so: "with this profile no hook runs" },
      { at: ["zsh_path"], when: "there", does: "controls", so: "commands are run by it", projectOnly: true },
      { at: ["openai_base_url"], when: "there", does: "controls", so: "the model is asked there", projectOnly: true },
      { at: ["chatgpt_base_url"], when: "there", does: "controls", so: "the model is asked there", projectOnly: true },
      { at: ["shell_environment_policy", "set"], when: "environment", does: "controls", so: "" },
      { at: ["model_providers", "*", "base_url"], when: "there", does: "controls", so: "the model is asked there", projectOnly: true },
      { at: ["approval_policy"], when: /^never$/, does: "skips", so: "Codex asks nothing" },
      { at: ["approvals_reviewer"], when: /^(?!user$)/, does: "skips", so: "somebody else answers Codex's questions", projectOnly: true },
      { at: ["profiles", "*", "approval_policy"], when: /^never$/, does: "skips", so: "with this profile Codex asks nothing" },
      { at: ["sandbox_mode"], when: /^danger-full-access$/, does: "skips", so: "Codex sandboxes nothing", projectOnly: true },
      {
        at: ["profiles", "*", "sandbox_mode"],
        when: /^danger-full-access$/,
        does: "skips",
        so: "Codex sandboxes nothing",
        projectOnly: true,
      },
      {
        at: ["sandbox_workspace_write", "writable_roots"],
        when: "there",
        does: "skips",
        so: "Codex lets these be written",
        projectOnly: true,
      },
      {
        at: ["sandbox_workspace_write", "network_access"],
        when: true,
        does: "skips",
        so: "Codex sandboxes no network",
        projectOnly: true,
      },
      { at: ["marketplaces", "*"], when: "there", does: "starts", so: "plugins come from there", projectOnly: true, told: true },
      { at: ["plugins", "*"], when: "there", does: "starts", so: "plugins bring hooks and servers", projectOnly: true, told: true },
      { at: ["notify"], when: "there", does: "starts", so: "a program that the host starts", projectOnly: true },
      { at: ["hooks", "*"], when: "there", does: "starts", so: "hooks of the repository run beside Assent's", projectOnly: true },
    ],
    said: "`[features] hooks = false` in `.codex/config.toml` of a trusted project switches every hook off",
  },
  registrations: (place) => {
    const folder = place.project === undefined ? home(place) : `${place.project}/.codex`;
    return [
      {
        is: "entries",
        file: `${folder}/hooks.json`,
        format: "json",
        entries: [...setup.events, GREETING].map((event) => ({
          list: ["hooks", event],
          value: group("*", place.command(event), { timeout: 30 }),
        })),
      },
      {
        is: "entries",
        file: `${folder}/config.toml`,
        format: "toml",
        entries: [],
        keys: [{ path: ["features", "hooks"], value: true, must: "be" }],
        remove: [["features", "codex_hooks"]],
      },
    ];
  },
  weaknesses: (place) => [
    {
      file: `${home(place)}/config.toml`,
      find: (value) => {
        const config = tableOf(value);
        return [
          ...(isApproved(valueAt(value, ["hooks", "state"]), `${home(place)}/hooks.json`)
            ? []
            : ["its hooks are not approved, so Codex skips them: start `codex` and approve them in `/hooks`"]),
          ...(config["sandbox_mode"] === "danger-full-access" ? ["`sandbox_mode` is danger-full-access: Codex sandboxes nothing"] : []),
        ];
      },
    },
  ],
};

export const codex: Agent<"codex"> = { id: "codex", name: "Codex", protocol, facts, rules: () => import("./rules.ts"), setup };
