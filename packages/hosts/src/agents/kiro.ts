import type { Host, Input, ToolFacts } from "@assent/guard/engine";
import { type Agent, hostFacts, type Setup } from "./host/agent.ts";
import { sample, words } from "./host/claude-shape.ts";
import { BY_EXIT, type HookCall, type Protocol, type Reading } from "./host/protocol.ts";
import { factsOf, files, mcp, named, requestOf, text, walk } from "./host/reading.ts";

/**
 * Kiro, its editor and command line. Written from documentation: exit code 2 blocks, with stderr for the model; any other
 * is a warning. Names of tools are those of the command line 2.x, with the shorter ones of later versions.
 */

const READ = { does: "file", operation: "read", fields: ["path", "operations.path"], tree: true } as const;
const WRITE = files("write", "path", "operations.path");
const SHELL: ToolFacts = { does: "shell", field: "command", folder: "working_dir" };

const TOOLS: Readonly<Record<string, ToolFacts>> = {
  execute_bash: SHELL,
  executeBash: SHELL,
  shell: SHELL,
  fs_read: READ,
  fsRead: READ,
  read: READ,
  fs_write: WRITE,
  fsWrite: WRITE,
  write: WRITE,
  strReplace: WRITE,
  glob: walk("list", "path", "pattern"),
  grep: walk("read", "path", "include"),
  web_fetch: { does: "fetch", field: "url" },
  web_search: named("WebSearch"),
  use_subagent: named("Task", "Agent"),
  // A call of a cloud's interface, as a service and an operation.
  use_aws: { does: "opaque", field: "operation_name", language: "aws" },
};

const JUDGED = words("PreToolUse preToolUse");
const OTHERS = words(
  "SessionStart UserPromptSubmit PostToolUse Stop PostFileCreate PostFileSave PostFileDelete PreTaskExec PostTaskExec " +
    "Manual agentSpawn userPromptSubmit postToolUse stop",
);
const HOST: Host = { shell: "any", decides: true, asks: false, bypassed: false, planning: false };

function read({ payload, event: registered, folder }: HookCall): Reading {
  const own = text(payload["hook_event_name"]);
  const event = own !== undefined && (registered === undefined || JUDGED.has(own)) ? own : registered;
  if (event === undefined) return { is: "problem", why: "the event is missing: no `hook_event_name`" };
  if (OTHERS.has(event)) return { is: "nothing", why: `nothing to decide on event ${event}` };
  if (!JUDGED.has(event)) return { is: "problem", why: `unknown event \`${event.slice(0, 60)}\`` };
  return requestOf({
    agent: "kiro",
    event,
    tool: payload["tool_name"],
    input: payload["tool_input"],
    cwd: payload["cwd"],
    folder,
    facts: factsOf(TOOLS, payload["tool_name"]) ?? serverTool(payload),
    host: HOST,
    session: payload["session_id"],
  });
}

/** `@server/tool`. */
function serverTool({ tool_name: tool }: Input): ToolFacts | undefined {
  const [, server, name] = (typeof tool === "string" ? /^@([^/]+)\/(.+)$/s.exec(tool) : null) ?? [];
  return server === undefined || name === undefined ? undefined : mcp(server, name);
}

export const protocol: Protocol = {
  id: "kiro",
  tools: TOOLS,
  read,
  ...BY_EXIT,
};

const facts = /* @__PURE__ */ hostFacts({
  calls: [{ telling: 30, events: ["preToolUse"], fields: { tool_name: "there" } }],
  files: {
    userLocked: [".kiro/hooks/", ".kiro/settings/", ".kiro/agents/"],
    userAsked: [".config/kiro/user/", "library/application support/kiro/user/"],
    project: [".kiro/hooks/", ".kiro/settings/", ".kiro/agents/", ".kiro/powers/", ".kiro/skills/"],
    instructions: [".kiro/steering/"],
    machine: ["/etc/kiro/"],
  },
  commands: {
    programs: ["kiro", "kiro-cli"],
    packages: [],
    options: {
      questions: ["--trust-all-tools", "--trust-tools", "-a"],
    },
  },
  variables: { marks: ["KIRO_AGENT*"] },
});

const setup: Setup = {
  signs: { programs: ["kiro", "kiro-cli"], folders: [".kiro"] },
  version: ["kiro-cli", "--version"],
  unrun: "written from documentation, not run: Kiro is not distributed in a form that could be driven",
  sample: (...call) => sample("PreToolUse", "execute_bash")(...call),
  events: ["PreToolUse"],
  fails: "the tool runs; the registered command turns a crash into a refusal",
  asks: "denied with the reason",
  waits: 30,
  noOpinion: "Kiro's own settings decide and ask",
  cannot: [
    "an allow does not spare you Kiro's own question",
    "the command line 2.x reads hooks only from agent files (`.kiro/agents/*.json`): add the command there yourself",
  ],
  controlled: {
    project: [".kiro/settings/mcp.json"],
    folders: [".kiro/hooks", ".kiro/agents"],
    servers: true,
    signs: [],
    said: "hooks and servers of a repository run beside Assent's; whether one can switch hooks off is not known",
  },
  registrations: ({ home, project, command }) => [
    {
      is: "file",
      file: `${project ?? home}/.kiro/hooks/assent.json`,
      text: `${JSON.stringify(
        {
          version: "v1",
          hooks: [
            {
              name: "assent",
              trigger: "PreToolUse",
              matcher: ".*",
              action: { type: "command", command: command("PreToolUse") },
              timeout: 30,
              enabled: true,
            },
          ],
        },
        undefined,
        2,
      )}\n`,
      mode: 0o644,
    },
  ],
};

export const kiro: Agent<"kiro"> = {
  id: "kiro",
  name: "Kiro",
  protocol,
  facts,
  rules: "its rules stand in agent files, which are not read yet",
  setup,
};
