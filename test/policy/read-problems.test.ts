import { describe, expect, test } from "vitest";
import { readPolicy } from "@assent/core/policy/read";

/** `line:column key: message`, and the help under it, as a person sees a problem. */
function problems(text: string): readonly (readonly [problem: string, help: string | undefined])[] {
  const read = readPolicy(text, { file: "policy.jsonc", layer: "user", examples: () => [] });
  const found = read.ok ? read.warnings : read.problems;
  for (const { severity, file } of found)
    expect({ severity, file }).toEqual({ severity: read.ok ? "warning" : "error", file: "policy.jsonc" });
  return found.map(({ line, column, key, message, help }) => [`${line}:${column} ${key}: ${message}`, help]);
}

interface Row {
  readonly text: string;
  readonly says: string;
  /** A pattern where the help lists what may change. */
  readonly help: string | RegExp | undefined;
}

const PERMISSIONS = 'write "permissions": { "allow": [], "ask": [], "deny": [] }';
const OPTION_RULE = 'write { "tool": "Bash", "command": "sed", "when": { "hasOption": "-i" } }';

// AW11: what agentperm loads silently as no rules at all.
const SILENT_THERE: readonly Row[] = [
  {
    text: '{ "permissions": { "denny": ["Bash(rm:*)"] } }',
    says: "1:20 permissions.denny: unknown key `denny`",
    help: "did you mean `deny`?",
  },
  {
    text: '{\n  "version": 99 }',
    says: "2:14 version: `version` must be `1`, not `99`",
    help: "this Assent reads version 1; for a newer file install a newer Assent",
  },
  {
    text: '{ permissions: { deny: [{ tool: "Bash", command: "sed" }] } }',
    says: "1:25 permissions.deny[0].when: missing key `when`",
    help: OPTION_RULE,
  },
  {
    text: '{ permissions: { deny: [{ tool: "Read", command: "x", when: { hasOption: "-i" } }] } }',
    says: '1:33 permissions.deny[0].tool: `tool` must be `"Bash"`, not `"Read"`',
    help: 'this form is for shell commands only; for another tool write a text such as "Read(src/**)"',
  },
  { text: '{ "permissions": [] }', says: "1:18 permissions: `permissions` must be an object, not a list", help: PERMISSIONS },
  { text: '{ "permissions": null }', says: "1:18 permissions: `permissions` must be an object, not `null`", help: PERMISSIONS },
  {
    text: "{ permissions: { deny: 'Bash(rm:*)' } }",
    says: '1:24 permissions.deny: `deny` must be a list, not `"Bash(rm:*)"`',
    help: 'write "deny": ["Bash(git status:*)"]',
  },
  {
    text: "{ permissions: { deny: {} } }",
    says: "1:24 permissions.deny: `deny` must be a list, not an object",
    help: 'write "deny": ["Bash(git status:*)"]',
  },
  {
    text: "{ permissions: { deny: ['x', 7] } }",
    says: "1:30 permissions.deny[1]: `deny[1]` must be a text or an object, not `7`",
    help: 'write "Bash(git status:*)"',
  },
  {
    text: "{ permissions: { deny: [['Bash(rm:*)']] } }",
    says: "1:25 permissions.deny[0]: `deny[0]` must be a text or an object, not a list",
    help: 'write "Bash(git status:*)"',
  },
  {
    text: "{ permissions: { deny: [''] } }",
    says: "1:25 permissions.deny[0]: `deny[0]`: the text is empty",
    help: 'write "Bash(git status:*)"',
  },
  { text: "{ deny: ['Bash(rm:*)'] }", says: "1:3 deny: unknown key `deny`", help: "`deny` belongs in `permissions`" },
  {
    text: "[]",
    says: "1:1 : the policy must be an object, not a list",
    help: 'write { "version": 1, "permissions": { "allow": [], "ask": [], "deny": [] } }',
  },
  {
    text: "'deny'",
    says: '1:1 : the policy must be an object, not `"deny"`',
    help: 'write { "version": 1, "permissions": { "allow": [], "ask": [], "deny": [] } }',
  },
];

const OTHERS: readonly Row[] = [
  // unknown keys
  { text: "{ permisions: {} }", says: "1:3 permisions: unknown key `permisions`", help: "did you mean `permissions`?" },
  {
    text: "{ permissions: { mode: 'suggest' } }",
    says: "1:18 permissions.mode: unknown key `mode`",
    help: "`mode` belongs at the top level",
  },
  { text: "{ permissions: { block: [] } }", says: "1:18 permissions.block: unknown key `block`", help: "did you mean `deny`?" },
  {
    text: "{ permissions: { whatever: [] } }",
    says: "1:18 permissions.whatever: unknown key `whatever`",
    help: "use one of `allow`, `ask`, `deny`",
  },
  { text: "{ execute: {} }", says: "1:3 execute: unknown key `execute`", help: "`execute` belongs in `operations`" },
  {
    text: "{ permissions: { __proto__: [] } }",
    says: "1:18 permissions.__proto__: unknown key `__proto__`",
    help: "use one of `allow`, `ask`, `deny`",
  },
  { text: "{ constructor: 1, version: 1 }", says: "1:3 constructor: unknown key `constructor`", help: /^use one of `\$schema`, / },
  { text: '{ "a\\u001bb": 1, version: 1 }', says: '1:3 ["a\\u001bb"]: unknown key `a\\u{1b}b`', help: /^use one of / },
  {
    text: "{ permissions: { deny: [{ rule: 'Read(x)', raeson: 'y' }] } }",
    says: "1:44 permissions.deny[0].raeson: unknown key `raeson`",
    help: "did you mean `reason`?",
  },
  {
    text: "{ permissions: { deny: [{ rules: 'Read(x)', rule: 'Read(x)' }] } }",
    says: "1:27 permissions.deny[0].rules: unknown key `rules`",
    help: "did you mean `rule`?",
  },
  // choices
  { text: "{ mode: 'full_auto' }", says: '1:9 mode: unknown value `"full_auto"` for `mode`', help: "did you mean `full-auto`?" },
  { text: "{ mode: 'Suggest' }", says: '1:9 mode: unknown value `"Suggest"` for `mode`', help: "did you mean `suggest`?" },
  {
    text: "{ preset: 'paranoid' }",
    says: '1:11 preset: unknown value `"paranoid"` for `preset`',
    help: "use one of `default`, `permissive`, `readonly`, `strict`, `none`",
  },
  {
    text: "{ unknown: true }",
    says: "1:12 unknown: `unknown` must be one of `confine`, `confine-log`, `ask`, `deny`, not `true`",
    help: undefined,
  },
  { text: "{ bypass: {} }", says: "1:11 bypass: `bypass` must be one of `asks`, `host`, not an object", help: undefined },
  {
    text: "{ operations: { read: { default: 'prompt' } } }",
    says: '1:34 operations.read.default: unknown value `"prompt"` for `default`',
    help: "did you mean `ask`?",
  },
  { text: "{ operations: { reed: {} } }", says: "1:17 operations.reed: unknown key `reed`", help: "did you mean `read`?" },
  {
    text: "{ operations: { read: 'allow' } }",
    says: '1:23 operations.read: `read` must be an object, not `"allow"`',
    help: /^write \{ "default": "ask"/,
  },
  {
    text: "{ operations: { read: { rules: [{ pattern: 'x' }] } } }",
    says: "1:33 operations.read.rules[0].action: missing key `action`",
    help: 'write { "pattern": "**/secrets/**", "action": "deny" }',
  },
  // numbers, texts
  {
    text: "{ version: '1' }",
    says: '1:12 version: `version` must be `1`, not `"1"`',
    help: "this Assent reads version 1; for a newer file install a newer Assent",
  },
  {
    text: "{ audit: { keepDays: 0 } }",
    says: "1:22 audit.keepDays: `keepDays`: must be a whole number from 1 to 1000000",
    help: 'write "keepDays": 90',
  },
  {
    text: "{ audit: { otlp: { endpoint: 'https://me:pass@c.org' } } }",
    says: "1:30 audit.otlp.endpoint: `endpoint`: is not an http(s) address without user, query and fragment",
    help: 'write "otlp": { "endpoint": "https://collector.example.org:4318" }',
  },
  {
    text: "{ audit: { otlp: { endpoint: 'https://c.org', headers: { authorization: 'Bearer abc' } } } }",
    says: "1:73 audit.otlp.headers.authorization: `authorization`: is not the name of an environment variable",
    help: 'write "headers": { "authorization": "COLLECTOR_TOKEN" }, the name of the environment variable that holds it',
  },
  {
    text: "{\n  undo: { keepRuns: 0 } }",
    says: "2:21 undo.keepRuns: `keepRuns`: must be a whole number from 1 to 1000000",
    help: 'write "keepRuns": 2000',
  },
  {
    text: "{ audit: { keepDays: 1.5 } }",
    says: "1:22 audit.keepDays: `keepDays`: must be a whole number from 1 to 1000000",
    help: 'write "keepDays": 90',
  },
  {
    text: "{ audit: { keepDays: Infinity } }",
    says: "1:22 audit.keepDays: `keepDays`: must be a whole number from 1 to 1000000",
    help: 'write "keepDays": 90',
  },
  {
    text: "{ audit: { keepDays: -0.5 } }",
    says: "1:22 audit.keepDays: `keepDays`: must be a whole number from 1 to 1000000",
    help: 'write "keepDays": 90',
  },
  {
    text: "{ audit: { keepDays: NaN } }",
    says: "1:22 audit.keepDays: `keepDays` must be a number, not `NaN`",
    help: 'write "keepDays": 90',
  },
  {
    text: "{ audit: { keepDays: '90' } }",
    says: '1:22 audit.keepDays: `keepDays` must be a number, not `"90"`',
    help: 'write "keepDays": 90',
  },
  {
    text: "{ writableRoots: 'src' }",
    says: '1:18 writableRoots: `writableRoots` must be a list, not `"src"`',
    help: 'write "writableRoots": ["."]',
  },
  {
    text: "{ writableRoots: ['src', null] }",
    says: "1:26 writableRoots[1]: `writableRoots[1]` must be a text, not `null`",
    help: 'write "writableRoots": ["."]',
  },
  {
    text: "{ automation: { breaker: [] } }",
    says: "1:26 automation.breaker: `breaker` must be an object, not a list",
    help: 'write "breaker": { "denials": 10, "minutes": 60 }',
  },
  // option rules
  {
    text: "{ permissions: { ask: [{ command: 'sed', when: { hasOption: '-i' } }] } }",
    says: "1:24 permissions.ask[0].tool: missing key `tool`",
    help: OPTION_RULE,
  },
  {
    text: "{ permissions: { ask: [{ tool: 'Bash', command: [], when: { hasOption: '-i' } }] } }",
    says: "1:49 permissions.ask[0].command: `command`: the list is empty",
    help: OPTION_RULE,
  },
  {
    text: "{ permissions: { ask: [{ tool: 'Bash', command: ['a', 2], when: { hasOption: '-i' } }] } }",
    says: "1:55 permissions.ask[0].command[1]: `command[1]` must be a text, not `2`",
    help: OPTION_RULE,
  },
  {
    text: "{ permissions: { ask: [{ tool: 'Bash', command: 2, when: { hasOption: '-i' } }] } }",
    says: "1:49 permissions.ask[0].command: `command` must be a text or a list of texts, not `2`",
    help: OPTION_RULE,
  },
  {
    text: "{ permissions: { ask: [{ tool: 'Bash', command: 'a', when: {} }] } }",
    says: "1:60 permissions.ask[0].when.hasOption: missing key `hasOption`",
    help: 'write "when": { "hasOption": "-i" }',
  },
  {
    text: "{ permissions: { ask: [{}] } }",
    says: "1:24 permissions.ask[0].rule: missing key `rule`",
    help: 'write { "rule": "Bash(git push:*)", "reason": "…" }',
  },
  {
    text: "{ permissions: { ask: [{ rule: 5 }] } }",
    says: "1:32 permissions.ask[0].rule: `rule` must be a text, not `5`",
    help: 'write { "rule": "Bash(git push:*)", "reason": "…" }',
  },
  {
    text: "{ permissions: { ask: [{ rule: 'Read(x)', match: 'x' }] } }",
    says: '1:50 permissions.ask[0].match: `match` must be a list, not `"x"`',
    help: 'write "match": ["git push origin"]',
  },
];

describe("AW11: nothing is lost silently", () => {
  test.each(SILENT_THERE)("$text", ({ text, says, help }) => {
    expect(problems(text)).toEqual([[says, help]]);
  });
});

describe("every mistake has its place and a way out", () => {
  test.each(OTHERS)("$text", ({ text, says, help }) => {
    const [[problem, advice] = [], ...more] = problems(text);
    const fits = help instanceof RegExp ? help.test(advice ?? "") : advice === help;
    expect({ problem, more, help: fits ? help : advice }).toEqual({ problem: says, more: [], help });
  });
});

test("all problems are reported at once, in the order of the text", () => {
  const text = `{
  // a policy with six mistakes
  "mode": "fast",
  "permissions": {
    "alow": ["Read"],
    "deny": ["Bash(rm", { "rule": "Read(x)", "why": "?", "because": "!" }],
    "dney": [],
  },
  "mode": "suggest",
}`;
  expect(problems(text).map(([says]) => says)).toEqual([
    "5:5 permissions.alow: unknown key `alow`",
    "6:14 permissions.deny[0]: `(` without `)`",
    "6:46 permissions.deny[1].why: unknown key `why`",
    "6:58 permissions.deny[1].because: unknown key `because`",
    "7:5 permissions.dney: unknown key `dney`",
    "9:3 mode: duplicate key `mode`",
  ]);
});

test("what agentperm's own example files carry without effect only warns", () => {
  expect(problems('{\n  "shell": { "redirection": {} }, "$schema": "x" }')).toEqual([
    ["2:3 shell: `shell` has no effect", "remove it; redirects are judged as the file writes they are"],
  ]);
});

test("long and hidden text in a message is cut and made visible", () => {
  const [[says] = [""]] = problems(`{ mode: "${"x".repeat(500)}" }`);
  expect(says.length).toBeLessThan(120);
  expect(problems("{ mode: '\u202e\u0007' }")[0]?.[0]).toBe('1:9 mode: unknown value `"\\u{202e}\\u0007"` for `mode`');
});
