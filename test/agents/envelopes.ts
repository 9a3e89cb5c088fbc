import type { AgentId } from "@assent/hosts/agents";

/** How each host writes down that a tool is about to be called: `/p` is the folder of the session. */

export type Payload = Readonly<Record<string, unknown>>;

export type Asked =
  | { readonly shell: string }
  | { readonly read: string }
  | { readonly write: string }
  | { readonly patch: string }
  /** Of the server `lab`. */
  | { readonly mcp: string };

export interface EventSpec {
  readonly event: string;
  /** Undefined: the host has no such tool, or this event is not about it. */
  readonly envelope: (asked: Asked, cwd: string) => Payload | undefined;
  /** For hosts that say things by variables. */
  readonly env?: (asked: Asked) => Readonly<Record<string, string>>;
  /** What it is told in each of the situations of golden.test.ts, in their order. `-` is silence, `·` not asked. */
  readonly told: string;
}

export interface HostSpec {
  /** The only keys that it takes, by what its documentation or its behaviour says. */
  readonly keys: RegExp;
  /** What its exit codes mean, where it reads no JSON. */
  readonly exits?: readonly string[];
  /** Which host its calls are taken for that nobody names: its form is its own, or that of another. */
  readonly takenFor?: AgentId;
  readonly events: readonly EventSpec[];
}

interface Names {
  readonly shell: readonly [tool: string, field: string];
  readonly read: readonly [tool: string, field: string];
  readonly write: readonly [tool: string, path: string, content: string];
  readonly patch?: readonly [tool: string, field: string];
  readonly mcp?: (tool: string) => string;
}

type ToolCall = readonly [tool: string, input: Payload];

const call =
  (names: Names) =>
  (asked: Asked): ToolCall | undefined => {
    if ("shell" in asked) return [names.shell[0], { [names.shell[1]]: asked.shell }];
    if ("read" in asked) return [names.read[0], { [names.read[1]]: asked.read }];
    if ("write" in asked) return [names.write[0], { [names.write[1]]: asked.write, [names.write[2]]: "x" }];
    if ("patch" in asked) return names.patch === undefined ? undefined : [names.patch[0], { [names.patch[1]]: asked.patch }];
    return names.mcp === undefined ? undefined : [names.mcp(asked.mcp), { id: "7" }];
  };

/** Claude Code's form, which others took over. */
const shaped =
  (names: Names, event: string, more: Payload = {}): EventSpec["envelope"] =>
  (asked, cwd) => {
    const made = call(names)(asked);
    if (made === undefined) return undefined;
    return { session_id: "s1", transcript_path: "/t.jsonl", cwd, hook_event_name: event, ...more, tool_name: made[0], tool_input: made[1] };
  };

/** A command within the text of a skill (Claude Code 2.1.332). */
const inSkill: EventSpec["envelope"] = (asked, cwd) => {
  const more = { ...ASKED, tool_use_id: "t1:preamble-0", command_name: "sk", command_source: "projectSettings", invoked_by: "user" };
  return "shell" in asked ? shaped(CLAUDE, "PreSkillShellCommand", more)(asked, cwd) : undefined;
};

const mcpName = (tool: string): string => `mcp__lab__${tool}`;

const CLAUDE: Names = {
  shell: ["Bash", "command"],
  read: ["Read", "file_path"],
  write: ["Write", "file_path", "content"],
  mcp: mcpName,
};
const CODEX: Names = {
  shell: ["Bash", "command"],
  read: ["view_image", "path"],
  // It writes files by patches alone.
  write: ["", "", ""],
  patch: ["apply_patch", "command"],
  mcp: mcpName,
};
const GEMINI: Names = {
  shell: ["run_shell_command", "command"],
  read: ["read_file", "file_path"],
  write: ["write_file", "file_path", "content"],
};
const DROID: Names = {
  shell: ["Execute", "command"],
  read: ["Read", "file_path"],
  write: ["Create", "file_path", "content"],
  mcp: (tool) => `lab___${tool}`,
};
const OPENCODE: Names = {
  shell: ["bash", "command"],
  read: ["read", "filePath"],
  write: ["write", "filePath", "content"],
  patch: ["apply_patch", "patchText"],
  mcp: (tool) => `lab_${tool}`,
};
const COPILOT: Names = {
  shell: ["bash", "command"],
  read: ["view", "path"],
  write: ["create", "path", "file_text"],
  patch: ["apply_patch", "input"],
  mcp: (tool) => `lab-${tool}`,
};
const CURSOR: Names = {
  shell: ["Shell", "command"],
  read: ["Read", "file_path"],
  write: ["Write", "file_path", "content"],
  mcp: (tool) => `MCP:${tool}`,
};
const CLINE: Names = {
  shell: ["run_commands", "commands"],
  read: ["read_files", "files"],
  write: ["editor", "path", "new_text"],
  mcp: (tool) => `lab__${tool}`,
};
const PI: Names = { shell: ["bash", "command"], read: ["read", "path"], write: ["write", "path", "content"] };
const COMMAND_CODE: Names = {
  shell: ["shell_command", "command"],
  read: ["read_file", "file_path"],
  write: ["write_file", "file_path", "content"],
  mcp: mcpName,
};
const KIMI: Names = { shell: ["Bash", "command"], read: ["Read", "path"], write: ["Write", "path", "content"], mcp: mcpName };
const AMP: Names = { shell: ["Bash", "cmd"], read: ["Read", "path"], write: ["create_file", "path", "content"], mcp: mcpName };
const KIRO: Names = {
  shell: ["execute_bash", "command"],
  read: ["fs_read", "path"],
  write: ["fs_write", "path", "file_text"],
  mcp: (tool) => `@lab/${tool}`,
};
const VSCODE: Names = {
  shell: ["run_in_terminal", "command"],
  read: ["read_file", "filePath"],
  write: ["create_file", "filePath", "content"],
  patch: ["apply_patch", "input"],
  mcp: (tool) => `mcp_lab_${tool}`,
};
const GENERIC: Names = {
  shell: ["shell", "command"],
  read: ["read", "path"],
  write: ["write", "path", "content"],
  patch: ["patch", "patch"],
  mcp: mcpName,
};

const notWrite =
  (envelope: EventSpec["envelope"]): EventSpec["envelope"] =>
  (asked, cwd) =>
    "write" in asked ? undefined : envelope(asked, cwd);

const gemini: EventSpec["envelope"] = (asked, cwd) => {
  if (!("mcp" in asked)) return shaped(GEMINI, "BeforeTool", { timestamp: "2026-11-22T08:00:00.000Z" })(asked, cwd);
  return {
    session_id: "s1",
    cwd,
    hook_event_name: "BeforeTool",
    tool_name: `mcp_lab_${asked.mcp}`,
    tool_input: { id: "7" },
    mcp_context: { server_name: "lab", tool_name: asked.mcp, command: "node" },
  };
};

const copilot =
  (event: string): EventSpec["envelope"] =>
  (asked, cwd) => {
    const made = call(COPILOT)(asked);
    if (made === undefined) return undefined;
    const common = { sessionId: "s1", timestamp: 1, cwd };
    if (event === "preToolUse") return { ...common, toolName: made[0], toolArgs: made[1] };
    const toolName = "mcp" in asked ? `lab/${asked.mcp}` : "write" in asked ? "edit" : made[0];
    const toolInput = "write" in asked ? { file_path: asked.write, diff: "" } : made[1];
    return { hookName: event, ...common, toolName, toolInput, permissionSuggestions: [] };
  };

const cursorCommon = { conversation_id: "s1", generation_id: "g", model: "m", cursor_version: "3.0.0" };
const cursor = (event: string): EventSpec["envelope"] => {
  const common = (cwd: string) => ({ ...cursorCommon, hook_event_name: event, workspace_roots: [cwd] });
  return (asked, cwd) => {
    switch (event) {
      case "beforeShellExecution":
        return "shell" in asked ? { ...common(cwd), command: asked.shell, cwd } : undefined;
      case "beforeMCPExecution":
        return "mcp" in asked ? { ...common(cwd), tool_name: asked.mcp, tool_input: '{"id":"7"}', command: "node" } : undefined;
      case "beforeReadFile":
        return "read" in asked ? { ...common(cwd), file_path: asked.read, content: "…" } : undefined;
      default: {
        const made = call(CURSOR)(asked);
        return made === undefined ? undefined : { ...common(cwd), tool_name: made[0], tool_input: made[1], cwd };
      }
    }
  };
};

const cline: EventSpec["envelope"] = (asked, cwd) => {
  const made = call(CLINE)(asked);
  if (made === undefined) return undefined;
  const input = "shell" in asked ? { commands: [asked.shell] } : "read" in asked ? { files: [{ path: asked.read }] } : made[1];
  return {
    clineVersion: "3.0.65",
    taskId: "s1",
    workspaceRoots: [cwd],
    agent_id: "a",
    parent_agent_id: null,
    hookName: "tool_call",
    tool_call: { id: "1", name: made[0], input },
  };
};

const windsurf: EventSpec["envelope"] = (asked, cwd) => {
  const common = (agent_action_name: string, tool_info: Payload) => ({ agent_action_name, trajectory_id: "s1", tool_info });
  if ("shell" in asked) return common("pre_run_command", { command_line: asked.shell, cwd });
  if ("read" in asked) return common("pre_read_code", { file_path: asked.read });
  if ("write" in asked) return common("pre_write_code", { file_path: asked.write, edits: [] });
  if ("mcp" in asked)
    return common("pre_mcp_tool_use", { mcp_server_name: "lab", mcp_tool_name: asked.mcp, mcp_tool_arguments: { id: "7" } });
  return undefined;
};

const opencode: EventSpec["envelope"] = (asked, cwd) => {
  const made = call(OPENCODE)(asked);
  return made === undefined
    ? undefined
    : { event: "tool.execute.before", tool: made[0], args: made[1], sessionID: "s1", callID: "c1", directory: cwd };
};

const openCodeAsked: EventSpec["envelope"] = (asked, cwd) => {
  const permission =
    "shell" in asked
      ? { type: "bash", metadata: { command: asked.shell } }
      : "write" in asked
        ? { type: "edit", metadata: { filepath: asked.write, diff: "" } }
        : undefined;
  return permission && { event: "permission.ask", permission, sessionID: "s1", directory: cwd };
};

const pi =
  (hasUI: boolean): EventSpec["envelope"] =>
  (asked, cwd) => {
    const made = call(PI)(asked);
    return made && { type: "tool_call", toolName: made[0], toolCallId: "1", input: made[1], cwd, hasUI };
  };

const openCodeEvents: readonly EventSpec[] = [
  { event: "tool.execute.before", envelope: opencode, told: "allow allow - deny deny deny allow deny - allow deny - deny - deny" },
  { event: "permission.ask", envelope: openCodeAsked, told: "allow allow - - deny deny · · - allow deny · · · ·" },
];

const ASKED = { permission_mode: "default" };
const CODEX_CALL = { turn_id: "t1", model: "gpt-5.5", permission_mode: "default" };
const SHAPED_KEYS = /^(?:hookSpecificOutput(?:\.(?:hookEventName|permissionDecision|permissionDecisionReason|decision))?|systemMessage)$/;

/** What each host calls hooks for, by `assent install`'s registration, and what it is told. */
export const HOSTS: Readonly<Record<AgentId, HostSpec>> = {
  claude: {
    keys: /^(?:hookSpecificOutput(?:\.(?:hookEventName|permissionDecision|permissionDecisionReason|updatedInput|decision))?|systemMessage)$/,
    events: [
      {
        event: "PreToolUse",
        envelope: shaped(CLAUDE, "PreToolUse", ASKED),
        told: "allow allow - ask deny deny allow deny - allow deny · · - deny",
      },
      {
        event: "PermissionRequest",
        envelope: shaped(CLAUDE, "PermissionRequest", ASKED),
        told: "allow allow - - deny deny allow deny - allow deny · · - deny",
      },
      {
        // Of a skill of the repository: what its own front matter allows would go ahead, and nobody can be asked.
        event: "PreSkillShellCommand",
        envelope: inSkill,
        told: "- - deny deny deny deny · · · · · · · · ·",
      },
    ],
  },
  codex: {
    keys: SHAPED_KEYS,
    events: [
      {
        event: "PreToolUse",
        envelope: notWrite(shaped(CODEX, "PreToolUse", CODEX_CALL)),
        // No ask there, and no allow: an ask that is more than a default is a denial.
        told: "- - - deny deny deny - deny · · · - deny - deny",
      },
      {
        event: "PermissionRequest",
        envelope: notWrite(shaped(CODEX, "PermissionRequest", CODEX_CALL)),
        // The folder of a command is not told: only a written rule allows one.
        told: "- allow - - deny deny allow deny · · · - deny - deny",
      },
    ],
  },
  opencode: { keys: /^(?:status|reason)$/, events: openCodeEvents },
  kilo: { keys: /^(?:status|reason)$/, takenFor: "opencode", events: openCodeEvents },
  gemini: {
    keys: /^(?:decision|reason|systemMessage)$/,
    events: [{ event: "BeforeTool", envelope: gemini, told: "allow allow - deny deny deny allow deny - allow deny · · - deny" }],
  },
  qwen: {
    keys: SHAPED_KEYS,
    events: [
      {
        event: "PreToolUse",
        envelope: shaped({ ...GEMINI, mcp: mcpName }, "PreToolUse", ASKED),
        told: "- - - deny deny deny - deny - - deny · · - deny",
      },
      {
        event: "PermissionRequest",
        envelope: shaped({ ...GEMINI, mcp: mcpName }, "PermissionRequest", ASKED),
        told: "allow allow - - deny deny allow deny - allow deny · · - deny",
      },
    ],
  },
  copilot: {
    keys: /^(?:permissionDecision|permissionDecisionReason|behavior|message)$/,
    events: [
      // An allow before a tool would override the user's own --deny-tool.
      { event: "preToolUse", envelope: copilot("preToolUse"), told: "- - - ask deny deny - deny - - deny - deny - deny" },
      {
        event: "permissionRequest",
        envelope: copilot("permissionRequest"),
        told: "allow allow - - deny deny allow deny - allow deny - deny - deny",
      },
    ],
  },
  cursor: {
    keys: /^(?:permission|user_message|agent_message)$/,
    events: [
      // Here an ask is not put to the user; for commands the next event asks.
      { event: "preToolUse", envelope: cursor("preToolUse"), told: "- - - - deny deny - deny - - deny · · - deny" },
      {
        event: "beforeShellExecution",
        envelope: cursor("beforeShellExecution"),
        told: "allow allow - ask deny deny · · · · · · · · ·",
      },
      { event: "beforeMCPExecution", envelope: cursor("beforeMCPExecution"), told: "· · · · · · · · · · · · · - deny" },
      { event: "beforeReadFile", envelope: cursor("beforeReadFile"), told: "· · · · · · allow deny · · · · · · ·" },
    ],
  },
  cline: {
    keys: /^(?:cancel|errorMessage|overrideInput(?:\.commands)?)$/,
    // A refused command is replaced by one that says why.
    events: [{ event: "PreToolUse", envelope: cline, told: "- - - replaced replaced replaced - deny - - deny · · - deny" }],
  },
  droid: {
    keys: /^(?:hookSpecificOutput(?:\.(?:hookEventName|permissionDecision|permissionDecisionReason))?|systemMessage)$/,
    takenFor: "claude",
    events: [
      {
        event: "PreToolUse",
        envelope: shaped(DROID, "PreToolUse", { permission_mode: "auto-low" }),
        told: "- - - deny deny deny - deny - - deny · · - deny",
      },
    ],
  },
  pi: {
    keys: /^(?:block|ask|reason)$/,
    // It asks nobody by itself: what a default asks about, or nobody has an opinion on, is denied where no person sits.
    events: [{ event: "tool_call", envelope: pi(false), told: "- - deny deny deny deny - deny deny - deny · · · ·" }],
  },
  amp: {
    keys: /^never$/,
    exits: ["allow", "ask", "deny"],
    events: [
      {
        event: "delegate",
        envelope: (asked) => call(AMP)(asked)?.[1],
        env: (asked) => ({ AGENT: "amp", AGENT_TOOL_NAME: call(AMP)(asked)?.[0] ?? "" }),
        // It cannot stay silent.
        told: "allow allow ask ask deny deny allow deny ask allow deny · · ask deny",
      },
    ],
  },
  windsurf: {
    keys: /^never$/,
    exits: ["-", "-", "deny"],
    events: [
      {
        event: "pre_run_command, pre_read_code, pre_write_code, pre_mcp_tool_use",
        envelope: windsurf,
        told: "- - - deny deny deny - deny - - deny · · - deny",
      },
    ],
  },
  kiro: {
    keys: /^never$/,
    exits: ["-", "-", "deny"],
    takenFor: "claude",
    events: [{ event: "PreToolUse", envelope: shaped(KIRO, "PreToolUse"), told: "- - - deny deny deny - deny - - deny · · - deny" }],
  },
  vscode: {
    keys: /^hookSpecificOutput(?:\.(?:hookEventName|permissionDecision|permissionDecisionReason))?$/,
    events: [{ event: "PreToolUse", envelope: shaped(VSCODE, "PreToolUse"), told: "- - - ask deny deny - deny - - deny - deny - deny" }],
  },
  commandcode: {
    keys: /^hookSpecificOutput(?:\.(?:hookEventName|permissionDecision|permissionDecisionReason))?$/,
    events: [
      {
        event: "PreToolUse",
        envelope: shaped(COMMAND_CODE, "PreToolUse", { permission_mode: "default", tool_use_id: "t1", tool_display_name: "SHELL" }),
        told: "- - - deny deny deny - deny - - deny · · - deny",
      },
    ],
  },
  kimi: {
    keys: /^hookSpecificOutput(?:\.(?:hookEventName|permissionDecision|permissionDecisionReason))?$/,
    events: [
      {
        event: "PreToolUse",
        envelope: shaped(KIMI, "PreToolUse", { client_type: "cli", session_title: "t", tool_call_id: "t1" }),
        told: "- - - deny deny deny - deny - - deny · · - deny",
      },
    ],
  },
  generic: {
    keys: /^(?:decision|reason)$/,
    events: [
      {
        event: "request",
        envelope: (asked, cwd) => {
          const made = call(GENERIC)(asked);
          return made && { tool: made[0], input: made[1], cwd, session: "s1", asks: true, decides: false };
        },
        told: "allow allow - ask deny deny allow deny ask allow deny ask deny - deny",
      },
    ],
  },
};
