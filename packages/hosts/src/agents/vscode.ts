import type { Host, Outcome, ToolFacts } from "@assent/guard/engine";
import { type Agent, hostFacts, type Setup } from "./host/agent.ts";
import { preToolUse, readShaped, sample, words } from "./host/claude-shape.ts";
import { type HookCall, type Protocol, type Reading, type Reply, reply } from "./host/protocol.ts";
import { files, mcpGuess, named, text, walk } from "./host/reading.ts";

/**
 * VS Code's agent. Written from documentation (July 2026): answers in Claude Code's form; matchers are ignored; exit code 2
 * blocks. Sessions on the Copilot harness speak as Copilot does, with this form for events in capital letters.
 */

const TOOLS: Readonly<Record<string, ToolFacts>> = {
  run_in_terminal: { does: "shell", field: "command" },
  runInTerminal: { does: "shell", field: "command" },
  bash: { does: "shell", field: "command" },
  Bash: { does: "shell", field: "command" },
  send_to_terminal: { does: "opaque", field: "command", language: "typed input" },
  read_file: files("read", "filePath", "path", "file_path"),
  readFile: files("read", "filePath", "path", "file_path"),
  create_file: files("write", "filePath", "path", "file_path"),
  createFile: files("write", "filePath", "path", "file_path"),
  editFiles: files("edit", "files", "filePath", "path"),
  insert_edit_into_file: files("edit", "filePath", "path", "file_path"),
  replace_string_in_file: files("edit", "filePath", "path", "file_path"),
  multi_replace_string_in_file: files("edit", "replacements.filePath"),
  edit_notebook_file: files("edit", "filePath", "path"),
  apply_patch: { does: "patch", field: "input" },
  create_directory: files("mkdir", "dirPath", "path"),
  list_dir: { does: "file", operation: "list", fields: ["path"], fallback: "." },
  file_search: walk("list", "path", "query"),
  grep_search: walk("read", "path", "includePattern"),
  semantic_search: walk("read", "path"),
  fetch_webpage: { does: "fetch", field: "urls" },
  runSubagent: named("Task", "Agent"),
};

const JUDGED = words("PreToolUse");
const OTHERS = words("PostToolUse SessionStart UserPromptSubmit PreCompact SubagentStart SubagentStop Stop");
const hostOf = (): Host => ({ shell: "any", decides: true, asks: true, bypassed: false, planning: false });

/** Both ways to spell the common fields. */
function read(call: HookCall): Reading {
  const { payload } = call;
  const either = (snake: string, camel: string): unknown => payload[snake] ?? payload[camel];
  const shaped = {
    ...payload,
    hook_event_name: either("hook_event_name", "hookEventName"),
    session_id: either("session_id", "sessionId"),
    tool_name: either("tool_name", "toolName"),
    tool_input: either("tool_input", "toolInput"),
    agent_id: either("agent_id", "agentId"),
    agent_type: either("agent_type", "agentType"),
  };
  const factsFor = (tool: string): ToolFacts | undefined =>
    tool.startsWith("mcp_") ? mcpGuess(tool.slice("mcp_".length), "_") : undefined;
  return readShaped(
    { ...call, payload: shaped },
    { agent: "vscode", judged: JUDGED, others: OTHERS, tools: TOOLS, factsFor, host: hostOf },
  );
}

function write({ answer }: Outcome): Reply {
  // An allow would skip the questions and denials of the Copilot harness.
  return reply(answer.decision === "allow" ? {} : preToolUse(answer.decision, `Assent: ${answer.modelReason}`));
}

export const protocol: Protocol = {
  id: "vscode",
  tools: TOOLS,
  read,
  write,
  refuse: (why) => reply(preToolUse("deny", `Assent: ${why}`)),
  noOpinion: reply({}),
};

const facts = /* @__PURE__ */ hostFacts({
  calls: [
    { telling: 70, fields: { hookEventName: "there" } },
    {
      telling: 70,
      fields: {
        tool_name: [
          "run_in_terminal",
          "replace_string_in_file",
          "multi_replace_string_in_file",
          "insert_edit_into_file",
          "create_file",
          "editFiles",
        ],
      },
    },
  ],
  files: {
    userAsked: [
      ".config/code/user/settings.json",
      ".config/code/user/mcp.json",
      "library/application support/code/user/settings.json",
      ".vscode/extensions/",
      ".vscode-insiders/extensions/",
      ".vscode-oss/extensions/",
      // Scripts among them that a terminal sources.
      ".vscode-server/bin/",
      ".vscode-server/cli/",
      ".vscode-server/extensions/",
      ".vscode-server/data/user/",
      ".vscode-server/data/machine/",
      "library/application support/code/user/mcp.json",
      ".config/code/user/",
      ".config/code - insiders/user/",
      ".config/vscodium/user/",
      ".config/code - oss/user/",
      "library/application support/code/user/",
      "library/application support/code - insiders/user/",
      "library/application support/vscodium/user/",
      "library/application support/code - oss/user/",
    ],
    project: [".vscode/settings.json", ".vscode/launch.json", ".vscode/tasks.json", ".vscode/mcp.json", ".vscode/hooks/"],
  },
  commands: {
    programs: ["code", "code-insiders", "codium", "vscodium", "code-server"],
    packages: [],
    options: {
      code: ["--add-mcp", "--install-extension", "--uninstall-extension"],
    },
  },
});

const setup: Setup = {
  signs: { programs: ["code", "code-insiders"], folders: [".vscode", ".vscode-server"] },
  version: ["code", "--version"],
  unrun: "written from documentation, not run: VS Code is not distributed in a form that could be driven",
  sample: (...call) => sample("PreToolUse", "run_in_terminal")(...call),
  events: ["PreToolUse"],
  fails: "the tool runs; the registered command turns a crash into a refusal",
  asks: "VS Code's own dialog",
  noOpinion: "VS Code decides and asks",
  cannot: [
    "Copilot's command line runs this hook as well: both answers count, and the stricter one wins",
    "an allow does not spare you VS Code's own question",
  ],
  controlled: {
    project: [".vscode/settings.json", ".vscode/mcp.json", ".vscode/tasks.json", ".claude/settings.json", ".claude/settings.local.json"],
    folders: [".github/hooks"],
    servers: [["servers"], ["mcpServers"], ["mcp", "servers"]],
    signs: [
      { at: ["chat.useHooks"], when: false, does: "off", so: "no hook runs, so Assent is not asked" },
      { at: ["chat.hookFilesLocations"], when: "there", does: "off", so: "hooks are looked for in these places" },
      { at: ["chat.tools.autoApprove"], when: true, does: "skips", so: "questions are skipped" },
      { at: ["chat.tools.global.autoApprove"], when: true, does: "skips", so: "questions are skipped" },
      { at: ["chat.tools.terminal.autoApprove"], when: "there", does: "skips", so: "these commands run without a question" },
      { at: ["terminal.integrated.env.linux"], when: "environment", does: "controls", so: "" },
      { at: ["terminal.integrated.env.osx"], when: "environment", does: "controls", so: "" },
      {
        at: ["chat.tools.edits.autoApprove"],
        when: "there",
        does: "skips",
        so: "these edits go ahead without a question",
        projectOnly: true,
      },
      {
        at: ["chat.tools.urls.autoApprove"],
        when: "there",
        does: "skips",
        so: "these addresses are fetched without a question",
        projectOnly: true,
      },
      { at: ["terminal.integrated.profiles.linux"], when: "there", does: "controls", so: "what a terminal runs", projectOnly: true },
      {
        at: ["terminal.integrated.automationProfile.linux"],
        when: "there",
        does: "controls",
        so: "what a terminal runs",
        projectOnly: true,
      },
      { at: ["tasks"], when: /"runOn":"folderOpen"/, does: "starts", so: "a task starts when the folder is opened" },
      { at: ["hooks", "*"], when: "there", does: "starts", so: "hooks of the repository run beside Assent's", projectOnly: true },
    ],
    said: "hooks of a repository run beside Assent's; which of its settings switch hooks off is not known",
  },
  registrations: ({ home, env, project, command }) => [
    {
      is: "file",
      file:
        project === undefined
          ? `${text(env["COPILOT_HOME"]) ?? `${home}/.copilot`}/hooks/assent-vscode.json`
          : `${project}/.github/hooks/assent-vscode.json`,
      text: `${JSON.stringify({ hooks: { PreToolUse: [{ type: "command", command: command("PreToolUse"), timeout: 30 }] } }, undefined, 2)}\n`,
      mode: 0o644,
    },
  ],
};

export const vscode: Agent<"vscode"> = {
  id: "vscode",
  name: "VS Code",
  protocol,
  facts,
  rules: "its rules are settings of an editor, which are not read yet",
  setup,
};
