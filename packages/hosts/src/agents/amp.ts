import { listed } from "@assent/core/policy";
import type { Decision } from "@assent/core/policy";
import type { Host, Outcome, ToolFacts } from "@assent/guard/engine";
import { type Agent, hostFacts, type Setup } from "./host/agent.ts";
import { SELF_TEST } from "./host/claude-shape.ts";
import type { HookCall, Protocol, Reading, Reply } from "./host/protocol.ts";
import { factsOf, files, named, requestOf, text, walk } from "./host/reading.ts";

/**
 * Amp, through `amp.permissions`: a `delegate` gets a tool's arguments on standard input, its name in AGENT_TOOL_NAME, and
 * answers by its exit code: 0 allow, 1 ask, 2 and more reject, with stderr for the model. Measured by
 * `amp permissions test` (0.0.1790142911); the agent itself needs Amp's server and was not run.
 */

const TOOLS: Readonly<Record<string, ToolFacts>> = {
  Bash: { does: "shell", field: "cmd", folder: "cwd" },
  shell_command: { does: "shell", field: "command", folder: "workdir" },
  async_shell_command: { does: "shell", field: "command", folder: "workdir" },
  Read: files("read", "path"),
  create_file: files("write", "path"),
  edit_file: files("edit", "path"),
  undo_edit: files("edit", "path"),
  delete_file: files("delete", "path"),
  list_directory: { does: "file", operation: "list", fields: ["path"], fallback: "." },
  Grep: walk("read", "path", "glob"),
  glob: walk("list", "path", "filePattern"),
  apply_patch: { does: "patch", field: "patch" },
  read_web_page: { does: "fetch", field: "url" },
  web_search: named("WebSearch"),
  Task: named("Task", "Agent"),
};

/** It cannot stay silent: the rule that named the delegate has matched, and the next ones are not looked at. */
const EXIT: Readonly<Record<Decision, number>> = { allow: 0, none: 1, ask: 1, deny: 2 };
const HOST: Host = { shell: "any", decides: false, asks: true, bypassed: false, planning: false };

function read({ payload, env, folder }: HookCall): Reading {
  const tool = text(env["AGENT_TOOL_NAME"]);
  return requestOf({
    agent: "amp",
    event: "delegate",
    tool,
    input: payload,
    cwd: undefined,
    folder,
    facts: factsOf(TOOLS, tool),
    host: HOST,
    session: env["AMP_THREAD_ID"],
    names: { tool: "AGENT_TOOL_NAME", input: "standard input", cwd: "the folder of the call" },
  });
}

function write({ answer }: Outcome): Reply {
  const exit = EXIT[answer.decision];
  return exit === 0 ? { exit } : { exit, stderr: `Assent: ${answer.modelReason}` };
}

export const protocol: Protocol = {
  id: "amp",
  tools: TOOLS,
  read,
  write,
  refuse: (why) => ({ exit: EXIT.deny, stderr: `Assent: ${why}` }),
  noOpinion: { exit: EXIT.ask },
};

const script = (home: string): string => `${home}/.local/share/assent/amp-delegate`;

const facts = /* @__PURE__ */ hostFacts({
  calls: [{ telling: 20, variables: { AGENT: ["amp"], AGENT_TOOL_NAME: "there" }, fields: { tool_name: "absent" } }],
  files: {
    userLocked: [".config/amp/settings.json", ".config/amp/plugins/"],
    userAsked: [".config/amp/"],
    project: [".amp/", ".ampcode/"],
    machine: ["/etc/ampcode/"],
  },
  commands: {
    programs: ["amp"],
    packages: ["@sourcegraph/amp", "@ampcode/cli"],
    aliases: ["amp"],
    options: {
      hooks: ["--settings-file"],
      questions: ["--remote-control-terminal"],
      code: /* @__PURE__ */ listed(
        "--mcp-config; --attach; --amp-url; --backend-url; --runner-dir; --on-create; --on-delete",
        "--on-exec; --on-get; --on-pause; --on-resume",
      ),
    },
  },
  variables: {
    told: { AGENT: "word", AGENT_TOOL_NAME: "text", AMP_THREAD_ID: "word" },
    marks: ["AMP_CURRENT_THREAD_ID"],
    controlling: ["AMP_*"],
  },
});

const setup: Setup = {
  signs: { programs: ["amp"], folders: [".config/amp"] },
  version: ["amp", "--version"],
  unrun: "`amp permissions test` was run; the agent itself was not, as it needs Amp's server",
  sample: (command) => ({ payload: { cmd: command }, env: { AGENT_TOOL_NAME: "Bash", AMP_THREAD_ID: SELF_TEST } }),
  events: ["delegate"],
  fails: "rejects the tool",
  asks: "Amp's own question",
  noOpinion: "Amp asks; with hooks off its own rules decide",
  cannot: [
    "a newer Amp may not look at `amp.permissions`: check with `amp permissions list`",
    "your own rules below Assent's in `amp.permissions` are not looked at any more",
  ],
  controlled: {
    project: [".amp/settings.json", ".vscode/settings.json"],
    user: ["~/.config/amp/settings.json"],
    servers: [["amp.mcpServers"]],
    folders: [".amp/plugins"],
    signs: [
      { at: ["amp.dangerouslyAllowAll"], when: true, does: "off", so: "nothing is asked of the delegate" },
      { at: ["amp.permissions"], when: "there", does: "skips", so: "rules of the repository count beside yours", projectOnly: true },
      { at: ["amp.commands.allowlist"], when: "there", does: "skips", so: "these commands run without a question", projectOnly: true },
      { at: ["amp.url"], when: "there", does: "controls", so: "the model is asked there", projectOnly: true },
    ],
    said: "`amp.dangerouslyAllowAll` asks nobody; whether Amp takes it from a repository is not known",
  },
  registrations: ({ home, project, command }) => [
    // Its 1 means that a person is to be asked.
    {
      is: "file",
      file: script(home),
      text: `#!/bin/sh\n${command("delegate", "any").replace("[ $? -eq 2 ] ||", "case $? in 1) exit 1 ;; 2) exit 2 ;; esac;")}\n`,
      mode: 0o755,
    },
    {
      is: "entries",
      file: project === undefined ? `${home}/.config/amp/settings.json` : `${project}/.amp/settings.json`,
      format: "json",
      // First match wins.
      entries: [{ list: ["amp.permissions"], value: { tool: "*", action: "delegate", to: script(home) }, at: "start" }],
    },
  ],
};

export const amp: Agent<"amp"> = {
  id: "amp",
  name: "Amp",
  protocol,
  facts,
  rules: "`amp.permissions` goes on to Assent: an order of its own that is not read yet",
  setup,
};
