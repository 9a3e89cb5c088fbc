import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { assent, scratch, type Scratch } from "../scratch.ts";

const json = (text: string): unknown => JSON.parse(text);
const user = (place: Scratch, policy: unknown): string => place.write("~/.agent-permissions.jsonc", JSON.stringify(policy, undefined, 2));

function trust(place: Scratch, file: string): void {
  const text = readFileSync(file, "utf8");
  const projects = { [file]: createHash("sha256").update(text).digest("hex") };
  place.write("~/.local/state/assent/trust.json", JSON.stringify({ projects }));
}

describe("assent test", () => {
  interface Result {
    passed: number;
    failed: number;
    complete: boolean;
    tests: {
      file: string;
      line: number;
      kind: string;
      section?: string;
      expected: string;
      got: string;
      passed: boolean;
      text: string;
      why?: string;
    }[];
  }
  const run = (place: Scratch, args: readonly string[] = []): { status: number | null; result: Result } => {
    const { status, stdout } = assent(place, ["test", "--json", ...args]);
    return { status, result: json(stdout) as Result };
  };

  it("runs the examples of the policies in force and the tables of the project", () => {
    const place = scratch();
    user(place, { permissions: { deny: [{ rule: "Bash(rm:*)", match: ["rm a", "rm -f a"], notMatch: ["ls"] }] } });
    place.write("sub/a.assent-test", "allow: git status\ndeny: rm a\n");
    place.write("node_modules/b.assent-test", "deny: git status\n");
    place.write(".git/c.assent-test", "deny: git status\n");
    const { status, result } = run(place);
    expect(status).toBe(0);
    expect(result).toMatchObject({ v: 1, passed: 5, failed: 0, complete: true });
    expect(assent(place, ["test"]).stdout).toBe("5 passed, in 2 files\n");
  });

  it("says file, line, expectation, outcome and why", () => {
    const place = scratch();
    const file = user(place, { permissions: { deny: [{ rule: "Bash(rm:*)", reason: "use trash", match: ["rm a"] }] } });
    place.write("t.assent-test", "# a comment\n\n## deleting\nallow: rm a\n");
    const { status, stdout } = assent(place, ["test"]);
    expect(status).toBe(1);
    expect(stdout).toContain("t.assent-test:4:1  deleting\n  rm a\n  expected allow, got deny\n");
    expect(stdout).toContain(`use trash`);
    expect(stdout).toContain(`(Bash(rm:*)  ${file}:`);
    expect(stdout).toMatch(/1 failed, 1 passed, in 2 files\n$/);
  });

  it("reports failing examples, and everything else that is wrong with a policy file", () => {
    const place = scratch();
    place.write("bad.jsonc", '{ "permissions": {\n "deny": [{ "rule": "Bash(rm:*)", "match": ["rm x", "ls"] }],\n "denny": [] } }');
    const { status, result } = run(place, ["bad.jsonc"]);
    expect(status).toBe(1);
    expect(result.tests.map(({ line, kind, passed }) => [line, kind, passed])).toEqual([
      [2, "example", true],
      [2, "example", false],
      [3, "file", false],
    ]);
    expect(result.tests[1]).toMatchObject({ expected: "a match", text: "Bash(rm:*)  match ls" });
  });

  it.each<readonly [line: string, verdict: string]>([
    ["allow: git status", "pass"],
    ["  allow :  git status  ", "pass"],
    ["deny: rm -rf ~⏎echo done", "pass"],
    [String.raw`deny: "rm -rf ~\necho done"`, "pass"],
    ["allow: { ls; }", "pass"],
    ['allow: "ls" -la', "pass"],
    ["deny: @tool Read file_path=.env", "pass"],
    ['deny: @tool Read file_path="a b/.env"', "pass"],
    ["deny: @tool Read file_path=.env limit=3", "pass"],
    ['allow: {"tool":"Read","input":{"file_path":"a.ts"}}', "pass"],
    ["none: @tool mcp__x__y", "pass"],
    ["ask: git push --force", "pass"],
    ["allow: echo # no comment", "pass"],
    ["deny: git status", "fail"],
    ["alow: ls", "wrong"],
    ["ls", "wrong"],
    ["allow:", "wrong"],
    ["allow: @tool", "wrong"],
    ["allow: @tool Read file_path", "wrong"],
    ['allow: {"tool":1}', "wrong"],
    ["@tool Read file_path=x", "wrong"],
    ["@nope", "wrong"],
    ["@cwd", "wrong"],
  ])("reads the line %s: %s", (line, verdict) => {
    const place = scratch();
    place.write("one.assent-test", `${line}\nallow: pwd\n`);
    const { status, result } = run(place, ["one.assent-test"]);
    const [first] = result.tests;
    expect(first?.passed === true ? "pass" : first?.kind === "file" ? "wrong" : "fail").toBe(verdict);
    expect(status).toBe(verdict === "pass" ? 0 : 1);
    // One bad line does not keep the others from being run.
    expect(result.tests[1]).toMatchObject({ line: 2, passed: true });
  });

  it("@cwd and @policy hold for what follows", () => {
    const place = scratch();
    user(place, { permissions: { deny: ["Bash(ls:*)"], ask: ["Read(src/**)"] } });
    place.write("own.jsonc", '{ "permissions": { "allow": ["Bash(frob:*)"] } }');
    place.write(
      "t.assent-test",
      [
        "deny: ls",
        "allow: cat a",
        "@cwd src",
        "ask: cat a",
        "@cwd .",
        "allow: cat a",
        "@policy own.jsonc",
        "allow: frob x",
        "allow: ls",
        "@policy none",
        "none: frob x",
      ].join("\n"),
    );
    expect(run(place)).toMatchObject({ status: 0, result: { passed: 7 } });
  });

  it("loads nothing outside the project", () => {
    const place = scratch();
    place.write("/".concat(place.root.slice(1), "/secret.jsonc"), "top secret");
    place.write("~/other/x.assent-test", "deny: ls");
    symlinkSync(join(place.home, "other"), join(place.project, "link"));
    symlinkSync(join(place.root, "secret.jsonc"), join(place.project, "in.jsonc"));
    place.write(
      "t.assent-test",
      "@policy ../../secret.jsonc\nallow: ls\n@policy in.jsonc\nallow: ls\n@policy none\n@cwd ..\nallow: ls\n@cwd nowhere\nallow: ls\n",
    );
    const { status, stdout } = assent(place, ["test"]);
    expect(status).toBe(1);
    expect(stdout).not.toContain("top secret");
    expect(stdout.match(/lies outside the project/g)).toHaveLength(3);
    expect(stdout).toContain("does not exist");
    expect(stdout).toMatch(/4 failed, 0 passed, in 1 file\n$/);
  });

  it("exit codes: nothing to test, a file without tests, a missing file", () => {
    const place = scratch();
    expect(assent(place, ["test"])).toMatchObject({ status: 0, stdout: expect.stringContaining("nothing to test") as unknown });
    place.write("empty.assent-test", "# nothing\n");
    place.write("plain.jsonc", "{}");
    expect(assent(place, ["test", "empty.assent-test"]).status).toBe(1);
    expect(assent(place, ["test", "plain.jsonc"]).status).toBe(1);
    expect(assent(place, ["test", "missing.jsonc"])).toMatchObject({ status: 2, stdout: "" });
    expect(assent(place, ["test", "src"]).status).toBe(2);
    expect(assent(place, ["test", "--nope"]).status).toBe(2);
  });
});

describe("assent rules", () => {
  interface Listing {
    settings: { key: string; value: unknown; layer: string; line?: number }[];
    files: { file: string; layer: string; trusted: boolean }[];
    rules: { text: string; effect: string; line: number; layer: string; never?: string; shadowedBy?: { text: string; because: string } }[];
  }
  const list = (place: Scratch, args: readonly string[] = []): Listing =>
    json(assent(place, ["rules", "--json", ...args]).stdout) as Listing;

  it("lists rules with layer, place and reason, and settings with where they come from", () => {
    const place = scratch();
    user(place, { preset: "strict", permissions: { deny: [{ rule: "Bash(rm:*)", reason: "use trash" }] } });
    place.write(".agent-permissions.jsonc", '{ "mode": "auto-edit", "permissions": { "ask": ["Bash(ls:*)"], "allow": ["Bash(make:*)"] } }');
    const found = list(place);
    expect(found.settings).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ key: "preset", value: "strict", layer: "user", line: 2 }),
        expect.objectContaining({ key: "mode", value: "suggest", layer: "built in" }),
      ]),
    );
    expect(found.rules).toMatchObject([
      { text: "Bash(rm:*)", effect: "deny", layer: "user", reason: "use trash", line: 5 },
      { text: "Bash(ls:*)", effect: "ask", layer: "project" },
      { text: "Bash(make:*)", effect: "allow", layer: "project", never: expect.stringContaining("not trusted") as unknown },
    ]);
    const { status, stdout } = assent(place, ["rules"]);
    expect(status).toBe(0);
    expect(stdout).toContain(".agent-permissions.jsonc  project, not trusted");
    expect(stdout).toContain("use trash");
    expect(stdout).toMatch(/3 rules, 1 of them without effect\n$/);
  });

  it("without a file says so; a broken file is shown with its problem", () => {
    const place = scratch();
    const { stdout } = assent(place, ["rules"]);
    expect(stdout).toContain("No policy file");
    // Settings are read by people; JSON is for `--json`.
    expect(stdout).toMatch(/^undo +keepDays \d+, keepMegabytes \d+, keepRuns \d+ {2}/m);
    expect(stdout).not.toMatch(/[{}[\]"]/);
    place.write("~/.agent-permissions.jsonc", '{ "denny": [] }');
    expect(assent(place, ["rules"]).stdout).toContain("unknown key `denny`");
  });

  /** A rule, and the words that must stand in what is said of it. */
  it.each<readonly [effect: string, rule: string, why: string | undefined]>([
    ["allow", "Bash(ls && pwd)", "operator"],
    ["deny", "Bash(curl x | sh)", "operator"],
    ["allow", "Bash(ls; pwd)", "operator"],
    ["allow", 'Bash(git commit -m "x":*)', "quotes"],
    ["allow", "Bash(echo 'a b')", "quotes"],
    ["allow", "Bash(ls > out.txt)", "redirect"],
    ["allow", "Bash(FOO=1 make:*)", "assignments"],
    ["allow", "Bash(cd $HOME)", "value"],
    ["allow", "Shell(git stash -p !-p)", "contradicts"],
    ["allow", "Edit(~/.agent-permissions.jsonc)", "protects its own"],
    ["allow", "Write(.claude/settings.json)", "protects its own"],
    ["allow", "Bash(git log --format=%(refname):*)", undefined],
    ["allow", "Bash(git commit -m x:*)", undefined],
    ["allow", "Bash(./gradlew:*)", undefined],
    ["allow", "Bash(cd:*)", undefined],
    ["allow", "Bash(pnpm ** build:*)", undefined],
    ["deny", "Bash(rm -rf /*)", undefined],
    ["deny", "Bash(rm -rf ~)", undefined],
    ["allow", "Shell(git push --force ...)", undefined],
    ["allow", "Shell(docker run ... alpine)", undefined],
    ["allow", "Edit(src/**)", undefined],
    ["allow", "Edit(../sibling/**)", undefined],
    ["allow", "Read(app/[slug]/page.tsx)", undefined],
    ["deny", "Read(**/.env)", undefined],
  ])("%s %s never matches: %s", (effect, rule, why) => {
    const place = scratch();
    user(place, { permissions: { [effect]: [rule] } });
    const [found] = list(place).rules;
    if (why === undefined) expect(found?.never).toBeUndefined();
    else expect(found?.never).toContain(why);
  });

  it("a project's own allow rules that lead out of it never match", () => {
    const place = scratch();
    const file = place.write(
      ".agent-permissions.jsonc",
      '{ "permissions": { "allow": ["Edit(../x/**)", "Edit(/opt/x)", "Edit(src/**)"] } }',
    );
    trust(place, file);
    expect(list(place).rules.map(({ never }) => never !== undefined)).toEqual([true, true, false]);
  });

  type Row = readonly [effect: "allow" | "ask" | "deny", rule: string];
  /** The first rule, the second, and why the second is shadowed. */
  it.each<readonly [first: Row, second: Row, because: string | undefined]>([
    [["deny", "Bash(git push:*)"], ["allow", "Bash(git push origin:*)"], "stricter"],
    [["deny", "Bash(git push:*)"], ["ask", "Bash(git push origin:*)"], "stricter"],
    [["deny", "Bash(git push:*)"], ["allow", "Shell(git push --force ...)"], "stricter"],
    [["deny", "Shell(git push ...)"], ["allow", "Bash(git push origin:*)"], "stricter"],
    [["deny", "Bash"], ["allow", "Bash(ls:*)"], "stricter"],
    [["ask", "Bash(ls:*)"], ["allow", "Bash(ls)"], "stricter"],
    [["deny", "Bash(git push:*)"], ["allow", "Bash(git push)"], "stricter"],
    [["deny", "Bash(git push)"], ["allow", "Bash(git push:*)"], undefined],
    [["deny", "Bash(git push origin:*)"], ["allow", "Bash(git push:*)"], undefined],
    [["deny", "Bash(git * origin)"], ["allow", "Bash(git push origin)"], "stricter"],
    [["deny", "Shell(git push --force ...)"], ["allow", "Bash(git push:*)"], undefined],
    [["deny", "Shell(git push !--force)"], ["allow", "Shell(git push)"], undefined],
    [["allow", "Bash(git status:*)"], ["allow", "Bash(git status -s)"], "broader"],
    [["allow", "Bash(git status)"], ["allow", "Bash(git status)"], "equal"],
    // A narrow allow may name a danger or a secret that a broad one does not lift.
    [["allow", "Bash(git:*)"], ["allow", "Bash(git push --force:*)"], undefined],
    [["allow", "Bash(cat:*)"], ["allow", "Bash(cat .env)"], undefined],
    [["allow", "Read(**)"], ["allow", "Read(.env.example)"], "broader"],
    [["allow", "Read(**)"], ["allow", "Read(.env)"], undefined],
    [["allow", "Read(src/**)"], ["allow", "Read(src/a/*.ts)"], "broader"],
    [["deny", "Read(**/.env*)"], ["allow", "Read(src/.env.local)"], "stricter"],
    [["deny", "Read(src/*)"], ["allow", "Read(src/**)"], undefined],
    [["deny", "Read(src/**)"], ["allow", "Edit(src/**)"], undefined],
    [["deny", "Write(src/**)"], ["allow", "Write(src/a)"], "stricter"],
    [["deny", "WebFetch(domain:a.dev)"], ["allow", "WebFetch(domain:x.a.dev)"], "stricter"],
    [["deny", "Net(a.dev:443)"], ["allow", "Net(a.dev)"], undefined],
    [["deny", "Net(*.a.dev)"], ["allow", "Net(x.a.dev:80)"], "stricter"],
    [["deny", "mcp__db__*"], ["allow", "mcp__db__query"], "stricter"],
    [["deny", "mcp__db__query(sql:DROP *)"], ["allow", "mcp__db__query"], undefined],
  ])("%j before %j: %s", (first, second, because) => {
    const place = scratch();
    const permissions: Record<string, string[]> = {};
    for (const [effect, rule] of [first, second]) (permissions[effect] ??= []).push(rule);
    user(place, { permissions });
    const found = list(place).rules.filter(({ text, effect }) => text === second[1] && effect === second[0]);
    expect(found.at(-1)?.shadowedBy?.because).toBe(because);
    if (because !== undefined) expect(found.at(-1)?.shadowedBy).toMatchObject({ text: first[1] });
  });

  it("in an operations block the first match speaks", () => {
    const place = scratch();
    user(place, {
      operations: {
        read: {
          default: "ask",
          rules: [
            { pattern: "docs/**", action: "deny" },
            { pattern: "docs/a/**", action: "allow" },
          ],
        },
      },
    });
    expect(list(place).rules.map(({ shadowedBy }) => shadowedBy?.because)).toEqual([undefined, "earlier"]);
    expect(assent(place, ["rules"]).stdout).toContain("read: everything else");
  });
});

describe("assent explain --diff", () => {
  it("says what changes, where and why", () => {
    const place = scratch();
    user(place, { permissions: { allow: ["Bash(npm test:*)"] } });
    place.write("other.jsonc", '{ "permissions": { "deny": [{ "rule": "Bash(npm:*)", "reason": "use pnpm" }] } }');
    const { status, stdout } = assent(place, ["explain", "--diff", "other.jsonc", "ls && npm test"]);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^allow → deny {2}ls && npm test\n/);
    expect(stdout).toContain("Bash(npm:*)  other.jsonc:1");
    expect(stdout).toContain("use pnpm");
    expect(stdout).not.toContain("exec ls");
    expect(assent(place, ["explain", "--diff", "other.jsonc", "pwd"]).stdout).toMatch(/^allow \(no change\) {2}pwd/);
  });

  it("takes the other file in place of the user's own, beside the project's", () => {
    const place = scratch();
    user(place, { permissions: { deny: ["Bash(ls:*)"] } });
    place.write(".agent-permissions.jsonc", '{ "permissions": { "deny": ["Bash(pwd)"] } }');
    place.write("other.jsonc", "{}");
    const requests = ["ls", "pwd"].map((command) => JSON.stringify({ tool: "Bash", input: { command } }));
    const { stdout } = assent(place, ["explain", "--batch", "--diff", "other.jsonc"], `${requests.join("\n")}\nnonsense\n`);
    const lines = stdout
      .trim()
      .split("\n")
      .map((line) => json(line) as Record<string, unknown>);
    expect(lines).toMatchObject([
      { v: 1, changed: true, before: { verdict: "deny" }, after: { verdict: "allow" }, parts: [{ text: "exec ls" }] },
      { v: 1, changed: false, before: { verdict: "deny" }, after: { verdict: "deny" }, parts: [] },
      { v: 1, error: expect.any(String) as unknown },
    ]);
  });

  it("needs a file", () => {
    expect(assent(scratch(), ["explain", "--diff", "missing.jsonc", "ls"]).status).toBe(2);
  });
});

describe("assent explain, what would change it", () => {
  const changes = (place: Scratch, command: string): readonly string[] =>
    (json(assent(place, ["explain", "--json", command]).stdout) as { changes: readonly string[] }).changes;

  it.each<readonly [command: string, rules: readonly string[]]>([
    ["npm test -- --watch", ["Bash(npm test:*)"]],
    ["npm run build", ["Bash(npm run build:*)"]],
    ["make build", ["Bash(make build:*)"]],
    ["docker compose up -d", ["Bash(docker compose up:*)"]],
    ["git push origin main", ["Bash(git push:*)"]],
    ["git push --force", ["Bash(git push --force:*)"]],
    ["touch a", ["Edit(a)"]],
    ["touch src/a", ["Edit(src/**)"]],
    ["rm src/a", ["Delete(src/a)"]],
    ["curl https://nodejs.org/api", ["WebFetch(domain:nodejs.org)"]],
    ["timeout 5 frob build", ["Bash(frob build:*)"]],
    ["xargs frob build < x", ["Bash(frob build:*)"]],
    ["touch src/a && npm test && frob build x && ls", ["Edit(src/**)", "Bash(npm test:*)", "Bash(frob build:*)"]],
    ["npm install", ["Bash(npm install:*)"]],
    ["npx tsc --noEmit", ["Bash(npx tsc:*)"]],
    ["python3 -m pytest tests -q", ["Bash(python3 -m pytest:*)"]],
    ["python3 scripts/gen.py --x", ["Bash(python3 scripts/gen.py:*)"]],
    ["cat .env", ["Read(.env)"]],
    ["python3 -c 'import os; os.remove(\"x\")'", []],
    ["bash -c 'frob build'", ["Bash(frob build:*)"]],
    ["sudo ls", []],
    ['eval "$X"', []],
    ["rm -rf ~", []],
  ])("%s: %j", (command, rules) => {
    const place = scratch();
    expect(changes(place, command)).toEqual(rules);
    if (rules.length === 0) return;
    user(place, { permissions: { allow: rules } });
    expect(json(assent(place, ["explain", "--json", command]).stdout)).toMatchObject({ verdict: "allow" });
    // Each of them is needed.
    for (const rule of rules) {
      user(place, { permissions: { allow: rules.filter((other) => other !== rule) } });
      expect((json(assent(place, ["explain", "--json", command]).stdout) as { verdict: string }).verdict).not.toBe("allow");
    }
  });

  it("suggests nothing that lint would warn of", () => {
    const place = scratch();
    mkdirSync(join(place.project, "lib"));
    for (const command of [
      "python3 x.py",
      "node --test",
      "npx -y create-x",
      "env frob",
      "find . -exec frob {} +",
      "awk -f x",
      "git -C x push",
      "perl -e 'unlink'",
    ]) {
      const rules = changes(place, command);
      place.write("s.jsonc", JSON.stringify({ permissions: { allow: rules } }));
      expect([command, rules, assent(place, ["lint", "s.jsonc"]).status]).toEqual([command, rules, 0]);
    }
  });
});
