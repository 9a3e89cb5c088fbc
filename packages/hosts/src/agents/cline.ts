import { listed } from "@assent/core/policy";
import { visible } from "@assent/core/action";
import { isObject } from "@assent/core/data";
import type { Host, Outcome, ToolFacts } from "@assent/guard/engine";
import { type Agent, hostFacts, type Setup } from "./host/agent.ts";
import { inputInstead, SELF_TEST } from "./host/claude-shape.ts";
import { type HookCall, type Protocol, type Reading, type Reply, reply } from "./host/protocol.ts";
import { factsOf, files, mcpGuess, named, requestOf, shell, text, walk } from "./host/reading.ts";

/**
 * Cline. Measured on its CLI 3.0.65: `cancel` ends the whole run and its message does not reach the model; exit codes and
 * `review` are ignored. So a command that is refused is replaced by one that says why and fails; what is no command cancels.
 */

const TOOLS: Readonly<Record<string, ToolFacts>> = {
  run_commands: { does: "shell", field: "commands", list: true },
  read_files: files("read", "files.path"),
  search_codebase: walk("read", "path"),
  editor: files("edit", "path"),
  fetch_web_content: { does: "fetch", field: "requests.url" },
  spawn_agent: named("Task", "Agent"),
  team_spawn_teammate: named("Task", "Agent"),
  // The extension's names.
  execute_command: shell(),
  read_file: files("read", "path"),
  write_to_file: files("write", "path"),
  replace_in_file: files("edit", "path"),
  list_files: walk("list", "path"),
  list_code_definition_names: walk("read", "path"),
  search_files: walk("read", "path", "file_pattern"),
  web_fetch: { does: "fetch", field: "url" },
};

const HOST: Host = { shell: "any", decides: true, asks: false, bypassed: false, planning: false, confines: true };

function read({ payload, folder }: HookCall): Reading {
  const hook = text(payload["hookName"]);
  if (hook !== undefined && hook !== "tool_call" && hook !== "PreToolUse")
    return { is: "nothing", why: `nothing to decide on event ${hook}` };
  const roots = payload["workspaceRoots"];
  const root: unknown = Array.isArray(roots) ? roots[0] : undefined;
  const { tool_call: call, preToolUse: old } = payload;
  const tool = isObject(call) ? call["name"] : isObject(old) ? old["toolName"] : undefined;
  const parent = text(payload["parent_agent_id"]);
  return requestOf({
    agent: "cline",
    event: "PreToolUse",
    tool,
    input: isObject(call) ? call["input"] : isObject(old) ? old["parameters"] : undefined,
    cwd: root,
    folder,
    facts: factsOf(TOOLS, tool) ?? (typeof tool === "string" ? mcpGuess(tool, "__") : undefined),
    host: HOST,
    session: payload["taskId"],
    subagent: parent === undefined ? undefined : `subagent:${text(payload["agent_id"]) ?? parent}`,
    names: { tool: "tool_call.name", input: "tool_call.input", cwd: "workspaceRoots" },
  });
}

/** What Cline is told when the tool may run. */
const NOTHING = { cancel: false } as const;

function write(outcome: Outcome): Reply {
  const { request, answer } = outcome;
  const overrideInput = inputInstead(outcome);
  if (answer.decision !== "deny") return reply(overrideInput === undefined ? NOTHING : { overrideInput, ...NOTHING });
  const errorMessage = `Assent: ${answer.modelReason}`;
  if (request.tool === "run_commands") return reply({ cancel: false, overrideInput: { commands: [saying(errorMessage)] } });
  return reply({ cancel: true, errorMessage });
}

/** A command that does nothing but say this and fail. INVARIANT: nothing in `message` can leave the quotes. */
const saying = (message: string): string => `echo '${visible(message).replaceAll("'", "’").replaceAll("\\", "/")}' >&2; exit 1`;

export const protocol: Protocol = {
  id: "cline",
  tools: TOOLS,
  read,
  write,
  refuse: (why) => reply({ cancel: true, errorMessage: `Assent: ${why}` }),
  noOpinion: reply(NOTHING),
};

const facts = /* @__PURE__ */ hostFacts({
  calls: [
    { telling: 140, fields: { tool_call: "object" } },
    { telling: 140, fields: { preToolUse: "object" } },
  ],
  files: {
    userLocked: [".cline/hooks/", "documents/cline/hooks/", ".cline/plugins/"],
    userAsked: [".cline/data/settings/", ".cline/mcp.json", ".cline/skills/", "documents/cline/"],
    project: [".clinerules/hooks/", ".cline/hooks/", ".clinerules/workflows/", ".cline/"],
    instructions: [".clinerules/", ".clinerules"],
    machine: ["/etc/cline/"],
    secrets: [".cline/data/settings/providers.json"],
  },
  commands: {
    programs: ["cline"],
    packages: ["cline"],
    options: {
      hooks: ["--config", "--data-dir"],
      questions: /* @__PURE__ */ listed("--auto-approve; --autonomous; --yolo; -y; --acp; --zen; -z; --kanban"),
      code: ["--base-url", "--baseurl", "--public-url", "--rpc-address", "--hook-command", "--enable-tools"],
    },
  },
  variables: { marks: ["CLINE_ACTIVE"], controlling: ["CLINE_*"] },
  damaged: { fields: { cancel: true }, message: "errorMessage" },
});

const setup: Setup = {
  signs: { programs: ["cline"], folders: [".cline", "Documents/Cline"] },
  version: ["cline", "--version"],
  minimum: "3.0.65",
  sample: (command, cwd) => ({
    payload: { taskId: SELF_TEST, workspaceRoots: [cwd], tool_call: { name: "run_commands", input: { commands: [command] } } },
  }),
  events: ["PreToolUse"],
  fails: "the tool runs; the registered script turns a crash into a refusal, but not a hook that takes too long",
  asks: "denied with the reason",
  denies: "a command is refused and the model reads the reason; anything else ends the whole run",
  noOpinion: "Cline asks unless approvals are automatic (`--auto-approve`, and runs with `--json`): then it goes ahead",
  confines: "commands, also where Cline asks by itself",
  asksLittle: "Cline",
  cannot: [
    "a denial of anything but a command ends the whole run, and the model does not see the reason",
    "an allow does not spare you Cline's own question",
  ],
  controlled: {
    project: [".cline/mcp.json", "bunfig.toml"],
    dotenv: [".env"],
    folders: [".clinerules/hooks", ".cline/hooks", ".cline/plugins"],
    servers: true,
    signs: [{ at: ["preload"], when: "there", does: "controls", so: "code that runs in the host's process" }],
    said:
      "hooks of a repository run beside Assent's; Cline has no setting for hooks; the runtime it is built with loads what `preload` in " +
      "`bunfig.toml` names, and takes variables from `.env` (3.0.65)",
  },
  registrations: ({ home, project, command }) => {
    const file = project === undefined ? `${home}/.cline/hooks/PreToolUse` : `${project}/.clinerules/hooks/PreToolUse`;
    const kept = `${file}.before-assent`;
    // Cline reads only the JSON.
    const judge = `${command("PreToolUse").replace(/ \|\| \{[\s\S]*$/, "")} || ${CANCEL}`;
    return [
      { is: "file", file: kept, text: "", mode: 0o700, keeps: file },
      { is: "file", file, text: `#!/bin/sh\n${judge}\n`, mode: 0o755, earlier: { file: kept, text: withEarlier(judge, kept) } },
    ];
  },
};

const CANCEL = `echo '{"cancel":true,"errorMessage":"Assent could not be started: install it again"}'`;

/**
 * Somebody's own script stood there: it is asked about what Assent lets go ahead, as Cline would ask it, and its answer is
 * Cline's. Where a command is to go ahead confined, that stands only if it has nothing to say. A refusal begins otherwise. Nothing is
 * looked up in PATH.
 */
const withEarlier = (judge: string, kept: string): string => `#!/bin/sh
call=$(/usr/bin/env -i cat && printf x) && call=\${call%x} || { ${CANCEL}; exit 0; }
answer=$(printf %s "$call" | { ${judge}; })
earlier='${kept.replaceAll("'", "'\\''")}'
if [ -x "$earlier" ]; then
  case "$answer" in
  '${JSON.stringify(NOTHING)}') printf %s "$call" | "$earlier"; exit 0 ;;
  '{"overrideInput":'*)
    said=$(printf %s "$call" | "$earlier")
    case "$said" in '' | '{}' | '{"cancel":false}' | '{"cancel": false}') ;; *) answer=$said ;; esac ;;
  esac
fi
printf '%s\\n' "$answer"
`;

export const cline: Agent<"cline"> = { id: "cline", name: "Cline", protocol, facts, rules: "it keeps no rules", setup };
