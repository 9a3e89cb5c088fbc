import type { Decision } from "@assent/core/policy";
import type { Host, Outcome, ToolFacts } from "@assent/guard/engine";
import { type Agent, hostFacts } from "./host/agent.ts";
import type { HookCall, Protocol, Reading, Reply } from "./host/protocol.ts";
import { factsOf, files, requestOf, shell, text, walk } from "./host/reading.ts";

/**
 * Any other host. docs/agents.md describes the envelope:
 *
 * ```json
 * { "tool": "shell", "input": { "command": "ls" }, "cwd": "/p", "session": "…", "subagent": "…", "asks": true, "decides": false }
 * ```
 *
 * The answer is `{ "decision": "allow|ask|deny|none", "reason": "…" }`, and the exit code says the same.
 */

const TOOLS: Readonly<Record<string, ToolFacts>> = {
  shell: shell("command", "folder"),
  read: files("read", "path"),
  list: walk("list", "path"),
  search: walk("read", "path", "glob"),
  write: files("write", "path"),
  edit: files("edit", "path"),
  delete: files("delete", "path"),
  patch: { does: "patch", field: "patch" },
  fetch: { does: "fetch", field: "url" },
};

/** Whatever else ends the process (a crash is 1, no Node 127) does not say allow. */
const EXIT: Readonly<Record<Decision, number>> = { allow: 0, ask: 1, deny: 2, none: 3 };

const EVENT = "request";

function read({ payload, folder }: HookCall): Reading {
  const host: Host = {
    shell: "any",
    decides: payload["decides"] === true,
    asks: payload["asks"] === true,
    bypassed: false,
    planning: payload["planning"] === true,
  };
  return requestOf({
    agent: "generic",
    event: EVENT,
    tool: payload["tool"],
    input: payload["input"],
    cwd: payload["cwd"],
    folder,
    facts: factsOf(TOOLS, payload["tool"]),
    host,
    root: payload["root"],
    session: payload["session"],
    subagent: text(payload["subagent"]),
    mode: text(payload["mode"]),
    names: { tool: "tool", input: "input", cwd: "cwd" },
  });
}

function write({ answer }: Outcome): Reply {
  const { decision, modelReason } = answer;
  return { envelope: decision === "none" ? { decision } : { decision, reason: modelReason }, exit: EXIT[decision] };
}

export const protocol: Protocol = {
  id: "generic",
  tools: TOOLS,
  read,
  write,
  // Nobody knows whether this host can ask.
  refuse: (why) => ({ envelope: { decision: "deny", reason: why }, exit: EXIT.deny }),
  noOpinion: { envelope: { decision: "none" }, exit: EXIT.none },
};

const facts = /* @__PURE__ */ hostFacts({
  calls: [{ telling: 10, fields: { tool: "there", input: "there", tool_name: "absent" } }],
  commands: { none: "nobody knows which program it is" },
});

export const generic: Agent<"generic"> = {
  id: "generic",
  name: "any other host",
  protocol,
  facts,
  rules: "nothing is known of it",
  setup: undefined,
};
