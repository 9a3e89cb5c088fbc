import { listed } from "@assent/core/policy";
import type { Host, Outcome, ToolFacts } from "@assent/guard/engine";
import { type Agent, hostFacts, type Setup } from "../host/agent.ts";
import { withPlugins } from "../host/controlled.ts";
import { group, inputInstead, preToolUse, readShaped, sample, withNote, words } from "../host/claude-shape.ts";
import { type Protocol, type Reply, reply } from "../host/protocol.ts";
import { files, mcpGuess, named, walk } from "../host/reading.ts";

/**
 * Factory Droid. Measured on 0.215.0: a denial holds, even with `--skip-permissions-unsafe`; an ask lets the tool run in
 * `droid exec`; an allow overrides the user's own `commandDenylist`, and what it puts in the place of a command is not held against
 * that list; of what is on `commandBlocklist` no hook hears. So only denials are sent, and an allow for what goes ahead confined
 * where no list speaks about it.
 */

const TOOLS: Readonly<Record<string, ToolFacts>> = {
  Execute: { does: "shell", field: "command" },
  Read: files("read", "file_path"),
  Create: files("write", "file_path"),
  Edit: files("edit", "file_path"),
  MultiEdit: files("edit", "file_path"),
  ApplyPatch: { does: "patch", field: "input" },
  LS: { does: "file", operation: "list", fields: ["directory_path"], fallback: "." },
  Glob: walk("list", "folder", "patterns"),
  Grep: walk("read", "path", "glob_pattern"),
  FetchUrl: { does: "fetch", field: "url" },
  WebSearch: named("WebSearch"),
  Task: named("Task", "Agent"),
  Skill: named("Skill"),
};

const JUDGED = words("PreToolUse");
const OTHERS = words("PostToolUse Notification UserPromptSubmit SessionStart SessionEnd Stop SubagentStop PreCompact");

/** An allow with another command in the place of the one asked about is heard, but not where Droid only plans. */
const hostOf = (mode: string | undefined): Host => ({
  shell: "any",
  decides: true,
  asks: false,
  bypassed: false,
  planning: mode === "spec",
  confines: mode !== undefined && /^(?:off|auto-(?:low|medium|high))$/.test(mode),
  unheard: ["ask", "deny"],
});

function write(outcome: Outcome): Reply {
  const { answer, verdict } = outcome;
  const instead = inputInstead(outcome);
  if (instead !== undefined) return reply(preToolUse("allow", `Assent: ${answer.modelReason}`, instead));
  if (answer.decision !== "deny") return reply({});
  return reply(withNote(preToolUse("deny", `Assent: ${answer.modelReason}`), verdict.untrusted, answer.reason));
}

export const protocol: Protocol = {
  id: "droid",
  tools: TOOLS,
  read: (call) =>
    readShaped(call, {
      agent: "droid",
      judged: JUDGED,
      others: OTHERS,
      tools: TOOLS,
      factsFor: (tool) => mcpGuess(tool, "___"),
      host: hostOf,
      root: "FACTORY_PROJECT_DIR",
    }),
  write,
  refuse: (why) => reply(preToolUse("deny", `Assent: ${why}`)),
  noOpinion: reply({}),
};

const GREETING = "SessionStart";

const facts = /* @__PURE__ */ hostFacts({
  calls: [{ telling: 40, variables: { FACTORY_PROJECT_DIR: "there" } }],
  files: {
    userLocked: [".factory/settings.json", ".factory/hooks.json", ".factory/hooks/", ".factory/settings.local.json", ".factory/bin/"],
    userAsked: /* @__PURE__ */ listed(
      ".factory/mcp.json; .factory/droids/; .factory/commands/; .factory/skills/; .factory/plugins/; .factory/config.json",
    ),
    project: [".factory/", ".factory-plugin/"],
    machine: ["/etc/factory/", "/library/application support/factory/"],
    secrets: [".factory/auth.json", ".factory/auth.encrypted", ".factory/auth.v2.file", ".factory/auth.v2.key"],
  },
  commands: {
    programs: ["droid"],
    packages: ["droid"],
    changes: ["config"],
    options: {
      hooks: ["--settings"],
      questions: /* @__PURE__ */ listed(
        "--autonomy-level; --auto-merge; --allow-subagents-in-scripts; --no-require-approval",
        "--no-require-change-approval; --tool-execution-mode",
      ),
      valued: ["--auto"],
      code: /* @__PURE__ */ listed("--droid-path; --git-ai-bin; --listen; --remote-access; --daemon; --proxy"),
    },
  },
  variables: { told: { FACTORY_PROJECT_DIR: "path" }, controlling: ["FACTORY_*"] },
});

const setup: Setup = {
  signs: { programs: ["droid"], folders: [".factory"] },
  version: ["droid", "--version"],
  minimum: "0.215.0",
  sample: (...call) => sample("PreToolUse", "Execute")(...call),
  events: ["PreToolUse"],
  greets: GREETING,
  fails: "the tool runs; the registered command turns a crash into a refusal, but not a hook that takes too long",
  asks: "denied with the reason: an ask lets the tool run in `droid exec`",
  waits: 30,
  noOpinion: "Droid's autonomy level decides: with `--auto low` and higher what it holds for harmless enough goes ahead",
  confines: "commands that none of its lists may match, but while it plans",
  asksLittle: "Droid with --auto",
  cannot: [
    "an allow would override your own `commandDenylist`, so one is sent only for what goes ahead sandboxed and is on none of your lists",
    "lists that your organisation keeps on Factory's server, and settings handed over by `--settings`, are not read for that",
    "the host does not say which calls are a sub-agent's",
    "commands that a repository brings to be typed (`.factory/commands/`) may be scripts: they run without a hook",
  ],
  registrations: ({ home, project, command }) => [
    {
      is: "entries",
      // Flat: events are the keys of the file.
      file: `${project ?? home}/.factory/hooks.json`,
      format: "json",
      entries: [...setup.events, GREETING].map((event) => ({ list: [event], value: group("*", command(event), { timeout: 30 }) })),
    },
  ],
  managed: {
    file: "/etc/factory/settings.json",
    registrations: ({ command }) => [
      {
        is: "entries",
        file: "/etc/factory/settings.json",
        format: "json",
        entries: [...setup.events, GREETING].map((event) => ({
          list: ["hooks", event],
          value: group("*", command(event), { timeout: 30 }),
        })),
        mode: 0o644,
      },
    ],
    known: "measured",
  },
  controlled: {
    project: [".factory/settings.json", ".factory/settings.local.json", ".factory/hooks.json", ".factory/mcp.json"],
    user: ["~/.factory/settings.json", "~/.factory/hooks.json"],
    servers: true,
    typed: { folders: [".factory/commands"], runs: /^#!(.*)/g },
    signs: /* @__PURE__ */ (() =>
      withPlugins([
        { at: ["allowManagedHooksOnly"], when: true, does: "off", so: "hooks of users do not run" },
        { at: ["hooksDisabled"], when: true, does: "off", so: "no hook runs, so Assent is not asked" },
        ...[
          ["autonomyMode"],
          ["autonomyLevel"],
          ["sessionDefaultSettings", "autonomyMode"],
          ["sessionDefaultSettings", "autonomyLevel"],
        ].map((at) => ({ at, when: /(?:medium|high|skip)/, does: "skips", so: "Droid asks less by itself", projectOnly: true }) as const),
        ...["builtInToolAutonomyOverrides", "mcpAutonomyOverrides", "mcpAutonomyUrlOverrides", "subagentAutonomyLevel"].map(
          (name) => ({ at: [name], when: "there", does: "skips", so: "Droid asks less by itself", projectOnly: true }) as const,
        ),
        { at: ["env"], when: "environment", does: "controls", so: "" },
        { at: ["customModels"], when: "there", does: "controls", so: "the model is asked there", projectOnly: true },
        { at: ["cloudSessionSync"], when: true, does: "controls", so: "sessions are copied to Factory", projectOnly: true },
        { at: ["sandbox", "enabled"], when: false, does: "skips", so: "Droid sandboxes nothing by itself", projectOnly: true },
        {
          at: ["commandAllowlist"],
          when: "there",
          does: "skips",
          so: "these commands run without Droid's own question",
          projectOnly: true,
        },
        { at: ["PreToolUse"], when: "there", does: "starts", so: "hooks of the repository run beside Assent's", projectOnly: true },
        { at: ["SessionStart"], when: "there", does: "starts", so: "hooks of the repository run beside Assent's", projectOnly: true },
        { at: ["hooks", "*"], when: "there", does: "starts", so: "hooks of the repository run beside Assent's", projectOnly: true },
      ]))(),
    said: "`hooksDisabled` counted in no repository when it was tried; a repository's own hooks run without a step of trust",
  },
};

export const droid: Agent<"droid"> = { id: "droid", name: "Factory Droid", protocol, facts, rules: () => import("./rules.ts"), setup };
