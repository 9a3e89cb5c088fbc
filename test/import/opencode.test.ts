import { describe, expect, test } from "vitest";
import { readOpenCode } from "../../packages/hosts/src/agents/opencode/rules.ts";
import { readingOf } from "./reading.ts";

/** `permission` as JSON on one line, and what it is here. The last rule that matches decides there. */
const ROWS: readonly (readonly [what: string, permission: unknown, ours: readonly string[]])[] = [
  ["everything", "allow", ["allow WebFetch", "allow Edit", "allow Read", "allow Bash"]],
  ["a tool", { bash: "ask", webfetch: "deny" }, ["deny WebFetch", "ask Bash"]],
  ["patterns are over the whole text (AW12)", { bash: { "npm run*": "allow" } }, ["allow execute: npm run*"]],
  ["a pattern without a wildcard is exact (AW12)", { bash: { "git status": "allow" } }, ["allow Bash(git status)"]],
  ["a star behind a blank is any words, or none", { bash: { "git status *": "allow" } }, ["allow Bash(git status:*)"]],
  [
    "a default is left to the preset where rules say otherwise",
    { bash: { "*": "ask", "git *": "allow" } },
    ["allow Bash(git:*)", "lost 1: what no rule speaks of is left to the preset here"],
  ],
  [
    "a default that refuses stays one",
    { bash: { "*": "deny", "git *": "allow" } },
    ["allow Bash(git:*)", "deny default: operations.execute.default"],
  ],
  ["a refusal behind an allow", { bash: { "git *": "allow", "git push *": "deny" } }, ["deny Bash(git push:*)", "allow Bash(git:*)"]],
  [
    "an exception to a refusal cannot be said: the refusal holds",
    { bash: { "git push *": "deny", "git push origin *": "allow" } },
    [
      "deny Bash(git push:*)",
      "lost 1: it takes an exception from `bash git push *: deny` (line 1); here the strictest rule wins, so that one refuses this too",
    ],
  ],
  [
    "what a later rule covers never decides, and is not taken over",
    { bash: { "git push *": "allow", "*": "deny" } },
    ["deny Bash", "lost 1: it never decides there: `bash *: deny` (line 1) does first"],
  ],
  [
    "a refusal that a later allow covers is no refusal",
    { bash: { "rm *": "deny", "*": "allow" } },
    ["allow Bash", "lost 1: it never decides there: `bash *: allow` (line 1) does first"],
  ],
  ["paths: a star crosses folders", { edit: { "docs/*": "allow", "*.lock": "deny" } }, ["deny Write(./**.lock)", "allow Edit(docs/**)"]],
  ["home", { read: { "~/secrets/*": "deny", "$HOME/x": "deny" } }, ["deny Read(~/x)", "deny Read(~/secrets/**)"]],
  ["all ways to change a file are one", { write: { "a.md": "deny" } }, ["deny Write(a.md)"]],
  [
    "addresses",
    { webfetch: { "*://example.com/*": "allow", "https://evil.com/*": "deny", "https://a.com/x": "allow" } },
    [
      "deny WebFetch(domain:evil.com)",
      "allow WebFetch(host:example.com)",
      "lost 1: a pattern over whole addresses; rules here are about hosts",
    ],
  ],
  [
    "subagents and tools",
    { task: { explore: "deny" }, "lab_*": "ask", skill: "ask" },
    ["ask lab_*", "deny Task(subagent_type:explore)", "lost 1: a question of the host about itself"],
  ],
  [
    "outside the project",
    { external_directory: { "~/x/*": "deny", "/srv/*": "allow", "*": "ask" } },
    [
      "lost 1: a rule cannot name everything outside the project",
      "lost 1: it never decides there: `external_directory *: ask` (line 1) does first",
      "lost 1: it never decides there: `external_directory *: ask` (line 1) does first",
    ],
  ],
  ["outside the project, one folder", { external_directory: { "~/x/*": "deny" } }, ["deny Read(~/x/**)", "deny Write(~/x/**)"]],
  ["a typing mistake", { bash: { "rm *": "forbid" } }, ["lost 1: the action is none of allow, ask and deny"]],
];

describe("OpenCode and Kilo", () => {
  test.each(ROWS)("%s", (_, permission, ours) => {
    const found = readingOf(readOpenCode(JSON.stringify({ permission })));
    expect([...found].toSorted()).toEqual([...ours].toSorted());
  });

  test("comments, lines, rules of one agent, tools that are off", () => {
    const text = `{
  // mine
  "permission": {
    "bash": {
      "rm *": "deny",
    },
  },
  "agent": { "build": { "permission": { "bash": "allow" } } },
  "tools": { "webfetch": false },
}`;
    expect(readingOf(readOpenCode(text))).toEqual([
      "deny Bash(rm:*)",
      "deny WebFetch",
      "lost 8: a rule for one agent alone; rules here hold for all",
    ]);
  });
});
