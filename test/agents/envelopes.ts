import type { AgentId } from "../../src/agents/index.ts";

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

const OPENCODE_EVENTS: readonly EventSpec[] = [
  { event: "tool.execute.before", envelope: opencode },
  { event: "permission.ask", envelope: openCodeAsked },
];

/** What each host calls hooks for, by `assent install`'s registration. */
export const EVENTS: Readonly<Record<AgentId, readonly EventSpec[]>> = {
  claude: ["PreToolUse", "PermissionRequest"].map((event) => ({ event, envelope: shaped(CLAUDE, event, { permission_mode: "default" }) })),
  codex: ["PreToolUse", "PermissionRequest"].map((event) => ({
    event,
    envelope: notWrite(shaped(CODEX, event, { turn_id: "t1", model: "gpt-5.5", permission_mode: "default" })),
  })),
  opencode: OPENCODE_EVENTS,
  kilo: OPENCODE_EVENTS,
  gemini: [{ event: "BeforeTool", envelope: gemini }],
  qwen: ["PreToolUse", "PermissionRequest"].map((event) => ({
    event,
    envelope: shaped({ ...GEMINI, mcp: mcpName }, event, { permission_mode: "default" }),
  })),
  copilot: ["preToolUse", "permissionRequest"].map((event) => ({ event, envelope: copilot(event) })),
  cursor: ["preToolUse", "beforeShellExecution", "beforeMCPExecution", "beforeReadFile"].map((event) => ({
    event,
    envelope: cursor(event),
  })),
  cline: [{ event: "PreToolUse", envelope: cline }],
  droid: [{ event: "PreToolUse", envelope: shaped(DROID, "PreToolUse", { permission_mode: "auto-low" }) }],
  pi: [{ event: "tool_call", envelope: pi(false) }],
  amp: [
    {
      event: "delegate",
      envelope: (asked) => call(AMP)(asked)?.[1],
      env: (asked) => ({ AGENT: "amp", AGENT_TOOL_NAME: call(AMP)(asked)?.[0] ?? "" }),
    },
  ],
  windsurf: [{ event: "pre_run_command, pre_read_code, pre_write_code, pre_mcp_tool_use", envelope: windsurf }],
  kiro: [{ event: "PreToolUse", envelope: shaped(KIRO, "PreToolUse") }],
  vscode: [{ event: "PreToolUse", envelope: shaped(VSCODE, "PreToolUse") }],
  generic: [
    {
      event: "request",
      envelope: (asked, cwd) => {
        const made = call(GENERIC)(asked);
        return made && { tool: made[0], input: made[1], cwd, session: "s1", asks: true, decides: false };
      },
    },
  ],
};
