import { describe, expect, test } from "vitest";
import { readAgentperm } from "../../packages/hosts/src/agents/native/agentperm.ts";
import { readAutonomousDev } from "../../packages/hosts/src/agents/native/autonomous-dev.ts";
import { readCopilotApprovals, readCopilotSettings } from "../../packages/hosts/src/agents/copilot/rules.ts";
import { readCursor } from "../../packages/hosts/src/agents/cursor/rules.ts";
import { readDippy } from "../../packages/hosts/src/agents/native/dippy.ts";
import { isPydanticPython, readPydantic } from "../../packages/hosts/src/agents/native/pydantic.ts";
import { readSafetyNet } from "../../packages/hosts/src/agents/native/safety-net.ts";
import { readJson5, toValue } from "@assent/core/edit/json5";
import { planImport, settle } from "@assent/import/import";
import { CONTEXT, readingOf } from "./reading.ts";

function valueOf(text: string): unknown {
  const { root } = readJson5(text);
  return root === undefined ? undefined : toValue(root);
}

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
    "what is not a rule",
    'after git push * "Look"\nset default allow\nset log ~/x\nallows ls',
    [
      "lost 1: a comment after a command does not allow anything",
      "lost 2: to allow what no rule speaks of is never taken over",
      "lost 4: it is not a rule",
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

test.each([
  ["about options", { tool: "Bash", command: "sed", when: { hasOption: ["-i", "--in-place"] } }],
  ["about options of several programs", { tool: "Bash", command: ["sed", "gsed"], when: { hasOption: "-i" } }],
  ["for some people", { rule: "Bash(make:*)", when: { role: "dev" } }],
  ["about options, for some agents", { tool: "Bash", command: "sed", when: { hasOption: "-i", agent: "claude" } }],
  ["about a tool nobody knows", { tool: "Frobnicate" }],
])("agentperm: a rule %s is written as it is, with its reason", (_, rule) => {
  const read = readAgentperm(JSON.stringify({ permissions: { ask: [{ ...rule, reason: "mine" }] } }));
  if ("problem" in read) throw new Error(read.problem);
  expect(read.lost).toEqual([]);
  const sourced = read.rules.flatMap((one) => {
    const { rule: settled } = settle(one);
    return settled === undefined ? [] : [{ rule: settled, from: "a:1" }];
  });
  const { text, added } = planImport("{}", sourced);
  expect([added.length, valueOf(text)]).toEqual([1, { permissions: { ask: [{ ...rule, reason: "mine" }] } }]);
  // A second import adds nothing.
  expect(planImport(text, sourced)).toMatchObject({ text, added: [], there: sourced });
});

/** Forms of 0.3 and newer: docs/policy-reference.md and docs/sql-policy.md of agentperm. */
test.each([
  [{ "Shell(git push --force)": { reason: "no" } }, ["ask Shell(git push --force) // no"]],
  [{ "Bash(rm:*)": { reason: "no" } }, ["ask Bash(rm:*) // no"]],
  [{ "Write(gen/**)": { reason: "made" } }, ["ask Write(gen/**) // made"]],
  [{ "Shell(aws s3 ls)": { values: ["--region", "--profile"] } }, ["ask Shell(aws s3 ls values(--region,--profile))"]],
  [{ rule: "Shell(aws s3 ls)", values: ["--region"] }, ["ask Shell(aws s3 ls values(--region))"]],
  [
    { "Shell(tee)": { allowPaths: ["/tmp"], reason: "a" } },
    ["ask Shell(tee) // a", "lost 1: a redirect is judged as the change of a file that it is"],
  ],
  ["Python(readonly)", ["lost 1: code is judged by what it does, in Python as in other languages"]],
  [{ "Python(readonly)": { reason: "a" } }, ["lost 1: code is judged by what it does, in Python as in other languages"]],
  ["Shell(psql -c <SQL>)", ["lost 1: `<SQL>` stands for no word of a command here"]],
  ["Shell(timeout * <EXEC>)", ["lost 1: `<EXEC>` stands for no word of a command here"]],
  [{ "Shell(ls)": {}, "Shell(rm)": {} }, ["lost 1: unknown key `Shell(ls)`"]],
  [{ "Shell(ls)": { unless: ["-a"] } }, ["lost 1: unknown key `unless`"]],
  [{ "Shell(ls)": { values: "-a" } }, ["lost 1: unknown key `Shell(ls)`"]],
  [{ "Shell(ls)": { values: [1] } }, ["lost 1: unknown key `Shell(ls)`"]],
  [{ "Shell(ls)": { rule: "Shell(rm)" } }, ["lost 1: unknown key `Shell(ls)`"]],
])("agentperm 0.3: %j", (rule, expected) => {
  expect(readingOf(readAgentperm(JSON.stringify({ permissions: { ask: [rule] } })))).toEqual(expected);
});

test("agentperm 0.3: what is beside the rules is told", () => {
  const text = `{ "include": ["more.jsonc"], "python": {},
  "shell": { "redirection": { "stdoutToFile": "deny", "appendToFile": "ask", "allowPaths": ["/tmp"] } } }`;
  expect(readingOf(readAgentperm(text))).toEqual([
    "lost 2: a redirect is judged as the change of a file that it is",
    "lost 2: a redirect is judged as the change of a file that it is",
    "lost 1: the files that it names are not read with it",
    "lost 1: code is judged by what it does, not by the names of its calls",
  ]);
});

test("agentperm: two rules that differ in whom they are for are two", () => {
  const rules = [{ rule: "Bash(make:*)", when: { role: "dev" } }, { rule: "Bash(make:*)", when: { role: "ops" } }, "Bash(make:*)"];
  const read = readAgentperm(JSON.stringify({ permissions: { allow: rules } }));
  if ("problem" in read) throw new Error(read.problem);
  const sourced = read.rules.flatMap((one) => {
    const { rule } = settle(one);
    return rule === undefined ? [] : [{ rule, from: "a:1" }];
  });
  expect(valueOf(planImport("{}", sourced).text)).toEqual({ permissions: { allow: rules } });
});

/** Parts of an auto-approval policy over one that names nothing; its defaults ask. */
const engine = (parts: Readonly<Record<string, unknown>>): string =>
  JSON.stringify({ version: "2.0", bash: { whitelist: [] }, file_paths: { whitelist: [], blacklist: [] }, agents: {}, ...parts });
const ASKS = ["execute", "read", "write", "edit"].map((operation) => `ask default: operations.${operation}.default`);
const WATCHED_ASKS = ["rm", "mv", "cp", "chmod", "chown", "sudo", "eval", "exec"].map((word) => `ask Bash(${word}:*)`);
const files = (list: "whitelist" | "blacklist", ...patterns: readonly string[]): Readonly<Record<string, unknown>> => ({
  file_paths: { whitelist: [], blacklist: [], [list]: patterns },
});

const AUTONOMOUS_DEV: readonly (readonly [
  what: string,
  parts: Readonly<Record<string, unknown>>,
  ours: readonly string[],
  scope?: "project",
])[] = [
  ["nothing is allowed: everything is asked", {}, ASKS],
  [
    "commands: whole texts, and the star is any text",
    { bash: { whitelist: ["git status", "pytest*", "npm run *"], blacklist: ["npm publish*", "git push --force origin main"] } },
    [
      ...ASKS,
      "allow Bash(git status)",
      "allow Bash(npm run * **)",
      "allow execute: pytest*",
      "deny Bash(git push --force origin main)",
      "deny execute: npm publish*",
    ],
  ],
  ["the older name of the refusals", { bash: { whitelist: [], denylist: ["telnet *"] } }, [...ASKS, "deny Bash(telnet * **)"]],
  ["the newer name counts", { bash: { whitelist: [], blacklist: [], denylist: ["telnet *"] } }, ASKS],
  [
    "everything but: what the engine watches in every command is asked",
    { bash: { whitelist: ["*"], blacklist: ["sudo *"] } },
    [
      ...ASKS.slice(1),
      ...WATCHED_ASKS,
      "allow Bash",
      "deny Bash(sudo * **)",
      "lost 1: kept, but these are asked wherever they stand: rm, mv, cp, chmod, chown, sudo, eval, exec; no rule can say, as the engine does, outside the project or behind another command",
    ],
  ],
  [
    "a list that reaches one of them",
    { bash: { whitelist: ["cp *"] } },
    [
      ...ASKS,
      "ask Bash(cp:*)",
      "allow Bash(cp * **)",
      "lost 1: kept, but these are asked wherever they stand: cp; no rule can say, as the engine does, outside the project or behind another command",
    ],
  ],
  [
    "texts that only a shell acts on",
    { bash: { whitelist: [], blacklist: ["| sh", "curl * | bash", "> /dev/*", "$(rm*", ":(){:|:&};:"] } },
    [
      ...ASKS,
      ...Array.from(
        { length: 5 },
        () =>
          "lost 1: each command of a line is judged by itself here, so a pattern with shell operators, substitutions or groups matches nothing",
      ),
    ],
  ],
  ["home", { bash: { whitelist: [], blacklist: ["rm -rf ~*"] } }, [...ASKS, "deny execute: rm -rf /home/you*"]],
  [
    "a backslash, and a set that is no negation there",
    { bash: { whitelist: [], blacklist: ["x[^a]y*"] } },
    [...ASKS, "deny execute: x[\\^a]y*"],
  ],
  [
    "files that are refused: reading and every change, everywhere",
    files("blacklist", "/etc/*", "*/.env", "~/x/*"),
    [
      ...ASKS,
      "deny Read(/etc/**)",
      "deny Write(/etc/**)",
      "deny Read(**/.env)",
      "deny Write(**/.env)",
      "deny Read(~/x/**)",
      "deny Write(~/x/**)",
    ],
  ],
  [
    "files that are refused, in words that stop at a slash here",
    files("blacklist", "/srv/?", "/srv/[!a]*"),
    [...ASKS, ...Array.from({ length: 2 }, () => "lost 1: `?` and sets also stand for a `/` there, and for none here")],
  ],
  [
    "files that are allowed: those of the project, and their content",
    files("whitelist", "*", "src/*.ts"),
    [...ASKS, "allow Read(./**)", "allow Edit(./**)", "allow Read(src/**.ts)", "allow Edit(src/**.ts)"],
  ],
  [
    "files that the engine never allowed",
    files("whitelist", "/tmp/*", "~/.claude/*"),
    [
      ...ASKS,
      "lost 1: the engine allows files of the project only, so this never allowed anything, or which project it means is not known",
      "lost 1: settings of an agent decide what it may do",
    ],
  ],
  [
    "a project's own policy names its own folder",
    files("whitelist", "/home/you/project/src/*"),
    [...ASKS, "allow Read(src/**)", "allow Edit(src/**)"],
    "project",
  ],
  [
    "web tools",
    {
      web_tools: {
        whitelist: ["WebFetch", "Fetch", "mcp__*__search"],
        allow_all_domains: true,
        blocked_domains: ["evil.com", "10.*", "[::1]"],
      },
    },
    [
      ...ASKS,
      "allow WebFetch",
      "deny WebFetch(domain:evil.com)",
      "lost 1: a part of a name or of an address",
      "lost 1: a pattern over the names of tools, with a star inside",
      "lost 1: it is asked or refused without a rule",
      "lost 1: no host that Assent knows has a tool of this name",
    ],
  ],
  [
    "web tools without an address",
    { web_tools: { whitelist: ["WebFetch"], allow_all_domains: false } },
    [...ASKS, "lost 1: without `allow_all_domains` no address is allowed there"],
  ],
  [
    "tools, but not those that have lists of their own",
    { tools: { always_allowed: ["TodoWrite", "mcp__github__*", "Bash", "Write", "NotebookEdit"] } },
    [...ASKS, "allow TodoWrite", "allow mcp__github__*", "lost 1: a tool that changes files: here the rules about paths decide"],
  ],
  [
    "sub-agents",
    { agents: { trusted: ["reviewer"], restricted: ["auditor"] } },
    [...ASKS, ...Array.from({ length: 2 }, () => "lost 1: which sub-agents you trust is not a rule of a policy")],
  ],
  ["an unknown key", { hooks: {} }, [...ASKS, "lost 1: nothing is known of this key"]],
  ["a key is missing", { agents: undefined }, ["broken 1:1: `agents` is missing: the engine does not load it either"]],
];

describe("the auto-approval engine of autonomous-dev", () => {
  test.each(AUTONOMOUS_DEV.map(([what, parts, ours, scope]) => ({ what, parts, ours, scope: scope ?? ("user" as const) })))(
    "$what",
    ({ parts, ours, scope }) =>
      expect([...readingOf(readAutonomousDev(engine(parts), { ...CONTEXT, scope }))].toSorted()).toEqual([...ours].toSorted()),
  );
});

const Y_ASKS = ["read", "write", "edit", "execute", "glob", "grep", "ls"].map(
  (operation) => `ask default: operations.${operation}.default`,
);
const without = (...operations: readonly string[]): readonly string[] =>
  Y_ASKS.filter((line) => !operations.some((operation) => line.includes(`.${operation}.`)));

const PYDANTIC: readonly (readonly [what: string, ruleset: unknown, ours: readonly string[]])[] = [
  ["what no block speaks of is asked", { default: "ask", read: { default: "ask" } }, Y_ASKS],
  ["a block without a default allows", { read: { rules: [] } }, [...without("read"), "allow default: operations.read.default"]],
  [
    "files: the first that matches, in its order",
    {
      read: {
        default: "ask",
        rules: [
          { pattern: "docs/secrets/README.md", action: "allow" },
          { pattern: "**/secrets/**", action: "deny", description: "ask the team" },
        ],
      },
    },
    [...Y_ASKS, "allow read: docs/secrets/README.md", "deny read: **/secrets/** // ask the team"],
  ],
  [
    "words that mean something else in a path here",
    {
      edit: {
        default: "ask",
        rules: [
          { pattern: "{a,b}/*", action: "deny" },
          { pattern: "[!a]x", action: "deny" },
          { pattern: "../x", action: "deny" },
          { pattern: "~/x", action: "allow" },
          { pattern: "[z-a]", action: "deny" },
        ],
      },
    },
    [
      ...Y_ASKS,
      "deny edit: \\{a,b\\}/*",
      "lost 1: a set that also takes a `/`",
      "lost 1: `..` in a pattern",
      "lost 1: `~` stands for itself there",
      "lost 1: the range in `[z-a]` runs backwards",
    ],
  ],
  [
    "writing",
    { write: { default: "ask", rules: [{ pattern: "src/**", action: "allow" }] } },
    [...Y_ASKS, "allow write: src/**", "lost 1: kept, but to write also means to delete, to rename and to make folders here"],
  ],
  [
    "commands: a star that stops at a slash",
    { execute: { default: "ask", rules: [{ pattern: "git diff*", action: "allow" }] } },
    [...Y_ASKS, "allow execute: git diff*", "ask execute: git diff*/*"],
  ],
  [
    "commands: where the default refuses",
    {
      execute: {
        default: "deny",
        rules: [
          { pattern: "pytest *", action: "ask" },
          { pattern: "ls **", action: "allow" },
        ],
      },
    },
    [
      ...without("execute"),
      "deny default: operations.execute.default",
      "ask Bash(pytest * **)",
      "deny execute: pytest */*",
      "allow Bash(ls * **)",
    ],
  ],
  [
    "commands: refusals, and a star that needs nothing beside it",
    {
      execute: {
        default: "allow",
        rules: [
          { pattern: "rm -rf /*", action: "deny" },
          { pattern: "> /dev/sda", action: "deny" },
        ],
      },
    },
    [
      ...without("execute"),
      "allow default: operations.execute.default",
      "deny execute: rm -rf /*",
      "lost 1: each command of a line is judged by itself here, so a pattern with shell operators, substitutions or groups matches nothing",
    ],
  ],
  [
    "commands: an exception to a refusal",
    {
      execute: {
        default: "ask",
        rules: [
          { pattern: "git push origin **", action: "allow" },
          { pattern: "git push **", action: "deny" },
        ],
      },
    },
    [
      ...Y_ASKS,
      "deny Bash(git push * **)",
      "lost 1: it takes an exception from `execute git push **: deny` (line 1); here the strictest rule wins, so that one refuses this too",
    ],
  ],
  [
    "searching is one thing to an agent's tools",
    { default: "allow", grep: { default: "deny" } },
    [
      ...["read", "write", "edit", "execute", "glob", "ls"].map((operation) => `allow default: operations.${operation}.default`),
      "deny default: operations.grep.default",
      "lost 1: kept, but to write also means to delete, to rename and to make folders here",
      "lost 1: kept, but to an agent's tools they are one: the strictest of the three holds",
    ],
  ],
  [
    "null is no block",
    { read: null, ls: { default: "ask", rules: null } },
    [...Y_ASKS, "lost 1: kept, but to an agent's tools they are one: the strictest of the three holds"],
  ],
  ["no action", { default: "maybe" }, ["broken 1:1: the action is none of allow, ask and deny: the library does not load it either"]],
  [
    "no action of a rule",
    { read: { rules: [{ pattern: "x" }] } },
    ["broken 1:1: the action is none of allow, ask and deny: the library does not load it either"],
  ],
];

const RULESET = `from pydantic_ai_backends.permissions import PermissionRule, PermissionRuleset
import pydantic_ai_backends.permissions as p

class PermissionRulesetOfMine(PermissionRuleset): ...  # PermissionRuleset( in a comment
TEXT = "PermissionRuleset(" 'x' """PermissionRuleset("""

RULES = PermissionRuleset(
    default="ask",
    read=p.OperationPermissions(
        default="allow",
        rules=[
            # not yours
            PermissionRule(pattern="**/secrets" "/**", action='deny', description="not " "yours"),
        ],
    ),
    execute=None,
)
`;
const literal = (value: string): string => `PermissionRuleset(default="ask", read=${value})`;
const Y_READ = ["deny read: **/secrets/** // not yours", "allow default: operations.read.default"];

/** As it stands in Python. */
const PYTHON: readonly (readonly [what: string, text: string, ours: readonly string[] | string])[] = [
  ["a ruleset among other things", RULESET, [...without("read"), ...Y_READ]],
  [
    "a dict, as it is printed",
    "{'default': 'ask', 'read': {'default': 'allow', 'rules': []}, 'execute': None}",
    [...without("read"), "allow default: operations.read.default"],
  ],
  [
    "a dict with a name",
    "RULES: dict = {'default': 'deny', 'read': {'default': 'allow'}, }  # mine\n",
    "allow default: operations.read.default",
  ],
  ["a raw text", literal('OperationPermissions(rules=[PermissionRule(pattern=r"a\\*", action="deny")])'), "deny read: a\\\\*"],
  ["an escape", literal('OperationPermissions(rules=[PermissionRule(pattern="\\x61.txt", action="deny")])'), "deny read: a.txt"],
  ["brackets around one value", literal('(OperationPermissions(default=("allow")))'), "allow default: operations.read.default"],
  ["a name in the place of a value", literal("READ"), "broken 1:39: `READ` is known when Python runs"],
  ["a list that is taken apart", literal("OperationPermissions(rules=[*SECRETS])"), "broken 1:67: this is not a literal"],
  ["a sum", literal("OperationPermissions(rules=[] + SECRETS)"), "broken 1:69: this is not a literal"],
  [
    "a comprehension",
    literal("OperationPermissions(rules=[PermissionRule(pattern=p, action='deny') for p in SECRETS])"),
    "broken 1:90: `p` is known",
  ],
  ["a text that is made", literal('OperationPermissions(default=f"{x}")'), "broken 1:68: a text with the prefix `f`"],
  ["an escape by name", literal('OperationPermissions(default="\\N{DIGIT ONE}")'), "broken 1:69: an escape"],
  ["an argument by its place", literal('OperationPermissions("allow")'), "broken 1:60: an argument without a name"],
  ["an argument twice", literal('OperationPermissions(default="ask", default="allow")'), "broken 1:75: `default` is there twice"],
  ["arguments taken apart", literal("OperationPermissions(**more)"), "broken 1:60: an argument without a name"],
  ["a function of the library", literal("create_ruleset()"), "broken 1:39: `create_ruleset` is known when Python runs"],
  ["two rulesets", `${literal("None")}\n${literal("None")}`, "broken 2:1: this file holds several rulesets"],
  ["a ruleset that is changed", `${literal("None")}.model_copy(update=more)`, "broken 1:44: something is done with the ruleset"],
  ["one that is changed on the next line", `(${literal("None")}\n  .model_copy(update=more))`, "broken 2:3: something is done"],
  ["one of two", `${literal("None")} if x else y`, "broken 1:45: something is done"],
  ["one that is handed on", `backend(permissions=${literal("OperationPermissions()")})`, "allow default: operations.read.default"],
  ["what is not closed", 'PermissionRuleset(default="ask"', "broken 1:32: it is not closed"],
  ["a text that is not closed", 'PermissionRuleset(default="ask', "broken 1:27: the text is not closed"],
  ["too deep", literal("[".repeat(100)), "broken 1:55: nested too deeply"],
];

describe("pydantic-ai-backend in Python", () => {
  test.each(PYTHON)("%s", (_, text, ours) => {
    const read = [...readingOf(readPydantic(text))];
    if (typeof ours === "string")
      expect(
        read.find((line) => line.startsWith(ours)),
        read.join("\n"),
      ).toBeDefined();
    else expect(read.toSorted()).toEqual([...ours].toSorted());
  });

  test.each([
    ["a ruleset among other things", RULESET, true],
    ["a ruleset that is not read", literal("READ"), true],
    ["a dict", "{'read': {'default': 'allow'}}", true],
    ["another dict", "{'reader': {'default': 'allow'}}", false],
    ["another program", "print('PermissionRuleset(')", false],
    ["a long name", `${"a.".repeat(300_000)}(`, false],
    ["texts that are not closed", `"""${"'".repeat(300_003)}`, false],
  ])("is known by what it holds: %s", (_, text, is) => expect(isPydanticPython(text)).toBe(is));
});

describe("pydantic-ai-backend", () => {
  test.each(PYDANTIC)("%s", (_, ruleset, ours) =>
    expect([...readingOf(readPydantic(JSON.stringify(ruleset)))].toSorted()).toEqual([...ours].toSorted()),
  );
});
