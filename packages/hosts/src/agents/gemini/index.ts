import { isObject } from "@assent/core/data";
import { listed } from "@assent/core/policy";
import type { Host, Input, Outcome, SearchFacts, ToolFacts } from "@assent/guard/engine";
import { type Agent, hostFacts, type Setup } from "../host/agent.ts";
import { inputInstead, readShaped, sample, withNote, words } from "../host/claude-shape.ts";
import { type Protocol, type Reply, reply } from "../host/protocol.ts";
import { files, mcp, mcpGuess, named, shell, text, walk } from "../host/reading.ts";

/**
 * Gemini CLI. Measured on 0.61.0: a denial holds in every mode; an allow grants nothing, its policy engine decides after
 * it; an ask hangs `gemini -p` for ever and turns a denial of its own policy into a question, so none is sent.
 */

/** ripgrep, else git grep, and what git grep cannot do is done by grep, in all files (0.61.0, 0.24.4 of Qwen). */
const SEARCH: SearchFacts = {
  glob: "include_pattern",
  regex: "pattern",
  lifts: "no_ignore",
  setting: { word: "espectGitIgnore", files: [".gemini/settings.json"] },
};

const TOOLS: Readonly<Record<string, ToolFacts>> = {
  run_shell_command: shell("command", "dir_path"),
  read_file: files("read", "file_path", "absolute_path"),
  read_many_files: { does: "file", operation: "read", fields: ["paths", "include"], tree: true, globs: true },
  write_file: files("write", "file_path"),
  replace: { does: "file", operation: "edit", fields: ["file_path"], searched: true },
  list_directory: files("list", "dir_path", "path"),
  glob: walk("list", "dir_path path", "pattern"),
  grep_search: walk("read", "dir_path path", "include_pattern", { search: SEARCH }),
  search_file_content: walk("read", "dir_path path", "include"),
  // The addresses stand in what the model wants to know about them.
  web_fetch: { does: "fetch", field: "prompt", within: true },
  google_web_search: named("WebSearch"),
  invoke_agent: named("Task", "Agent"),
};

const JUDGED = words("BeforeTool");
const OTHERS = words(
  "AfterTool BeforeAgent AfterAgent BeforeModel AfterModel BeforeToolSelection SessionStart SessionEnd PreCompress Notification",
);

/** Its own policy would be held against another command in the place of the one asked about, and where it asks it would show that one. */
const hostOf = (): Host => ({
  shell: "any",
  decides: true,
  asks: false,
  bypassed: false,
  planning: false,
  confines: true,
  unheard: ["ask", "deny"],
});

function factsFor(tool: string, payload: Input): ToolFacts | undefined {
  const context = payload["mcp_context"];
  const server = isObject(context) ? text(context["server_name"]) : undefined;
  const name = isObject(context) ? text(context["tool_name"]) : undefined;
  if (server !== undefined && name !== undefined) return mcp(server, name);
  return tool.startsWith("mcp_") ? mcpGuess(tool.slice("mcp_".length), "_") : undefined;
}

function write(outcome: Outcome): Reply {
  const { answer, verdict } = outcome;
  const { decision } = answer;
  if (decision === "none") return reply({});
  const instead = inputInstead(outcome);
  const envelope = {
    decision: decision === "allow" ? "allow" : "deny",
    reason: `Assent: ${answer.modelReason}`,
    ...(instead === undefined ? {} : { hookSpecificOutput: { hookEventName: "BeforeTool", tool_input: instead } }),
  };
  return reply(withNote(envelope, verdict.untrusted, answer.reason));
}

export const protocol: Protocol = {
  id: "gemini",
  tools: TOOLS,
  read: (call) =>
    readShaped(call, { agent: "gemini", judged: JUDGED, others: OTHERS, tools: TOOLS, factsFor, host: hostOf, root: "GEMINI_PROJECT_DIR" }),
  write,
  refuse: (why) => reply({ decision: "deny", reason: `Assent: ${why}` }),
  noOpinion: reply({}),
};

const GREETING = "SessionStart";

/** The tools by which its calls are known, and Qwen Code's, which grew from it. */
export const GEMINI_TOOLS = [
  "glob",
  "grep_search",
  "search_file_content",
  "read_file",
  "read_many_files",
  "list_directory",
  "web_fetch",
  "google_web_search",
  "replace",
  "write_file",
  "run_shell_command",
] as const;

const facts = /* @__PURE__ */ hostFacts({
  calls: [
    { telling: 50, events: ["BeforeTool", "AfterTool"] },
    { telling: 50, fields: { tool_name: GEMINI_TOOLS } },
  ],
  files: {
    userLocked: /* @__PURE__ */ listed(
      ".gemini/settings.json; .gemini/trusted_hooks.json; .gemini/trustedfolders.json; .gemini/policies/; .gemini/extensions/",
      ".gemini/config/hooks.json; .gemini/.env",
    ),
    // Programs that it downloads, and repositories whose configuration names programs.
    userAsked: [".gemini/config/", ".gemini/tmp/bin/", ".gemini/history/"],
    project: /* @__PURE__ */ listed(
      ".gemini/settings.json; .gemini/policies/; .gemini/extensions/; .gemini/.env; .gemini/agents/; .gemini/commands/",
      ".gemini/hooks/; .gemini/skills/; gemini-extension.json",
    ),
    instructions: ["gemini.md"],
    machine: ["/etc/gemini-cli/", "/library/application support/geminicli/"],
    secrets: ["oauth_creds", "mcp-oauth-tokens", "a2a-oauth-tokens"].map((name) => `.gemini/${name}.json`),
  },
  commands: {
    prompted: true,
    programs: ["gemini"],
    packages: ["@google/gemini-cli"],
    aliases: ["gemini"],
    changes: ["trust"],
    options: {
      hooks: ["--admin-policy", "--policy"],
      questions: /* @__PURE__ */ listed("--yolo; -y; --skip-trust; --acp; --experimental-acp; --allowed-tools; --trust; --consent"),
      code: ["--record-responses", "--fake-responses", "--fake-responses-non-strict", "--from-claude"],
      valued: ["--approval-mode"],
    },
  },
  variables: {
    told: { GEMINI_PROJECT_DIR: "path" },
    marks: ["GEMINI_CLI"],
    controlling: ["GEMINI_CLI_*", "GEMINI_SANDBOX*", "GOOGLE_GEMINI_BASE_URL", "GOOGLE_VERTEX_BASE_URL", "GOOGLE_BASE_URL"],
    asked: ["GEMINI_CLI_HOME", "GEMINI_CLI_SYSTEM_*", "GEMINI_CLI_TRUST*"],
  },
});

const setup: Setup = {
  signs: { programs: ["gemini"], folders: [".gemini"] },
  packaged: { files: [".gemini/extensions/*/hooks/hooks.json"], removed: "gemini extensions uninstall" },
  version: ["gemini", "--version"],
  minimum: "0.61.0",
  sample: (...call) => sample("BeforeTool", "run_shell_command")(...call),
  events: ["BeforeTool"],
  greets: GREETING,
  fails: "the tool runs when the hook exits with 1 or takes too long; the registered command turns a crash into a refusal",
  asks: "denied with the reason: an ask hangs headless runs",
  confines: "commands that none of its policies may match, where it was started in yolo mode",
  waits: 30,
  noOpinion: "Gemini's own policy decides and asks; in headless runs it refuses, in yolo mode it goes ahead",
  cannot: [
    "in ACP mode (`--acp`, inside an editor) no hook is called: only Gemini's own policy files hold there (`assent export --agent gemini`)",
    "an allow does not spare you Gemini's own question",
    "commands that a repository brings to be typed (`.gemini/commands/`) run the shell in their text (`!{…}`) without a hook: Gemini's own " +
      "policy alone is asked, and in yolo mode nobody",
    "policies that extensions bring are not read before a command goes ahead sandboxed",
    "calls of sub-agents are judged, but the host does not say whose they are",
  ],
  rulesync: { block: "geminicli", events: ["preToolUse"], matcher: ".*", timeout: 30_000 },
  registrations: ({ home, project, command }) => [
    {
      is: "entries",
      file: `${project ?? home}/.gemini/settings.json`,
      format: "json",
      entries: [
        {
          list: ["hooks", "BeforeTool"],
          // Milliseconds.
          value: { matcher: "*", hooks: [{ name: "assent", type: "command", command: command("BeforeTool"), timeout: 30_000 }] },
        },
        {
          list: ["hooks", GREETING],
          value: { matcher: "*", hooks: [{ name: "assent", type: "command", command: command(GREETING), timeout: 30_000 }] },
        },
      ],
    },
  ],
  managed: {
    file: "/etc/gemini-cli/settings.json",
    keys: [{ path: ["hooksConfig", "enabled"], value: true, must: "be" }],
    known: "measured",
  },
  controlled: {
    project: [".gemini/settings.json"],
    user: ["~/.gemini/settings.json", "/etc/gemini-cli/settings.json"],
    dotenv: [".gemini/.env", ".env"],
    folders: [".gemini/extensions", ".gemini/policies"],
    typed: { folders: [".gemini/commands"], runs: /!\{([^}]*)/g },
    servers: true,
    signs: [
      { at: ["hooksConfig", "enabled"], when: false, does: "off", so: "no hook runs, so Assent is not asked" },
      { at: ["hooksConfig", "disabled"], when: /assent/, does: "off", so: "it names Assent" },
      { at: ["hooks", "enabled"], when: false, does: "off", so: "no hook runs, so Assent is not asked" },
      { at: ["hooks", "disabled"], when: /assent/, does: "off", so: "it names Assent" },
      { at: ["tools", "allowed"], when: "there", does: "skips", so: "these tools run without Gemini's own question" },
      { at: ["general", "defaultApprovalMode"], when: /^(?:yolo|auto_?edit)$/i, does: "skips", so: "questions are skipped" },
      { at: ["tools", "approvalMode"], when: /^(?:yolo|auto_?edit)$/i, does: "skips", so: "questions are skipped" },
      {
        at: ["tools", "autoAccept"],
        when: true,
        does: "skips",
        so: "what Gemini holds for safe runs without a question",
        projectOnly: true,
      },
      { at: ["tools", "shell", "pager"], when: "there", does: "starts", so: "a program that the host starts", projectOnly: true },
      { at: ["telemetry", "otlpEndpoint"], when: "there", does: "controls", so: "conversations are copied there", projectOnly: true },
      { at: ["policyPaths"], when: "there", does: "controls", so: "policies are read from there", projectOnly: true },
      { at: ["adminPolicyPaths"], when: "there", does: "controls", so: "policies are read from there", projectOnly: true },
      {
        at: ["tools", "sandboxAllowedPaths"],
        when: "there",
        does: "skips",
        so: "Gemini's sandbox lets these be written",
        projectOnly: true,
      },
      { at: ["tools", "sandboxNetworkAccess"], when: true, does: "skips", so: "Gemini sandboxes no network", projectOnly: true },
      { at: ["security", "enablePermanentToolApproval"], when: true, does: "skips", so: "an answer holds for ever", projectOnly: true },
      { at: ["security", "autoAddToPolicyByDefault"], when: true, does: "skips", so: "an answer becomes a rule", projectOnly: true },
      { at: ["advanced", "excludedEnvVars"], when: "there", does: "controls", so: "which variables of `.env` count", projectOnly: true },
      { at: ["tools", "discoveryCommand"], when: "there", does: "starts", so: "a program that the host starts" },
      { at: ["tools", "callCommand"], when: "there", does: "starts", so: "a program that the host starts" },
      { at: ["mcp", "serverCommand"], when: "there", does: "starts", so: "a program that the host starts" },
      { at: ["hooks", "*"], when: "there", does: "starts", so: "hooks of the repository run beside Assent's", projectOnly: true },
    ],
    said:
      "`hooksConfig.enabled: false` in `.gemini/settings.json` of a trusted folder switches every hook off; `.gemini/.env` " +
      "and `.env` are taken into its environment",
  },
};

export const gemini: Agent<"gemini"> = { id: "gemini", name: "Gemini CLI", protocol, facts, rules: () => import("./rules.ts"), setup };
