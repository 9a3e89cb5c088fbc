import { attempt } from "@assent/core/data";
import { listed } from "@assent/core/policy";
import type { Host, Outcome, ToolFacts } from "@assent/guard/engine";
import { type Agent, hostFacts, type Setup } from "../host/agent.ts";
import { SELF_TEST, words } from "../host/claude-shape.ts";
import { type HookCall, type Protocol, type Reading, type Reply, reply } from "../host/protocol.ts";
import { factsOf, files, named, requestOf, text, walk } from "../host/reading.ts";

/**
 * Cursor, its editor and `cursor-agent`. Written from documentation and reports: `ask` is put to the user by
 * beforeShellExecution and beforeMCPExecution; preToolUse accepts it and does not ask; other failures than exit code 2 let
 * the tool run unless `failClosed` is set.
 */

const TOOLS: Readonly<Record<string, ToolFacts>> = {
  Shell: shellFacts(),
  Read: files("read", "file_path", "path", "target_file"),
  Write: files("write", "file_path", "path", "target_file"),
  Edit: files("edit", "file_path", "path", "target_file"),
  Delete: files("delete", "file_path", "path", "target_file"),
  Grep: walk("read", "path", "glob"),
  Glob: walk("list", "target_directory path", "glob_pattern"),
  LS: { does: "file", operation: "list", fields: ["target_directory", "path"], fallback: "." },
  WebFetch: { does: "fetch", field: "url" },
  WebSearch: named("WebSearch"),
  Task: named("Task", "Agent"),
};

function shellFacts(): ToolFacts {
  return { does: "shell", field: "command", folder: "working_directory" };
}

const JUDGED = words("preToolUse beforeShellExecution beforeMCPExecution beforeReadFile");
const OTHERS = words(
  "sessionStart sessionEnd postToolUse postToolUseFailure subagentStart subagentStop afterShellExecution " +
    "afterMCPExecution afterFileEdit beforeSubmitPrompt preCompact stop afterAgentResponse afterAgentThought " +
    "beforeTabFileRead afterTabFileEdit workspaceOpen",
);
/** Where Cursor puts an `ask` to its user. */
const ASKING = words("beforeShellExecution beforeMCPExecution");

function read({ payload, event: registered, folder }: HookCall): Reading {
  const own = text(payload["hook_event_name"]);
  const event = own !== undefined && (registered === undefined || JUDGED.has(own)) ? own : registered;
  if (event === undefined) return { is: "problem", why: "the event is missing: no `hook_event_name`" };
  if (OTHERS.has(event)) return { is: "nothing", why: `nothing to decide on event ${event}` };
  if (!JUDGED.has(event)) return { is: "problem", why: `unknown event \`${event.slice(0, 60)}\`` };
  const roots = payload["workspace_roots"];
  const root: unknown = Array.isArray(roots) ? roots[0] : undefined;
  const { tool, input, facts } = called(payload, event);
  const host: Host = { shell: "any", decides: true, asks: ASKING.has(event) || hasOwnEvent(tool), bypassed: false, planning: false };
  const cwd = text(payload["cwd"]) ?? root;
  return requestOf({ agent: "cursor", event, tool, input, cwd, folder, facts, host, root, session: payload["conversation_id"] });
}

/** Commands and MCP calls have events in which Cursor can ask: preToolUse leaves the question to them. */
const hasOwnEvent = (tool: unknown): boolean => tool === "Shell" || (typeof tool === "string" && tool.startsWith("MCP:"));

function called(
  payload: HookCall["payload"],
  event: string,
): { readonly tool: unknown; readonly input: unknown; readonly facts: ToolFacts | undefined } {
  switch (event) {
    case "beforeShellExecution":
      return { tool: "Shell", input: { command: payload["command"] }, facts: shellFacts() };
    case "beforeReadFile":
      return { tool: "Read", input: { file_path: payload["file_path"] }, facts: TOOLS["Read"] };
    default: {
      const tool = payload["tool_name"];
      return { tool, input: parsed(payload["tool_input"]), facts: factsOf(TOOLS, tool) ?? serverTool(tool) };
    }
  }
}

/** `MCP:tool`. Rules know it by the name of the tool. */
const serverTool = (tool: unknown): ToolFacts | undefined =>
  typeof tool === "string" && tool.startsWith("MCP:") ? named(tool.slice("MCP:".length)) : undefined;

/** Arguments of MCP tools come as JSON in a text. */
function parsed(input: unknown): unknown {
  if (typeof input !== "string") return input;
  return attempt(() => JSON.parse(input) as unknown, input);
}

function write({ request, answer }: Outcome): Reply {
  const { decision } = answer;
  const asks = ASKING.has(request.event ?? "");
  if (decision === "none" || (decision === "ask" && !asks)) return reply({});
  if (decision === "allow") return reply(request.event === "preToolUse" ? {} : { permission: "allow" });
  return reply({ permission: decision, user_message: `Assent: ${answer.reason}`, agent_message: `Assent: ${answer.modelReason}` });
}

export const protocol: Protocol = {
  id: "cursor",
  tools: TOOLS,
  read,
  write,
  refuse: (why, event) => {
    const message = `Assent: ${why}`;
    return reply({ permission: ASKING.has(event ?? "") ? "ask" : "deny", user_message: message, agent_message: message });
  },
  noOpinion: reply({}),
};

const facts = /* @__PURE__ */ hostFacts({
  calls: [
    { telling: 130, fields: { cursor_version: "there" } },
    { telling: 130, fields: { conversation_id: "there" } },
  ],
  files: {
    userLocked: [".cursor/hooks.json", ".cursor/hooks/", ".cursor/cli-config.json", ".cursor/sandbox.json"],
    userAsked: /* @__PURE__ */ listed(
      ".cursor/mcp.json; .cursor/extensions/; .cursor/plugins/; .cursor/commands/; .cursor/skills/; .cursor-server/bin/",
      ".cursor-server/extensions/; .cursor-server/data/machine/; .config/cursor/user/; library/application support/cursor/user/",
    ),
    project: /* @__PURE__ */ listed(
      ".cursor/agents/; .cursor/commands/; .cursor/environment.json; .cursor/hooks.json; .cursor/hooks/; .cursor/cli.json",
      ".cursor/mcp.json; .cursor/permissions.json; .cursor/sandbox.json; .cursor/worktrees.json; .cursor-plugin/",
      ".cursor/plugins/; .cursor/skills/",
    ),
    instructions: [".cursor/", ".cursorrules"],
    machine: ["/etc/cursor/", "/library/application support/cursor/"],
    secrets: [".config/cursor/auth.json"],
  },
  commands: {
    programs: ["cursor", "cursor-agent"],
    packages: [],
    options: {
      questions: ["--approve-mcps", "--force", "-f"],
    },
  },
  variables: { marks: ["CURSOR_AGENT"] },
});

const setup: Setup = {
  signs: { programs: ["cursor", "cursor-agent"], folders: [".cursor"] },
  version: ["cursor-agent", "--version"],
  unrun: "written from documentation, not run: Cursor is not distributed in a form that could be driven",
  sample: (command, cwd) => ({ payload: { conversation_id: SELF_TEST, cwd, tool_name: "Shell", tool_input: { command } } }),
  events: ["preToolUse", "beforeShellExecution", "beforeMCPExecution", "beforeReadFile"],
  fails: "the tool is refused (`failClosed`)",
  asks: "Cursor's own dialog, for commands and MCP tools; for other tools denied with the reason",
  waits: 30,
  noOpinion: "Cursor's own settings decide and ask",
  cannot: ["whether an allow spares you Cursor's own question is not known", "the host does not say which server an MCP tool belongs to"],
  managed: { file: "/etc/cursor/hooks.json", known: "documented" },
  controlled: {
    project: [".cursor/hooks.json", ".cursor/mcp.json", ".cursor/cli.json", ".cursor/permissions.json", ".cursor/sandbox.json"],
    user: ["~/.cursor/mcp.json", "~/.cursor/cli-config.json"],
    servers: true,
    signs: [
      { at: ["permissions", "allow"], when: "there", does: "skips", so: "these run without Cursor's own question", projectOnly: true },
      { at: ["approvalMode"], when: /^unrestricted$/, does: "skips", so: "questions are skipped" },
      { at: ["type"], when: /^insecure_none$/, does: "skips", so: "Cursor sandboxes nothing", projectOnly: true },
      { at: ["hooks", "*"], when: "there", does: "starts", so: "hooks of the repository run beside Assent's", projectOnly: true },
    ],
    said: "hooks and servers of a repository run beside Assent's; whether one can switch hooks off is not known",
  },
  registrations: ({ home, project, command }) => [
    {
      is: "entries",
      file: `${project ?? home}/.cursor/hooks.json`,
      format: "json",
      entries: setup.events.map((event) => ({ list: ["hooks", event], value: { command: command(event), timeout: 30, failClosed: true } })),
      keys: [{ path: ["version"], value: 1, must: "there" }],
    },
  ],
};

export const cursor: Agent<"cursor"> = { id: "cursor", name: "Cursor", protocol, facts, rules: () => import("./rules.ts"), setup };
