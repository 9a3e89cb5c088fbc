import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { assent, scratch, type Scratch } from "../scratch.ts";
import { here, inTerminal } from "./run-place.ts";

const NAME = ".agent-permissions.jsonc";
const user = (place: Scratch): string => readFileSync(join(place.home, NAME), "utf8");
const verdictOf = (place: Scratch, command: string): unknown =>
  (JSON.parse(assent(place, ["explain", "--json", command]).stdout) as { readonly verdict: unknown }).verdict;

describe("assent allow, ask, deny", () => {
  it.each([
    // What is said; the rules that are written; the verdict on the same line before and after.
    ["allow", "npm test", ["Bash(npm test:*)"], "none", "allow"],
    ["allow", "make -j4 && ./tidy.sh", ["Bash(make -j4:*)", "Bash(./tidy.sh:*)"], "none", "allow"],
    ["allow", "curl https://api.example.com/x", ["WebFetch(domain:api.example.com)"], "ask", "allow"],
    ["deny", "git push", ["Bash(git push:*)"], "ask", "deny"],
    ["deny", "npm", ["Bash(npm:*)"], "allow", "deny"],
    ["deny", "docker", ["Bash(docker:*)"], "allow", "deny"],
    ["ask", "git   status", ["Bash(git status:*)"], "allow", "ask"],
    ["ask", "ls -l /etc", ["Bash(ls -l /etc:*)"], "allow", "ask"],
  ] as const)("%s %s", (effect, line, rules, before, after) => {
    const place = scratch();
    expect(verdictOf(place, line)).toBe(before);
    const run = assent(place, [effect, "--json", "--yes", line]);
    expect({ ...run, stdout: JSON.parse(run.stdout) as unknown }).toMatchObject({
      status: 0,
      stdout: { v: 1, effect, rules, command: line, before, after, written: true, warnings: [] },
    });
    expect(verdictOf(place, line)).toBe(after);
  });

  it.each([
    ["allow", "Edit(src/**)"],
    ["deny", "mcp__shop__buy"],
    ["ask", "WebFetch"],
    ["deny", "Shell(git push ...)"],
  ])("%s takes a rule as it stands in a policy: %s", (effect, rule) => {
    const place = scratch();
    expect(assent(place, [effect, "--yes", rule])).toMatchObject({ status: 0, stderr: "" });
    expect(user(place)).toContain(`"${rule}"`);
  });

  it.each([
    ["allow", "ls", 0, "nothing to do: `ls` goes ahead already"],
    ["allow", "rm -rf /", 1, "no rule can allow `rm -rf /`"],
    ["allow", "$x", 1, "no rule can allow `$x`"],
    ["deny", "rm -rf /", 0, "is refused already"],
    ["ask", "git push", 0, "is asked about already"],
    ["deny", "ls; git push", 1, "no single rule fits `ls; git push`"],
    ["deny", ".env", 1, 'assent deny "Read(.env)"'],
    ["allow", "src/", 1, "cannot find the program src/"],
    ["deny", "Edit(src/**", 2, "`(` without `)`"],
    ["deny", "Read([z-a])", 2, "[z-a]"],
    ["allow", " ", 2, 'assent allow "npm test"'],
  ])("%s %s writes nothing", (effect, said, status, says) => {
    const place = scratch();
    const run = assent(place, [effect, "--yes", said]);
    expect(run.stdout + run.stderr).toContain(says);
    expect(run.status).toBe(status);
    expect(existsSync(join(place.home, NAME))).toBe(false);
  });

  it("takes the words of a command as they come, and writes into the project's policy", () => {
    const place = scratch();
    const run = assent(place, ["allow", "--project", "--why", "quick", "--yes", "npm", "run", "lint"]);
    expect(run).toMatchObject({ status: 0, stdout: expect.stringContaining(`added allow Bash(npm run lint:*)  ${NAME}:`) as unknown });
    expect(readFileSync(join(place.project, NAME), "utf8")).toContain('{ "rule": "Bash(npm run lint:*)", "reason": "quick" }');
    mkdirSync(join(place.root, "elsewhere"));
    expect(assent({ ...place, project: join(place.root, "elsewhere") }, ["allow", "--project", "--yes", "make"])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("not in a git repository") as unknown,
    });
  });

  it("shows what it would write, and writes nothing where nobody is asked", () => {
    const place = scratch();
    expect(assent(place, ["deny", "--dry-run", "git", "push"])).toEqual({
      status: 0,
      stdout: `~/${NAME} gets\n  deny  Bash(git push:*)\n  now \`git push\` is asked about; then it is refused\n`,
      stderr: "",
    });
    expect(assent(place, ["allow", "make"])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("this is not a terminal, so nobody can be asked") as unknown,
    });
    expect(assent(place, ["allow", "--for", "2h", "make"])).toMatchObject({ status: 1 });
    expect(existsSync(join(place.home, NAME))).toBe(false);
  });

  it("leaves a file with mistakes alone", () => {
    const place = scratch();
    place.write(`~/${NAME}`, '{ "permissions": { "allow": [ } }');
    expect(assent(place, ["deny", "--yes", "git push"])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("assent deny: ~/.agent-permissions.jsonc has mistakes and is left as it is") as unknown,
    });
    expect(user(place)).toBe('{ "permissions": { "allow": [ } }');
  });

  it("asks at the terminal", async () => {
    const place = here();
    const yes = await inTerminal(place, ["allow", "npm test"], [["[Y/n]", "\r"]]);
    expect(yes).toMatchObject({ status: 0 });
    expect(yes.screen).toContain("added allow Bash(npm test:*)");
    const no = await inTerminal(place, ["deny", "npm test"], [["[Y/n]", "n\r"]]);
    expect(no).toMatchObject({ status: 1 });
    expect(verdictOf(place, "npm test")).toBe("allow");
    const granted = await inTerminal(place, ["allow", "--for", "2h", "make"], [["[y/N]", "yes\r"]]);
    expect(granted).toMatchObject({ status: 0 });
    expect(assent(place, ["grants"]).stdout).toContain("Bash(make)");
  });
});

describe("assent status", () => {
  it("says what protects, what is on and what was refused", () => {
    const place = scratch();
    const bare = assent(place, ["status"]);
    expect(bare).toMatchObject({ status: 0, stderr: "" });
    expect(bare.stdout).toMatch(
      /^protected +no: no agent was found.*\ntoday +0 checked, 0 sandboxed, 0 asked, 0 refused\nwithout you ask: nobody said otherwise: assent auto\n(?: {12}\S.*\n){7}agents +none was found on this machine\npolicy +no file: what is built in decides\n/,
    );
    place.write(`~/${NAME}`, '{ "unknown": "confine", "permissions": { "deny": ["Bash(docker:*)"] } }');
    place.write(NAME, '{ "permissions": { "allow": ["Bash(make:*)"] } }');
    place.write("~/.claude/settings.json", "{}");
    assent(
      place,
      ["check"],
      JSON.stringify({
        hook_event_name: "PreToolUse",
        tool_name: "Bash",
        tool_input: { command: "docker ps" },
        cwd: place.project,
        session_id: "s",
      }),
    );
    assent(place, ["bypass", "on", "--for", "10m"]);
    const { stdout } = assent(place, ["status"]);
    for (const says of [
      "Claude Code does not ask Assent: assent install --agent claude",
      "~/.agent-permissions.jsonc: 1 rule\n",
      ".agent-permissions.jsonc: 1 rule, not trusted, so its allow rules do not count: assent trust",
      "sandboxing  is on",
      "questions   are skipped",
      "docker ps",
    ])
      expect(stdout).toContain(says);
    expect(JSON.parse(assent(place, ["status", "--json"]).stdout)).toMatchObject({
      v: 1,
      cwd: place.project,
      agents: [{ id: "claude", registered: "none" }],
      policy: [
        { layer: "user", trusted: true, rules: 1, problems: 0 },
        { layer: "project", trusted: false, rules: 1, problems: 0 },
      ],
      unknown: "confine",
      bypass: expect.stringContaining("until") as unknown,
      kept: { count: 0 },
      unseen: 0,
      refused: [{ what: "docker ps" }],
    });
  });
});
