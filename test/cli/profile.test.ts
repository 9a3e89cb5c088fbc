import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Action } from "@assent/core/action";
import { rememberInProfile } from "@assent/guard/policy-edit";
import { inspect, listRules } from "@assent/guard/inspect";
import { lint } from "@assent/guard/lint";
import { callMatcher, judge } from "@assent/core/policy";
import { profileFile, profilesFolder } from "@assent/guard/state";
import { assent, DIST, scratch, type Scratch } from "../scratch.ts";

const NOW = new Date("2026-11-21T05:39:10Z");
const text = ({ machine }: Scratch, name: string): string => readFileSync(profileFile(machine, name), "utf8");

describe("remembering", () => {
  it("makes the file, then adds to it as it is written", () => {
    const place = scratch();
    const remember = (rule: string, effect: "allow" | "deny" = "allow") =>
      rememberInProfile(place.machine, "ci", effect, rule, "answered always", NOW);
    expect(remember("open('/tmp/it\\'s, here', _)")).toMatchObject({ is: "done", added: 1, created: true });
    const own = text(place, "ci").replace('"allow": [', '// mine\n    "allow": [');
    place.write(profileFile(place.machine, "ci"), own);
    expect(remember("Write(~/.npm/**)")).toMatchObject({ is: "done", added: 1, created: false });
    expect(remember("connect(*.npmjs.org, 443)", "deny")).toMatchObject({ is: "done", added: 1 });
    const after = text(place, "ci");
    expect(after).toContain('// mine\n    "allow": [');
    expect(after).toContain('"reason": "answered always, 2026-11-21 05:39 UTC"');
    expect(after).toContain(`"rule": "open('/tmp/it\\\\'s, here', _)"`);
    // Not twice, also when spelt otherwise.
    expect(remember("connect( *.npmjs.org , 443 )", "deny")).toMatchObject({ is: "done", added: 0 });
    expect(text(place, "ci")).toBe(after);
  });

  it("says what is wrong, and changes nothing then", () => {
    const place = scratch();
    expect(rememberInProfile(place.machine, "ci", "allow", "open(/a", "x")).toMatchObject({
      is: "failed",
      why: "`open(/a`: `(` without `)` (close it)",
    });
    place.write(profileFile(place.machine, "ci"), '{ "permissions": { "denny": [] } }');
    expect(rememberInProfile(place.machine, "ci", "allow", "open(/a, _)", "x")).toMatchObject({
      is: "failed",
      why: "has mistakes and is left as it is",
      problems: [{ message: "unknown key `denny`" }],
    });
    expect(text(place, "ci")).toBe('{ "permissions": { "denny": [] } }');
  });

  it("loses nothing when many write at once", async () => {
    const place = scratch();
    const all = Array.from({ length: 8 }, (_, at) => at);
    for (const at of all)
      place.write(`${at}.json`, JSON.stringify({ "/usr/bin/x": Array.from({ length: 5 }, (_, n) => `open(/${at}/${n}, _)`) }));
    const run = async (at: number): Promise<number | null> =>
      new Promise((resolve) => {
        const child = spawn(process.execPath, [join(DIST, "bin.cjs"), "profile", "import", `${at}.json`], {
          cwd: place.project,
          env: { PATH: process.env["PATH"] ?? "", HOME: place.home },
          stdio: "ignore",
        });
        child.on("exit", resolve);
      });
    expect(await Promise.all(all.map(run))).toEqual(all.map(() => 0));
    expect(JSON.parse(assent(place, ["profile", "list", "--json"]).stdout)).toMatchObject({
      profiles: [{ name: "/usr/bin/x", rules: { allow: 40, ask: 0, deny: 0 } }],
    });
    expect(readdirSync(profilesFolder(place.machine))).toHaveLength(1);
  });
});

describe("as a layer", () => {
  const asked = (path: string): Action => ({
    kind: "file",
    operation: "write",
    target: { kind: "path", path },
    origin: { by: "tool" },
    call: { name: "open", args: [path, "create+write"] },
  });
  const decisions = (place: Scratch, paths: readonly string[], profile = profileFile(place.machine, "ci")): readonly string[] => {
    const { policy, context } = inspect({ machine: place.machine, cwd: place.project, own: [], profile });
    const matchCall = callMatcher(context.world, policy.rules);
    return paths.map((path) => judge({ actions: [asked(path)], unknowns: [] }, policy, { ...context, matchCall }).decision);
  };

  it("allows what no other layer denies or asks, and no secret unless it names it", () => {
    const place = scratch();
    const at = (name: string): string => join(place.home, "other", name);
    place.write(
      "~/.agent-permissions.jsonc",
      JSON.stringify({ permissions: { deny: ["Edit(~/other/denied)"], ask: ["open(~/other/asked, _)"] } }),
    );
    expect(decisions(place, [at("a")])).toEqual(["ask"]);
    rememberInProfile(place.machine, "ci", "allow", "open(~/other/**, _)", "x");
    const paths = [at("a"), at("denied"), at("asked"), at(".env")];
    expect(decisions(place, paths)).toEqual(["allow", "deny", "ask", "deny"]);
    rememberInProfile(place.machine, "ci", "allow", "open(~/other/.env, _)", "x");
    rememberInProfile(place.machine, "ci", "deny", "open(**/a, _)", "x");
    expect(decisions(place, paths)).toEqual(["deny", "deny", "ask", "allow"]);
    // Only where it is passed, and nothing where it is missing.
    expect(decisions(place, [at("a")], profileFile(place.machine, "none"))).toEqual(["ask"]);
  });

  it("allows nothing while it has mistakes", () => {
    const place = scratch();
    place.write("~/.agent-permissions.jsonc", JSON.stringify({ permissions: { allow: ["Edit"] } }));
    place.write(profileFile(place.machine, "ci"), '{ "permissions": { "deny": ["open(/x"] } }');
    expect(decisions(place, [join(place.home, "a")])).toEqual(["ask"]);
  });

  it("is listed and looked at", () => {
    const place = scratch();
    rememberInProfile(place.machine, "ci", "allow", "open(/srv/a, _)", "x");
    rememberInProfile(place.machine, "ci", "allow", "open(_, _)", "x");
    rememberInProfile(place.machine, "ci", "deny", "delete(_)", "x");
    rememberInProfile(place.machine, "ci", "allow", "delete(/a)", "x");
    const file = profileFile(place.machine, "ci");
    const inspection = inspect({ machine: place.machine, cwd: place.project, own: [], only: [file] });
    expect(listRules(inspection).files).toMatchObject([{ layer: "profile", problems: [] }]);
    expect(lint(inspection).map(({ code, rule }) => [code, rule])).toEqual([
      ["AL003", "open(_, _)"],
      ["AL031", "delete(/a)"],
    ]);
    expect(assent(place, ["lint", file]).stdout).toContain("AL003");
  });
});

it("assent rules says where a call rule counts", () => {
  const place = scratch();
  place.write("~/.agent-permissions.jsonc", '{ "permissions": { "deny": ["open(/a, _)", "Bash(rm:*)"] } }');
  expect(assent(place, ["rules"]).stdout).toMatch(/deny {2}open\(\/a, _\) {2}under assent run\n +1 {2}deny {2}Bash\(rm:\*\)\n/);
});

describe("assent profile", () => {
  const profiles = (place: Scratch): void => {
    rememberInProfile(place.machine, "/usr/bin/env", "allow", "open(~/.npm/**, _)", "answered always", NOW);
    rememberInProfile(place.machine, "env", "deny", "delete(_)", "answered always", NOW);
    rememberInProfile(place.machine, "odd\n\u001b[31mname", "ask", "Read", "answered always", NOW);
  };

  it("P13: lists", () => {
    const place = scratch();
    expect(assent(place, ["profile", "list"])).toMatchObject({ status: 0, stdout: expect.stringContaining("no profiles") as string });
    profiles(place);
    const { status, stdout } = assent(place, ["profile", "list"]);
    expect([status, stdout.split("\n").map((line) => line.split("  ").slice(0, 2))]).toEqual([
      0,
      [
        ["/usr/bin/env", "1 allow, 0 ask, 0 deny"],
        ["env", "0 allow, 0 ask, 1 deny"],
        ["odd\\n\\u{1b}[31mname", "0 allow, 1 ask, 0 deny"],
        [""],
      ],
    ]);
    place.write(profileFile(place.machine, "bad"), "{");
    expect(assent(place, ["profile", "list"]).stdout).toContain("bad  has mistakes: nothing is allowed");
  });

  it("P12, P13: shows by name, by path and by the word typed", () => {
    const place = scratch();
    rememberInProfile(place.machine, "/usr/bin/env", "allow", "open(~/.npm/**, _)", "answered always", NOW);
    for (const name of ["/usr/bin/env", "env"]) {
      const { status, stdout } = assent(place, ["profile", "show", name]);
      expect([status, stdout]).toEqual([
        0,
        expect.stringMatching(
          /^\/usr\/bin\/env {2}.*\n +\d+ {2}allow open\(~\/\.npm\/\*\*, _\)\n +answered always, 2026-11-21 05:39 UTC\n$/,
        ),
      ]);
    }
    expect(JSON.parse(assent(place, ["profile", "show", "env", "--json"]).stdout)).toMatchObject({
      v: 1,
      name: "/usr/bin/env",
      found: true,
      rules: [{ effect: "allow", text: "open(~/.npm/**, _)" }],
    });
    expect(assent(place, ["profile", "show", "nope"])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("no profile named `nope`") as string,
    });
    place.write(profileFile(place.machine, "bad"), '{ "permissions": { "deny": ["open(/a"] } }');
    expect(assent(place, ["profile", "show", "bad"])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("`(` without `)`") as string,
    });
  });

  it("P13: clears what the word names and what it starts, and says whether there was any", () => {
    const place = scratch();
    profiles(place);
    expect(assent(place, ["profile", "clear", "env"])).toMatchObject({
      status: 0,
      stdout: "removed the profile env\nremoved the profile /usr/bin/env\n",
    });
    expect(assent(place, ["profile", "clear", "env"])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("no profile named `env`, nor for /usr/bin/env") as string,
    });
    expect(readdirSync(profilesFolder(place.machine))).toHaveLength(1);
  });

  it("edits", () => {
    const place = scratch();
    const editor = place.write("~/editor", '#!/bin/sh\nsed -i \'s/"allow": \\[\\]/"allow": ["open(\\/a, _)"]/\' "$1"\n');
    expect(assent(place, ["profile", "edit", "ci"], "", { EDITOR: `sh ${editor}` })).toEqual({ status: 0, stdout: "", stderr: "" });
    expect(text(place, "ci")).toContain('"profile": "ci"');
    expect(assent(place, ["profile", "show", "ci"]).stdout).toContain("open(/a, _)");
    expect(assent(place, ["profile", "edit", " "]).status).toBe(2);
  });

  it("P11: imports", () => {
    const place = scratch();
    place.write(
      "p.json",
      JSON.stringify(
        { "/usr/bin/npm": ["open(~/.npm/**, _)", "rename(/a -> /b)"], "/usr/bin/npm:deny": ["open(**/secret*, _)"], ci: ["exec(_, ...)"] },
        undefined,
        2,
      ),
    );
    expect(assent(place, ["profile", "import", "p.json"])).toEqual({
      status: 0,
      stdout: "/usr/bin/npm: 3 rules added\nci: 1 rule added\n",
      stderr: "",
    });
    expect(assent(place, ["profile", "import", "p.json"]).stdout).toBe("/usr/bin/npm: 0 rules added\nci: 0 rules added\n");
    expect(assent(place, ["profile", "show", "/usr/bin/npm"]).stdout).toContain("deny  open(**/secret*, _)");
  });

  it.each(["open(**/x1*, _)", "delete(**)", "open(/**/x1, _)"])("P11: what `%s` of an imported profile refuses names it", (rule) => {
    const place = scratch();
    place.write("p.json", JSON.stringify({ "/bin/sh:deny": [rule] }));
    assent(place, ["profile", "import", "p.json"]);
    place.write("x0", "");
    const { stderr } = assent(place, ["run", "-P", "--profile", "/bin/sh", "--", "sh", "-c", "rm x0; echo > x1"]);
    expect(stderr).toContain(`the rule '${rule}' denies this: imported from `);
  });

  it("P11: says what cannot be kept, and writes nothing then", () => {
    const place = scratch();
    place.write(
      "p.json",
      '{\n  "good": ["open(/a, _)"],\n  "bad": ["open(a.txt, _)", "delete(/a b)", "unlink(/x)", "open(/b, _)"],\n  "worse": ["open(/c, _)"],\n  "worse:deny": ["open(it\'s, _)"],\n  "odd": "open(/d, _)"\n}',
    );
    const run = assent(place, ["profile", "import", "p.json", "--json"]);
    expect([run.status, JSON.parse(run.stdout)]).toMatchObject([
      1,
      {
        profiles: [],
        lost: [
          { key: "bad", line: 3, column: 11, pattern: "open(a.txt, _)", why: expect.stringContaining("relative") as string },
          { key: "bad", line: 3, pattern: "delete(/a b)" },
          { key: "bad", line: 3, pattern: "unlink(/x)", help: expect.stringContaining("delete(") as string },
          { key: "worse:deny", line: 5, pattern: "open(it's, _)" },
          { key: "odd", line: 6, pattern: "", why: "a profile is a list of patterns" },
        ],
      },
    ]);
    expect(existsSync(profilesFolder(place.machine))).toBe(false);
    // What was denied must not be allowed because half of a profile came over.
    const partly = assent(place, ["profile", "import", "p.json", "--partly"]);
    expect(partly).toMatchObject({
      status: 1,
      stdout: "good: 1 rule added\nbad: 1 rule added\n",
      stderr: expect.stringContaining("worse is left out") as string,
    });
    for (const [content, why] of [
      ["{", ""],
      ["[]", "is not an object of profiles"],
      ['{ "permissions": {} }', "is a policy file"],
    ] as const) {
      place.write("q.json", content);
      expect(assent(place, ["profile", "import", "q.json"])).toMatchObject({ status: 1, stderr: expect.stringContaining(why) as string });
    }
    expect(assent(place, ["profile", "import", "none.json"]).status).toBe(2);
  });

  it("is denied to an agent", () => {
    const place = scratch();
    for (const command of ["assent profile clear npm", "npx assent profile import x.json", "assent profile edit ci"])
      expect(JSON.parse(assent(place, ["explain", "--json", command]).stdout)).toMatchObject({ verdict: "deny", basis: "floor" });
  });
});
