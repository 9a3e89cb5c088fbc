import type { Input } from "../engine/index.ts";
import type { AgentId } from "./ids.ts";

type Env = Readonly<Record<string, string | undefined>>;
type Said = Readonly<{ payload: Input; event: string | undefined; env: Env }>;

/** The payload's own name for its event, else the registered one. */
const eventOf = ({ payload, event }: Said): string => {
  const own = payload["hook_event_name"] ?? payload["agent_action_name"] ?? payload["event"] ?? payload["type"];
  return typeof own === "string" ? own : (event ?? "");
};

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null;

const GEMINI_TOOLS = new Set(
  "glob grep_search search_file_content read_file read_many_files list_directory web_fetch google_web_search replace write_file run_shell_command".split(
    " ",
  ),
);

const VSCODE_TOOLS = /^(?:run_in_terminal|(?:multi_)?replace_string_in_file|insert_edit_into_file|create_file|editFiles)$/;

/**
 * What tells the hosts apart, most telling first. A registered hook names its agent;
 * this is for those that do not.
 */
const SIGNS: readonly (readonly [AgentId, (said: Said) => boolean])[] = [
  ["windsurf", ({ payload }) => typeof payload["agent_action_name"] === "string"],
  ["cline", ({ payload }) => isObject(payload["tool_call"]) || isObject(payload["preToolUse"])],
  ["cursor", ({ payload }) => payload["cursor_version"] !== undefined || payload["conversation_id"] !== undefined],
  ["opencode", (said) => /^(?:permission\.ask(?:ed)?|tool\.execute\.before)$/.test(eventOf(said))],
  ["pi", ({ payload }) => payload["type"] === "tool_call" || payload["toolCallId"] !== undefined],
  ["copilot", ({ payload }) => payload["toolArgs"] !== undefined || payload["hookName"] === "permissionRequest"],
  ["qwen", ({ payload, env }) => env["QWEN_PROJECT_DIR"] !== undefined || payload["tool_call_id"] !== undefined],
  ["codex", (said) => eventOf(said) === "PermissionRequest" && isObject(said.payload["permission"])],
  ["codex", ({ payload }) => payload["turn_id"] !== undefined && payload["model"] !== undefined],
  ["vscode", ({ payload }) => payload["hookEventName"] !== undefined || VSCODE_TOOLS.test(String(payload["tool_name"]))],
  // Its tools have Gemini's names, its events Claude Code's.
  ["qwen", (said) => /^(?:PreToolUse|PermissionRequest)$/.test(eventOf(said)) && GEMINI_TOOLS.has(String(said.payload["tool_name"]))],
  ["gemini", (said) => /^(?:Before|After)Tool$/.test(eventOf(said)) || GEMINI_TOOLS.has(String(said.payload["tool_name"]))],
  ["droid", ({ env }) => env["FACTORY_PROJECT_DIR"] !== undefined],
  ["kiro", (said) => eventOf(said) === "preToolUse" && said.payload["tool_name"] !== undefined],
  ["amp", ({ env, payload }) => env["AGENT"] === "amp" && env["AGENT_TOOL_NAME"] !== undefined && payload["tool_name"] === undefined],
  ["generic", ({ payload }) => payload["tool"] !== undefined && payload["input"] !== undefined && payload["tool_name"] === undefined],
];

/** `--agent auto`: the first host that knows the call as its own, Claude Code when none does. */
export function recognise(payload: Input, event: string | undefined, env: Env): AgentId {
  const said = { payload, event, env };
  return SIGNS.find(([, fits]) => fits(said))?.[0] ?? "claude";
}
