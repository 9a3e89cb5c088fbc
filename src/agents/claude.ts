import type { Host, Input, Outcome, ToolFacts } from "../guard/index.ts";
import type { Agent, Call, Envelope, Reading } from "./agent.ts";

/**
 * Claude Code. Facts measured on 2.1.329 (docs/architecture.md names the evidence):
 * paths arrive absolute; silence (`{}`) leaves the host's own flow; an `ask` is a denial in headless runs;
 * a hook's `allow` does not override the host's own deny and ask rules; in plan mode it is not enough.
 */

const file = (operation: "read" | "write" | "edit" | "list", ...fields: readonly string[]): ToolFacts => ({
  does: "file",
  operation,
  fields,
});

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
  Glob: { does: "file", operation: "list", fields: ["path"], tree: true, fallback: ".", pattern: "pattern" },
  Grep: { does: "file", operation: "read", fields: ["path"], tree: true, fallback: ".", pattern: "glob" },
  WebFetch: { does: "fetch", field: "url" },
};

/** Tools by which the host talks to its user: an allow would answer in the user's place. */
const CONVERSATION = new Set(["AskUserQuestion", "ExitPlanMode", "EnterPlanMode"]);

const JUDGED = new Set(["PreToolUse", "PermissionRequest"]);
/** Events that ask nothing. A hook registered for one of them by mistake stays silent. */
const OTHERS = new Set(
  (
    "PostToolUse PostToolUseFailure PostToolBatch Notification UserPromptSubmit UserPromptExpansion SessionStart SessionEnd Stop StopFailure " +
    "SubagentStart SubagentStop PreCompact PostCompact PreModelSwitch PostModelSwitch PermissionDenied Setup TeammateIdle TaskCreated TaskCompleted " +
    "Elicitation ElicitationResult ConfigChange WorktreeCreate WorktreeRemove InstructionsLoaded CwdChanged FileChanged DirectoryAdded MessageDisplay"
  ).split(" "),
);

const text = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);
const isInput = (value: unknown): value is Input => typeof value === "object" && value !== null && !Array.isArray(value);

/** The payload knows best which event this is; the registration stands in for a payload that does not say. */
function eventOf(payload: Input, registered: string | undefined): string | undefined {
  const own = text(payload["hook_event_name"]);
  return own !== undefined && (registered === undefined || JUDGED.has(own)) ? own : registered;
}

function hostOf(mode: string | undefined): Host {
  return {
    shell: "any",
    decides: true,
    asks: mode !== "dontAsk",
    bypassed: mode === "bypassPermissions",
    planning: mode === "plan",
  };
}

function read({ payload, event: registered, env, folder }: Call): Reading {
  const event = eventOf(payload, registered);
  if (event === undefined) return { is: "problem", why: "the event is missing: no `hook_event_name`" };
  if (OTHERS.has(event)) return { is: "nothing", why: `nothing to decide on event ${event}` };
  if (!JUDGED.has(event)) return { is: "problem", why: `unknown event \`${event.slice(0, 60)}\`` };
  const tool = text(payload["tool_name"]);
  if (tool === undefined) return { is: "problem", why: "`tool_name` is not a text" };
  const input = payload["tool_input"];
  if (!isInput(input)) return { is: "problem", why: "`tool_input` is not an object" };
  const cwd = payload["cwd"] === undefined ? folder : text(payload["cwd"]);
  if (cwd === undefined || !cwd.startsWith("/") || cwd.includes("\0")) return { is: "problem", why: "`cwd` is not an absolute path" };
  const mode = text(payload["permission_mode"]);
  const root = env["CLAUDE_PROJECT_DIR"];
  const subagent = text(payload["agent_id"]);
  return {
    is: "request",
    request: {
      tool,
      facts: Object.hasOwn(TOOLS, tool) ? TOOLS[tool] : undefined,
      input,
      cwd,
      sessionRoot: root !== undefined && root.startsWith("/") ? root : undefined,
      host: hostOf(mode),
      point: "hook",
      agent: "claude",
      event,
      session: text(payload["session_id"]),
      // `agent_type` alone is the main thread of `--agent`.
      subagent: subagent === undefined ? undefined : `${text(payload["agent_type"]) ?? "subagent"}:${subagent}`,
      mode,
    },
  };
}

function write(outcome: Outcome): Envelope {
  const { request, answer, verdict } = outcome;
  if (answer.decision === "none") return bypassedCodex(outcome) ?? {};
  if (answer.decision === "allow" && CONVERSATION.has(request.tool)) return {};
  const reason = `Assent: ${answer.modelReason}`;
  const forPeople = verdict.untrusted === true ? { systemMessage: `Assent: ${answer.reason}` } : {};
  if (request.event === "PermissionRequest") {
    if (answer.decision === "ask") return {};
    const decision = answer.decision === "allow" ? { behavior: "allow" } : { behavior: "deny", message: reason };
    return { hookSpecificOutput: { hookEventName: "PermissionRequest", decision }, ...forPeople };
  }
  return preToolUse(answer.decision, reason, forPeople);
}

function preToolUse(permissionDecision: "allow" | "ask" | "deny", permissionDecisionReason: string, more: Envelope = {}): Envelope {
  return { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision, permissionDecisionReason }, ...more };
}

/** A43: a bypass reaches a Codex that runs as an MCP server, whose own questions nobody would see. */
function bypassedCodex({ request, verdict }: Outcome): Envelope | undefined {
  const waived =
    request.host.bypassed && request.event === "PreToolUse" && request.tool.startsWith("mcp__codex__") && verdict.decision !== "deny";
  if (!waived) return undefined;
  return { hookSpecificOutput: { hookEventName: "PreToolUse", updatedInput: { ...request.input, "approval-policy": "never" } } };
}

export const claude: Agent = {
  id: "claude",
  name: "Claude Code",
  tools: TOOLS,
  recognises: (payload) => text(payload["hook_event_name"]) !== undefined,
  read,
  write,
  // Silence makes the host show its own dialog, which is where a PermissionRequest comes from.
  refuse: (why, event) => (event === "PermissionRequest" ? {} : preToolUse("ask", `Assent: ${why}`)),
};
