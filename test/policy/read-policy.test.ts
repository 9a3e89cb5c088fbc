import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Action, Argument, ExecAction } from "@assent/core/action";
import { readPolicy, type ReadOptions } from "@assent/core/policy/read";
import type { PolicyFile } from "../../packages/core/src/policy/match/types.ts";

/** Enough of a shell for examples: words between blanks. */
function examples(command: string): readonly Action[] {
  return command.split(" && ").map((line): ExecAction => {
    const argv = line.split(" ").map((text): Argument => ({ known: true, text }));
    return { kind: "exec", program: line.split(" ")[0] ?? "", argv, trusted: true, env: [], origin: { by: "shell" } };
  });
}

const USER: ReadOptions = { file: "policy.jsonc", layer: "user", examples };

function policyOf(text: string, options: Partial<ReadOptions> = {}): PolicyFile {
  const read = readPolicy(text, { ...USER, ...options });
  if (!read.ok) throw new Error(JSON.stringify(read.problems, undefined, 1));
  expect(read.warnings).toEqual([]);
  return read.policy;
}

function problemsOf(text: string): readonly string[] {
  const read = readPolicy(text, USER);
  return read.ok ? [] : read.problems.map(({ line, column, key, message, help }) => `${line}:${column} ${key}: ${message}; ${help ?? "-"}`);
}

describe("what is read", () => {
  test.each([
    "{}",
    '{ "version": 1 }',
    '{ "version": 1, "permissions": { "allow": [], "ask": [], "deny": [] } }',
    '{ $schema: "x", permissions: {}, operations: {} }',
  ])("%s is a policy without rules", (text) => {
    expect(policyOf(text)).toEqual({ file: "policy.jsonc", layer: "user", settings: {}, rules: [], operations: [] });
  });

  test("rules in file order, each with its place", () => {
    const { rules } = policyOf(`{
  permissions: {
    deny: ["Read(a)"],
    allow: [
      // a comment
      "Bash(git status:*)", { rule: "mcp__memory__*", reason: "mine" },
      { tool: "Bash", command: "sed", when: { hasOption: ["-i", "--in-place"] }, reason: "in place" },
    ],
  },
}`);
    expect(
      rules.map(({ effect, source, reason, layer }) => [effect, source.text, `${source.line}:${source.column}`, reason, layer]),
    ).toEqual([
      ["deny", "Read(a)", "3:12", undefined, "user"],
      ["allow", "Bash(git status:*)", "6:7", undefined, "user"],
      ["allow", "mcp__memory__*", "6:29", "mine", "user"],
      ["allow", '{"tool":"Bash","command":"sed","when":{"hasOption":["-i","--in-place"]}}', "7:7", "in place", "user"],
    ]);
    expect(rules[3]?.matcher).toEqual({ kind: "option", commands: ["sed"], options: ["-i", "--in-place"] });
  });

  test("a project's file carries its root and whether it is trusted", () => {
    const text = '{ permissions: { deny: ["Read(a)"] }, operations: { read: { rules: [{ pattern: "b", action: "deny" }] } } }';
    const { rules, operations } = policyOf(text, { layer: "project", root: "/p", untrusted: true });
    expect(rules[0]).toMatchObject({ layer: "project", root: "/p", untrusted: true });
    expect(operations[0]?.rules[0]).toMatchObject({ layer: "project", root: "/p", untrusted: true });
  });

  test("settings: only what is written, `automation`, `audit` and `undo` made whole", () => {
    expect(policyOf("{ preset: 'strict', mode: 'auto-edit', writableRoots: ['.'], unknown: 'deny', bypass: 'host' }").settings).toEqual({
      preset: "strict",
      mode: "auto-edit",
      writableRoots: ["."],
      unknown: "deny",
      bypass: "host",
    });
    expect(policyOf("{ automation: { agents: { restricted: ['x'] } }, audit: {}, undo: { keepDays: 3 } }").settings).toEqual({
      automation: {
        when: "everywhere",
        agents: { trusted: [], restricted: ["x"] },
        breaker: { denials: 10, minutes: 0 },
        refusals: { minutes: 10 },
      },
      audit: { keepDays: 90, keepMegabytes: 4096 },
      undo: { keepDays: 3, keepMegabytes: 5120, keepRuns: 2000 },
    });
  });

  test("Y2: operation blocks keep the order of their rules", () => {
    const { operations } = policyOf(`{ operations: {
      read: { default: "allow", rules: [{ pattern: "**/safe/*.txt", action: "allow" }, { pattern: "**/*.txt", action: "deny", description: "no" }] },
      execute: { rules: [{ pattern: "git diff*", action: "allow", description: "" }] },
    } }`);
    expect(operations.map(({ operation, default: effect }) => [operation, effect])).toEqual([
      ["read", "allow"],
      ["execute", undefined],
    ]);
    expect(operations[0]?.rules.map(({ effect, matcher, reason, source }) => [effect, matcher, reason, source.text, source.line])).toEqual([
      ["allow", { kind: "path", operations: ["read"], pattern: "**/safe/*.txt" }, undefined, "read **/safe/*.txt", 2],
      ["deny", { kind: "path", operations: ["read"], pattern: "**/*.txt" }, "no", "read **/*.txt", 2],
    ]);
    expect(operations[0]?.defaultSource).toEqual({ text: "read default allow", file: "policy.jsonc", line: 2, column: 24 });
    expect(operations[1]?.rules[0]?.matcher).toEqual({ kind: "command", pattern: "git diff*" });
    expect(operations[1]?.rules[0]).not.toHaveProperty("reason");
  });

  test("Y2: the default of the whole set reaches every operation without a block", () => {
    const { operations } = policyOf("{ operations: { default: 'ask', write: { default: 'deny' } } }");
    expect(operations.map(({ operation, default: effect, rules }) => `${operation} ${effect ?? "-"} ${rules.length}`)).toEqual([
      "read ask 0",
      "write deny 0",
      "edit ask 0",
      "execute ask 0",
      "glob ask 0",
      "grep ask 0",
      "ls ask 0",
    ]);
  });

  test("YW10: what must not be written must not be edited, unless `edit` has its own block", () => {
    const write = "write: { rules: [{ pattern: '**/x', action: 'deny' }] }";
    expect(policyOf(`{ operations: { ${write} } }`).operations.map(({ operation, rules }) => [operation, rules[0]?.matcher])).toEqual([
      ["write", { kind: "path", operations: ["write", "delete", "rename", "mkdir", "link", "metadata"], pattern: "**/x" }],
      ["edit", { kind: "path", operations: ["edit"], pattern: "**/x" }],
    ]);
    expect(policyOf(`{ operations: { ${write}, edit: {} } }`).operations.map(({ operation, rules }) => [operation, rules.length])).toEqual([
      ["write", 1],
      ["edit", 0],
    ]);
  });

  test("a compiled policy survives JSON", () => {
    const policy = policyOf("{ mode: 'suggest', permissions: { deny: ['Read(a)', 'Bash(rm ** x:*)'] }, operations: { default: 'ask' } }");
    expect(JSON.parse(JSON.stringify(policy))).toEqual(policy);
  });
});

test("a rule that may not mean what its writer thinks warns and holds", () => {
  const read = readPolicy('{ permissions: { ask: ["Bash(git push && ls)"] } }', USER);
  expect(read).toMatchObject({
    ok: true,
    policy: { rules: [{ effect: "ask" }] },
    warnings: [{ severity: "warning", line: 1, column: 24, key: "permissions.ask[0]" }],
  });
});

test("a mistake in a rule points at the rule", () => {
  expect(
    problemsOf("{ permissions: { ask: ['bash(ls)', { rule: 'Read(a' }, { tool: 'Bash', command: 'x', when: { hasOption: 'i' } }] } }"),
  ).toEqual([
    "1:24 permissions.ask[0]: unknown rule name `bash`; did you mean `Bash(ls)`?",
    "1:44 permissions.ask[1].rule: `(` without `)`; write `Read(a)`",
    "1:56 permissions.ask[2]: `i` is not an option; an option starts with `-`",
  ]);
});

const rule = (text: string, more: string): string => `{ permissions: { deny: [{ rule: ${JSON.stringify(text)}, ${more} }] } }`;
const sed = (more: string): string => `{ permissions: { ask: [{ tool: "Bash", command: ["sed"], when: { hasOption: "-i" }, ${more} }] } }`;

describe("examples are checked", () => {
  // Rule, what it must match, what it must not: all hold.
  test.each<readonly [rule: string, match: string, notMatch: string]>([
    ["Bash(git push:*)", "['git push origin', 'ls && git push']", "['git pull']"],
    ["Shell(rm -r -f ...)", "['rm -fr x']", "['rm x']"],
    ["Shell(rm -r -f)", "['rm -fr x', 'rm -r -f x']", "['rm x']"],
    [
      "Read(src/**)",
      "['src/a/b.ts', '/home/you/project/src/a', 'src/../src/x', { file_path: 'src/x' }]",
      "['lib/a', '/src/a', 'src/../x']",
    ],
    ["Read(~/notes/*)", "['~/notes/a', '/home/you/notes/a']", "['notes/a']"],
    ["Read", "['x', '/etc/passwd']", "[]"],
    ["WebFetch(domain:nodejs.org)", "['https://nodejs.org/api', 'http://a.nodejs.org:80', 'nodejs.org']", "['https://notnodejs.org']"],
    [
      "Net(example.com:443)",
      "['https://example.com/x', 'example.com:443', 'wss://example.com']",
      "['http://example.com', 'example.com:80']",
    ],
    ["mcp__memory__*", "['mcp__memory__read', { any: 1 }]", "['mcp__other__read']"],
    ["Query(sql:SELECT *)", "['SELECT 1', { sql: ['SELECT x'] }, { a: { sql: 'SELECT y' } }]", "['DROP x', { other: 'SELECT 1' }]"],
  ])("%s", (text, match, notMatch) => {
    expect(problemsOf(rule(text, `match: ${match}, notMatch: ${notMatch}`))).toEqual([]);
  });

  test("an option rule has examples, too", () => {
    expect(problemsOf(sed("match: ['sed -i x', 'sed -ni x'], notMatch: ['sed x', 'perl -i']"))).toEqual([]);
    expect(problemsOf(sed("notMatch: ['sed -i x']"))).toHaveLength(1);
  });

  test.each<readonly [text: string, problems: readonly string[]]>([
    [
      rule("Shell(rm -r -f)", "match: ['rm -fr x', 'rm x']"),
      [
        "1:72 permissions.deny[0].match[1]: the rule does not match `rm x`; `match` says that it must: correct `Shell(rm -r -f)`, or this example",
      ],
    ],
    [
      rule("Bash(rm:*)", "notMatch: ['rm x']"),
      [
        "1:58 permissions.deny[0].notMatch[0]: the rule matches `rm x`; `notMatch` says that it must not: correct `Bash(rm:*)`, or this example",
      ],
    ],
    [
      rule("Bash(rm:*)", "match: [{ command: 'rm' }]"),
      [
        '1:55 permissions.deny[0].match[0]: `{"command":"rm"}` is not an example of what this rule looks at; an example of this rule is a command: "git push origin"',
      ],
    ],
    [
      rule("Net(a.example)", "match: ['not a host']"),
      [
        '1:59 permissions.deny[0].match[0]: `not a host` is not an example of what this rule looks at; an example of this rule is a URL or a host: "https://nodejs.org/api", "nodejs.org:443"',
      ],
    ],
    [
      rule("Bash(rm:*)", "match: [['rm']]"),
      ['1:55 permissions.deny[0].match[0]: `match[0]` must be a text or an object, not a list; write "match": ["git push origin"]'],
    ],
  ])("%s", (text, problems) => {
    expect(problemsOf(text)).toEqual(problems);
  });
});

describe("patterns of operation blocks are checked", () => {
  test.each<readonly [text: string, problem: string]>([
    ["{ operations: { read: { rules: [{ pattern: 'a\\\\q', action: 'deny' }] } } }", "1:44 operations.read.rules[0].pattern: "],
    ["{ operations: { execute: { rules: [{ pattern: 'a\\\\', action: 'deny' }] } } }", "1:47 operations.execute.rules[0].pattern: "],
  ])("%s", (text, problem) => {
    const [found = "", ...more] = problemsOf(text);
    expect(more).toEqual([]);
    expect(found.startsWith(problem)).toBe(true);
  });
});

/** Files that look like policies, right and wrong in every part. */
const words = fc.constantFrom(
  "permissions",
  "allow",
  "deny",
  "denny",
  "operations",
  "read",
  "rules",
  "pattern",
  "action",
  "automation",
  "rule",
  "match",
  "tool",
  "command",
  "when",
  "hasOption",
  "mode",
  "__proto__",
  "\u202e",
);
const leaves = fc.oneof(
  words,
  fc.constantFrom("Bash", "Bash(rm:*)", "Read(**)", "Shell(", "Net(x:y)", "-i", "**", "[", "suggest", 1, -1, null, true),
  fc.string({ unit: "binary", maxLength: 5 }),
);
const { value: policies } = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 6 }, leaves, fc.array(tie("value"), { maxLength: 3 }), fc.dictionary(words, tie("value"), { maxKeys: 4 })),
}));

test("reading never throws, says something about every wrong file, and points into it", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        policies,
        policies.map((permissions) => ({ permissions })),
        policies.map((deny) => ({ permissions: { deny: [deny] } })),
      ),
      (value) => {
        const text = JSON.stringify(value, undefined, 1);
        const read = readPolicy(text, USER);
        const problems = read.ok ? read.warnings : read.problems;
        expect(read.ok || problems.length > 0).toBe(true);
        const lines = text.split("\n");
        for (const { line, column, message, help } of problems) {
          expect(column >= 1 && column <= (lines[line - 1]?.length ?? -1) + 1).toBe(true);
          expect(message).toMatch(/^[^\n\u202e]+[^.]$/u);
          expect(help ?? "x").toMatch(/^[^\n\u202e]+$/u);
        }
      },
    ),
    { numRuns: 2000 },
  );
});

test("a hostile file is refused in bounded time", () => {
  const keys = Array.from({ length: 20_000 }, (_, index) => `k${index}:1`).join();
  const files = [`{${keys}}`, `{permissions:{deny:[${"1,".repeat(50_000)}]}}`, `{permissions:{deny:[{${keys}}]}}`];
  files.push(`{permissions:{deny:[${'"(",'.repeat(50_000)}]}}`, `{permissions:{deny:[{rule:"Read",match:[${'"",'.repeat(50_000)}]}]}}`);
  for (const text of files) expect(problemsOf(text)).toHaveLength(100);
  const many = rule("Bash(ls)", `match: [${"'x',".repeat(2001)}]`);
  expect(problemsOf(many)).toEqual(["1:25 permissions.deny[0]: more than 2000 examples in one file; keep those that tell something"]);
});
