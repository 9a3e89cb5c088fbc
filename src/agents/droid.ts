import type { Host, Outcome, ToolFacts } from "../guard/index.ts";
import type { Agent, Setup } from "./agent.ts";
import { group, preToolUse, readShaped, sample, withNote, words } from "./claude-shape.ts";
import { type Protocol, type Reply, reply } from "./protocol.ts";
import { files, mcpGuess, named } from "./reading.ts";
import { tableOf } from "./value.ts";

/**
 * Factory Droid. Measured on 0.215.0: a denial holds, even with `--skip-permissions-unsafe`; an ask lets the tool run in
 * `droid exec`; an allow overrides the user's own `commandDenylist`. So only denials are sent.
 */

const TOOLS: Readonly<Record<string, ToolFacts>> = {
  Execute: { does: "shell", field: "command" },
  Read: files("read", "file_path"),
  Create: files("write", "file_path"),
  Edit: files("edit", "file_path"),
  MultiEdit: files("edit", "file_path"),
  ApplyPatch: { does: "patch", field: "input" },
  LS: { does: "file", operation: "list", fields: ["directory_path"], fallback: "." },
  Glob: { does: "file", operation: "list", fields: ["folder"], tree: true, fallback: ".", pattern: "patterns" },
  Grep: { does: "file", operation: "read", fields: ["path"], tree: true, fallback: ".", pattern: "glob_pattern" },
  FetchUrl: { does: "fetch", field: "url" },
  WebSearch: named("WebSearch"),
  Task: named("Task", "Agent"),
  Skill: named("Skill"),
};

const JUDGED = words("PreToolUse");
const OTHERS = words("PostToolUse Notification UserPromptSubmit SessionStart SessionEnd Stop SubagentStop PreCompact");
const hostOf = (): Host => ({ shell: "any", decides: true, asks: false, bypassed: false, planning: false });

function write({ answer, verdict }: Outcome): Reply {
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
  silence: reply({}),
};

const setup: Setup = {
  signs: { programs: ["droid"], folders: [".factory"] },
  version: ["droid", "--version"],
  minimum: "0.215.0",
  sample: (...call) => sample("PreToolUse", "Execute")(...call),
  events: ["PreToolUse"],
  fails: "the tool runs; the registered command turns a crash into a refusal, but not a hook that takes too long",
  asks: "an ask of a hook lets the tool run in `droid exec`: what must be asked is denied with the reason",
  cannot: [
    "an allow would override your own `commandDenylist`, so none is sent: Droid asks by its autonomy level",
    "the host does not say which calls are a sub-agent's",
  ],
  registrations: ({ home, project, command }) => [
    {
      is: "entries",
      // Flat: events are the keys of the file.
      file: `${project ?? home}/.factory/hooks.json`,
      format: "json",
      entries: setup.events.map((event) => ({ list: [event], value: group("*", command(event), { timeout: 30 }) })),
    },
  ],
  weaknesses: ({ home }) =>
    ["hooks.json", "settings.json"].map((name) => ({
      file: `${home}/.factory/${name}`,
      find: (value) => (tableOf(value)["hooksDisabled"] === true ? ["`hooksDisabled` is true: no hook runs"] : []),
    })),
};

export const droid: Agent = { id: "droid", name: "Factory Droid", protocol, setup };
