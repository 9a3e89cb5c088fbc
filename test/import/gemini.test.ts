import { describe, expect, test } from "vitest";
import { readGeminiPolicy, readGeminiSettings } from "../../packages/hosts/src/agents/gemini/rules.ts";
import { readQwen } from "../../packages/hosts/src/agents/qwen/rules.ts";
import { CONTEXT, readingOf } from "./reading.ts";

const rule = (fields: string, priority = 1): string => `[[rule]]\n${fields.split("; ").join("\n")}\npriority = ${priority}\n`;
const shell = (fields: string, priority?: number): string => rule(`toolName = "run_shell_command"; ${fields}`, priority);

const ROWS: readonly (readonly [what: string, native: string, ours: readonly string[]])[] = [
  ["a prefix ends at a word", shell('commandPrefix = "git status"; decision = "allow"'), ["allow Bash(git status:*)"]],
  [
    "a refusal with a message",
    shell('commandPrefix = "rm -rf"; decision = "deny"; denyMessage = "use trash"'),
    ["deny Bash(rm -rf:*) // use trash"],
  ],
  [
    "several prefixes",
    shell('commandPrefix = ["git log", "git show"]; decision = "allow"'),
    ["allow Bash(git log:*)", "allow Bash(git show:*)"],
  ],
  ["a prefix with a blank at its end", shell('commandPrefix = "git "; decision = "ask_user"'), ["ask Bash(git:*)"]],
  [
    "which allows next to nothing",
    shell('commandPrefix = "git "; decision = "allow"'),
    ["lost 1: a prefix that ends in a blank matches next to nothing there"],
  ],
  [
    "an expression that is a list of prefixes",
    shell('commandRegex = "git (commit|push)"; decision = "ask_user"'),
    ["ask execute: git commit*", "ask execute: git push*"],
  ],
  [
    "any other expression",
    shell('commandRegex = "git .*--force"; decision = "deny"'),
    ["lost 1: a regular expression over the text of the call"],
  ],
  ["tools", rule('toolName = ["write_file", "replace"]; decision = "ask_user"'), ["ask Edit"]],
  ["every tool", rule('toolName = "*"; decision = "ask_user"'), ["ask *"]],
  ["MCP by server", rule('mcpName = "github"; toolName = "get_issue"; decision = "allow"'), ["allow mcp__github__get_issue"]],
  ["a whole server", rule('mcpName = "github"; decision = "deny"'), ["deny mcp__github__*"]],
  ["MCP by name", rule('toolName = "mcp_github_get_issue"; decision = "allow"'), ["allow mcp__github__get_issue"]],
  [
    "the highest priority decides",
    shell('commandPrefix = "git"; decision = "allow"', 10) + shell('commandPrefix = "git push"; decision = "deny"', 900),
    ["deny Bash(git push:*)", "allow Bash(git:*)"],
  ],
  [
    "an exception to a refusal cannot be said: the refusal holds",
    shell('commandPrefix = "git push"; decision = "deny"', 10) + shell('commandPrefix = "git push origin"; decision = "allow"', 900),
    [
      "deny Bash(git push:*)",
      "lost 6: it takes an exception from `deny run_shell_command `git push`` (line 1); here the strictest rule wins, so that one refuses this too",
    ],
  ],
  [
    "an allow for some modes",
    shell('commandPrefix = "ls"; decision = "allow"; modes = ["yolo"]'),
    ["lost 1: a rule for some modes of the host"],
  ],
  [
    "an allow for all but planning",
    shell('commandPrefix = "ls"; decision = "allow"; modes = ["default", "autoEdit", "yolo"]'),
    ["allow Bash(ls:*)"],
  ],
  ["a refusal for some modes holds in all", shell('commandPrefix = "dd"; decision = "deny"; modes = ["yolo"]'), ["deny Bash(dd:*)"]],
  [
    "an allow for one subagent",
    shell('commandPrefix = "ls"; decision = "allow"; subagent = "x"'),
    ["lost 1: a rule for one subagent alone; rules here hold for all"],
  ],
  [
    "arguments as JSON",
    rule('toolName = "read_file"; argsPattern = "secret"; decision = "deny"'),
    ["lost 1: a regular expression over the text of the call"],
  ],
  [
    "a condition nobody knows",
    rule('toolName = "read_file"; toolAnnotations = { readOnlyHint = true }; decision = "allow"'),
    ["lost 1: nothing is known of `toolAnnotations`"],
  ],
  ["a broken file", '[[rule]]\ntoolName = "x', ["broken 2:12: the text is not closed"]],
];

describe("Gemini CLI: policies", () => {
  test.each(ROWS)("%s", (_, native, ours) => expect([...readingOf(readGeminiPolicy(native))].toSorted()).toEqual([...ours].toSorted()));
});

test("Gemini CLI: settings", () => {
  const text = JSON.stringify({
    tools: {
      allowed: ["run_shell_command(git status)", "read_file", "glob"],
      exclude: ["run_shell_command(rm)", "web_fetch"],
      core: ["read_file"],
    },
    mcpServers: { a: { trust: true, excludeTools: ["x"] }, b: { includeTools: ["y"] } },
    mcp: { excluded: ["c"] },
  });
  expect(readingOf(readGeminiSettings(text))).toEqual([
    "allow Bash(git status:*)",
    "allow Read",
    "deny Bash(rm:*)",
    "deny WebFetch",
    "allow mcp__a__*",
    "deny mcp__a__x",
    "deny mcp__c__*",
    "lost 1: listing and searching are one with reading and listing by any other way here",
    "lost 1: a rule cannot name every tool but some",
    "lost 1: a rule cannot name every tool but some",
  ]);
});

test("Qwen Code: Claude Code's permissions with its own names, and the older tools", () => {
  const text = JSON.stringify({
    permissions: { allow: ["Bash(touch *)", "run_shell_command(ls *)"], deny: ["read_file(.env)"] },
    tools: { exclude: ["write_file"] },
  });
  expect(readingOf(readQwen(text, CONTEXT))).toEqual(["deny Read(./**/.env/**)", "allow Bash(touch:*)", "allow Bash(ls:*)", "deny Edit"]);
});
