import { isConfinedCommand } from "@assent/core/action";
import { isObject } from "@assent/core/data";
import { listed } from "@assent/core/policy";
import type { Host, Input, Outcome, SearchFacts, ToolFacts } from "@assent/guard/engine";
import { type Agent, hostFacts, type Setup } from "../host/agent.ts";
import { group, inputInstead, permissionRequest, preToolUse, readShaped, sample, withNote, words } from "../host/claude-shape.ts";
import { GEMINI_TOOLS } from "../gemini/index.ts";
import { type HookCall, type Protocol, type Reading, type Reply, reply } from "../host/protocol.ts";
import { files, named, shell, walk } from "../host/reading.ts";

/**
 * Qwen Code. Measured on 0.24.4: its own permissions come first, then PermissionRequest where it would ask, then the user,
 * and PreToolUse last of all: there a denial holds and an allow changes nothing.
 */

/** As Gemini's. */
const SEARCH: SearchFacts = {
  glob: "glob",
  regex: "pattern",
  setting: { word: "espectGitIgnore", files: [".qwen/settings.json"] },
};

const TOOLS: Readonly<Record<string, ToolFacts>> = {
  run_shell_command: shell("command", "directory"),
  // Streams a command's output.
  monitor: shell("command", "directory"),
  read_file: files("read", "file_path", "absolute_path"),
  zoom_image: files("read", "file_path"),
  read_many_files: { does: "file", operation: "read", fields: ["paths", "include"], tree: true, globs: true },
  write_file: files("write", "file_path"),
  edit: files("edit", "file_path"),
  notebook_edit: files("edit", "notebook_path"),
  list_directory: files("list", "path"),
  glob: walk("list", "path", "pattern"),
  grep_search: walk("read", "path", "glob", { search: SEARCH }),
  web_fetch: { does: "fetch", field: "url" },
  web_search: named("WebSearch"),
  agent: named("Task", "Agent"),
  task: named("Task", "Agent"),
  skill: named("Skill"),
};

/** Tools by which the host talks to its user: an allow would answer in the user's place. */
const CONVERSATION = words("ask_user_question exit_plan_mode enter_plan_mode");

const JUDGED = words("PreToolUse PermissionRequest");
const OTHERS = words(
  "PostToolUse PostToolUseFailure PostToolBatch Notification UserPromptSubmit UserPromptExpansion MessageDisplay SessionStart SessionEnd " +
    "SessionDelete Stop StopFailure SubagentStart SubagentStop PreCompact PostCompact PermissionDenied TodoCreated TodoCompleted " +
    "InstructionsLoaded",
);

const hostOf = (mode: string | undefined, event: string, { payload, env }: HookCall): Host => ({
  shell: "any",
  decides: true,
  asks: event === "PermissionRequest",
  bypassed: mode === "yolo",
  planning: mode === "plan",
  // On the first event its own rules have been heard, and those that ask are why it comes as well (0.24.4); the other one comes then
  // with what took the command's place, which needs no second question.
  confines: event === "PermissionRequest" || isPutInPlace(payload, env),
  unheard: ["ask"],
});

function isPutInPlace({ tool_input: input }: Input, { HOME = "" }: HookCall["env"]): boolean {
  const command = isObject(input) ? input["command"] : undefined;
  return typeof command === "string" && isConfinedCommand(HOME, command);
}

function read(call: HookCall): Reading {
  const payload = direct(call.payload);
  return readShaped(
    { ...call, payload },
    { agent: "qwen", judged: JUDGED, others: OTHERS, tools: TOOLS, host: hostOf, root: "QWEN_PROJECT_DIR" },
  );
}

/** `tool_call` calls a tool that was found by searching. */
function direct(payload: Input): Input {
  const input = payload["tool_input"];
  if (payload["tool_name"] !== "tool_call" || !isObject(input)) return payload;
  return { ...payload, tool_name: input["name"], tool_input: input["arguments"] ?? {} };
}

function write(outcome: Outcome): Reply {
  const { request, answer, verdict } = outcome;
  const { decision } = answer;
  if (decision === "allow" && CONVERSATION.has(request.tool)) return reply({});
  const reason = `Assent: ${answer.modelReason}`;
  const envelope =
    request.event === "PermissionRequest"
      ? permissionRequest(decision, reason, inputInstead(outcome))
      : preToolUse(decision === "deny" ? "deny" : "none", reason);
  return reply(withNote(envelope, verdict.untrusted, answer.reason));
}

export const protocol: Protocol = {
  id: "qwen",
  tools: TOOLS,
  read,
  write,
  refuse: (why, event) => reply(event === "PermissionRequest" ? {} : preToolUse("deny", `Assent: ${why}`)),
  noOpinion: reply({}),
};

const GREETING = "SessionStart";

const facts = /* @__PURE__ */ hostFacts({
  calls: [
    { telling: 90, variables: { QWEN_PROJECT_DIR: "there" } },
    { telling: 90, fields: { tool_call_id: "there" } },
    // Its tools have Gemini's names, its events Claude Code's.
    { telling: 60, events: ["PreToolUse", "PermissionRequest"], fields: { tool_name: GEMINI_TOOLS } },
  ],
  files: {
    userLocked: [".qwen/settings.json", ".qwen/extensions/", ".qwen/.env"],
    // Programs that it downloads, itself among them.
    userAsked: [".qwen/bin/", ".qwen/updates/"],
    project: /* @__PURE__ */ listed(
      ".qwen/settings.json; .qwen/extensions/; .qwen/.env; .qwen/agents/; .qwen/commands/; .qwen/hooks/; .qwen/skills/; .qwen/workflows/",
      "qwen-extension.json",
    ),
    instructions: ["qwen.md"],
    machine: ["/etc/qwen-code/", "/library/application support/qwencode/"],
    secrets: [".qwen/oauth_creds.json", ".qwen/mcp-oauth-tokens.json", ".qwen/mcp-oauth-tokens-v2.json"],
  },
  commands: {
    programs: ["qwen"],
    packages: ["@qwen-code/qwen-code"],
    aliases: ["qwen"],
    options: {
      hooks: /* @__PURE__ */ listed(
        "--bare; --safe-mode; --external-tool-guard-mode; --external-tool-guard-endpoint; --external-tool-guard-timeout-ms",
      ),
      questions: /* @__PURE__ */ listed("--yolo; -y; --acp; --experimental-acp; --allowed-tools; --trust; --consent; --channel"),
      code: /* @__PURE__ */ listed(
        "--mcp-config; --base-url; --openai-base-url; --proxy; --insecure; --telemetry-otlp-endpoint",
        "--input-file; --registry; --sandbox-image; --enable-session-shell; --allow-origin",
        "--allow-private-auth-base-url; --daemon-url",
      ),
      valued: ["--approval-mode"],
    },
  },
  variables: {
    told: { QWEN_PROJECT_DIR: "path" },
    marks: ["QWEN_CODE"],
    controlling: ["QWEN_*"],
    asked: ["QWEN_CODE_SAFE_MODE", "QWEN_CODE_SIMPLE", "QWEN_CODE_SYSTEM_*", "QWEN_CODE_TRUSTED_*", "QWEN_CODE_MANAGED_NPM_*", "QWEN_HOME"],
  },
});

const setup: Setup = {
  signs: { programs: ["qwen"], folders: [".qwen"] },
  packaged: { files: [".qwen/extensions/*/hooks/hooks.json"], removed: "qwen extensions uninstall" },
  version: ["qwen", "--version"],
  minimum: "0.24.4",
  sample: (...call) => sample("PreToolUse", "run_shell_command")(...call),
  events: ["PreToolUse", "PermissionRequest"],
  greets: GREETING,
  fails: "the tool runs; the registered command turns a crash into a refusal, but not a hook that takes too long",
  asks: "denied with the reason",
  confines: "commands about which it would ask by itself; what its rules or its mode let through is as without",
  waits: 30,
  noOpinion: "Qwen's own permissions decide and ask; in yolo mode it goes ahead",
  cannot: [
    "hooks come after Qwen's own permissions: an allow spares you its question only where it was about to ask",
    "commands that a repository brings to be typed (`.qwen/commands/`) run the shell in their text (`!{…}`) without a hook: Qwen's own " +
      "permissions alone are asked, and in yolo mode nobody",
  ],
  registrations: ({ home, project, command }) => [
    {
      is: "entries",
      file: `${project ?? home}/.qwen/settings.json`,
      format: "json",
      // Milliseconds.
      entries: [...setup.events, GREETING].map((event) => ({
        list: ["hooks", event],
        value: group("*", command(event), { timeout: 30_000 }),
      })),
    },
  ],
  managed: { file: "/etc/qwen-code/settings.json", keys: [{ path: ["disableAllHooks"], value: false, must: "be" }], known: "measured" },
  controlled: {
    project: [".qwen/settings.json"],
    user: ["~/.qwen/settings.json", "/etc/qwen-code/settings.json"],
    dotenv: [".qwen/.env", ".env"],
    // Set to 1, true, yes or on (0.24.4).
    unhooking: ["QWEN_CODE_SAFE_MODE", "QWEN_CODE_SIMPLE"],
    bringing: { folders: [".qwen/agents", ".qwen/skills", ".agents/skills"] },
    folders: [".qwen/extensions", ".qwen/workflows"],
    typed: { folders: [".qwen/commands"], runs: /!\{([^}]*)/g },
    servers: true,
    signs: [
      { at: ["disableAllHooks"], when: true, does: "off", so: "no hook runs, so Assent is not asked" },
      { at: ["hooksConfig", "enabled"], when: false, does: "off", so: "no hook runs, so Assent is not asked" },
      { at: ["hooks", "disabled"], when: "there", does: "off", so: "these hooks do not run" },
      { at: ["env"], when: "environment", does: "controls", so: "" },
      { at: ["tools", "approvalMode"], when: /^(?:yolo|auto|auto-edit|bypassPermissions)$/, does: "skips", so: "questions are skipped" },
      { at: ["tools", "allowed"], when: "there", does: "skips", so: "these tools run without Qwen's own question", projectOnly: true },
      { at: ["tools", "autoAccept"], when: true, does: "skips", so: "what Qwen holds for safe runs without a question", projectOnly: true },
      { at: ["permissions", "defaultMode"], when: /^(?:yolo|auto|bypassPermissions)$/, does: "skips", so: "questions are skipped" },
      { at: ["tools", "discoveryCommand"], when: "there", does: "starts", so: "a program that the host starts" },
      { at: ["tools", "callCommand"], when: "there", does: "starts", so: "a program that the host starts" },
      { at: ["mcp", "serverCommand"], when: "there", does: "starts", so: "a program that the host starts" },
      { at: ["hooks", "*"], when: "there", does: "starts", so: "hooks of the repository run beside Assent's", projectOnly: true },
    ],
    said:
      "`disableAllHooks` in `.qwen/settings.json` switches every hook off; `.qwen/.env` and `.env` are taken into its environment, and " +
      "`QWEN_CODE_SAFE_MODE` or `QWEN_CODE_SIMPLE` there, or in `env` of `.qwen/settings.json`, switches off an administrator's hooks, too",
  },
};

export const qwen: Agent<"qwen"> = { id: "qwen", name: "Qwen Code", protocol, facts, rules: () => import("./rules.ts"), setup };
