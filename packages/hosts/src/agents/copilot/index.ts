import { attempt, isObject } from "@assent/core/data";
import { listed } from "@assent/core/policy";
import type { Host, Outcome, ToolFacts } from "@assent/guard/engine";
import { type Agent, hostFacts, type Setup } from "../host/agent.ts";
import { withPlugins } from "../host/controlled.ts";
import { inputInstead, SELF_TEST, words } from "../host/claude-shape.ts";
import { type HookCall, type Protocol, type Reading, type Reply, reply } from "../host/protocol.ts";
import { factsOf, files, mcp, mcpGuess, named, requestOf, subagentOf, text, walk } from "../host/reading.ts";

/**
 * GitHub Copilot CLI. Measured on 1.0.102: answers are flat; an allow of preToolUse skips Copilot's permissions, the user's
 * `--deny-tool` with them, so it is sent there only for what goes ahead confined, where neither files nor its command line
 * hold a rule; any exit code but 0 denies; a hook that takes too long lets the tool run.
 */

const TOOLS: Readonly<Record<string, ToolFacts>> = {
  bash: { does: "shell", field: "command" },
  // Typed into a program that runs already.
  write_bash: { does: "opaque", field: "input", language: "typed input" },
  powershell: { does: "opaque", field: "command", language: "powershell" },
  view: files("read", "path"),
  create: files("write", "path"),
  // permissionRequest says `file_path`.
  edit: files("edit", "path", "file_path"),
  glob: walk("list", "paths path", "pattern"),
  grep: walk("read", "paths path", "glob"),
  rg: walk("read", "paths path", "glob"),
  web_fetch: { does: "fetch", field: "url" },
  web_search: named("WebSearch"),
  task: named("Task", "Agent"),
  skill: named("Skill"),
};

/** Tools by which the host talks to its user. */
const CONVERSATION = words("ask_user exit_plan_mode");

const JUDGED = words("preToolUse permissionRequest");
const OTHERS = words(
  "sessionStart sessionEnd userPromptSubmitted userPromptTransformed postToolUse postToolUseFailure agentStop " +
    "subagentStart subagentStop errorOccurred preCompact notification preMcpToolCall",
);

const hostOf = (event: string): Host => ({
  shell: "any",
  decides: true,
  asks: true,
  bypassed: false,
  planning: false,
  // On the other event it takes no other command.
  confines: event === "preToolUse",
  unheard: ["ask", "deny"],
});

function read({ payload, event: registered, env, folder }: HookCall): Reading {
  const event = text(payload["hookName"]) ?? registered ?? "preToolUse";
  if (OTHERS.has(event)) return { is: "nothing", why: `nothing to decide on event ${event}` };
  if (!JUDGED.has(event)) return { is: "problem", why: `unknown event \`${event.slice(0, 60)}\`` };
  const request = event === "permissionRequest";
  const tool = text(payload["toolName"]);
  const input = parsed(request ? (payload["toolInput"] ?? payload["toolArgs"]) : payload["toolArgs"], tool);
  return requestOf({
    agent: "copilot",
    event,
    tool,
    input,
    cwd: payload["cwd"],
    folder,
    facts: tool === undefined ? undefined : (factsOf(TOOLS, tool) ?? otherFacts(tool, input)),
    host: hostOf(event),
    root: env["COPILOT_PROJECT_DIR"],
    session: payload["sessionId"],
    subagent: subagentOf(payload["agentId"], payload["agentType"]),
    names: { tool: "toolName", input: request ? "toolInput" : "toolArgs", cwd: "cwd" },
  });
}

/** Older releases send the arguments as JSON in a text; a patch may come as the text itself. */
function parsed(input: unknown, tool: string | undefined): unknown {
  if (typeof input !== "string") return input;
  if (tool === "apply_patch" && !input.trimStart().startsWith("{")) return { input };
  return attempt(() => JSON.parse(input) as unknown, input);
}

function otherFacts(tool: string, input: unknown): ToolFacts | undefined {
  if (tool === "apply_patch") {
    const fields = isObject(input) ? Object.entries(input) : [];
    const field = fields.find(([, value]) => typeof value === "string" && value.includes("*** Begin Patch"))?.[0];
    return { does: "patch", field: field ?? "input" };
  }
  const slash = tool.indexOf("/");
  return slash > 0 ? mcp(tool.slice(0, slash), tool.slice(slash + 1)) : mcpGuess(tool, "-");
}

function write(outcome: Outcome): Reply {
  const { request, answer } = outcome;
  const { decision } = answer;
  const reason = `Assent: ${answer.modelReason}`;
  if (request.event === "permissionRequest") {
    if (decision === "deny") return reply({ behavior: "deny", message: reason });
    return reply(decision === "allow" && !CONVERSATION.has(request.tool) ? { behavior: "allow" } : {});
  }
  const modifiedArgs = inputInstead(outcome);
  if (modifiedArgs !== undefined) return reply({ permissionDecision: "allow", permissionDecisionReason: reason, modifiedArgs });
  if (decision === "none" || decision === "allow") return reply({});
  return reply({ permissionDecision: decision, permissionDecisionReason: reason });
}

export const protocol: Protocol = {
  id: "copilot",
  tools: TOOLS,
  read,
  write,
  refuse: (why, event) =>
    reply(event === "permissionRequest" ? {} : { permissionDecision: "deny", permissionDecisionReason: `Assent: ${why}` }),
  noOpinion: reply({}),
};

const facts = /* @__PURE__ */ hostFacts({
  calls: [
    { telling: 100, fields: { toolArgs: "there" } },
    { telling: 100, fields: { hookName: ["permissionRequest"] } },
  ],
  files: {
    userLocked: /* @__PURE__ */ listed(
      ".copilot/settings.json; .copilot/config.json; .copilot/hooks/; .copilot/extensions/; .copilot/permissions-config.json",
    ),
    userAsked: [
      ".copilot/mcp-config.json",
      ".config/github-copilot/",
      ".copilot/agents/",
      ".copilot/skills/",
      ".copilot/lsp-config.json",
      ".copilot/installed-plugins/",
      ".copilot/plugins/",
      // Its own newer versions, which it becomes.
      ".copilot/pkg/",
      ".cache/copilot/",
    ],
    project: /* @__PURE__ */ listed(
      ".github/hooks/; .github/copilot/; .github/extensions/; .github/agents/; .github/skills/; .github/mcp.json",
      ".github/lsp.json; .github/plugin/; .plugin/",
    ),
    instructions: [".github/copilot-instructions.md", ".github/instructions/"],
    machine: ["/etc/github-copilot/"],
    secrets: [".config/github-copilot/", ".copilot/mcp-oauth-config/", ".copilot/config.json"],
  },
  commands: {
    programs: ["copilot"],
    packages: ["@github/copilot"],
    aliases: ["copilot"],
    within: "gh",
    options: {
      questions: /* @__PURE__ */ listed("--autopilot; --assisted-approval; --yolo; --allow-url; --acp; --remote"),
      code: /* @__PURE__ */ listed(
        "--additional-mcp-config; --extension-sdk-path; --plugin-dir; --enable-mcp-server; --experimental; --bash-env",
        "--environment-host; --share; --share-gist; --remote-export",
      ),
      valued: ["--mode", "--allow-tool"],
    },
  },
  variables: {
    told: { COPILOT_PROJECT_DIR: "path" },
    marks: ["COPILOT_CLI", "COPILOT_AGENT_*"],
    controlling: ["COPILOT_*"],
    asked: ["COPILOT_ALLOW_ALL", "COPILOT_ASSISTED_APPROVAL", "COPILOT_HOME", "COPILOT_CACHE_HOME", "COPILOT_PKG_CACHE_HOME"],
  },
});

const setup: Setup = {
  signs: { programs: ["copilot"], folders: [".copilot"] },
  packaged: {
    files: [
      ".copilot/installed-plugins/*/*/hooks.json",
      ".copilot/installed-plugins/*/*/hooks/hooks.json",
      ".copilot/installed-plugins/*/hooks.json",
    ],
    removed: "copilot plugin uninstall",
  },
  version: ["copilot", "--version"],
  minimum: "1.0.102",
  sample: (command, cwd) => ({ payload: { sessionId: SELF_TEST, cwd, toolName: "bash", toolArgs: { command } } }),
  events: ["preToolUse", "permissionRequest"],
  fails: "denies when the hook fails; the tool runs when it takes longer than 30 seconds",
  confines: "commands that no rule of its files may match, where it was started with no option that might deny",
  asks: "a dialog; in `-p` and inside editors a denial with the reason",
  waits: 30,
  noOpinion: "Copilot decides and asks; with `--allow-all-tools` it goes ahead",
  cannot: [
    "an allow before a tool would override your own `--deny-tool`, so it is sent only where Copilot asks for permission",
    "what goes ahead sandboxed is allowed before a tool, so it is only where Copilot was started with no option that might deny",
    "it does not say when it plans: what goes ahead sandboxed does so then, too",
    "hooks of a repository (also those in `.claude/settings.json`) run beside these",
  ],
  managed: { file: "/etc/github-copilot/policy.d/assent.json", known: "documented" },
  controlled: {
    project: /* @__PURE__ */ listed(
      ".github/copilot/settings.json; .github/copilot/settings.local.json; .claude/settings.json; .claude/settings.local.json",
      ".mcp.json; .github/mcp.json",
    ),
    user: ["~/.copilot/settings.json", "~/.copilot/config.json"],
    folders: [".github/hooks", ".github/extensions"],
    servers: true,
    signs: /* @__PURE__ */ withPlugins([
      { at: ["env"], when: "environment", does: "controls", so: "" },
      { at: ["disableAllHooks"], when: true, does: "off", so: "no hook runs, so Assent is not asked" },
      { at: ["hooks", "*"], when: "there", does: "starts", so: "hooks of the repository run beside Assent's", projectOnly: true },
    ]),
    said: "`disableAllHooks` counted in no repository when it was tried; hooks of a trusted repository run beside Assent's, its extensions' may replace them",
  },
  registrations: ({ home, env, project, command }) => [
    {
      is: "file",
      file:
        project === undefined
          ? `${text(env["COPILOT_HOME"]) ?? `${home}/.copilot`}/hooks/assent.json`
          : `${project}/.github/hooks/assent.json`,
      // No matcher: here `*` matches nothing.
      text: `${JSON.stringify({ version: 1, hooks: hooksWith(command) }, undefined, 2)}\n`,
      mode: 0o644,
    },
  ],
};

function hooksWith(command: (event: string) => string): Record<string, unknown> {
  return Object.fromEntries(setup.events.map((event) => [event, [{ type: "command", bash: command(event), timeoutSec: 30 }]]));
}

export const copilot: Agent<"copilot"> = {
  id: "copilot",
  name: "GitHub Copilot CLI",
  protocol,
  facts,
  rules: () => import("./rules.ts"),
  setup,
};
