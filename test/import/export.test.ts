import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { loadRefusals } from "@assent/hosts/agents/native";
import { NOWHERE } from "@assent/core/request";
import { matchMatcher, parseRule, readingOf, REFUSALS_TOLD } from "@assent/core/policy";
import { lowerShell } from "@assent/core/shell";

const EXPORTS = (await Promise.all(REFUSALS_TOLD.map(loadRefusals))).filter((format) => format !== undefined);

/** Entries of a host for a deny rule of ours; `-` stands for what it has no words for. */
function said(agent: string, rule: string): readonly string[] {
  const format = EXPORTS.find(({ id }) => id === agent);
  const parsed = parseRule(rule);
  if (format === undefined || !parsed.ok) throw new Error(rule);
  const refusals = readingOf(parsed.matcher).refusals(parsed.matcher);
  if ("why" in refusals) return [`none: ${refusals.why}`];
  return refusals.flatMap((refusal) => format.express({ refusal, reason: undefined }) ?? ["-"]).map((one) => one.replace("\u0000", " "));
}

const ROWS: readonly (readonly [rule: string, agent: string, native: readonly string[]])[] = [
  ["Bash", "claude", ["Bash"]],
  ["Bash(git push:*)", "claude", ["Bash(git push:*)"]],
  ["Bash(git push:*)", "codex", ['prefix_rule(pattern = ["git","push"], decision = "forbidden")\n']],
  ["Bash(git push:*)", "opencode", ["bash git push *"]],
  [
    "Bash(git push:*)",
    "gemini",
    ['[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = "git push"\ndecision = "deny"\npriority = 999\n'],
  ],
  ["Bash(git push:*)", "cursor", ["Shell(git:push*)"]],
  ["Bash(git push:*)", "copilot", ["--deny-tool='shell(git push)'"]],
  ["Bash(npm run:*)", "copilot", ["-"]],
  ["Bash(git push)", "claude", ["Bash(git push)"]],
  // Only an exact command: a prefix would mean more.
  ["Bash(git push)", "codex", ["-"]],
  ["Bash(pnpm ** build:*)", "claude", ["Bash(pnpm build)", "Bash(pnpm build *)", "Bash(pnpm * build)", "Bash(pnpm * build *)"]],
  [
    "Shell(git push {--force,-f})",
    "claude",
    [
      "Bash(git push --force:*)",
      "Bash(git push * --force)",
      "Bash(git push * --force *)",
      "Bash(git push -f:*)",
      "Bash(git push * -f)",
      "Bash(git push * -f *)",
    ],
  ],
  [
    "Shell(git push {--force,-f})",
    "codex",
    [
      'prefix_rule(pattern = ["git","push","--force"], decision = "forbidden")\n',
      "-",
      "-",
      'prefix_rule(pattern = ["git","push","-f"], decision = "forbidden")\n',
      "-",
      "-",
    ],
  ],
  ["Bash(pnpm * build)", "claude", ["none: exactly one word"]],
  ["Shell(docker run ... alpine)", "claude", ["none: gaps, and what must not be there"]],
  ["Shell(git stash !...)", "claude", ["none: gaps, and what must not be there"]],
  ["Shell({rm,unlink})", "claude", ["Bash(rm:*)", "Bash(unlink:*)"]],
  ["Shell(rm -r -f)", "claude", ["none: several options, or their values"]],
  ["Read(**/.env*)", "claude", ["Read(//**/.env*)"]],
  ["Read(private/**)", "claude", ["Read(./private/**)"]],
  ["Read(~/.ssh/**)", "claude", ["Read(~/.ssh/**)"]],
  ["Edit(/etc/**)", "claude", ["Edit(//etc/**)"]],
  ["Write(dist/**)", "claude", ["Edit(./dist/**)"]],
  ["Delete(dist/**)", "claude", ["none: hosts know reading and editing only"]],
  ["Read(private/**)", "cursor", ["Read(private/**)"]],
  ["Read(private/**)", "opencode", ["-"]],
  ["WebFetch(domain:evil.com)", "claude", ["WebFetch(domain:evil.com)", "WebFetch(domain:*.evil.com)"]],
  ["WebFetch(host:evil.com)", "claude", ["WebFetch(domain:evil.com)"]],
  ["WebFetch(domain:evil.com)", "opencode", ["webfetch *://evil.com/*", "webfetch *://*.evil.com/*"]],
  ["Net(evil.com:443)", "claude", ["none: hosts know no ports"]],
  ["mcp__github__delete_repo", "claude", ["mcp__github__delete_repo"]],
  ["mcp__github__*", "claude", ["mcp__github"]],
  ["mcp__github__delete_repo", "gemini", ['[[rule]]\nmcpName = "github"\ntoolName = "delete_repo"\ndecision = "deny"\npriority = 999\n']],
  ["mcp__github__delete_repo", "opencode", ["github_delete_repo *"]],
  ["mcp__github__delete_repo", "copilot", ["--deny-tool='github(delete_repo)'"]],
  ["open(/etc/**, _)", "claude", ["none: no host sees system calls"]],
  ["TodoWrite", "claude", ["none: a tool by its name: hosts name theirs differently"]],
];

describe("a refusal of ours in the words of a host", () => {
  test.each(ROWS)("%s for %s", (rule, agent, native) => expect(said(agent, rule)).toEqual(native));
});

test("a reason goes along where the host has a place for it", () => {
  const parsed = parseRule("Bash(rm:*)");
  if (!parsed.ok) throw new Error("rule");
  const refusals = readingOf(parsed.matcher).refusals(parsed.matcher);
  const entries = ["codex", "gemini"].map((id) =>
    EXPORTS.find((one) => one.id === id)
      ?.express({ refusal: "why" in refusals ? { is: "shell" } : (refusals[0] ?? { is: "shell" }), reason: 'use "trash"' })
      ?.join(""),
  );
  expect(entries).toEqual([
    'prefix_rule(pattern = ["rm"], decision = "forbidden", justification = "use \\"trash\\"")\n',
    '[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = "rm"\ndecision = "deny"\npriority = 999\ndenyMessage = "use \\"trash\\""\n',
  ]);
});

test("what the host then refuses, we refuse", { timeout: 60_000 }, () => {
  const word = fc.constantFrom("run", "runs", "test", "--all", "-f", "a.txt", "b");
  const token = fc.oneof({ weight: 3, arbitrary: word }, fc.constantFrom("*", "**"));
  const bash = fc
    .tuple(fc.constantFrom("zq", "make7"), fc.array(token, { maxLength: 3 }), fc.constantFrom("", ":*"))
    .map(([first, rest, end]) => `Bash(${[first, ...rest].join(" ")}${end})`);
  const shell = fc
    .tuple(fc.constantFrom("zq", "make7"), fc.constantFrom("", " run", " run {--all,-f}", " -f"))
    .map(([first, rest]) => `Shell(${first}${rest})`);
  const command = fc
    .tuple(fc.constantFrom("zq", "make7"), fc.array(word, { maxLength: 4 }))
    .map(([first, rest]) => [first, ...rest].join(" "));
  fc.assert(
    fc.property(fc.oneof(bash, shell), fc.array(command, { minLength: 6, maxLength: 6 }), (rule, commands) => {
      const parsed = parseRule(rule);
      if (!parsed.ok) throw new Error(rule);
      for (const native of said("claude", rule)) {
        if (native === "-" || native.startsWith("none")) continue;
        const inner = /^Bash\((.*)\)$/.exec(native)?.[1] ?? "*";
        const text = inner.endsWith(":*") ? `${inner.slice(0, -2)} *` : inner;
        const bare = text.endsWith(" *") && (inner.endsWith(":*") || text.indexOf("*") === text.length - 1);
        const body = (bare ? text.slice(0, -2) : text).replace(/[.+^${}()|[\]\\?]/g, "\\$&").replaceAll("*", ".*");
        const pattern = new RegExp(`^${body}${bare ? "(?: .*)?" : ""}$`);
        for (const line of commands) {
          if (!pattern.test(line)) continue;
          const [exec] = lowerShell(line, { world: NOWHERE, shell: "any" }).actions;
          if (exec === undefined) throw new Error(line);
          expect(matchMatcher(parsed.matcher, exec, "wide", { world: NOWHERE }), `${rule}: ${native} also refuses ${line}`).not.toBe("no");
        }
      }
    }),
    { numRuns: 500 },
  );
});

describe("a host's file keeps what is in it", () => {
  const list = EXPORTS.find(({ id }) => id === "claude")?.file?.write;
  const permission = EXPORTS.find(({ id }) => id === "opencode")?.file?.write;
  const own = EXPORTS.find(({ id }) => id === "codex")?.file?.write;
  const text = (written: ReturnType<NonNullable<typeof list>> | undefined): string =>
    written?.is === "text" ? written.text : (written?.why ?? "");

  test("a list: ours go in and out, others stay", () => {
    const before = '{\n  // mine\n  "permissions": {\n    "allow": ["Bash(ls)"],\n    "deny": ["Read(x)"]\n  }\n}\n';
    const written = list?.(before, ["Bash(rm:*)", "Read(x)"], []);
    expect(text(written)).toBe(before.replace('["Read(x)"]', '["Read(x)", "Bash(rm:*)"]'));
    // What stood there is not ours.
    expect(written?.is === "text" ? written.own : []).toEqual(["Bash(rm:*)"]);
    expect(text(list?.(text(written), [], ["Bash(rm:*)"]))).toBe(before);
    expect(text(list?.(text(written), ["Bash(dd:*)"], ["Bash(rm:*)"]))).toBe(before.replace('["Read(x)"]', '["Read(x)", "Bash(dd:*)"]'));
    expect(text(list?.(text(written), ["Bash(rm:*)", "Read(x)"], ["Bash(rm:*)"]))).toBe(text(written));
    expect(text(list?.("{ broken", ["a"], []))).toContain("expected");
    expect(text(list?.('{ "permissions": { "deny": "x" } }', ["a"], []))).toBe("`permissions.deny` is not a list");
  });

  test("OpenCode: ours stand last; one action for a tool becomes its first pattern", () => {
    const before = '{ "permission": { "bash": "allow", "edit": "ask" } }\n';
    const entry = "bash\u0000rm *";
    const written = permission?.(before, [entry], []);
    expect(text(written)).toBe('{ "permission": { "bash": { "*": "allow", "rm *": "deny" }, "edit": "ask" } }\n');
    expect(text(permission?.(text(written), [], [entry]))).toBe('{ "permission": { "bash": { "*": "allow" }, "edit": "ask" } }\n');
    expect(text(permission?.('{ "permission": { "bash": { "rm *": "allow" } } }', [entry], []))).toContain("has another action");
    expect(text(permission?.('{ "permission": "allow" }', [entry], []))).toContain("is one action for everything");
    expect(text(permission?.("{}\n", [], []))).toBe("{}\n");
  });

  test("a file of our own is told by its first line", () => {
    const written = text(own?.(undefined, ["a\n"], []));
    expect(written.split("\n")[0]).toMatch(/^# Written by `assent export`/);
    expect(text(own?.(written, ["b\n"], []))).toBe(written.replace("a\n", "b\n"));
    expect(text(own?.("prefix_rule()", ["a"], []))).toContain("was not written by Assent");
  });
});
