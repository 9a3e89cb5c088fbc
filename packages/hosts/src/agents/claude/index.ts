import { shellPrefix, singleQuoted } from "@assent/core/action";
import { isObject } from "@assent/core/data";
import { listed } from "@assent/core/policy";
import type { EndHooks, Host, Input, Outcome, Request, ToolFacts } from "@assent/guard/engine";
import { type Agent, hostFacts, type Setup } from "../host/agent.ts";
import { withPlugins } from "../host/controlled.ts";
import { group, inputInstead, permissionRequest, preToolUse, readShaped, sample, withNote, words } from "../host/claude-shape.ts";
import {
  type Ends,
  type HookCall,
  type Envelope,
  type Protocol,
  type Reading,
  type Reply,
  reply,
  type Wrapping,
  type FramedCommand,
} from "../host/protocol.ts";
import { files as file, text, walk } from "../host/reading.ts";

/**
 * Claude Code. Facts measured on 2.1.329 (docs/architecture.md names the evidence):
 * paths arrive absolute; silence (`{}`) leaves the host's own flow; an `ask` is a denial in headless runs;
 * a hook's `allow` does not override the host's own deny and ask rules; in plan mode it is not enough.
 */

const TOOLS: Readonly<Record<string, ToolFacts>> = {
  Bash: { does: "shell", field: "command" },
  // Streams a command's output, or a web socket's.
  Monitor: { does: "shell", field: "command", otherwise: { does: "fetch", field: "ws" } },
  PowerShell: { does: "opaque", field: "command", language: "powershell" },
  Read: file("read", "file_path"),
  NotebookRead: file("read", "notebook_path"),
  Write: file("write", "file_path"),
  Edit: file("edit", "file_path"),
  MultiEdit: file("edit", "file_path"),
  NotebookEdit: file("edit", "notebook_path"),
  LS: file("list", "path"),
  LSP: file("read", "filePath"),
  Glob: walk("list", "path", "pattern"),
  Grep: walk("read", "path", "glob", { search: { glob: "glob", type: "type" } }),
  WebFetch: { does: "fetch", field: "url" },
};

/** Tools by which the host talks to its user: an allow would answer in the user's place. */
const CONVERSATION = new Set(["AskUserQuestion", "ExitPlanMode", "EnterPlanMode"]);

/**
 * Before a command that stands in the text of a skill or slash command. Measured on 2.1.332: it comes after the host's own permissions and
 * the front matter's (`allowed-tools`), so what hears nothing runs; an ask is a refusal, and so is `updatedInput`. Older ones ignore it.
 */
const IN_SKILL = "PreSkillShellCommand";
const JUDGED = new Set(["PreToolUse", "PermissionRequest", IN_SKILL]);
/** Events that ask nothing. A hook registered for one of them by mistake stays silent. */
const OTHERS = words(
  "PostToolUse PostToolUseFailure PostToolBatch Notification UserPromptSubmit UserPromptExpansion SessionStart SessionEnd Stop StopFailure " +
    "SubagentStart SubagentStop PreCompact PostCompact PreModelSwitch PostModelSwitch PermissionDenied Setup TeammateIdle TaskCreated TaskCompleted " +
    "Elicitation ElicitationResult ConfigChange WorktreeCreate WorktreeRemove InstructionsLoaded CwdChanged FileChanged DirectoryAdded MessageDisplay",
);

/** It asks to run outside the host's own sandbox, which is a person's to answer. */
function leavesSandbox({ tool_input: input }: Input): boolean {
  return !isObject(input) || (input["dangerouslyDisableSandbox"] ?? false) !== false;
}

/**
 * What claude-agent-acp 0.101.0 (an editor's side of ACP, on Anthropic's Agent SDK) starts the host with. It shows the editor a command's
 * `description`, and not a hook's reason. No variable names ACP: another program that sets both gets the same answer.
 */
const isInEditor = ({ env }: HookCall): boolean =>
  env["CLAUDE_CODE_ENTRYPOINT"] === "sdk-ts" && env["CLAUDE_CODE_STARTUP_FAILURE_RESULTS"] === "1";

/** Every command of the tool is started through a program of ours. */
const isWrapped = ({ payload, env }: HookCall): boolean =>
  payload["tool_name"] === wrapping.tool && env[PREFIX] === shellPrefix(env["HOME"] ?? "", "claude");

function hostOf(mode: string | undefined, event: string, call: HookCall): Host {
  const { payload } = call;
  const wrapped = isWrapped(call);
  const inSkill = event === IN_SKILL;
  return {
    shell: "any",
    // Who wrote the skill has decided: the user, or somebody else.
    decides: !inSkill || payload["command_source"] === "userSettings",
    asks: mode !== "dontAsk" && !inSkill,
    bypassed: mode === "bypassPermissions",
    planning: mode === "plan",
    // Here alone the host's own rules have been heard (2.1.330): on the other event it would judge the new command. The event also
    // comes without suggestions for an ask rule or another hook's question, and for what the host can offer no rule for: a subshell,
    // `cd` before git.
    confines: event === "PermissionRequest" ? !leavesSandbox(payload) : wrapped,
    ...(event === "PermissionRequest" && !Array.isArray(payload["permission_suggestions"]) ? { unsaid: true as const } : {}),
    ...(wrapped ? { wrapped: event === "PermissionRequest" ? "heard" : "unheard" } : {}),
    // In auto mode the host's own check is to see it, and where nobody is asked nothing is on the screen.
    ...(wrapped && (mode === "default" || mode === "acceptEdits") && !leavesSandbox(payload) ? { answered: true as const } : {}),
    unheard: ["ask"],
    ...(payload["tool_name"] === wrapping.tool && isInEditor(call) ? { shows: "description" } : {}),
    ...(goesOn(payload) || inSkill ? {} : { ends: END_HOOKS }),
  };
}

const read = (call: HookCall): Reading =>
  readShaped(call, { agent: "claude", judged: JUDGED, others: OTHERS, tools: TOOLS, host: hostOf, root: "CLAUDE_PROJECT_DIR" });

function write(outcome: Outcome): Reply {
  const { request, answer, verdict } = outcome;
  if (request.event === IN_SKILL) return reply(withNote(skillAnswer(outcome), verdict.untrusted, answer.reason));
  if (answer.decision === "none") return reply(bypassedCodex(outcome) ?? {});
  if (answer.decision === "allow" && CONVERSATION.has(request.tool)) return reply({});
  const reason = `Assent: ${answer.modelReason}`;
  const envelope =
    request.event === "PermissionRequest"
      ? permissionRequest(answer.decision, reason, inputInstead(outcome))
      : preToolUse(answer.decision, reason, answer.decision === "ask" ? withReason(request, reason) : undefined);
  return reply(withNote(envelope, verdict.untrusted, answer.reason));
}

/** The same call, with the reason where the editor shows it. */
function withReason({ host: { shows }, input }: Request, reason: string): Input | undefined {
  return shows === undefined ? undefined : { ...input, [shows]: reason.replace(/\s+/g, " ") };
}

/** What has no yes is refused, but where the user has said it beforehand, or the command is confined. */
function skillAnswer({ request: { host }, answer, verdict }: Outcome): Envelope {
  const { decision, modelReason } = answer;
  const goesAhead = host.bypassed || host.decides || verdict.confined !== undefined;
  if (decision === "allow" || (decision === "none" && goesAhead)) return {};
  const way = verdict.decision === "deny" || host.bypassed ? "" : "; nobody can be asked about a command within a skill: run it with Bash";
  return preToolUse("deny", `Assent: ${modelReason}${way}`, undefined, IN_SKILL);
}

/** A bypass reaches a Codex that runs as an MCP server, whose own questions nobody would see. */
function bypassedCodex({ request, verdict }: Outcome): Envelope | undefined {
  const waived =
    request.host.bypassed && request.event === "PreToolUse" && request.tool.startsWith("mcp__codex__") && verdict.decision !== "deny";
  if (!waived) return undefined;
  return { hookSpecificOutput: { hookEventName: "PreToolUse", updatedInput: { ...request.input, "approval-policy": "never" } } };
}

/** The host takes it for ended when it has started; what it says comes to its model as a file. */
function goesOn({ tool_input: input }: Input): boolean {
  return !isObject(input) || (input["run_in_background"] ?? false) !== false;
}

/** Measured on 2.1.330: each names the call, and what a hook tells the model stands behind the command's output. */
const ends: Ends = {
  command: ["PostToolUse", "PostToolUseFailure"],
  session: "SessionEnd",
  // "Code changes unknown" (2.1.332).
  rewinds: "/rewind",
  read({ hook_event_name: event, session_id: id, tool_use_id: toolUse, tool_input: input, reason }) {
    const session = text(id) ?? "";
    // The host goes on with another session: what a person started there may still be of use.
    if (event === "SessionEnd") return reason === "clear" || reason === "resume" ? undefined : { is: "session", session };
    const command = isObject(input) ? text(input["command"]) : undefined;
    if (typeof event !== "string" || !this.command.includes(event) || command === undefined) return undefined;
    return { is: "command", session, toolUse: text(toolUse), command };
  },
  tell: (event, forModel, forPerson) => ({
    systemMessage: forPerson,
    ...(forModel === undefined ? {} : { hookSpecificOutput: { hookEventName: event, additionalContext: forModel } }),
  }),
};

const END_HOOKS: EndHooks = {
  settings: ".claude/settings.json",
  events: ends.command,
  locked: { file: "/etc/claude-code/managed-settings.json", keys: ["allowManagedHooksOnly", "strictPluginOnlyCustomization"] },
};

/** Around what its shell starts, servers and others' hooks too (2.1.330). */
const PREFIX = "CLAUDE_CODE_SHELL_PREFIX";

const wrapping: Wrapping = {
  session: "CLAUDE_CODE_SESSION_ID",
  tool: "Bash",
  folder: { path: ".claude", variable: "CLAUDE_CONFIG_DIR" },
  commandIn,
  settings: [".claude/settings.json", "/etc/claude-code/managed-settings.json"],
  servers: [".claude.json", "/etc/claude-code/managed-mcp.json"],
};

export const protocol: Protocol = {
  id: "claude",
  wrapping,
  ends,
  tools: TOOLS,
  read,
  write,
  // Silence makes the host show its own dialog, which is where a PermissionRequest comes from.
  refuse: (why, event) => {
    if (event === IN_SKILL) return reply(preToolUse("deny", `Assent: ${why}`, undefined, IN_SKILL));
    return reply(event === "PermissionRequest" ? {} : preToolUse("ask", `Assent: ${why}`));
  },
  noOpinion: reply({}),
};

const GREETING = "SessionStart";

/** Settings that name a program (2.1.332). */
const STARTERS = /* @__PURE__ */ listed(
  "apiKeyHelper; awsAuthRefresh; awsCredentialExport; gcpAuthRefresh; otelHeadersHelper; policyHelper; policyHelpers; processWrapper",
  "proxyAuthHelper; sshHostCommands; statusLine; subagentStatusLine",
);

const facts = /* @__PURE__ */ hostFacts({
  calls: [
    // Others took its form over: what none of them knows as its own is its.
    { telling: 0 },
  ],
  files: {
    userLocked: [
      ".claude/settings.json",
      ".claude/settings.local.json",
      ".claude/managed-settings.json",
      ".claude/hooks/",
      ".claude/plugins/",
      // Sourced, started or looked up in before each command, and by the service for background sessions (2.1.332 refuses its own Write there).
      ".claude/shell-snapshots/",
      ".claude/session-env/",
      ".claude/rm-guard/",
      ".claude/daemon/",
      ".claude/daemon.json",
    ],
    userAsked: /* @__PURE__ */ listed(
      ".claude.json; .claude/; .local/share/claude/; library/application support/claude/claude_desktop_config.json",
      ".config/claude/",
    ),
    // Where its own permissions let its tools write.
    userOwn: [".claude/projects/*/memory/", ".claude/plans/", ".claude/todos/", ".claude/agent-memory/", ".claude/jobs/*/tmp/"],
    project: /* @__PURE__ */ listed(
      ".claude/settings.json; .claude/settings.local.json; .claude/hooks/; .claude/agents/; .claude/commands/; .claude/skills/",
      ".claude/plugins/; .claude/output-styles/; .mcp.json; .claude/mcp.json; .claude/workflows/; .claude-plugin/",
    ),
    instructions: ["claude.md"],
    machine: ["/etc/claude-code/", "/library/application support/claudecode/"],
    secrets: [".claude.json"],
  },
  commands: {
    prompted: true,
    programs: ["claude"],
    packages: ["@anthropic-ai/claude-code", "@anthropic-ai/claude-code-linux-x64"],
    aliases: ["claude"],
    // `import` takes over settings of other hosts.
    changes: ["import"],
    options: {
      hooks: /* @__PURE__ */ listed(
        "--bare; --safe-mode; --restricted; --setting-sources; --managed-settings; --managed-settings-in-initialize",
        "--project-config-root; --forward-home-settings",
      ),
      questions: /* @__PURE__ */ listed(
        "--permission-prompt-tool; --permission-prompts; --allowed-tools; --enable-auto-mode; --inherit-permission-mode",
        "--trust-workspace; --trusted-folder; --trust-plugin; --accept-command; --remote-control; --rc",
      ),
      code: /* @__PURE__ */ listed(
        "--settings; --mcp-config; --plugin-dir; --plugin-dir-no-mcp; --plugin-url; --channels; --sdk-url",
        "--messaging-socket-path; --attach-serve; --client-data-url; --allow-real-servers; --file",
      ),
      valued: ["--permission-mode", "--agents"],
    },
  },
  variables: {
    told: {
      CLAUDE_PROJECT_DIR: "path",
      CLAUDE_CODE_SHELL_PREFIX: "path",
      CLAUDE_CODE_ENTRYPOINT: "word",
      CLAUDE_CODE_STARTUP_FAILURE_RESULTS: "word",
    },
    marks: ["CLAUDECODE"],
    controlling: /* @__PURE__ */ listed(
      "CLAUDE_CONFIG_DIR; CLAUDE_CODE_SHELL*; CLAUDE_CODE_SIMPLE*; CLAUDE_CODE_BUBBLEWRAP*; CLAUDE_CODE_USE_*",
      "CLAUDE_CODE_DISABLE_*; CLAUDE_ENV_FILE; ANTHROPIC_BASE_URL*; ANTHROPIC_AUTH_TOKEN*; ANTHROPIC_CUSTOM_HEADERS*",
    ),
    asked: ["CLAUDE_*"],
  },
});

const setup: Setup = {
  signs: { programs: ["claude"], folders: [".claude"] },
  version: ["claude", "--version"],
  minimum: "2.1.296",
  sample: (...call) => sample("PreToolUse", "Bash")(...call),
  events: ["PreToolUse", "PermissionRequest", IN_SKILL],
  greets: GREETING,
  starts: "programs",
  fails:
    "blocks the tool since 2.1.296 (`onFailure`); the registered command turns a crash into a refusal on older ones, but not a hook that takes too long",
  asks: "a dialog with the reason; in headless runs a denial with the reason",
  confines: "every command that it lets through or would ask about by default",
  waits: 30,
  noOpinion: "Claude Code's own permissions decide and ask; in headless runs they refuse",
  cannot: [
    "no hook is called for commands that the user types behind `!`",
    "commands within the text of skills and slash commands (`` !`…` ``) call a hook since 2.1.332 (`PreSkillShellCommand`), not where it is " +
      "registered through rulesync; what must be asked is refused there, and what nobody has an opinion on, too, but in skills of your own. " +
      "`disableSkillShellExecution: true` in your settings keeps all of them from running",
    "a hook is not called for tools that do not exist and for input that the host itself rejects",
    "settings of an administrator (`allowManagedHooksOnly`) can switch hooks of users off",
  ],
  rulesync: { block: "claudecode", events: ["preToolUse", "permissionRequest"], matcher: "*", timeout: 30 },
  registrations: ({ home, project, command, program, prefix, ended }) => [
    {
      is: "entries",
      file: project === undefined ? `${home}/.claude/settings.json` : `${project}/.claude/settings.json`,
      format: "json",
      ...(prefix === undefined ? {} : { keys: [{ path: ["env", PREFIX], value: prefix, must: "be" }] }),
      entries: [
        ...[...setup.events, GREETING].map((event) => ({
          list: ["hooks", event],
          value: group("*", program(event) ?? command(event), { timeout: 30, ...(event === GREETING ? {} : { onFailure: "block" }) }),
        })),
        ...[...ends.command, ends.session].flatMap((event) => {
          const start = ended?.(event, event === ends.session ? "session" : "command");
          const matcher = event === ends.session ? "*" : wrapping.tool;
          return start === undefined ? [] : [{ list: ["hooks", event], value: group(matcher, start, { timeout: 30 }) }];
        }),
      ],
    },
  ],
  statusLine: (command) => ({ path: ["statusLine"], value: { type: "command", command }, must: "be" }),
  managed: { file: "/etc/claude-code/managed-settings.json", known: "measured" },
  controlled: {
    project: [".claude/settings.json", ".claude/settings.local.json", ".mcp.json"],
    user: ["~/.claude/settings.json", "~/.claude/settings.local.json", "/etc/claude-code/managed-settings.json"],
    servers: true,
    signs: /* @__PURE__ */ withPlugins(
      [
        {
          at: ["crossSessionInbound"],
          when: /^accept$/,
          does: "skips",
          so: "other sessions give this one tasks unseen",
          projectOnly: true,
        },
        {
          at: ["remoteControlAtStartup"],
          when: true,
          does: "controls",
          so: "each session is open to be controlled from elsewhere",
          projectOnly: true,
        },
        { at: ["autoUploadSessions"], when: true, does: "controls", so: "sessions are copied to claude.ai", projectOnly: true },
        { at: ["modelCatalogUrl"], when: "there", does: "controls", so: "models are looked up there", projectOnly: true },
        { at: ["disableAllHooks"], when: true, does: "off", so: "no hook runs, so Assent is not asked" },
        { at: ["allowManagedHooksOnly"], when: true, does: "off", so: "hooks of users do not run" },
        { at: ["strictPluginOnlyCustomization"], when: "there", does: "off", so: "hooks may be taken from plugins alone" },
        { at: ["env"], when: "environment", does: "controls", so: "" },
        {
          at: ["permissions", "defaultMode"],
          when: /^(?:bypassPermissions|dontAsk|acceptEdits)$/,
          does: "skips",
          so: "questions are skipped",
        },
        { at: ["permissions", "defaultMode"], when: /^auto$/, does: "skips", so: "a classifier of the host's answers its questions" },
        { at: ["autoMode"], when: "there", does: "skips", so: "it is told to that classifier", projectOnly: true },
        {
          at: ["permissions", "allow"],
          when: /"(?:\*|Bash|Bash\((?:\*|:\*)\)|Edit|Write|mcp__\*)"/,
          does: "skips",
          so: "everything of that kind runs without the host's question",
          projectOnly: true,
        },
        {
          at: ["sandbox", "autoAllowBashIfSandboxed"],
          when: true,
          does: "skips",
          so: "commands run without a question",
          projectOnly: true,
        },
        { at: ["fileSuggestion", "command"], when: "there", does: "starts", so: "a program that the host starts", projectOnly: true },
        { at: ["skipDangerousModePermissionPrompt"], when: true, does: "skips", so: "the mode that asks nothing starts without a word" },
        { at: ["enableAllProjectMcpServers"], when: true, does: "starts", so: "servers of the repository start unasked" },
        {
          at: ["enabledMcpjsonServers"],
          when: "there",
          does: "starts",
          so: "these servers of the repository start unasked",
          projectOnly: true,
        },
        { at: ["hooks", "*"], when: "there", does: "starts", so: "hooks of the repository run beside Assent's", projectOnly: true },
        // The same as `extraKnownMarketplaces` (2.1.332).
        {
          at: ["additionalMarketplaces", "*"],
          when: "there",
          does: "starts",
          so: "plugins come from there",
          projectOnly: true,
          told: true,
        },
      ],
      STARTERS,
    ),
    bringing: { folders: [".claude/agents", ".claude/skills", ".claude/commands"], plugin: ".claude-plugin" },
    said:
      "`disableAllHooks` in `.claude/settings.json` or `settings.local.json` switches every hook off, without a step of " +
      "trust; `env` there reaches hooks; hooks of its skills and commands run untrusted, those of its agents and plugins once it is trusted (2.1.332)",
  },
};

export const claude: Agent<"claude"> = { id: "claude", name: "Claude Code", protocol, facts, rules: () => import("./rules.ts"), setup };

/**
 * What Claude Code 2.1.330 starts for a command of its shell tool: `source SNAPSHOT 2>/dev/null || true && … && eval 'COMMAND'
 * < /dev/null && pwd -P >| /tmp/claude-1a2b-cwd`. The command is quoted as `'it'"'"'s'`, or stands bare where no character of it needs that.
 */
const SNAPSHOT = String.raw`(/[\w./-]+)/shell-snapshots/snapshot-[\w.-]+\.sh`;
const OPTIONS = String.raw`\{ \\builtin shopt -u extglob \|\| \\builtin setopt [A-Z_ ]+; \}`;
const ALIASES = String.raw`\{ \\builtin unalias -- '[\w-]+'; \\builtin unset -f -- '[\w-]+'; \}`;
const FRAME = new RegExp(
  String.raw`^source ${SNAPSHOT} 2>/dev/null \|\| true && (?:(?:${OPTIONS}|${ALIASES}) >/dev/null 2>&1 \|\| true && )*` +
    String.raw`eval ([^]*?)(?: < /dev/null)? && pwd -P >\| (/[\w./-]*/claude-[0-9a-f]+-cwd)$`,
  "d",
);

/** The command of the tool in such a text, with a snapshot below this folder; undefined: it is no such text, to the last character. */
function commandIn(text: string, folder: string): FramedCommand | undefined {
  const found = FRAME.exec(text);
  const [, from, word, aside] = found ?? [];
  const [start, end] = found?.indices?.[2] ?? [];
  if (word === undefined || aside === undefined || from !== folder) return undefined;
  const around = (line: string): string => `${text.slice(0, start)}${singleQuoted(line)}${text.slice(end)}`;
  if (/^[\w./:=@%+,-]+$/.test(word)) return { command: word, aside, around };
  if (!/^(?:'[^']*'|"'")+$/.test(word)) return undefined;
  return { command: word.replace(/'([^']*)'|"'"/g, (_, inner: string | undefined) => inner ?? "'"), aside, around };
}
