import { isObject } from "@assent/core/data";
import { listed } from "@assent/core/policy";
import type { Host, ToolFacts } from "@assent/guard/engine";
import { type Agent, hostFacts, type Setup } from "./host/agent.ts";
import { SELF_TEST, words } from "./host/claude-shape.ts";
import { BY_EXIT, type HookCall, type Protocol, type Reading } from "./host/protocol.ts";
import { files, mcp, requestOf, shell, text } from "./host/reading.ts";

/**
 * Windsurf's Cascade. Written from documentation: only exit code 2 blocks, with stderr for the model; there is no answer
 * that allows or asks.
 */

const TOOLS: Readonly<Record<string, ToolFacts>> = {
  pre_run_command: shell("command_line", "cwd"),
  pre_read_code: files("read", "file_path"),
  pre_write_code: files("edit", "file_path"),
};

const MCP = "pre_mcp_tool_use";
const OTHERS = words(
  "pre_user_prompt post_read_code post_write_code post_run_command post_mcp_tool_use post_cascade_response post_setup_worktree",
);
const HOST: Host = { shell: "any", decides: true, asks: false, bypassed: false, planning: false };

function read({ payload, event: registered, folder }: HookCall): Reading {
  const event = text(payload["agent_action_name"]) ?? registered;
  if (event === undefined) return { is: "problem", why: "the event is missing: no `agent_action_name`" };
  if (OTHERS.has(event)) return { is: "nothing", why: `nothing to decide on event ${event}` };
  const info = payload["tool_info"];
  const called =
    event === MCP ? mcpCall(info) : { tool: event, input: info, facts: Object.hasOwn(TOOLS, event) ? TOOLS[event] : undefined };
  if (called.facts === undefined) return { is: "problem", why: `unknown event \`${event.slice(0, 60)}\`` };
  return requestOf({
    agent: "windsurf",
    event,
    ...called,
    cwd: undefined,
    folder,
    host: HOST,
    session: payload["trajectory_id"],
    names: { tool: "agent_action_name", input: "tool_info", cwd: "the folder of the call" },
  });
}

function mcpCall(info: unknown): { readonly tool: unknown; readonly input: unknown; readonly facts: ToolFacts } {
  const { mcp_server_name: server, mcp_tool_name: tool, mcp_tool_arguments: input } = isObject(info) ? info : {};
  const name = text(server) === undefined || text(tool) === undefined ? undefined : `mcp__${String(server)}__${String(tool)}`;
  return { tool: name, input: input ?? {}, facts: mcp(String(server), String(tool)) };
}

export const protocol: Protocol = {
  id: "windsurf",
  tools: TOOLS,
  read,
  ...BY_EXIT,
};

const facts = /* @__PURE__ */ hostFacts({
  calls: [{ telling: 150, fields: { agent_action_name: "text" } }],
  files: {
    userLocked: [".codeium/windsurf/hooks.json"],
    userAsked: /* @__PURE__ */ listed(
      ".codeium/mcp_config.json; .codeium/windsurf/mcp_config.json; .codeium/windsurf/global_workflows/",
      ".codeium/windsurf/skills/; .codeium/windsurf-next/; .windsurf/extensions/; .windsurf-server/bin/",
      ".windsurf-server/extensions/; .config/windsurf/user/; .config/windsurf - next/user/",
      "library/application support/windsurf/user/; library/application support/windsurf - next/user/",
    ),
    project: /* @__PURE__ */ listed(
      ".windsurf/hooks.json; .windsurf/hooks/; .windsurf/mcp.json; .windsurf/mcp_config.json; .windsurf/workflows/",
      ".windsurf/skills/",
    ),
    instructions: [".windsurfrules", ".windsurf/rules/"],
    machine: ["/etc/windsurf/", "/library/application support/windsurf/"],
  },
  commands: { programs: ["windsurf"], packages: [] },
});

const setup: Setup = {
  signs: { programs: ["windsurf"], folders: [".codeium/windsurf"] },
  version: ["windsurf", "--version"],
  unrun: "written from documentation, not run: Windsurf is not distributed in a form that could be driven",
  sample: (command, cwd) => ({
    payload: { trajectory_id: SELF_TEST, agent_action_name: "pre_run_command", tool_info: { command_line: command, cwd } },
  }),
  events: ["pre_run_command", "pre_read_code", "pre_write_code", "pre_mcp_tool_use"],
  fails: "the tool runs; the registered command turns a crash into a refusal",
  asks: "denied with the reason",
  noOpinion: "Cascade's own settings decide and ask",
  cannot: ["an allow does not spare you Cascade's own question", "searching and fetching call no hook"],
  managed: { file: "/etc/windsurf/hooks.json", known: "documented" },
  controlled: {
    project: [".windsurf/hooks.json", ".windsurf/mcp_config.json", ".vscode/settings.json"],
    servers: true,
    signs: [
      { at: ["hooks", "*"], when: "there", does: "starts", so: "hooks of the repository run beside Assent's", projectOnly: true },
      {
        at: ["windsurf.cascadeCommandsAllowList"],
        when: "there",
        does: "skips",
        so: "these commands run without a question",
        projectOnly: true,
      },
    ],
    said: "hooks of a repository run beside Assent's; whether one can switch hooks off is not known",
  },
  registrations: ({ home, project, command }) => [
    {
      is: "entries",
      file: project === undefined ? `${home}/.codeium/windsurf/hooks.json` : `${project}/.windsurf/hooks.json`,
      format: "json",
      entries: setup.events.map((event) => ({ list: ["hooks", event], value: { command: command(event), show_output: false } })),
    },
  ],
};

export const windsurf: Agent<"windsurf"> = {
  id: "windsurf",
  name: "Windsurf",
  protocol,
  facts,
  rules: "its lists of commands are not read yet",
  setup,
};
