import { describe, expect, test } from "vitest";
import { readAgentperm } from "../../src/agents/native/agentperm.ts";
import { readCopilotApprovals, readCopilotSettings } from "../../src/agents/native/copilot.ts";
import { readCursor } from "../../src/agents/native/cursor.ts";
import { readDippy } from "../../src/agents/native/dippy.ts";
import { readSafetyNet } from "../../src/agents/native/safety-net.ts";
import { CONTEXT, readingOf } from "./reading.ts";

const DIPPY: readonly (readonly [what: string, native: string, ours: readonly string[]])[] = [
  ["a pattern, and comments", "# mine\nallow just *\n\nask git push *", ["ask Bash(git push:*)", "allow Bash(just:*)"]],
  ["a message", 'deny rm -rf /* "Too dangerous"', ["deny execute: rm -rf /* // Too dangerous"]],
  ["quotes around a pattern", 'deny "git push *--force*"', ["deny execute: git push *--force*"]],
  ["the last that matches decides", "allow docker *\nask docker rm *", ["ask Bash(docker rm:*)", "allow Bash(docker:*)"]],
  [
    "so an exception is lost, and the refusal holds",
    "deny rm *\nallow rm build/*",
    [
      "deny Bash(rm:*)",
      "lost 2: it takes an exception from `deny rm *` (line 1); here the strictest rule wins, so that one refuses this too",
    ],
  ],
  ["home", "allow ~/bin/x *", ["allow Bash(/home/you/bin/x:*)"]],
  [
    "options",
    'deny-opt "git commit" --no-verify "No"\nallow-opt git status log',
    [
      "allow Bash(git ** log:*)",
      "allow Bash(git ** status:*)",
      "deny Bash(git commit ** --no-verify:*) // No",
      `lost 2: it takes an exception from \`deny-opt "git commit" --no-verify "No"\` (line 1); here the strictest rule wins, so that one refuses this too`,
    ],
  ],
  [
    "files",
    'deny-redirect **/.env* "Never"\nallow-redirect /tmp/**\ndeny-edit src/gen/**',
    [
      "deny Edit(src/gen/**)",
      "deny Edit(**/.env*) // Never",
      `lost 2: it takes an exception from \`deny-redirect **/.env* "Never"\` (line 1); here the strictest rule wins, so that one refuses this too`,
      "lost 2: a rule for redirects alone; rules here are about files, however they are written",
    ],
  ],
  ["MCP", "allow-mcp mcp__github__get_*", ["allow mcp__github__get_*"]],
  [
    "what is no rule",
    'after git push * "Look"\nset default allow\nset log ~/x\nallows ls',
    [
      "lost 1: what is said after a command is no permission",
      "lost 2: to allow what no rule speaks of is never taken over",
      "lost 4: it is no rule",
    ],
  ],
];

describe("Dippy", () => {
  test.each(DIPPY)("%s", (_, native, ours) => expect([...readingOf(readDippy(native, CONTEXT))].toSorted()).toEqual([...ours].toSorted()));
});

const CURSOR: readonly (readonly [effect: "allow" | "deny", native: string, ours: string])[] = [
  ["allow", "Shell(git)", "allow Bash(git:*)"],
  ["deny", "Shell(rm)", "deny Bash(rm:*)"],
  ["allow", "Shell(curl:*)", "allow Bash(curl:*)"],
  ["allow", "Shell(npm:run *)", "allow Bash(npm run * **)"],
  ["deny", "Shell(npm:run *)", "deny Bash(npm run:*)"],
  ["allow", "Shell(git status)", "allow Bash(git status)"],
  ["deny", "Shell(git push)", "deny Bash(git push:*)"],
  ["allow", "Shell(**)", "allow Bash"],
  ["allow", "Read(src/**/*.ts)", "allow Read(src/**/*.ts)"],
  ["deny", "Read(.env*)", "deny Read(./**/.env*)"],
  ["deny", "Write(**/*.key)", "deny Write(./**/*.key)"],
  ["allow", "Write(src/**)", "allow Edit(src/**)"],
  ["allow", "WebFetch(docs.example.com)", "allow WebFetch(host:docs.example.com)"],
  ["deny", "WebFetch(*.example.com)", "deny WebFetch(domain:*.example.com)"],
  ["allow", "Mcp(github:get_issue)", "allow mcp__github__get_issue"],
  ["deny", "Mcp(github:*)", "deny mcp__github__*"],
  ["allow", "Task(x)", "lost 1: nothing is known of `Task`"],
];

describe("Cursor", () => {
  test.each(CURSOR)("%s %s", (effect, native, ours) =>
    expect(readingOf(readCursor(JSON.stringify({ permissions: { [effect]: [native] } })))).toEqual([ours]),
  );
});

test("Copilot: settings and managed permissions", () => {
  const text = JSON.stringify({
    allowedUrls: ["docs.github.com", "https://example.com/x"],
    deniedUrls: ["https://evil.com"],
    permissions: {
      allow: ["shell(git:*)", "shell(ls)", "write", "url(example.org)"],
      deny: ["shell(git push)", "GitHub(delete_repo)", "Other"],
    },
    trustedFolders: ["/x"],
  });
  expect(readingOf(readCopilotSettings(text, CONTEXT))).toEqual([
    "allow WebFetch(host:docs.github.com)",
    "deny WebFetch(domain:evil.com)",
    "deny Bash(git push:*)",
    "deny mcp__GitHub__delete_repo",
    "deny mcp__Other__*",
    "allow Bash(git:*)",
    // Whether it also means arguments is not certain.
    "allow Bash(ls)",
    "allow Edit",
    "allow WebFetch(host:example.org)",
    "lost 1: a pattern over whole addresses; rules here are about hosts",
    "lost 1: trusting a project's rules is a decision of its own here",
  ]);
});

test("Copilot: answers kept for this project, and for others", () => {
  const text = JSON.stringify({
    locations: {
      "/home/you/project": {
        tool_approvals: [
          { kind: "commands", commandIdentifiers: ["make", "git push", "make fix"] },
          { kind: "write" },
          { kind: "mcp", serverName: "github", toolName: "get_issue" },
          { kind: "mcp", serverName: "memory", toolName: null },
          { kind: "memory" },
        ],
      },
      "/elsewhere": { tool_approvals: [{ kind: "write" }] },
    },
  });
  expect(readingOf(readCopilotApprovals(text, { ...CONTEXT, scope: "project" }))).toEqual([
    "allow Bash(make:*)",
    "allow Bash(git push:*)",
    "allow Edit",
    "allow mcp__github__get_issue",
    "allow mcp__memory__*",
    "lost 1: the host does not take it for a command either",
    "lost 1: nothing is known of this kind",
    "lost 1: answers for another folder",
  ]);
});

test("cc-safety-net", () => {
  const text = JSON.stringify({
    version: 1,
    rules: [
      { name: "block-add-all", command: "git", subcommand: "add", block_args: ["-A", "."], reason: "Stage files one by one." },
      { name: "no-global", command: "npm", block_args: ["-g"] },
      { name: "broken", command: "npm" },
    ],
  });
  expect(readingOf(readSafetyNet(text))).toEqual([
    "deny Bash(git add ** -A:*) // Stage files one by one.",
    "deny Bash(git add ** .:*) // Stage files one by one.",
    "deny Bash(npm ** -g:*)",
    "lost 1: it needs a `command` and `block_args`",
  ]);
});

test("agentperm: the rules as they stand", () => {
  const text = `{ "version": 1, // mine
  "permissions": { "allow": ["Bash(git status:*)"], "deny": [{ "rule": "Bash(rm:*)", "reason": "no", "match": ["rm x"] }, "Bash(("] },
  "preset": "strict", "shell": {} }`;
  expect(readingOf(readAgentperm(text))).toEqual([
    "deny Bash(rm:*) // no",
    "allow Bash(git status:*)",
    "lost 2: `(` without `)`",
    "lost 3: a setting; only rules are merged",
  ]);
});
