import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createGuard } from "@assent/library/sdk";
import {
  type Assessment,
  type AutoApproveOptions,
  canAutoApprove,
  isSafeCommand,
  resolvePathAgainstWorkdir,
  SessionApprovals,
} from "@assent/library/sdk/compat";
import { scratch, type Scratch } from "../scratch.ts";

/** codex' `canAutoApprove`. Rows that differ say why. */

const [LIBRARY, COMPAT] = ["library.mjs", "compat.mjs"].map((name) => join(import.meta.dirname, "../../dist", name));

const PATCH = "*** Begin Patch\n*** Add File: new.txt\n+x\n*** End Patch";

type Policy = AutoApproveOptions["policy"];

const assessIn = (
  place: Scratch,
  argv: readonly string[],
  policy: Policy = "suggest",
  more: Partial<AutoApproveOptions> = {},
): Assessment => {
  const assessment = canAutoApprove(argv, { workdir: place.project, policy, machine: place.machine, sandbox: false, ...more });
  // The same by a guard in code; what else is said of the machine it takes from its own options.
  if (Object.keys(more).every((name) => name === "writableRoots")) {
    const files = existsSync(join(place.home, ".agent-permissions.jsonc")) ? "user" : "none";
    const guard = createGuard({ cwd: place.project, home: place.home, env: place.machine.env, files, audit: false });
    expect(canAutoApprove(argv, { workdir: place.project, policy, guard, sandbox: false, ...more })).toEqual(assessment);
  }
  return assessment;
};
const assess = (argv: readonly string[], policy: Policy = "suggest", more: Partial<AutoApproveOptions> = {}): Assessment =>
  assessIn(scratch(), argv, policy, more);
const bash = (script: string): readonly string[] => ["bash", "-lc", script];
const patch = (...lines: readonly string[]): string => ["*** Begin Patch", ...lines, "*** End Patch"].join("\n");
const update = (path: string, ...more: readonly string[]): string => patch(`*** Update File: ${path}`, ...more, "@@", "-a", "+b");
const safe = (reason: string, group: string): Assessment => ({ type: "auto-approve", reason, group, runInSandbox: false });
const ASK = { type: "ask-user" };
const REJECT = { type: "reject" };

describe("C1 to C7: commands known to be safe", () => {
  it.each<readonly [argv: readonly string[], reason: string, group: string]>([
    [["cd", "src"], "Change directory", "Navigating"],
    [["ls", "-la"], "List directory", "Searching"],
    [["pwd"], "Print working directory", "Navigating"],
    [["true"], "No-op (true)", "Utility"],
    [["echo", "hi"], "Echo string", "Printing"],
    [["cat", "a.txt"], "View file contents", "Reading files"],
    [["rg", "x"], "Ripgrep search", "Searching"],
    [["find", ".", "-name", "-delete"], "Find files or directories", "Searching"],
    [["grep", "-rn", "x", "src"], "Text search (grep)", "Searching"],
    [["head", "a"], "Show file head", "Reading files"],
    [["tail", "a"], "Show file tail", "Reading files"],
    [["wc", "-l", "a"], "Word count", "Reading files"],
    [["which", "node"], "Locate command", "Searching"],
    [["git", "status"], "Git status", "Versioning"],
    [["git", "branch"], "List Git branches", "Versioning"],
    [["git", "log", "-3"], "Git log", "Using git"],
    [["git", "diff"], "Git diff", "Using git"],
    [["git", "show"], "Git show", "Using git"],
    [["sed", "-n", "1,5p", "f"], "Sed print subset", "Reading files"],
    // CW7, better: a path of its own, the folder of git, more programs.
    [["/bin/ls"], "List directory", "Searching"],
    [["git", "-C", "src", "status"], "Git status", "Versioning"],
    [["sort", "a"], "sort changes nothing", "Running commands"],
    [["jq", ".", "a.json"], "jq changes nothing", "Running commands"],
  ])("C4: %j", (argv, reason, group) => expect(assess(argv)).toEqual(safe(reason, group)));

  it.each([
    // CW2, better: it runs build scripts.
    [["cargo", "check"]],
    [["find", ".", "-fprint", "x"]],
    [["sed", "-n", "5,p", "f"]],
    [["git", "commit", "-m", "x"]],
    [["git", "branch", "-D", "main"]],
    [["npm", "test"]],
    [["weird"]],
    [["./ls"]],
    [["rg", "--pre", "./x.sh", "a"]],
    [["rg", "--hostname-bin", "./x.sh", "a"]],
    [["git", "diff", "--ext-diff"]],
    [["git", "log", "--output=x"]],
  ])("C5 to C7, CW2: %j asks, and says why", (argv) => {
    expect(assess(argv)).toMatchObject({ type: "ask-user", reason: expect.stringMatching(/\S/) as unknown });
  });

  it.each([
    [["rm", "-rf", "/"]],
    [["cat", "~/.ssh/id_rsa"]],
    [bash("cat ~/.ssh/id_rsa")],
    [["git", "log", "--output=/root/.bashrc"]],
    [["sed", "-n", "1p", "-ew /etc/passwd"]],
  ])("CW2, better: %j is no question", (argv) => {
    expect(["reject", "ask-user"]).toContain(assess(argv).type);
    expect(assess(argv, "full-auto", { sandbox: true }).type).not.toBe("auto-approve");
  });

  it.each([[[]], [["ls", "a\0b"]]])("no command: %j", (argv) => expect(assess(argv)).toMatchObject(REJECT));

  it("the environment of the command chooses neither policy nor state", () => {
    const place = scratch();
    const file = place.write("loose.jsonc", '{ "permissions": { "allow": ["Bash(make:*)"] } }');
    for (const change of [{ ASSENT_POLICY: file }, { XDG_STATE_HOME: place.project }])
      expect(assessIn(place, ["make"], "suggest", { env: { ...place.machine.env, ...change } })).toMatchObject(ASK);
  });

  it("C1: the environment is the one that the command gets", () => {
    const here = scratch();
    const env = { ...here.machine.env };
    expect(assessIn(here, ["git", "diff"], "suggest", { env: { ...env, FOO: "1", LANG: "C" } }).type).toBe("auto-approve");
    for (const change of [
      { GIT_EXTERNAL_DIFF: "./x" },
      { LD_PRELOAD: "./x" },
      { BASH_ENV: "./x" },
      { "BASH_FUNC_ls%%": "() { x; }" },
      { HOME: "/other" },
    ]) {
      const place = scratch();
      expect(assessIn(place, bash("ls"), "suggest", { env: { ...place.machine.env, ...change } }).type).toBe("ask-user");
    }
  });

  describe("C1: another home folder for the command", () => {
    const withHome = (home: (place: Scratch) => string, argv: readonly string[]): string => {
      // The scratch folder is no temporary one here: homes that agents cannot reach have to lie somewhere.
      const { machine, ...place } = scratch();
      const own = { ...machine, temp: [join(place.root, "tmp")] };
      chmodSync(place.root, 0o755);
      mkdirSync(join(place.root, "other/.ssh"), { recursive: true });
      mkdirSync(join(place.root, "open"));
      chmodSync(join(place.root, "open"), 0o777);
      symlinkSync(join(place.root, "other"), join(place.root, "link"));
      const env = { ...machine.env, HOME: home({ ...place, machine }) };
      return assessIn({ ...place, machine: own }, argv, "suggest", { env }).type;
    };
    const other = ({ root }: Scratch): string => join(root, "other");

    it.each([[["ls"]], [["git", "status"]], [["rg", "x"]], [bash("ls && git diff")], [["cat", "a.txt"]]])(
      "is not asked about: %j",
      (argv) => expect(withHome(other, argv)).toBe("auto-approve"),
    );
    it.each<readonly [string, (place: Scratch) => string]>([
      ["in the project", ({ project }) => join(project, "src")],
      ["the project", ({ project }) => project],
      ["among temporary files", ({ root }) => join(root, "tmp")],
      ["behind a link", ({ root }) => join(root, "link")],
      ["that others may write", ({ root }) => join(root, "open")],
      ["that is not there", ({ root }) => join(root, "missing")],
      ["that is relative", () => "other"],
      ["that is empty", () => ""],
    ])("is asked about %s", (_, home) => expect(withHome(home, ["git", "status"])).toBe("ask-user"));
    it.each([
      [bash("cat ~/.ssh/id_rsa")],
      [bash("cat ../.ssh/id_rsa")],
      [bash("cd && cat .ssh/id_rsa")],
      [bash("rm -rf ~")],
      [bash("rm -rf ..")],
      [bash("echo x >> ~/.bashrc")],
      [bash("echo x >> ../.bashrc")],
    ])("both are protected: %j", (argv) => expect(withHome(other, argv)).toBe("reject"));
  });

  describe("called as codex's own function is, argument by argument", () => {
    const called = (...values: readonly unknown[]): unknown => Reflect.apply(canAutoApprove, undefined, values);

    it.each([
      [["ls"], ["/", "suggest", ["/"], {}]],
      [["ls"], [undefined, "suggest", []]],
      [
        ["rm", "-rf", "/"],
        ["/", "full-auto", ["/"], {}],
      ],
      [
        ["apply_patch", PATCH],
        ["/srv", "auto-edit", ["/srv"], {}],
      ],
      [
        ["apply_patch", PATCH],
        ["/srv", "auto-edit", ["/srv/sub"], {}],
      ],
      [
        ["apply_patch", PATCH],
        ["/srv", "suggest", ["/srv"], {}],
      ],
    ] as const)("C1: %j, %j: the answer is that of named options", (argv, [workdir, policy, writableRoots, env]) => {
      const options = { policy, writableRoots, ...(workdir === undefined ? {} : { workdir }), ...(env === undefined ? {} : { env }) };
      expect(called(argv, workdir, policy, writableRoots, env)).toEqual(canAutoApprove(argv, options));
    });

    it("C1: without writable roots nothing may be changed by itself, and without a policy it asks and says why", () => {
      expect(called(["apply_patch", PATCH], "/srv", "auto-edit")).toMatchObject(ASK);
      for (const values of [["/"], ["/", undefined, ["/"]], [undefined], [{ policy: "suggest" }, "suggest"]])
        expect(called(["ls"], ...values)).toMatchObject({
          type: "ask-user",
          reason: expect.stringContaining("the policy is missing") as string,
        });
      expect(called(["ls"], "/", "yolo", [])).toMatchObject({
        type: "ask-user",
        reason: expect.stringContaining("`policy` must be") as string,
      });
    });
  });

  it("C4: isSafeCommand says why and under which heading, or null", () => {
    expect(isSafeCommand(["ls"])).toEqual({ reason: "List directory", group: "Searching" });
    for (const argv of [["rm", "-rf", "x"], ["cargo", "check"], ["cat", "/root/.ssh/id_rsa"], ["apply_patch", PATCH], []])
      expect(isSafeCommand(argv)).toBeNull();
  });

  it.each([
    ["a/../b", "/srv", "/srv/b"],
    ["/a/../b", "/srv", "/b"],
    ["../b", "/srv/x", "/srv/b"],
    ["b", undefined, join(process.cwd(), "b")],
  ])("resolvePathAgainstWorkdir(%j, %j) is %j", (path, workdir, found) => {
    expect(resolvePathAgainstWorkdir(path, workdir)).toBe(found);
  });

  it("C1: programs are looked up where the command would find them", () => {
    const place = scratch();
    mkdirSync(join(place.project, "bin"));
    symlinkSync("/bin/ls", join(place.project, "bin/ls"));
    expect(assessIn(place, ["ls"], "suggest", { env: { ...place.machine.env, PATH: `${place.project}/bin:/usr/bin` } }).type).toBe(
      "ask-user",
    );
  });
});

describe("C8 to C10: scripts", () => {
  it.each<readonly [script: string, reason: string]>([
    ["ls && pwd", "List directory"],
    ["git diff; ls | head", "Git diff"],
    ["ls;", "List directory"],
    // CW7, better.
    ["ls *.ts", "List directory"],
    ["ls 2>/dev/null", "List directory"],
    ["(ls)", "List directory"],
    ["ls # a comment", "List directory"],
    ["FOO=1 ls", "List directory"],
  ])("%s", (script, reason) => {
    expect(assess(bash(script))).toMatchObject({ type: "auto-approve", reason, runInSandbox: false });
    for (const [shell, option] of [
      ["sh", "-c"],
      ["zsh", "-lc"],
      ["bash", "-c"],
    ] as const)
      expect(assess([shell, option, script])).toMatchObject({ type: "auto-approve" });
  });

  it.each(["echo hi > f", "ls && weird", 'ls "', "ls (", "npm test"])("asks: %s", (script) => {
    for (const policy of ["suggest", "full-auto"] as const)
      expect(assess(bash(script), policy)).toMatchObject(
        script === "echo hi > f" && policy === "full-auto" ? { type: "auto-approve", group: "Editing" } : ASK,
      );
  });

  it.each([
    "ls\nrm -rf ~",
    "echo `rm -rf ~`",
    'echo "$(rm -rf ~)"',
    'echo "${x:-$(rm -rf ~)}"',
    "ls; rm -rf ~",
    "if true; then rm -rf ~; fi",
  ])("CW1, C18: %j is rejected", (script) => {
    for (const policy of ["suggest", "auto-edit", "full-auto"] as const)
      expect(assess(bash(script), policy, { sandbox: true })).toMatchObject(REJECT);
  });

  it("CW8: what the environment holds is not a word", () => {
    const place = scratch();
    expect(assessIn(place, bash("$X"), "suggest", { env: { ...place.machine.env, X: "ls" } })).toMatchObject(ASK);
  });
});

describe("C11 to C13: patches", () => {
  const inside = [
    ["apply_patch", update("a.txt")],
    ["apply_patch", patch("*** Add File: new/b.txt", "+x")],
    ["apply_patch", patch("*** Delete File: a.txt")],
    ["apply_patch", update("a.txt", "*** Move to: src/b.txt")],
    bash(`apply_patch <<'EOF'\n${update("a.txt")}\nEOF`),
    bash(`apply_patch <<"EOF"\n${update("a.txt")}\nEOF\n`),
    bash(`apply_patch << EOF\n${update("a.txt")}\nEOF`),
  ];
  it.each(inside)("C12: inside the writable roots: %j %j %j", (...argv) => {
    const words = argv.filter((word): word is string => typeof word === "string");
    expect(assess(words, "suggest")).toMatchObject({
      type: "ask-user",
      applyPatch: { patch: expect.stringContaining("*** Begin Patch") as unknown },
    });
    for (const policy of ["auto-edit", "full-auto"] as const)
      expect(assess(words, policy)).toMatchObject({
        ...safe("apply_patch command is constrained to writable paths", "Editing"),
        applyPatch: {},
      });
  });

  it.each([
    ["another folder", "/srv/x"],
    ["the folder above", "../x"],
    ["the root itself", "."],
    ["CW3: git hooks", ".git/hooks/pre-commit"],
    ["CW3: git's configuration", ".git/config"],
    ["CW3: an agent's settings", ".claude/settings.json"],
    ["CW3: a policy", ".agent-permissions.jsonc"],
    ["a secret", ".env"],
    ["CW3: a link that leads out", "link/x"],
    ["CW3: a link in the last place", "last"],
    ["a way back that leads through a link", "link/../x"],
  ])("C12, C13: not inside: %s (%s)", (_, path) => {
    const place = scratch();
    mkdirSync(join(place.root, "elsewhere/deep"), { recursive: true });
    symlinkSync(join(place.root, "elsewhere/deep"), join(place.project, "link"));
    symlinkSync(join(place.root, "elsewhere/file"), join(place.project, "last"));
    for (const text of [
      update(path),
      patch(`*** Add File: ${path}`, "+x"),
      update("a.txt", `*** Move to: ${path}`),
      patch(`*** Delete File: ${path}`),
    ])
      for (const policy of ["auto-edit", "full-auto"] as const)
        expect(assessIn(place, ["apply_patch", text], policy).type, text).not.toBe("auto-approve");
  });

  it("blanks that codex forgives are rejected on request", () => {
    for (const text of [patch("*** Delete File:  a.txt"), patch("*** Update File: a.txt", "@@", "lost its blank", "-x")]) {
      expect(assess(["apply_patch", text], "auto-edit", { strictPatches: true })).toMatchObject({ type: "reject" });
      expect(assess(["apply_patch", text], "auto-edit").type).toBe("auto-approve");
    }
    expect(assess(["apply_patch", update("a.txt")], "auto-edit", { strictPatches: true })).toMatchObject({ type: "auto-approve" });
  });

  it("C13: relative writable roots start at the working directory", () => {
    expect(assess(["apply_patch", update("src/a")], "auto-edit", { writableRoots: ["src"] })).toMatchObject({ type: "auto-approve" });
    expect(assess(["apply_patch", update("a")], "auto-edit", { writableRoots: ["src"] })).toMatchObject(ASK);
    expect(assess(["apply_patch", update("a")], "auto-edit", { writableRoots: [] })).toMatchObject(ASK);
  });

  it.each([[["apply_patch"]], [["apply_patch", "a", "b"]]])("C11: %j is not a call of it", (argv) => {
    expect(assess(argv, "full-auto")).toEqual({ type: "reject", reason: "Invalid apply_patch command" });
  });

  it.each(["hello", "", patch(), patch("*** Add File: a", "x"), `${update("a")}\nx`])("malformed is rejected: %j", (text) => {
    expect(assess(["apply_patch", text], "auto-edit")).toMatchObject({
      type: "reject",
      reason: expect.stringMatching(/malformed/) as unknown,
    });
  });

  it.each([
    `apply_patch <<'EOF'\n${update("a.txt")}\nEOF\nrm -rf x`,
    `apply_patch <<'EOF' && weird\n${update("a.txt")}\nEOF`,
    `apply_patchevil <<'EOF'\n${update("a.txt")}\nEOF`,
    `apply_patch <<EOF\n${patch("*** Add File: a", "+$(weird)")}\nEOF`,
    `apply_patch <<'EOF'\n${patch("*** Add File: a", "+x")}\nEOF\nEOF`,
    `weird; apply_patch <<'EOF'\n${update("a.txt")}\nEOF`,
  ])("CW4: what else would run is seen: %j", (script) => {
    for (const policy of ["auto-edit", "full-auto"] as const) expect(assess(bash(script), policy).type).not.toBe("auto-approve");
  });
});

describe("C14, CW5: full-auto and the sandbox", () => {
  const unknown = [["weird"], bash("npm test"), ["curl", "https://a.dev"]];
  it("without a supervisor nothing runs in one", () => {
    for (const argv of unknown) expect(assess(argv, "full-auto", { sandbox: false })).toMatchObject(ASK);
  });
  it("with one, what nobody objects to runs in it", () => {
    for (const argv of unknown)
      expect(assess(argv, "full-auto", { sandbox: true })).toEqual({
        type: "auto-approve",
        reason: "Full auto mode",
        group: "Running commands",
        runInSandbox: true,
      });
    for (const policy of ["suggest", "auto-edit"] as const) expect(assess(["weird"], policy, { sandbox: true })).toMatchObject(ASK);
  });
  it("with one, questions stay questions", () => {
    for (const argv of [
      ["git", "push", "--force"],
      ["rm", "-rf", "/"],
      ["rm", "-rf", ".git"],
      ["sudo", "ls"],
      ["cat", ".env"],
    ])
      expect(assess(argv, "full-auto", { sandbox: true }).type).not.toBe("auto-approve");
  });
  it("with one, what a run keeps for undo is no question", () => {
    expect(assess(["rm", "-rf", "src"], "full-auto", { sandbox: true })).toMatchObject({ type: "auto-approve", runInSandbox: true });
    expect(assess(["rm", "-rf", "src"], "full-auto", { sandbox: false })).toMatchObject(ASK);
  });
  it.each([
    ['{ "unknown": "confine" }', "weird", true],
    ['{ "unknown": "confine" }', "ls", false],
    ['{ "unknown": "confine", "permissions": { "allow": ["Bash(npm test:*)"] } }', "npm test", true],
    ['{ "unknown": "confine", "permissions": { "allow": [{ "rule": "Bash(npm test:*)", "confined": false }] } }', "npm test", false],
    ['{ "unknown": "confine", "permissions": { "ask": ["Bash(weird:*)"] } }', "weird", undefined],
    ['{ "unknown": "ask" }', "weird", undefined],
  ])("by the policy file %s, `%s` runs in it: %s", (policy, line, runInSandbox) => {
    const place = scratch();
    place.write("~/.agent-permissions.jsonc", policy);
    const said = assessIn(place, line.split(" "), "suggest", { sandbox: true });
    expect(said).toMatchObject(runInSandbox === undefined ? ASK : { type: "auto-approve", runInSandbox });
    // Nothing supervises: what a rule allows is allowed as always, the rest is asked.
    expect(assessIn(place, line.split(" "), "suggest", { sandbox: false })).toMatchObject(
      line === "ls" || line === "npm test" ? { type: "auto-approve", runInSandbox: false } : ASK,
    );
  });
  it("whether there is one is found out once in a process, not assumed", () => {
    const { machine, project } = scratch();
    const program = `
      import { probeSandbox } from ${JSON.stringify(LIBRARY)};
      import { canAutoApprove } from ${JSON.stringify(COMPAT)};
      const told = () => canAutoApprove(["weird"], ${JSON.stringify({ workdir: project, policy: "full-auto", machine })});
      const before = told();
      console.log(JSON.stringify({ before, found: await probeSandbox(), after: told() }));`;
    const { found, ...told } = JSON.parse(execFileSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" })) as {
      readonly found: boolean;
    };
    expect(told).toMatchObject({ before: ASK, after: found ? { type: "auto-approve", runInSandbox: true } : ASK });
  });
});

describe("C15, CW6: approvals for the session", () => {
  it("cover exactly what was approved, where it was approved", () => {
    const place = scratch();
    const approvals = new SessionApprovals();
    const ask = (argv: readonly string[], workdir = place.project): string => assessIn(place, argv, "suggest", { approvals, workdir }).type;
    for (const argv of [bash("git commit -m x"), ["npm", "run", "build"], ["apply_patch", update("a.txt")]]) {
      expect(ask(argv)).toBe("ask-user");
      approvals.add(argv, place.project);
      expect(ask(argv)).toBe("auto-approve");
      expect(ask(argv, join(place.project, "src"))).toBe("ask-user");
    }
    for (const argv of [
      bash("git commit -m x; weird"),
      bash("git commit"),
      ["npm", "run", "build", "x"],
      ["rm", "-rf", "build"],
      ["npm run", "build"],
      ["apply_patch", update("b.txt")],
    ])
      expect(ask(argv)).toBe("ask-user");
    approvals.clear();
    expect(ask(["npm", "run", "build"])).toBe("ask-user");
  });
  it("do not weaken a deny", () => {
    const place = scratch();
    const approvals = new SessionApprovals();
    approvals.add(["rm", "-rf", "/"], place.project);
    expect(assessIn(place, ["rm", "-rf", "/"], "suggest", { approvals })).toMatchObject(REJECT);
  });
});

describe("C16, C19: rules of the policy files", () => {
  it("a prefix covers what begins with it, word by word", () => {
    const place = scratch();
    place.write(
      "~/.agent-permissions.jsonc",
      '{ "permissions": { "allow": ["Bash(npm test:*)"], "deny": ["Bash(ls secret:*)"], "ask": ["Bash(git log:*)"] } }',
    );
    for (const argv of [["npm", "test", "--watch"], bash("npm test --watch")])
      expect(assessIn(place, argv)).toEqual(safe("User-defined safe command", "User config"));
    expect(assessIn(place, ["npm", "testing"])).toMatchObject(ASK);
    expect(assessIn(place, bash("npm test; weird"))).toMatchObject(ASK);
    expect(assessIn(place, ["ls", "secret"])).toMatchObject(REJECT);
    expect(assessIn(place, ["git", "log"], "full-auto", { sandbox: true })).toMatchObject(ASK);
  });
});

describe("C17: harmless programs, by what they are given", () => {
  it.each([
    "cut -c1 a",
    "nl a",
    "paste a b",
    "rev a",
    "seq 3",
    "stat a",
    "tr a b",
    "uname",
    "uniq a",
    "whoami",
    "id",
    "expr 1 + 1",
    "tac a",
    "numfmt 1",
    "base64 a",
  ])("%s", (line) => {
    expect(assess(line.split(" "))).toMatchObject({ type: "auto-approve" });
  });
  it.each(["uniq a b", "base64 -o x a"])("not %s", (line) => expect(assess(line.split(" ")).type).not.toBe("auto-approve"));
});
