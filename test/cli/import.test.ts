import { existsSync, readFileSync, statSync, chmodSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { assent, scratch, type Scratch } from "../scratch.ts";

const policy = (place: Scratch): string => join(place.home, ".agent-permissions.jsonc");
const text = (file: string): string => readFileSync(file, "utf8");
const MINE = `{
  // what I allow
  "permissions": {
    "allow": [
      "Bash(git status:*)", // looking is free
    ],
    "deny": [],
  },
}
`;

describe("assent import", () => {
  it("A47: adds native rules with where they came from; everything else in the policy stays", () => {
    const place = scratch();
    place.write("~/.agent-permissions.jsonc", MINE);
    chmodSync(policy(place), 0o640);
    place.write(
      "~/.claude/settings.json",
      '{ "permissions": {\n "allow": ["Bash(git status:*)", "Bash(npm run *)"],\n "deny": ["Bash(git push --force*)"] } }',
    );
    place.write(
      "~/.codex/rules/default.rules",
      'prefix_rule(pattern=["git", ["push", "fetch"]], decision="prompt", justification="ask (me)")\n',
    );
    const { status, stdout } = assent(place, ["import", "--yes"]);
    expect(status).toBe(0);
    expect(stdout).toContain('+      "Bash(npm run:*)",');
    expect(stdout).toContain("added 4 rules to ~/.agent-permissions.jsonc\n1 there already\n");
    expect(text(policy(place))).toBe(`{
  // what I allow
  "permissions": {
    "allow": [
      "Bash(git status:*)", // looking is free
      // from ~/.claude/settings.json:2
      "Bash(npm run:*)",
    ],
    "deny": [],
    "ask": [
      // from ~/.codex/rules/default.rules:1
      { "rule": "Bash(git push:*)", "reason": "ask (me)" },
      // from ~/.codex/rules/default.rules:1
      { "rule": "Bash(git fetch:*)", "reason": "ask (me)" },
    ],
  },
  "operations": {
    "execute": { "rules": [
      // from ~/.claude/settings.json:3
      { "pattern": "git push --force*", "action": "deny" },
    ] },
  },
}
`);
    expect(statSync(policy(place)).mode & 0o777).toBe(0o640);
  });

  it("says so where a rule means more here: every file of the machine", () => {
    const place = scratch();
    place.write(
      "~/.claude/settings.json",
      '{ "permissions": {\n "allow": ["Edit(**)",\n "Edit(src/**)", "Read"],\n "deny": ["Edit(*)"] } }',
    );
    const { stdout, stderr } = assent(place, ["import", "--yes"]);
    expect(stdout).toContain("added 4 rules");
    expect(stderr).toContain(
      "note: ~/.claude/settings.json:2: Edit(**) is taken over as `Edit`, which allows this for files anywhere on the machine",
    );
    expect(stderr.match(/^note: /gm)).toHaveLength(1);
  });

  it("run twice adds nothing", () => {
    const place = scratch();
    place.write(
      "~/.claude/settings.json",
      '{ "permissions": { "allow": ["Bash(ls *)", "Bash(a*)"], "deny": ["Read(.env)"], "additionalDirectories": ["/srv/x"] } }',
    );
    place.write("~/.config/opencode/opencode.json", '{ "permission": { "bash": { "*": "deny", "git *": "allow" } } }');
    expect(assent(place, ["import", "--yes"]).status).toBe(0);
    const first = text(policy(place));
    const again = assent(place, ["import", "--yes"]);
    expect(again).toMatchObject({ status: 0, stdout: "no new rules, 6 there already\n", stderr: "" });
    expect(text(policy(place))).toBe(first);
  });

  it("--dry-run shows and writes nothing; without a terminal nothing is written either", () => {
    const place = scratch();
    place.write("~/.claude/settings.json", '{ "permissions": { "allow": ["Bash(ls *)"] } }');
    const dry = assent(place, ["import", "--dry-run"]);
    expect(dry.status).toBe(0);
    expect(dry.stdout).toContain("would add 1 rule to ~/.agent-permissions.jsonc (new)");
    const json = assent(place, ["import", "--json"]);
    expect(json.status).toBe(1);
    expect(json.stderr).toContain("this is not a terminal, so nobody can be asked");
    expect(existsSync(policy(place))).toBe(false);
  });

  it("what cannot be kept is listed with file and line, the rest is written, exit 1", () => {
    const place = scratch();
    place.write(
      "~/.claude/settings.json",
      '{ "permissions": { "allow": [\n  "Bash(ls *)",\n  "Skill(x)"\n], "deny": [\n  "Bash(curl * | sh)"] } }',
    );
    const { status, stderr } = assent(place, ["import", "--yes"]);
    expect(status).toBe(1);
    expect(stderr).toBe(
      "~/.claude/settings.json:3: lost: allow Skill(x): which part of the tool's input this means is not known\n" +
        "~/.claude/settings.json:5: lost: deny Bash(curl * | sh): each command of a line is judged by itself here, so a pattern with shell operators, substitutions or groups matches nothing\n" +
        "  write a rule for the command that matters\n",
    );
    expect(text(policy(place))).toContain('"Bash(ls:*)"');
  });

  it("a broken native file is told with its place; the others are imported (AW13)", () => {
    const place = scratch();
    place.write("~/.claude/settings.json", '{ "permissions": {\n  "deny": [ }');
    place.write("~/.codex/config.toml", "a = 1\n[b");
    place.write("~/.gemini/settings.json", '{ "tools": { "exclude": ["run_shell_command(rm)"] } }');
    const { status, stderr } = assent(place, ["import", "--yes"]);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^~\/\.claude\/settings\.json:2:13: /m);
    expect(stderr).toContain("~/.codex/config.toml:2:3: expected `]`\n");
    expect(text(policy(place))).toContain('"Bash(rm:*)"');
  });

  it("a broken policy is left as it is", () => {
    const place = scratch();
    place.write("~/.agent-permissions.jsonc", '{ "permissions": { "denny": [] } }');
    place.write("~/.claude/settings.json", '{ "permissions": { "allow": ["Bash(ls *)"] } }');
    const { status, stderr } = assent(place, ["import", "--yes"]);
    expect(status).toBe(1);
    expect(stderr).toContain("did you mean `deny`?");
    expect(text(policy(place))).toBe('{ "permissions": { "denny": [] } }');
  });

  it("rules of a project go to the project's policy, and its trust ends", () => {
    const place = scratch();
    place.write(".claude/settings.json", '{ "permissions": { "allow": ["Bash(make:*)"], "deny": ["Edit(/gen/**)"] } }');
    place.write(".agent-permissions.jsonc", '{ "permissions": { "allow": [] } }\n');
    expect(assent(place, ["trust", "--yes"]).status).toBe(0);
    const { status, stderr } = assent(place, ["import", "--yes"]);
    expect(status).toBe(0);
    expect(stderr).toContain("the file has changed since you trusted it");
    expect(text(join(place.project, ".agent-permissions.jsonc"))).toBe(
      '{ "permissions": { "allow": [/* from .claude/settings.json:1 */ "Bash(make:*)"], "deny": [/* from .claude/settings.json:1 */ "Edit(gen/**)"] } }\n',
    );
    expect(existsSync(policy(place))).toBe(false);
  });

  it("a policy that is a link stays one", () => {
    const place = scratch();
    place.write("~/dotfiles/policy.jsonc", "{}\n");
    symlinkSync(join(place.home, "dotfiles/policy.jsonc"), policy(place));
    place.write("~/.claude/settings.json", '{ "permissions": { "allow": ["Bash(ls *)"] } }');
    expect(assent(place, ["import", "--yes"]).status).toBe(0);
    expect(text(join(place.home, "dotfiles/policy.jsonc"))).toContain("Bash(ls:*)");
  });

  it("named files and agents", () => {
    const place = scratch();
    const file = place.write("~/other.jsonc", '{ "permissions": { "deny": ["Bash(rm:*)"] } }');
    expect(assent(place, ["import", file])).toMatchObject({ status: 2 });
    expect(assent(place, ["import", "--agent", "nobody"]).stderr).toContain("known are claude, codex");
    expect(assent(place, ["import", file, "--agent", "agentperm", "--yes"]).status).toBe(0);
    expect(text(policy(place))).toContain('"Bash(rm:*)"');
    expect(assent(place, ["import", "missing.json", "--agent", "claude"])).toMatchObject({
      status: 1,
      stderr: "missing.json does not exist\n",
    });
  });

  it("--json", () => {
    const place = scratch();
    place.write("~/.claude/settings.json", '{ "permissions": { "allow": ["Bash(ls *)", "Skill(x)"] } }');
    const { status, stdout } = assent(place, ["import", "--json", "--yes"]);
    expect(status).toBe(1);
    expect(JSON.parse(stdout)).toEqual({
      v: 1,
      policies: [
        {
          file: policy(place),
          created: true,
          written: true,
          there: [],
          added: [{ effect: "allow", into: "permissions", text: "Bash(ls:*)", from: "~/.claude/settings.json:1", native: "Bash(ls *)" }],
        },
      ],
      lost: [
        {
          agent: "claude",
          file: join(place.home, ".claude/settings.json"),
          line: 1,
          effect: "allow",
          text: "Skill(x)",
          why: "which part of the tool's input this means is not known",
        },
      ],
      broken: [],
    });
  });

  it("names, reasons and paths of others cannot act on a terminal or leave a comment", () => {
    const place = scratch();
    place.write(
      "~/.codex/rules/a\u001b[31m\n.rules",
      'prefix_rule(pattern=["x\u001b]0;"], decision="forbidden", justification="a\u0007 */ \u202e")',
    );
    const { stdout, stderr } = assent(place, ["import", "--yes"]);
    // eslint-disable-next-line no-control-regex
    expect(stdout + stderr).not.toMatch(/[\u0000-\u0008\u001b\u202e]/);
    expect(assent(place, ["import", "--yes"]).stdout).toMatch(/^no new rules/);
  });

  it("D12: a file of the auto-approval engine, and a ruleset, are known by what they hold", () => {
    const place = scratch();
    place.write(
      "auto_approve_policy.json",
      JSON.stringify({
        version: "2.0",
        bash: { whitelist: ["git status"], blacklist: ["telnet *"] },
        file_paths: { whitelist: [], blacklist: ["*/.npmrc"] },
        agents: { trusted: [], restricted: [] },
      }),
    );
    place.write("rules.json", JSON.stringify({ default: "ask", read: { default: "allow", rules: [{ pattern: "**/x", action: "deny" }] } }));
    place.write("other.json", "{}");
    const engine = assent(place, ["import", "auto_approve_policy.json", "--yes"]);
    expect(engine.stdout).toContain("added 8 rules to .agent-permissions.jsonc (new)\n");
    expect(engine.status).toBe(0);
    const ruleset = assent(place, ["import", "rules.json", "--dry-run", "--json"]);
    const { policies } = JSON.parse(ruleset.stdout) as {
      readonly policies: readonly { readonly added: readonly { readonly into: string }[] }[];
    };
    expect(policies.flatMap(({ added }) => added.map(({ into }) => into))).toContain("read");
    const strange = assent(place, ["import", "other.json", "--dry-run"]);
    expect(strange.status).toBe(2);
    expect(strange.stderr).toContain("say with --agent whose rules `other.json` holds");
    // Found by itself, too; the project's file takes the place of the user's.
    place.write("~/.claude/config/auto_approve_policy.json", "{ broken");
    expect(assent(place, ["import", "--agent", "autonomous-dev", "--dry-run"]).stderr).toContain(
      "~/.claude/config/auto_approve_policy.json:1",
    );
  });
});

describe("assent export", () => {
  const withPolicy = (): Scratch => {
    const place = scratch();
    place.write(
      "~/.agent-permissions.jsonc",
      '{ "permissions": { "deny": ["Bash(git push:*)", { "rule": "Bash(rm:*)", "reason": "use trash" },\n"Shell(rm -r -f)"] } }',
    );
    return place;
  };

  it("prints a host's own rules, and what it has no words for", () => {
    const place = withPolicy();
    expect(assent(place, ["export", "--agent", "codex"])).toEqual({
      status: 1,
      stdout:
        'prefix_rule(pattern = ["git","push"], decision = "forbidden")\n\nprefix_rule(pattern = ["rm"], decision = "forbidden", justification = "use trash")\n',
      stderr: "~/.agent-permissions.jsonc:2: not said: deny Shell(rm -r -f): several options, or their values\n",
    });
    expect(assent(place, ["export", "--agent", "copilot"]).stdout).toBe("--deny-tool='shell(git push)' \\\n--deny-tool='shell(rm)'\n");
    expect(assent(place, ["export", "--agent", "pi"]).status).toBe(2);
  });

  it("--write keeps what stands there, --remove takes out its own and no more", () => {
    const place = withPolicy();
    const before = '{\n  "model": "x",\n  "permissions": {\n    "deny": ["Read(x)", "Bash(rm:*)"]\n  }\n}\n';
    const file = place.write("~/.claude/settings.json", before);
    expect(assent(place, ["export", "--agent", "claude", "--write"]).stderr).toContain("this is not a terminal, so nobody can be asked");
    expect(assent(place, ["export", "--agent", "claude", "--write", "--yes"]).stdout).toContain("claude: wrote ~/.claude/settings.json\n");
    expect(text(file)).toBe(before.replace('"Bash(rm:*)"]', '"Bash(rm:*)", "Bash(git push:*)"]'));
    expect(assent(place, ["export", "--agent", "claude", "--write", "--yes"]).stdout).toBe("claude: up to date\n");
    // A rule that is gone from the policy goes from the host, too.
    place.write("~/.agent-permissions.jsonc", '{ "permissions": { "deny": ["Bash(dd:*)"] } }');
    assent(place, ["export", "--agent", "claude", "--write", "--yes"]);
    expect(text(file)).toBe(before.replace('"Bash(rm:*)"]', '"Bash(rm:*)", "Bash(dd:*)"]'));
    // What an export wrote is no news for an import.
    expect(assent(place, ["import", "--dry-run", "--agent", "claude"]).stdout).not.toContain('*/ "Bash(dd');
    expect(assent(place, ["export", "--agent", "claude", "--remove", "--yes"]).status).toBe(0);
    expect(text(file)).toBe(before);
  });

  it("--allow tells Claude Code exact commands that are known to be harmless, and nothing a pattern would widen", () => {
    const place = scratch();
    const allow = (...rules: readonly string[]): string =>
      place.write("~/.agent-permissions.jsonc", JSON.stringify({ permissions: { allow: rules, deny: ["Bash(git push:*)"] } }));
    allow("Bash(npm test)", "Bash(make lint)", "Bash(make:*)", "Bash(./*)", "Bash(git push)", "Bash(rm -rf:*)", "Read(x)");
    const ran = (command: string, cwd: string): void =>
      void assent(
        place,
        ["check", "--agent", "claude"],
        JSON.stringify({ hook_event_name: "PreToolUse", session_id: "s", cwd, tool_name: "Bash", tool_input: { command } }),
      );
    for (const command of [
      "git status --short",
      "git log --oneline | head",
      "ls *.ts",
      "git push",
      "echo x > a.txt",
      "cat .env",
      "./build.sh",
      "cargo build",
      "FOO=1 npm test",
    ])
      ran(command, place.project);
    const { stdout } = assent(place, ["export", "--agent", "claude", "--allow"]);
    expect(JSON.parse(stdout)).toEqual({ permissions: { allow: ["Bash(npm test)", "Bash(make lint)", "Bash(git status --short)"] } });
    expect(assent(place, ["export", "--agent", "qwen", "--allow"]).status).toBe(2);
    const before = '{\n  "permissions": {\n    "allow": ["Bash(npm test)", "Bash(x)"],\n    "deny": ["Read(x)"]\n  }\n}\n';
    const file = place.write("~/.claude/settings.json", before);
    assent(place, ["export", "--agent", "claude", "--allow", "--write", "--yes"]);
    const written = before.replace('"Bash(x)"]', '"Bash(x)", "Bash(make lint)", "Bash(git status --short)"]');
    expect(text(file)).toBe(written);
    // Refusals come and go beside them.
    assent(place, ["export", "--agent", "claude", "--write", "--yes"]);
    assent(place, ["export", "--agent", "claude", "--remove", "--yes"]);
    expect(text(file)).toBe(written);
    expect(assent(place, ["import", "--dry-run", "--agent", "claude"]).stdout).not.toContain('*/ "Bash(git status');
    expect(assent(place, ["doctor"]).stdout).not.toContain("exported rules");
    allow("Bash(npm test)");
    expect(assent(place, ["doctor"]).stdout).toContain("lets its host take Bash(make lint) unchecked");
    assent(place, ["export", "--agent", "claude", "--allow", "--write", "--yes"]);
    expect(text(file)).toBe(before.replace('"Bash(x)"]', '"Bash(x)", "Bash(git status --short)"]'));
    assent(place, ["export", "--agent", "claude", "--allow", "--remove", "--yes"]);
    expect(text(file)).toBe(before);
  });

  it("a file of its own comes and goes", () => {
    const place = withPolicy();
    const file = join(place.home, ".gemini/policies/assent.toml");
    assent(place, ["export", "--agent", "gemini", "--write", "--yes"]);
    expect(text(file)).toContain('commandPrefix = "git push"');
    expect(assent(place, ["import", "--agent", "gemini"]).stdout).toBe("no new rules\n");
    assent(place, ["export", "--agent", "gemini", "--remove", "--yes"]);
    expect(existsSync(file)).toBe(false);
    place.write("~/.gemini/policies/assent.toml", "# mine\n");
    expect(assent(place, ["export", "--agent", "gemini", "--write", "--yes"]).stderr).toContain("was not written by Assent");
  });

  it("a broken file of the host is left as it is, with its place", () => {
    const place = withPolicy();
    const file = place.write("~/.claude/settings.json", '{\n  "permissions": [\n');
    const { status, stderr } = assent(place, ["export", "--agent", "claude", "--write", "--yes"]);
    expect(status).toBe(1);
    expect(stderr).toMatch(/~\/\.claude\/settings\.json:\d+:\d+: /);
    expect(text(file)).toBe('{\n  "permissions": [\n');
  });
});
