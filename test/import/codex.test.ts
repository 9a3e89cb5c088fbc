import { describe, expect, test } from "vitest";
import { readCodexConfig, readCodexRules } from "../../packages/hosts/src/agents/codex/rules.ts";
import { CONTEXT, readingOf } from "./reading.ts";

const RULES: readonly (readonly [what: string, native: string, ours: readonly string[]])[] = [
  ["a prefix", 'prefix_rule(pattern=["git", "status"])', ["allow Bash(git status:*)"]],
  ["the decision is allow where none is given", 'prefix_rule(pattern=["ls"])', ["allow Bash(ls:*)"]],
  [
    "prompt and forbidden",
    'prefix_rule(pattern=["a"], decision="prompt")\nprefix_rule(pattern=["b"], decision="forbidden")',
    ["ask Bash(a:*)", "deny Bash(b:*)"],
  ],
  [
    "alternatives are alternatives (AW12)",
    'prefix_rule(pattern=["git", ["push", "fetch"]], decision="prompt")',
    ["ask Bash(git push:*)", "ask Bash(git fetch:*)"],
  ],
  [
    "alternatives at every place",
    'prefix_rule(pattern=[["npm","pnpm"], ["test","t"]])',
    ["allow Bash(npm test:*)", "allow Bash(npm t:*)", "allow Bash(pnpm test:*)", "allow Bash(pnpm t:*)"],
  ],
  [
    "a bracket in a reason is a bracket (AW12)",
    'prefix_rule(pattern=["rm"], decision="forbidden", justification="use trash (really)")',
    ["deny Bash(rm:*) // use trash (really)"],
  ],
  [
    "a word with a blank",
    'prefix_rule(pattern=["echo", "a b"], decision="allow")',
    ["allow execute: echo 'a b'", "allow execute: echo 'a b' *"],
  ],
  [
    "a word that would be a wildcard here",
    'prefix_rule(pattern=["ls", "*"], decision="forbidden")',
    ["deny execute: ls \\*", "deny execute: ls \\* *"],
  ],
  ["a path is that program", 'prefix_rule(pattern=["/usr/bin/git", "status"])', ["allow Bash(/usr/bin/git status:*)"]],
  [
    "where paths are listed, an allow is for those; a refusal for every program of the name",
    'host_executable(name="git", paths=["/opt/git", "~/bin/git"])\nprefix_rule(pattern=["git", "log"])\nprefix_rule(pattern=["git", "push"], decision="forbidden")',
    ["allow Bash(/opt/git log:*)", "allow Bash(/home/you/bin/git log:*)", "deny Bash(git push:*)"],
  ],
  [
    "its examples are held against the rule",
    'prefix_rule(pattern=["gh", "pr"], match=["gh pr view 7", ["gh", "pr"]], not_match=["gh issue list"])',
    ["allow Bash(gh pr:*)"],
  ],
  [
    "an allow whose example does not hold here is lost",
    'prefix_rule(pattern=["gh"], not_match=["gh pr"])',
    ["lost 1: its example `gh pr` would be allowed by `Bash(gh:*)` here"],
  ],
  [
    "a refusal that means more here is kept, and said",
    'prefix_rule(pattern=["git", "push"], decision="forbidden", not_match=["git -C x push"])',
    ["deny Bash(git push:*)", "lost 1: kept, but `Bash(git push:*)` also means `git -C x push` here, which the rule leaves out"],
  ],
  [
    "Python's ways to write texts",
    `prefix_rule(\n  # a comment, (brackets\n  pattern = ('git', """status"""),\n  decision = "al" + "low",\n)`,
    ["allow Bash(git status:*)"],
  ],
  ["other calls", 'mount_rule(host="x")', ["lost 1: nothing is known of `mount_rule`"]],
  [
    "a host that may be reached, by the protocol's port",
    'network_rule(host="api.github.com", protocol="https", decision="allow")',
    ["allow Net(api.github.com:443)"],
  ],
  ["a host without TLS", 'network_rule(host="deb.debian.org", protocol="http", decision="allow")', ["allow Net(deb.debian.org:80)"]],
  [
    "a host that is refused or asked about is so on every port",
    'network_rule(host="evil.example", protocol="https", decision="deny", justification="no")\nnetwork_rule(host="x.example", protocol="http", decision="prompt")\nnetwork_rule(host="y.example", protocol="socks5_tcp", decision="forbidden")',
    ["deny Net(evil.example) // no", "ask Net(x.example)", "deny Net(y.example)"],
  ],
  [
    "a protocol of any port",
    'network_rule(host="x.example", protocol="socks5_tcp", decision="allow")',
    ["lost 1: which ports it allows is not said"],
  ],
  [
    "a protocol that is not known",
    'network_rule(host="x.example", protocol="quic", decision="allow")',
    ["lost 1: nothing is known of this `protocol`"],
  ],
  [
    "a key that is not known, of an allow",
    'network_rule(host="x.example", protocol="https", decision="allow", path="/a")',
    ["lost 1: nothing is known of `path`"],
  ],
  [
    "a pattern of hosts",
    'network_rule(host="*.example", protocol="https", decision="allow")',
    ["lost 1: `host` is not the name of one host"],
  ],
  [
    "no decision",
    'network_rule(host="x.example", protocol="https")',
    ["lost 1: the decision is none of allow, prompt, deny and forbidden"],
  ],
  [
    "what would have to be run",
    'X = ["git"]\nprefix_rule(pattern=X)\nprefix_rule(pattern=["ls"])',
    ["allow Bash(ls:*)", "lost 1: only calls are read, nothing is run", "lost 2: `pattern`: no literal"],
  ],
  ["a wrong decision", 'prefix_rule(pattern=["a"], decision="deny")', ["lost 1: the decision is none of allow, prompt and forbidden"]],
  ["an empty pattern", "prefix_rule(pattern=[])", ["lost 1: the pattern is not a list of texts"]],
  [
    "one broken rule does not take the next along",
    'prefix_rule(pattern=["a"\n\nprefix_rule(pattern=["b"])',
    ["allow Bash(b:*)", "lost 1: `pattern`: no literal"],
  ],
];

describe("Codex: rules", () => {
  test.each(RULES)("%s", (_, native, ours) => expect(readingOf(readCodexRules(native, CONTEXT))).toEqual(ours));
});

test("Codex: config.toml", () => {
  const text = `approval_policy = "never"
sandbox_mode = "workspace-write"
[sandbox_workspace_write]
writable_roots = ["/srv/data"]
network_access = true
[projects."/home/you/project"]
trust_level = "trusted"
[mcp_servers.github]
disabled_tools = ["delete_repo"]
enabled_tools = ["get_issue"]
[mcp_servers.github.tools.get_issue]
approval_mode = "approve"
`;
  expect(readingOf(readCodexConfig(text, CONTEXT))).toEqual([
    "allow writableRoots: /srv/data",
    "deny mcp__github__delete_repo",
    "allow mcp__github__get_issue",
    "lost 1: when the host asks is the host's own setting",
    "lost 2: the host's sandbox is its own; a mode here would hold for every agent",
    "lost 5: which hosts are reached is not said",
    "lost 6: trusting a project's rules is a decision of its own here",
    "lost 10: a rule cannot name every other tool of a server",
  ]);
  expect(readingOf(readCodexConfig("a = 1\n[b", CONTEXT))).toEqual(["broken 2:3: expected `]`"]);
});

test("Codex: a tool that is approved where its server asks", () => {
  const text = '[mcp_servers.a]\ndefault_tools_approval_mode = "prompt"\n[mcp_servers.a.tools.x]\napproval_mode = "approve"\n';
  expect(readingOf(readCodexConfig(text, CONTEXT))).toEqual([
    "ask mcp__a__*",
    "lost 4: it takes an exception from the server's own mode; here the strictest rule wins, so that one asks for this too",
  ]);
});
