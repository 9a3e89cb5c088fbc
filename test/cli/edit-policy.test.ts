import { spawn, spawnSync } from "node:child_process";
import { chmodSync, existsSync, lstatSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { editorOf, shellWords } from "../../packages/assent/src/cli/edit.ts";
import { assent, DIST, scratch, type Run, type Scratch } from "../scratch.ts";

const NAME = ".agent-permissions.jsonc";
const user = (place: Scratch): string => readFileSync(join(place.home, NAME), "utf8");
const project = (place: Scratch): string => readFileSync(join(place.project, NAME), "utf8");
const json = (run: Run): unknown => JSON.parse(run.stdout);

/** A person's file: their own order, comments, habits. */
const OWN = `// my rules
{
    permissions: {
        // builds
        allow: [
            'Bash(make:*)', // all of them
            'Bash(npm test:*)',
        ],
        "deny": [ 'Read(private/**)' ], /* mine */
    },
}
`;

describe("assent rule add", () => {
  it("writes as the file is written, and says where", () => {
    const place = scratch();
    place.write(`~/${NAME}`, OWN);
    const run = assent(place, ["rule", "add", "Bash(git status:*)", "--allow"]);
    expect(run).toEqual({ status: 0, stdout: `added allow Bash(git status:*)  ~/${NAME}:8\n`, stderr: "" });
    expect(user(place)).toBe(OWN.replace("'Bash(npm test:*)',\n", "'Bash(npm test:*)',\n            'Bash(git status:*)',\n"));
    expect(assent(place, ["rule", "add", "Read(**/*.pem)", "--deny", "--why", "it's secret"]).status).toBe(0);
    expect(user(place)).toContain(`"deny": [ 'Read(private/**)', { rule: 'Read(**/*.pem)', reason: 'it\\'s secret' } ], /* mine */`);
    expect(assent(place, ["rule", "add", "Shell(git push ...)", "--ask"]).status).toBe(0);
    expect(user(place)).toContain(`\n        ask: [\n            'Shell(git push ...)',\n        ],\n    },\n}\n`);
    expect(assent(place, ["explain", "git push"]).stdout).toContain("Shell(git push ...)");
  });

  it.each(["Edit(**)", "Write(**)", "Edit", "Write", "Delete(~/**)", "Edit(/**)"])(
    "says what reaches the whole machine, as lint does: %s",
    (rule) => {
      const place = scratch();
      const run = assent(place, ["rule", "add", rule, "--allow"]);
      expect(run.status).toBe(0);
      expect(run.stderr).toContain("files anywhere, not only in the project");
      expect(assent(place, ["lint"]).stdout).toContain("files anywhere, not only in the project");
    },
  );

  it.each([
    ["Edit(src/**)", "--allow"],
    ["Edit(./**)", "--allow"],
    ["Edit(**)", "--deny"],
    ["Read(**)", "--allow"],
  ])("says nothing of %s %s", (rule, effect) => {
    expect(assent(scratch(), ["rule", "add", rule, effect]).stderr).not.toContain("anywhere");
  });

  it("makes a file that is missing: your own is private, a project's is for all", () => {
    const place = scratch();
    const run = assent(place, ["rule", "add", "Bash(ls)", "--allow", "--json"]);
    expect(json(run)).toMatchObject({
      v: 1,
      added: true,
      created: true,
      file: join(place.home, NAME),
      effect: "allow",
      text: "Bash(ls)",
      warnings: [],
    });
    expect(statSync(join(place.home, NAME)).mode & 0o777).toBe(0o600);
    expect(assent(place, ["rule", "add", "Bash(rm:*)", "--deny", "--local"]).stdout).toMatch(/^made .*\nadded deny Bash\(rm:\*\)/);
    expect(statSync(join(place.project, NAME)).mode & 0o777).toBe(0o644);
    expect(assent(place, ["explain", "--json", "rm x"]).stdout).toMatch(/"verdict":"deny"/);
  });

  it("keeps mode and link", () => {
    const place = scratch();
    const target = place.write("~/dotfiles/policy.jsonc", OWN);
    chmodSync(target, 0o640);
    symlinkSync("dotfiles/policy.jsonc", join(place.home, NAME));
    expect(assent(place, ["rule", "add", "Bash(ls)", "--allow"]).status).toBe(0);
    expect([lstatSync(join(place.home, NAME)).isSymbolicLink(), statSync(target).mode & 0o777]).toEqual([true, 0o640]);
    expect(readFileSync(target, "utf8")).toContain("'Bash(ls)'");
    expect(assent(place, ["rule", "remove", "Bash(ls)"]).status).toBe(0);
    expect(readFileSync(target, "utf8")).toBe(OWN);
  });

  it("makes no file elsewhere for a link that came with a repository", () => {
    const place = scratch();
    symlinkSync("../.config/made-for-you", join(place.project, NAME));
    for (const args of [
      ["rule", "add", "Bash(ls)", "--deny", "--local"],
      ["init", "--local"],
      ["edit", "--local"],
    ])
      expect(assent(place, args, "", { EDITOR: "true" })).toMatchObject({
        status: 1,
        stderr: expect.stringContaining("a link out of the project") as string,
      });
    expect(existsSync(join(place.home, ".config"))).toBe(false);
  });

  it("does nothing twice", () => {
    const place = scratch();
    place.write(`~/${NAME}`, OWN);
    const again = assent(place, ["rule", "add", "Bash(make:*)", "--allow"]);
    expect(again).toEqual({ status: 0, stdout: `nothing to do: allow Bash(make:*) stands at ~/${NAME}:6\n`, stderr: "" });
    expect(json(assent(place, ["rule", "add", "Bash(make:*)", "--allow", "--json"]))).toMatchObject({ added: false, line: 6 });
    const reason = assent(place, ["rule", "add", "Bash(make:*)", "--allow", "--why", "x"]);
    expect([reason.status, reason.stderr]).toEqual([1, expect.stringContaining("another reason")]);
    expect(user(place)).toBe(OWN);
  });

  it("warns when a stricter rule wins, when one no longer decides, and when the project is not trusted", () => {
    const place = scratch();
    place.write(`~/${NAME}`, `{ "permissions": { "allow": ["Bash(npm test:*)"], "deny": ["Bash(git:*)"] } }`);
    expect(assent(place, ["rule", "add", "Bash(git log)", "--allow"]).stderr).toBe(
      `warning: a stricter rule wins: deny Bash(git:*)  ~/${NAME}:1\n`,
    );
    expect(assent(place, ["rule", "add", "Bash(npm:*)", "--ask"]).stderr).toMatch(/allow Bash\(npm test:\*\) .* decides nothing any more/);
    expect(assent(place, ["rule", "add", "Bash(ls)", "--allow", "--local"]).stderr).toMatch(/once you trust the project/);
  });

  it("leaves a broken file as it is and names the place", () => {
    const place = scratch();
    const broken = '{\n  "permissions": {\n    "denny": []\n  }\n}\n';
    place.write(`~/${NAME}`, broken);
    const run = assent(place, ["rule", "add", "Bash(ls)", "--allow"]);
    expect([run.status, run.stdout]).toEqual([1, ""]);
    expect(run.stderr).toContain(`~/${NAME}:3:5: unknown key \`denny\`\n  did you mean \`deny\`?\n`);
    expect(user(place)).toBe(broken);
  });

  it("many at once: none is lost", async () => {
    const place = scratch();
    place.write(`~/${NAME}`, OWN);
    const one = (index: number): Promise<number | null> =>
      new Promise((resolve) => {
        const args = [join(DIST, "bin.cjs"), "rule", "add", `Bash(tool${index}:*)`, "--allow"];
        spawn(process.execPath, args, { cwd: place.project, env: { HOME: place.home, PATH: "/usr/bin:/bin" }, stdio: "ignore" }).on(
          "exit",
          resolve,
        );
      });
    expect(await Promise.all(Array.from({ length: 10 }, (_, index) => one(index)))).toEqual(Array.from({ length: 10 }, () => 0));
    for (let index = 0; index < 10; index++) expect(user(place)).toContain(`'Bash(tool${index}:*)',\n`);
    expect(existsSync(join(place.home, `${NAME}.lock`))).toBe(false);
  });
});

describe("assent rule remove", () => {
  it("takes the rule with its comment, and nothing else", () => {
    const place = scratch();
    place.write(`~/${NAME}`, OWN);
    const run = assent(place, ["rule", "remove", "Bash(make:*)"]);
    expect(run).toEqual({ status: 0, stdout: `removed allow Bash(make:*)  ~/${NAME}:6\n`, stderr: "" });
    expect(user(place)).toBe(OWN.replace("            'Bash(make:*)', // all of them\n", ""));
    expect(json(assent(place, ["rule", "remove", "Read(private/**)", "--json"]))).toMatchObject({ removed: [{ effect: "deny", line: 8 }] });
    expect(user(place)).toContain(`"deny": [], /* mine */`);
  });

  it("finds a rule however it is spelled, with or without a reason", () => {
    const place = scratch();
    place.write(
      `~/${NAME}`,
      `{ "permissions": { "ask": [{ "rule": "Bash(a  b:*)", "reason": "x" }, { "tool": "Bash", "command": "sed", "when": { "hasOption": "-i" } }] } }`,
    );
    expect(assent(place, ["rule", "remove", "Bash(a b:*)"]).status).toBe(0);
    expect(assent(place, ["rule", "remove", '{"tool":"Bash","command":"sed","when":{"hasOption":"-i"}}']).status).toBe(0);
    expect(user(place)).toBe(`{ "permissions": { "ask": [] } }`);
  });

  it("asks which, where a rule stands in two lists", () => {
    const place = scratch();
    place.write(`~/${NAME}`, `{ "permissions": { "allow": ["Bash(x)"], "deny": ["Bash(x)"] } }`);
    const run = assent(place, ["rule", "remove", "Bash(x)"]);
    expect([run.status, run.stderr]).toEqual([
      1,
      expect.stringMatching(/more than one list .*allow at line 1, deny at line 1\n {2}say --allow/),
    ]);
    expect(assent(place, ["rule", "remove", "Bash(x)", "--allow"]).status).toBe(0);
    expect(user(place)).toBe(`{ "permissions": { "allow": [], "deny": ["Bash(x)"] } }`);
  });

  it("says where it stands instead; makes no file", () => {
    const place = scratch();
    place.write(NAME, `{ "permissions": { "deny": ["Bash(x)"] } }`);
    const run = assent(place, ["rule", "remove", "Bash(x)"]);
    expect([run.status, run.stderr]).toEqual([1, expect.stringContaining(`it stands at ${NAME}:1: say --local`)]);
    expect(existsSync(join(place.home, NAME))).toBe(false);
  });
});

describe("assent init", () => {
  it("writes a commented policy that changes nothing and can be read", () => {
    const place = scratch();
    expect(assent(place, ["init"])).toEqual({ status: 0, stdout: `made ~/${NAME}\n`, stderr: "" });
    expect(json(assent(place, ["init", "--local", "--json"]))).toEqual({ v: 1, file: join(place.project, NAME), created: true });
    expect(project(place)).toContain('"$schema": "./node_modules/assent/schema/policy.schema.json"');
    const schema = /"\$schema": "(.*)"/.exec(user(place))?.[1];
    expect(existsSync(schema ?? "")).toBe(true);
    // What the comments show is right, too.
    const shown = user(place)
      .replaceAll(/: (.*)\n {4}"(allow|ask|deny)": \[\]/g, ':\n    "$2": [$1]')
      .replace('// "preset"', '"preset"');
    expect(shown.match(/Bash\(npm test|Shell\(git push|certificates/g)).toHaveLength(3);
    place.write(`~/${NAME}`, shown);
    expect(assent(place, ["rule", "add", "Bash(ls)", "--allow"])).toMatchObject({ status: 0, stderr: "" });
    expect(assent(place, ["explain", "ls"]).stdout).toMatch(/^allow/);
  });

  it("never overwrites", () => {
    const place = scratch();
    place.write(`~/${NAME}`, OWN);
    const run = assent(place, ["init"]);
    expect([run.status, run.stdout, run.stderr]).toEqual([1, "", expect.stringContaining("is there already")]);
    expect(user(place)).toBe(OWN);
  });
});

describe("assent edit", () => {
  it("A48: starts $VISUAL, then $EDITOR, split as a shell does, and exits as it does", () => {
    const place = scratch();
    const env = { VISUAL: `sh -c 'echo "$1|$2" > "$HOME/seen"; exit 7' "my editor" 'a b'`, EDITOR: "false" };
    expect(assent(place, ["edit"], "", env).status).toBe(7);
    expect(readFileSync(join(place.home, "seen"), "utf8")).toBe(`a b|${join(place.home, NAME)}\n`);
    expect(user(place)).toContain("// You confirm");
    expect(assent(place, ["edit", "--local"], "", { EDITOR: "true" }).status).toBe(0);
    expect(project(place)).toContain("assent trust");
    expect(assent(place, ["edit"], "", { EDITOR: "sh -c 'kill -TERM $$'" }).status).toBe(143);
  });

  it("takes the first editor that is installed", () => {
    const place = scratch();
    const bin = (name: string): void => chmodSync(place.write(`~/bin/${name}`, `#!/bin/sh\nexit ${name.length}\n`), 0o755);
    bin("nano");
    bin("vi");
    const PATH = join(place.home, "bin");
    expect(editorOf({ env: { PATH } })).toEqual(["vi"]);
    bin("vim");
    expect(editorOf({ env: { PATH } })).toEqual(["vim"]);
    const none = assent(place, ["edit"], "", { PATH: "/none" });
    expect([none.status, none.stderr]).toEqual([1, expect.stringMatching(/none of nvim, vim, vi, nano is installed/)]);
    expect(assent(place, ["edit"], "", { EDITOR: "/no/such" })).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("cannot be started") as string,
    });
    expect(assent(place, ["edit"], "", { EDITOR: "vi 'x" })).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("EDITOR is not a command") as string,
    });
  });

  it.each([
    ["the one that is installed", {}],
    ["VISUAL", { VISUAL: "nano -w" }],
    ["EDITOR, by its path", { EDITOR: "/usr/bin/vim.tiny" }],
    ["one that is not installed", { EDITOR: "hx" }],
  ])("without a terminal an editor that needs one is not started: %s", (_, env) => {
    const place = scratch();
    chmodSync(place.write("~/bin/vi", "#!/bin/sh\nexit 9\n"), 0o755);
    const run = assent(place, ["edit"], "", { PATH: join(place.home, "bin"), ...env });
    expect(run).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/this is not a terminal, and `.+` needs one[^]*`assent lint`/) as string,
    });
    expect(existsSync(join(place.home, NAME))).toBe(false);
  });

  it("says what is wrong afterwards", () => {
    const place = scratch();
    const run = assent(place, ["edit"], "", { EDITOR: `sh -c 'printf "{\\n  permissions: { allow: [7] }\\n}" > "$0"'` });
    expect([run.status, run.stderr]).toEqual([0, expect.stringContaining(`~/${NAME}:2:26: `)]);
  });
});

describe("assent trust", () => {
  const ALLOW = `{ "preset": "strict", "permissions": { "allow": ["Bash(frobnicate:*)"], "deny": ["Read(x)"] } }\n`;
  const allowed = (place: Scratch): boolean => /"verdict":"allow"/.test(assent(place, ["explain", "--json", "frobnicate now"]).stdout);

  it("asks on a terminal only; --yes is for scripts", () => {
    const place = scratch();
    place.write(NAME, ALLOW);
    const run = assent(place, ["trust"], "yes\n");
    expect([run.status, run.stdout, run.stderr]).toEqual([1, "", expect.stringContaining("this is not a terminal")]);
    expect(allowed(place)).toBe(false);
    const yes = assent(place, ["trust", "--yes"]);
    expect([yes.status, yes.stdout]).toEqual([0, `trusted ${NAME} until it changes\n`]);
    expect(yes.stderr).toMatch(/allow {2}Bash\(frobnicate:\*\) {2}line 1/);
    expect(allowed(place)).toBe(true);
    expect(assent(place, ["trust"]).stdout).toMatch(/trusted already/);
  });

  it("shows the difference to the text that was agreed to", () => {
    const place = scratch();
    place.write(NAME, ALLOW);
    expect(assent(place, ["trust", "--yes"]).stderr).not.toContain("since your last yes");
    place.write(NAME, ALLOW.replace("frobnicate:*", 'frobnicate:*)", "Bash(rm:*'));
    const second = assent(place, ["trust", "--yes"]);
    expect(second.stderr).toMatch(/since your last yes:\n[^]*^-.*frobnicate:\*\)"\].*\n\+.*Bash\(rm:\*\)/m);
    // What is kept is only believed by its hash.
    for (const kept of readdirSync(join(place.home, ".local/state/assent/agreed")))
      place.write(`~/.local/state/assent/agreed/${kept}`, "{}");
    place.write(NAME, ALLOW);
    expect(assent(place, ["trust", "--yes"])).toMatchObject({
      status: 0,
      stderr: expect.not.stringContaining("since your last yes") as string,
    });
    expect(allowed(place)).toBe(true);
  });

  describe("what was agreed to holds until a person has looked at what took its place", () => {
    const AGREED = `{ "permissions": { "deny": ["Bash(frobnicate:*)"], "allow": ["Bash(twiddle:*)"] } }\n`;
    const NEXT = `{ "permissions": { "deny": ["Bash(meddle:*)"] } }\n`;
    const agreed = (): Scratch => {
      const place = scratch();
      place.write(NAME, AGREED);
      expect(assent(place, ["trust", "--yes"]).status).toBe(0);
      return place;
    };
    const verdict = (place: Scratch, line: string): unknown =>
      (JSON.parse(assent(place, ["explain", "--json", line]).stdout) as { verdict?: unknown }).verdict;

    it.each([
      ["another text", NEXT],
      ["a text that says nothing", "{}"],
      ["a text that allows it", `{ "permissions": { "allow": ["Bash(frobnicate:*)"] } }\n`],
      ["no file", undefined],
    ])("%s", (_, text) => {
      const place = agreed();
      expect(verdict(place, "twiddle x")).toBe("allow");
      if (text === undefined) rmSync(join(place.project, NAME));
      else place.write(NAME, text);
      expect(verdict(place, "frobnicate now")).toBe("deny");
      expect(verdict(place, "twiddle x")).not.toBe("allow");
      if (text === NEXT) expect(verdict(place, "meddle x")).toBe("deny");
      expect(assent(place, ["explain", "frobnicate now"]).stdout).toContain("as you agreed to it");
    });

    it("as much as it says", () => {
      const place = scratch();
      const many = Array.from({ length: 1100 }, (_, at) => `"Bash(tool${at}:*)"`).join(", ");
      place.write(NAME, `{ "permissions": { "deny": ["Bash(frobnicate:*)", ${many}] } }\n`);
      expect(assent(place, ["trust", "--yes"]).status).toBe(0);
      place.write(NAME, "{}");
      expect(verdict(place, "frobnicate now")).toBe("deny");
    });

    it.each([["{}"], [undefined]])("its settings, too, where they are stricter: %s", (text) => {
      const place = scratch();
      place.write(NAME, `{ "unknown": "deny", "permissions": { "allow": ["Bash(twiddle:*)"] } }\n`);
      expect(assent(place, ["trust", "--yes"]).status).toBe(0);
      expect(verdict(place, "frobnicate now")).toBe("deny");
      if (text === undefined) rmSync(join(place.project, NAME));
      else place.write(NAME, text);
      expect(verdict(place, "frobnicate now")).toBe("deny");
      expect(assent(place, ["explain", "frobnicate now"]).stdout).not.toContain("ignored");
    });

    it("a yes to the new text ends the old one", () => {
      const place = agreed();
      place.write(NAME, NEXT);
      expect(assent(place, ["trust", "--yes"]).status).toBe(0);
      expect(verdict(place, "frobnicate now")).not.toBe("deny");
      expect(verdict(place, "meddle x")).toBe("deny");
    });

    it.each([
      ["another text", NEXT],
      ["no file", undefined],
    ])("`assent rules` lists it, marked, until then: %s", (_, text) => {
      const place = agreed();
      expect(assent(place, ["rules"]).stdout).not.toContain("agreed");
      if (text === undefined) rmSync(join(place.project, NAME));
      else place.write(NAME, text);
      const listed = assent(place, ["rules"]).stdout;
      expect(listed).toMatch(
        /^\S+ \(as you agreed to it\) {2}project, holds until you have looked at the new text: assent trust\n +1 {2}deny {2}Bash\(frobnicate:\*\)\n\n/m,
      );
      expect(JSON.parse(assent(place, ["rules", "--json"]).stdout)).toMatchObject({
        files: expect.arrayContaining([expect.objectContaining({ agreed: true, trusted: false })]) as unknown,
      });
      expect(assent(place, ["status"]).stdout).not.toContain("as you agreed to it");
      expect(assent(place, ["trust", ...(text === undefined ? ["--revoke"] : ["--yes"])]).status).toBe(0);
      expect(assent(place, ["rules"]).stdout).not.toContain("agreed");
    });

    it("no more texts are kept than there is a yes to", () => {
      const place = scratch();
      const kept = (): number => readdirSync(join(place.home, ".local/state/assent/agreed")).length;
      for (let at = 0; at < 5; at++) {
        place.write(NAME, `{ "permissions": { "deny": ["Bash(tool${at}:*)"] } }\n`);
        expect(assent(place, ["trust", "--yes"]).status).toBe(0);
        expect(kept()).toBe(1);
      }
      expect(assent(place, ["trust", "--revoke"]).status).toBe(0);
      expect(kept()).toBe(0);
    });

    it("where the file is gone, the way to end it is said, and works", () => {
      const place = agreed();
      rmSync(join(place.project, NAME));
      expect(assent(place, ["trust"]).stderr).toContain("assent trust --revoke");
      expect(assent(place, ["trust", "--revoke"]).status).toBe(0);
      expect(verdict(place, "frobnicate now")).not.toBe("deny");
    });
  });

  it("a session's start says to the person that there is a policy, until it is agreed to, and again when it has changed", () => {
    const place = scratch();
    const greeted = (): string => {
      const payload = { hook_event_name: "SessionStart", session_id: "s", cwd: place.project, source: "startup" };
      const { stdout } = assent(place, ["check", "--agent", "claude", "--event", "SessionStart"], JSON.stringify(payload));
      return (JSON.parse(stdout === "" ? "{}" : stdout) as { systemMessage?: string }).systemMessage ?? "";
    };
    expect(greeted()).toBe("");
    place.write(NAME, ALLOW);
    expect(greeted()).toMatch(/this repository has a policy, .*has not been agreed to by you.*`assent trust` shows what they allow/);
    assent(place, ["trust", "--yes"]);
    expect(greeted()).toBe("");
    place.write(NAME, `${ALLOW} `);
    expect(greeted()).toMatch(/changed since you said yes to it.*`assent trust` shows the difference/);
  });

  it.skipIf(spawnSync("script", ["-qec", "true", "/dev/null"]).status !== 0).each([
    ["yes\n", true],
    ["y\n", true],
    ["\n", false],
  ])("on a terminal, %j", (answer, trusted) => {
    const place = scratch();
    place.write(NAME, ALLOW);
    const { stdout } = spawnSync("script", ["-qec", `'${process.execPath}' '${join(DIST, "bin.cjs")}' trust`, "/dev/null"], {
      cwd: place.project,
      env: { HOME: place.home, PATH: "/usr/bin:/bin", TERM: "dumb" },
      input: answer,
      encoding: "utf8",
    });
    expect(stdout).toContain("Bash(frobnicate:*)");
    expect(stdout).toContain(trusted ? "until it changes" : "nothing is trusted");
    expect(allowed(place)).toBe(trusted);
  });

  it("ends with any change, is listed and taken back", () => {
    const place = scratch();
    const file = place.write(NAME, ALLOW);
    expect(json(assent(place, ["trust", "--yes", "--json"]))).toMatchObject({
      v: 1,
      file,
      trusted: true,
      changed: true,
      allows: [{ text: "Bash(frobnicate:*)", line: 1 }],
    });
    expect(assent(place, ["trust", "--list"]).stdout).toMatch(new RegExp(`^valid {4}[0-9a-f]{12} {2}${file}\n$`));
    const added = assent(place, ["rule", "add", "Bash(rm:*)", "--deny", "--local"]);
    expect(added.stderr).toMatch(/changed since you trusted it/);
    expect(json(assent(place, ["trust", "--list", "--json"]))).toMatchObject({ projects: [{ file, state: "changed" }] });
    expect(allowed(place)).toBe(false);
    expect(assent(place, ["rule", "remove", "Bash(rm:*)", "--local"])).toMatchObject({ status: 0, stderr: "" });
    expect(project(place)).toBe(ALLOW);
    expect(allowed(place)).toBe(true);
    expect(assent({ ...place, project: place.home }, ["trust", "--revoke", "project"]).status).toBe(0);
    expect(allowed(place)).toBe(false);
    expect(assent(place, ["trust", "--revoke"])).toMatchObject({ status: 1, stderr: expect.stringContaining("is not trusted") as string });
    expect(assent(place, ["trust", "--list"]).stdout).toBe("no project is trusted\n");
  });

  it("refuses what is broken or missing", () => {
    const place = scratch();
    expect(assent(place, ["trust", "--yes"])).toMatchObject({ status: 1, stderr: expect.stringContaining("does not exist") as string });
    place.write(NAME, "{");
    expect(assent(place, ["trust", "--yes"])).toMatchObject({ status: 1, stderr: expect.stringContaining(`${NAME}:1:1: `) as string });
  });
});

describe("wrong usage exits 2", () => {
  it.each<readonly [readonly string[], RegExp]>([
    [["rule"], /Usage/],
    [["rule", "add", "Bash(ls)"], /--allow, --ask or --deny/],
    [["rule", "add", "Bash(ls", "--allow"], /`\(` without `\)`\n {2}write `Bash\(ls\)`/],
    [["rule", "add", "Bash(ls)", "--allow", "--deny"], /cannot be used with/],
    [["rule", "add", "Bash(ls)", "--allow", "--local", "--global"], /cannot be used with/],
    [["rule", "add", "Bash(ls)", "--allow", "--why", " "], /--why/],
    [["rule", "remove", "Bash(ls"], /without/],
    [["trust", "--list", "--revoke"], /cannot be used with/],
    [["init", "--local", "--global"], /cannot be used with/],
  ])("%j", (args, message) => {
    const place = scratch();
    const { status, stderr } = assent(place, args);
    expect([status, stderr]).toEqual([2, expect.stringMatching(message)]);
    expect(existsSync(join(place.home, NAME))).toBe(false);
  });

  it.each([["rule", "add", "Bash(ls)", "--allow", "--local"], ["edit", "--local"], ["init", "--local"], ["trust"]])(
    "outside git: %s %s",
    (...args) => {
      const place = scratch();
      const { status, stderr } = assent({ home: place.home, project: place.home }, args, "", { EDITOR: "true" });
      expect([status, stderr]).toEqual([2, expect.stringContaining("not in a git repository")]);
    },
  );
});

describe("the value of $EDITOR", () => {
  it.each<readonly [string, readonly string[] | undefined]>([
    ["vim", ["vim"]],
    ["code  --wait", ["code", "--wait"]],
    [`"/My Apps/ed" -x`, ["/My Apps/ed", "-x"]],
    [`a\\ b 'c "d"' "e \\" \\n"`, ["a b", 'c "d"', 'e " \\n']],
    [`''`, [""]],
    [`a"b"'c'd`, ["abcd"]],
    [`"a`, undefined],
    [`'a`, undefined],
  ])("%s", (text, words) => expect(shellWords(text)).toEqual(words));
});
