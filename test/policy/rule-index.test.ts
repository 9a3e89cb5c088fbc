import { describe, expect, test } from "vitest";
import type { Action } from "../../src/action/index.ts";
import { matchRule } from "../../src/policy/match-rule.ts";
import { indexOf, rulesFor } from "../../src/policy/rule-index.ts";
import { exec, file, net, tool, world } from "./language.ts";
import { policy } from "./machine.ts";

const RULES: readonly unknown[] = [
  "Bash",
  "Bash(*)",
  "Bash(* status)",
  "Bash(git:*)",
  "Bash(/usr/bin/git status)",
  "Bash(rm -rf:*)",
  "Bash(RM:*)",
  "Shell(git push --force)",
  "Shell({git,rm} ...)",
  "Shell(!{git} ...)",
  "Shell(g* ...)",
  { tool: "Bash", command: ["sed", "rm"], when: { hasOption: "-r" } },
  "Exec(/usr/bin/**)",
  "Exec(**/git)",
  "Read",
  "Read(src/**)",
  "Edit(**)",
  "Write(**/*.ts)",
  "WebFetch(domain:nodejs.org)",
  "WebFetch",
  "*",
  "mcp__*",
  "Task(prompt:x)",
];

const ACTIONS: readonly Action[] = [
  exec("git status"),
  exec("GIT push --force"),
  exec("/opt/x/git status"),
  exec("rm -rf x"),
  exec("/bin/RM -r x"),
  exec("sed -r s/a/b/"),
  exec("python x", { resolved: "/usr/bin/python3" }),
  exec("ls", { resolved: "/usr/bin/git" }),
  exec("$X status"),
  exec(""),
  file("read src/a.ts"),
  file("edit a.ts"),
  file("delete a.ts"),
  file("execute /usr/bin/git"),
  net("nodejs.org", 443),
  tool("mcp__a__b"),
  tool("Read", { file_path: "/home/me/repo/src/a" }),
  tool("WebFetch", { url: "https://nodejs.org" }),
  tool("Task", { prompt: "x" }),
  { kind: "remote", service: "git", operation: "read", origin: { by: "tool" } },
];

/** INVARIANT: the index leaves out only rules that do not match. */
describe("the index is the whole list, only shorter", () => {
  const all = policy({ deny: RULES, ask: RULES, allow: RULES });
  const context = { world: world() };
  test.each(ACTIONS.map((action) => [action.kind, action] as const))("%s %#", (_, action) => {
    const found = rulesFor(indexOf(all), action);
    for (const effect of ["deny", "ask", "allow"] as const) {
      const matching = all.rules.filter((rule) => rule.effect === effect && matchRule(rule, action, context) !== "no");
      expect(matching.filter((rule) => !found[effect].includes(rule)).map((rule) => rule.source.text)).toEqual([]);
    }
  });
});
