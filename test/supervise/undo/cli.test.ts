import { existsSync, mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { listRuns, receiptOf, type RunMeta, runsFolder } from "@assent/supervisor/supervise/undo";
import type { RunEvent } from "@assent/supervisor/supervise";
import { assent, scratch, type Scratch } from "../../scratch.ts";
import { Actor, saying } from "./driver.ts";

const PROCESS = { pid: 1, name: "npm", argv: ["npm"] };
const VERDICT = { decision: "allow", basis: "default", reason: "the preset says so" } as const;

const EVENTS: readonly RunEvent[] = [
  {
    time: 1,
    process: PROCESS,
    call: { name: "exec", args: ["/usr/bin/git", ["git", "commit", "-m", "it's done"]] },
    action: { kind: "exec", program: "git", argv: [], trusted: true, env: [], origin: { by: "tool" } },
    verdict: VERDICT,
    outcome: "passed",
  },
  {
    time: 2,
    process: PROCESS,
    call: { name: "connect", args: ["registry.npmjs.org", "443"] },
    action: { kind: "net", operation: "connect", host: "registry.npmjs.org", port: 443, origin: { by: "tool" } },
    verdict: VERDICT,
    outcome: "done",
    answer: "allow session",
  },
  {
    time: 3,
    process: PROCESS,
    call: { name: "open", args: ["/etc/passwd", "write"] },
    action: { kind: "file", operation: "edit", target: { kind: "path", path: "/etc/passwd" }, origin: { by: "tool" } },
    verdict: { ...VERDICT, decision: "deny", reason: "system files" },
    outcome: "refused",
    errno: "EACCES",
  },
];

/** A run in a scratch project: some of everything. */
function aRun(): Scratch & { readonly id: string } {
  const place = scratch();
  place.write("src/a.ts", "one\ntwo\nthree\n");
  place.write("old.txt", "old\n");
  place.write("moved.txt", "m\n");
  place.write("data.bin", "\u0000\u0001");
  place.write("~/outside.txt", "o\n");
  mkdirSync(runsFolder(place.machine), { recursive: true, mode: 0o700 });
  const actor = new Actor(place.project, runsFolder(place.machine));
  actor.overwrite("src/a.ts", "one\n2\nthree\n");
  actor.overwrite("data.bin", "\u0000\u0001\u0002");
  actor.unlink("old.txt");
  actor.rename("moved.txt", "there.txt");
  actor.mkdir("node_modules");
  for (let i = 0; i < 1234; i++) actor.create(`node_modules/f${i}`);
  actor.mkdir(".git/hooks");
  actor.create(".git/hooks/pre-commit", "#!/bin/sh\n");
  actor.overwrite("../outside.txt", "x\n");
  actor.chmod("there.txt", 0o755);
  for (const event of EVENTS) actor.run.event(event);
  actor.end();
  return { ...place, id: actor.run.id };
}

describe("receipt, diff, undo", () => {
  test("of one run, to the end", () => {
    const place = aRun();
    const receipt = assent(place, ["receipt"]);
    expect(receipt).toMatchObject({ status: 0, stderr: "" });
    const rows = [
      "created\n  .git/hooks/  (1 file created)\n  node_modules/  (1,234 files created)",
      "deleted\n  old.txt",
      "changed\n  ~/outside.txt\n  data.bin\n  src/a.ts",
      "renamed\n  moved.txt → there.txt",
      "runs later, outside the run\n  .git/hooks/pre-commit  git runs it",
      "hosts\n  registry.npmjs.org:443",
      "commands\n  git commit -m 'it'\\''s done'",
      "asked\n  connect to registry.npmjs.org:443  allow session",
      "refused\n  change /etc/passwd  system files",
    ];
    for (const row of rows) expect(receipt.stdout).toContain(row);
    // The scratch home lies in a temporary folder, which the command does not count as outside.
    const run = listRuns(runsFolder(place.machine))[0];
    expect(run === undefined ? [] : receiptOf(runsFolder(place.machine), run, place.machine).outside).toEqual([
      `${place.home}/outside.txt`,
    ]);

    const diff = assent(place, ["diff"]);
    expect(diff.stdout).toContain(`--- a${place.project}/src/a.ts`);
    expect(diff.stdout).toContain("\n-two\n+2\n");
    expect(diff.stdout).toContain("data.bin: binary file, 2 → 3 bytes");
    expect(assent(place, ["diff", "src"]).stdout).not.toContain("data.bin");

    const dry = assent(place, ["undo", "--dry-run"]);
    expect(dry).toMatchObject({ status: 0 });
    expect(dry.stdout).toContain("bring back old.txt");
    expect(dry.stdout).toContain("move back there.txt as moved.txt");
    expect(assent(place, ["undo"])).toMatchObject({ status: 1, stderr: saying("this is not a terminal, so nobody can be asked") });

    writeFileSync(`${place.project}/src/a.ts`, "mine\n");
    const undone = assent(place, ["undo", place.id, "--yes"]);
    expect(undone).toMatchObject({ status: 1, stderr: saying("left alone: src/a.ts was changed since") });
    expect(readFileSync(`${place.project}/old.txt`, "utf8")).toBe("old\n");
    expect(readFileSync(`${place.home}/outside.txt`, "utf8")).toBe("o\n");
    expect(readFileSync(`${place.project}/src/a.ts`, "utf8")).toBe("mine\n");
    expect(assent(place, ["receipt", "--list"]).stdout.split("\n")).toHaveLength(3);
  });

  test("as JSON", () => {
    const place = aRun();
    const receipt: unknown = JSON.parse(assent(place, ["receipt", place.id, "--json"]).stdout);
    expect(receipt).toMatchObject({
      v: 1,
      id: place.id,
      hosts: [{ what: "registry.npmjs.org:443", count: 1 }],
      refused: [{ count: 1 }],
      running: false,
    });
    expect(receipt).toHaveProperty(
      "changes",
      expect.arrayContaining([expect.objectContaining({ what: "renamed", from: `${place.project}/moved.txt` })]),
    );
    const plan: unknown = JSON.parse(assent(place, ["undo", "--json"]).stdout);
    expect(plan).toMatchObject({ v: 1, run: place.id, refused: [], failed: [], undo: saying("-") });
    expect(assent(place, ["undo"])).toMatchObject({ status: 1, stderr: saying("every run is undone already") });
  });

  test("a confined run is shown by the command that the agent wrote", () => {
    const place = scratch();
    mkdirSync(runsFolder(place.machine), { recursive: true, mode: 0o700 });
    const confined = { agent: "claude", session: "s-1", command: "./tidy.sh\u001b[2J && make" };
    const actor = new Actor(place.project, runsFolder(place.machine), undefined, { argv: ["/bin/bash", "-c", confined.command], confined });
    actor.create("report.md", "x");
    actor.end();
    const receipt = assent(place, ["receipt"]);
    expect(receipt.stdout).toContain("./tidy.sh\\u{1b}[2J && make\nsandboxed, for claude, session s-1\n");
    expect(receipt.stdout).not.toContain("bash -c");
    expect(assent(place, ["receipt", "--list"]).stdout).toMatch(/\.\/tidy\.sh.* {2}sandboxed, exit code 0\n/);
    expect(JSON.parse(assent(place, ["receipt", "--json"]).stdout)).toMatchObject({ confined });
    // What is no such record is none.
    const file = `${actor.run.folder}/meta.json`;
    writeFileSync(file, readFileSync(file, "utf8").replace('"claude"', "7"));
    expect(JSON.parse(assent(place, ["receipt", "--json"]).stdout)).not.toHaveProperty("confined");
  });

  test("one session of an agent, and what was done since", () => {
    const place = scratch();
    for (const name of ["a", "b", "c"]) place.write(name, `${name}\n`);
    mkdirSync(runsFolder(place.machine), { recursive: true, mode: 0o700 });
    const run = (command: string, session: string, does: (actor: Actor) => unknown): string => {
      const confined = { agent: "claude", session, command };
      const actor = new Actor(place.project, runsFolder(place.machine), undefined, { confined });
      does(actor);
      actor.end();
      return actor.run.id;
    };
    run("old", "other", (a) => a.unlink("c"));
    const first = run("sed -i s/a/1/ a", "s-1", (a) => a.overwrite("a", "1\n"));
    run("./tidy.sh", "s-1", (a) => void (a.unlink("b"), a.create("report.md", "x\n")));
    run("sed -i s/1/2/ a", "s-1", (a) => a.overwrite("a", "2\n"));

    expect(assent(place, ["receipt", "--sessions"]).stdout).toMatch(
      /^claude, session other: 1 command .*\nclaude, session s-1: 3 commands .*\n$/,
    );
    const { sessions } = JSON.parse(assent(place, ["receipt", "--sessions", "--json"]).stdout) as { sessions: unknown };
    expect(sessions).toMatchObject([{ session: "other" }, { agent: "claude", session: "s-1", commands: 3, edits: 0, cwd: place.project }]);
    const receipt = assent(place, ["receipt", "--session"]);
    expect(receipt.stdout).toContain(`${first}  sed -i s/a/1/ a\n  1 file changed\n`);
    expect(receipt.stdout).toMatch(/all in all\n\ncreated\n {2}report\.md\n\nchanged\n {2}a\n\ndeleted\n {2}b\n$/);
    expect(JSON.parse(assent(place, ["receipt", "--session", "s-", "--json"]).stdout)).toMatchObject({
      session: "s-1",
      runs: [{ id: first }, {}, {}],
      changes: [{ what: "changed" }, { what: "deleted" }, { what: "created" }],
    });
    expect(assent(place, ["receipt", "--session", "nope"])).toMatchObject({ status: 2, stderr: saying("nope: unknown session") });
    expect(assent(place, ["receipt", "--since", "soon"])).toMatchObject({ status: 2, stderr: saying("is not a time") });
    expect(assent(place, ["receipt", "--since", "10m"]).stdout).toContain("deleted\n  b\n  c\n");
    expect(assent(place, ["diff", "--session"]).stdout).toContain("-a\n+2\n");

    const dry = assent(place, ["undo", "--session", "--dry-run", "--diff"]);
    expect(dry.stdout).toContain("claude, session s-1: 3 commands\n");
    expect(dry.stdout).toContain("-2\n+a\n");
    expect(dry.stdout).toContain(`--- /dev/null\n+++ b${place.project}/b\n@@ -0,0 +1,1 @@\n+b\n`);
    const one = assent(place, ["undo", "--session", "./b", "--yes"]);
    expect(one).toMatchObject({ status: 0, stdout: saying("undone; to have it back: assent undo ") });
    const read = (name: string): string => readFileSync(`${place.project}/${name}`, "utf8");
    expect([read("a"), read("b")]).toEqual(["2\n", "b\n"]);
    place.write("report.md", "mine\n");
    const most = assent(place, ["undo", "--session", "--yes"]);
    expect(most).toMatchObject({
      status: 1,
      stdout: saying("undone, but for what was left alone; "),
      stderr: saying("left alone: report.md was changed since"),
    });
    expect([read("a"), read("b"), read("report.md")]).toEqual(["a\n", "b\n", "mine\n"]);
    const since = assent(place, ["undo", "--since", "1h", "--yes"]);
    expect(since).toMatchObject({ status: 1 });
    expect(read("c")).toBe("c\n");
  });

  test("without an id it is the last run of this project, and never another's", () => {
    const place = scratch();
    const at = (folder: string): Scratch => ({ ...place, project: `${place.home}/${folder}` });
    for (const folder of ["other/.git", "plain", "project/plain"]) mkdirSync(`${place.home}/${folder}`, { recursive: true });
    mkdirSync(runsFolder(place.machine), { recursive: true, mode: 0o700 });
    const run = (folder: string, confined?: RunMeta["confined"]): string => {
      const root = join(place.home, folder);
      const actor = new Actor(root, runsFolder(place.machine), undefined, confined === undefined ? {} : { confined });
      actor.create("made");
      actor.end();
      return actor.run.id;
    };
    const [first, second, third] = [run("project"), run("project/src", { agent: "claude", session: "s", command: "make" }), run("other")];
    const home = run("");
    const isThere = (folder: string): boolean => existsSync(`${place.home}/${folder}/made`);

    // Below the top of the repository it is the same project.
    expect(assent(at("project/plain"), ["receipt"]).stdout).toContain(second);
    expect(assent(at("project"), ["diff", "--json"]).stdout).toContain("project/src/made");
    expect(assent(at("other"), ["receipt"]).stdout).toContain(third);
    expect(assent(at("project"), ["status", "--json"]).stdout).toContain(`"undoable":{"id":"${second}"`);
    expect(assent(at("project/src"), ["undo", "--yes"])).toMatchObject({ status: 0, stderr: saying(second) });
    expect(assent(at("project/src"), ["undo", "--yes"])).toMatchObject({ status: 0, stderr: saying(first) });
    expect([isThere("project"), isThere("project/src"), isThere("other"), isThere("")]).toEqual([false, false, true, true]);
    for (const words of [
      ["undo", "--yes"],
      ["undo", "made", "--yes"],
      ["undo", "--dry-run"],
      ["undo", "--json"],
    ])
      expect(assent(at("project"), words)).toMatchObject({
        status: 1,
        stderr: saying(`every run of this folder is undone already\n  the last one elsewhere is of ${place.home}: assent undo ${home}; `),
      });
    for (const words of [["receipt"], ["diff"], ["undo", "--yes"]])
      expect(assent(at("plain"), words)).toMatchObject({ status: 1, stderr: saying("no run of this folder is recorded yet") });
    // What was run in a folder above is of another project, too.
    expect(assent(at("other"), ["undo", "--since", "1h", "--yes"])).toMatchObject({ status: 0 });
    expect([isThere("other"), isThere("")]).toEqual([false, true]);
    expect(assent(at("project"), ["undo", home, "--yes"])).toMatchObject({ status: 0 });
    expect(isThere("")).toBe(false);
  });

  test("a run that is not there", () => {
    const place = scratch();
    expect(assent(place, ["receipt"])).toMatchObject({ status: 1, stderr: saying("no run is recorded yet") });
    expect(assent(place, ["undo", "no/such"])).toMatchObject({ status: 1 });
    expect(assent(place, ["receipt", "nope"])).toMatchObject({ status: 2, stderr: saying("nope: unknown run") });
  });
});

describe("what goes back in part", () => {
  /** Seconds of the folder's time of change, after a run that did this and an undo of these paths. */
  const timeAfter = (
    does: (actor: Actor) => void,
    paths: readonly string[],
  ): { readonly was: number; readonly left: number; readonly now: number } => {
    const place = scratch();
    for (const name of ["a", "b"]) place.write(`sub/${name}`, `${name}\n`);
    const folder = join(place.project, "sub");
    utimesSync(folder, 1_000_000_000, 1_000_000_000);
    mkdirSync(runsFolder(place.machine), { recursive: true, mode: 0o700 });
    const actor = new Actor(place.project, runsFolder(place.machine));
    does(actor);
    actor.end();
    const { mtimeMs: left } = statSync(folder);
    expect(assent(place, ["undo", "--yes", actor.run.id, ...paths])).toMatchObject({ status: 0 });
    return { was: 1_000_000_000_000, left, now: statSync(folder).mtimeMs };
  };

  test.each<[string, (actor: Actor) => void, readonly string[]]>([
    ["a file that was deleted", (actor) => actor.unlink("sub/a"), ["sub/a"]],
    ["one that was made", (actor) => actor.create("sub/new"), ["sub/new"]],
    ["one that was renamed", (actor) => actor.rename("sub/a", "sub/c"), ["sub/a"]],
    ["all that was deleted", (actor) => (actor.unlink("sub/a"), actor.unlink("sub/b")), ["sub/a", "sub/b"]],
    ["one, and the run did more elsewhere", (actor) => (actor.unlink("sub/a"), actor.create("else")), ["sub/a"]],
  ])("%s: its folder's times are as before", (_, does, paths) => {
    const { was, now } = timeAfter(does, paths);
    expect(now).toBe(was);
  });

  test.each<[string, (actor: Actor) => void, readonly string[]]>([
    ["one of two", (actor) => (actor.unlink("sub/a"), actor.unlink("sub/b")), ["sub/a"]],
    ["one, and another was made", (actor) => (actor.unlink("sub/a"), actor.create("sub/new")), ["sub/a"]],
  ])("%s: its folder's times are as the run left them", (_, does, paths) => {
    const { left, now } = timeAfter(does, paths);
    expect(now).toBe(left);
  });
});
