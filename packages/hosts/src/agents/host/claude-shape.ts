import { SELF_TEST } from "@assent/core/data";
import type { Decision } from "@assent/core/policy";
import type { Host, Input, Outcome, ToolFacts } from "@assent/guard/engine";
import type { Sample } from "./agent.ts";
import type { HookCall, Envelope, Reading } from "./protocol.ts";
import { eventOf, factsOf, requestOf, subagentOf, text } from "./reading.ts";

/** The form of calls and answers that Claude Code introduced and others took over. In answers silence is the empty object. */

/** What one host's calls have of their own. */
interface Shape {
  readonly agent: string;
  /** Events on which there is something to decide. */
  readonly judged: ReadonlySet<string>;
  /** The host's other events: a hook registered for one of them by mistake stays silent. */
  readonly others: ReadonlySet<string>;
  readonly tools: Readonly<Record<string, ToolFacts>>;
  /** For tools that the table does not have, such as those of MCP servers. */
  readonly factsFor?: (tool: string, payload: Input) => ToolFacts | undefined;
  readonly host: (mode: string | undefined, event: string, call: HookCall) => Host;
  /** Variable that holds the folder of the session. */
  readonly root?: string;
}

export function readShaped(call: HookCall, shape: Shape): Reading {
  const { payload, event: registered, env, folder } = call;
  const event = eventOf(payload["hook_event_name"], registered, shape.judged);
  if (event === undefined) return { is: "problem", why: "the event is missing: no `hook_event_name`" };
  if (shape.others.has(event)) return { is: "nothing", why: `nothing to decide on event ${event}` };
  if (!shape.judged.has(event)) return { is: "problem", why: `unknown event \`${event.slice(0, 60)}\`` };
  const mode = text(payload["permission_mode"]);
  const tool = text(payload["tool_name"]);
  return requestOf({
    agent: shape.agent,
    event,
    tool,
    input: payload["tool_input"],
    cwd: payload["cwd"],
    folder,
    facts: tool === undefined ? undefined : (factsOf(shape.tools, tool) ?? shape.factsFor?.(tool, payload)),
    host: shape.host(mode, event, call),
    root: shape.root === undefined ? undefined : env[shape.root],
    session: payload["session_id"],
    toolUse: payload["tool_use_id"],
    // `agent_type` alone is Claude Code's main thread under `--agent`.
    subagent: subagentOf(payload["agent_id"], payload["agent_type"]),
    mode,
  });
}

/** `updatedInput`: what the tool is to be called with instead. */
export function preToolUse(decision: Decision, permissionDecisionReason: string, updatedInput?: Input, event = "PreToolUse"): Envelope {
  if (decision === "none") return {};
  const instead = updatedInput === undefined ? {} : { updatedInput };
  return { hookSpecificOutput: { hookEventName: event, permissionDecision: decision, permissionDecisionReason, ...instead } };
}

/** An ask is silence: the host is about to show its own dialog. `updatedInput`: what the tool is to be called with instead. */
export function permissionRequest(decision: Decision, message: string, updatedInput?: Input): Envelope {
  if (decision === "none" || decision === "ask") return {};
  return {
    hookSpecificOutput: {
      hookEventName: "PermissionRequest",
      decision:
        decision === "allow"
          ? { behavior: "allow", ...(updatedInput === undefined ? {} : { updatedInput }) }
          : { behavior: "deny", message },
    },
  };
}

/** What a tool is to be called with in the place of what was asked about; undefined: with just that. */
export function inputInstead({ request: { facts, input }, instead }: Outcome): Input | undefined {
  return instead === undefined || facts?.does !== "shell" ? undefined : { ...input, [facts.field]: instead };
}

/** Words of a project that nobody has trusted are for people only: most hosts show them this way. */
export function withNote(envelope: Envelope, untrusted: boolean | undefined, reason: string): Envelope {
  return untrusted === true && Object.keys(envelope).length > 0 ? { ...envelope, systemMessage: `Assent: ${reason}` } : envelope;
}

export const words = (list: string): ReadonlySet<string> => new Set(list.split(" "));

/** A call of the shell. */
export const sample =
  (event: string, tool: string) =>
  (command: string, cwd: string): Sample => ({
    payload: { session_id: SELF_TEST, cwd, hook_event_name: event, tool_name: tool, tool_input: { command } },
  });

/** The session of `assent doctor`, for the log. */
export { SELF_TEST } from "@assent/core/data";

/** A group of handlers with one of ours, as hooks files of this family have it. */
export const group = (
  matcher: string,
  start: string | { readonly command: string; readonly args: readonly string[] },
  more: Readonly<Record<string, string | number>>,
) => ({
  matcher,
  hooks: [{ type: "command", ...(typeof start === "string" ? { command: start } : start), ...more }],
});
