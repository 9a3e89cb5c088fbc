import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { appendAudit, auditLine } from "@assent/guard/audit";
import { printStatusLine, statusFacts, type StatusLine } from "../../packages/assent/src/cli/status-line.ts";
import { answerQuestion } from "@assent/guard/approve/queue";
import { putQuestion } from "../../packages/guard/src/approve/queue/store.ts";
import { changeBypass } from "@assent/guard/state";
import { runsFolder } from "@assent/supervisor/supervise/undo";
import { question } from "../approve/question.ts";
import { assent, DIST, scratch, type Scratch } from "../scratch.ts";

const NOTHING: StatusLine = { waiting: 0, refused: 0, confined: 0, more: false, undoable: 0 };

describe("the line of status", () => {
  it.each<[Partial<StatusLine>, string]>([
    [{}, "assent: nothing waits"],
    [{ refused: 1 }, "assent: 1 refused"],
    [{ refused: 3, undoable: 1, confined: 2 }, "assent: 3 refused, undo 1, 2 sandboxed"],
    // What matters less is left out where there is no room.
    [{ bypass: 9, refused: 30, undoable: 10, confined: 20 }, "assent: bypass 9m, 30 refused, undo 10"],
    [{ bypass: 59, refused: 3, undoable: 1, confined: 2 }, "assent: bypass 59m, 3 refused, undo 1"],
    [{ bypass: null, confined: 2 }, "assent: bypass, 2 sandboxed"],
    [{ refused: 12, more: true }, "assent: 12+ refused"],
    [{ waiting: 2, refused: 3, undoable: 1, confined: 2, more: true }, "assent: 2 waiting, 3+ refused, undo 1"],
    [{ refused: 4000, undoable: 400 }, "assent: 99+ refused, undo 99"],
    [{ bypass: 1440, refused: 4000, confined: 4000, undoable: 4000, more: true }, "assent: bypass 1440m, 99+ refused"],
  ])("%j is %s", (facts, line) => {
    expect(printStatusLine({ ...NOTHING, ...facts })).toBe(line);
    expect(line.length).toBeLessThanOrEqual(40);
  });
});

const NOW = Date.now();
const HOUR = 3_600_000;

function decide(
  place: Scratch,
  ago: number,
  verdict: "allow" | "ask" | "deny",
  more: { answer?: string; confined?: true; count?: number } = {},
): void {
  const line = auditLine({
    time: NOW - ago,
    point: "hook",
    agent: "claude",
    cwd: place.project,
    tool: "Bash",
    input: { command: 'echo "verdict":"deny" "confined":true' },
    verdict: { decision: verdict, basis: "rule", reason: "by a rule", actions: [], unknowns: [] },
    answer: more.answer ?? verdict,
    count: more.count,
    milliseconds: 1,
  });
  expect(appendAudit(place.machine, more.confined === true ? line.replace('"basis"', '"confined":true,"basis"') : line)).toBeUndefined();
}

function run(place: Scratch, name: string, meta: object, journal = "x\n"): void {
  const folder = `${runsFolder(place.machine)}/${name}`;
  place.write(
    `${folder}/meta.json`,
    JSON.stringify({ id: name, argv: ["x"], cwd: place.project, started: NOW - 60_000, ended: NOW - 50_000, ...meta }),
  );
  place.write(`${folder}/journal.jsonl`, journal);
}

describe("what it counts", () => {
  it("nothing where nothing was ever done", () => {
    const { machine, project } = scratch();
    expect(statusFacts(machine, project)).toEqual(NOTHING);
  });

  it("what was refused and what went ahead confined in the last hour, by what the records say", () => {
    const place = scratch();
    decide(place, 2 * HOUR, "deny");
    decide(place, 2 * HOUR, "allow", { confined: true });
    decide(place, 1000, "allow");
    decide(place, 1000, "deny");
    // Nobody could be asked.
    decide(place, 1000, "ask", { answer: "deny" });
    decide(place, 1000, "deny", { count: 5 });
    decide(place, 1000, "allow", { confined: true });
    expect(statusFacts(place.machine, place.project)).toEqual({ ...NOTHING, refused: 7, confined: 1 });
  });

  it("at least so many, where more happened than it looks at", () => {
    const place = scratch();
    for (let at = 0; at < 900; at += 1) decide(place, 1000, at === 0 || at === 899 ? "deny" : "allow");
    expect(statusFacts(place.machine, place.project)).toEqual({ ...NOTHING, refused: 1, more: true });
  });

  it("runs and edits here or below that changed something, have ended lately and are not taken back", () => {
    const place = scratch();
    run(place, "20260101-000000-000001", {});
    run(place, "20260101-000000-000002", { cwd: `${place.project}/src` });
    run(place, "20260101-000000-000003", { cwd: `${place.project}-other` });
    run(place, "20260101-000000-000004", { ended: undefined });
    run(place, "20260101-000000-000005", { ended: NOW - 2 * HOUR });
    run(place, "20260101-000000-000006", {}, "");
    run(place, "20260101-000000-000007", {});
    run(place, "20260101-000000-000008", { undoes: "20260101-000000-000007", exit: { by: "exit", code: 0 } });
    place.write(`${runsFolder(place.machine)}/20260101-000000-000009/meta.json`, "{ torn");
    expect(statusFacts(place.machine, place.project).undoable).toBe(2);
    expect(statusFacts(place.machine, `${place.project}/src`).undoable).toBe(1);
    expect(statusFacts(place.machine, "/").undoable).toBe(3);
  });

  it("questions that wait, until they are answered", () => {
    const place = scratch();
    const { id } = putQuestion(place.machine, { asked: NOW, point: "run", question: question(1), alike: 1, others: [] });
    expect(statusFacts(place.machine, place.project)).toEqual({ ...NOTHING, waiting: 1 });
    answerQuestion(place.machine, id, { answer: "allow", scope: "once" }, "page");
    expect(statusFacts(place.machine, place.project)).toEqual(NOTHING);
  });

  it("how long questions are still skipped", () => {
    const place = scratch();
    changeBypass(place.machine, undefined, Date.now() + 10 * 60_000, Date.now());
    expect(statusFacts(place.machine, place.project).bypass).toBe(10);
  });
});

describe("assent status --line", () => {
  it("prints it, in a process of its own, in every spelling and as JSON", () => {
    const place = scratch();
    decide(place, 1000, "deny");
    for (const args of [["--line"], ["--line", "--cwd", "/"], ["--cwd", "/", "--line"], ["--line", "--stdin"]])
      expect(assent(place, ["status", ...args], '{"cwd":"/tmp"}')).toEqual({ status: 0, stdout: "assent: 1 refused\n", stderr: "" });
    const facts = { v: 1, line: "assent: 1 refused", waiting: 0, refused: 1, confined: 0, more: false, undoable: 0 };
    expect(JSON.parse(assent(place, ["status", "--line", "--json"]).stdout)).toEqual({ ...facts, cwd: place.project });
    expect(JSON.parse(assent(place, ["status", "--json", "--line", "--cwd", "/"]).stdout)).toEqual({ ...facts, cwd: "/" });
    expect(JSON.parse(assent(place, ["status", "--json", "--line", "--stdin"], '{"cwd":"/tmp"}').stdout)).toEqual({
      ...facts,
      cwd: "/tmp",
    });
  });

  it("says what is wrong with other words, as every command does", () => {
    const place = scratch();
    for (const words of [
      ["--line", "--bogus"],
      ["--bogus", "--line"],
      ["--line", "--line", "--bogus"],
    ])
      expect(assent(place, ["status", ...words])).toMatchObject({
        status: 2,
        stdout: "",
        stderr: expect.stringContaining("'--bogus'") as unknown,
      });
    expect(assent(place, ["status", "--line", "--help"]).stdout).toContain("Usage: assent status");
  });

  it.each(["", "{", "[]", '{"cwd":7}', '{"cwd":"relative"}'])("takes its own folder where standard input names none: %j", (input) => {
    const place = scratch();
    expect(JSON.parse(assent(place, ["status", "--line", "--json", "--stdin"], input).stdout)).toMatchObject({ cwd: place.project });
  });
});

interface Settings {
  readonly statusLine?: { readonly command: string };
}

describe("assent install --status-line", () => {
  const settings = (place: Scratch): Settings => JSON.parse(readFileSync(join(place.home, ".claude/settings.json"), "utf8")) as Settings;
  const install = (place: Scratch, ...args: readonly string[]) => assent(place, ["install", "--yes", "--agent", "claude", ...args]);

  it("registers what prints it; it stays when Assent is installed again, and goes when it is taken out", () => {
    const place = scratch();
    const file = place.write("~/.claude/settings.json", '{\n  "model": "opus"\n}\n');
    expect(install(place).status).toBe(0);
    expect(settings(place).statusLine).toBeUndefined();
    expect(install(place, "--status-line")).toMatchObject({ status: 0, stderr: "" });
    const command = settings(place).statusLine?.command ?? "";
    decide(place, 1000, "deny");
    // As the host starts it: through a shell, in any folder, with the session's on standard input.
    const shown = spawnSync("/bin/sh", ["-c", command], {
      cwd: "/",
      input: JSON.stringify({ cwd: place.project }),
      env: {},
      encoding: "utf8",
    });
    expect([shown.status, shown.stdout]).toEqual([0, "assent: 1 refused\n"]);
    const before = readFileSync(file, "utf8");
    expect(install(place).stdout).toContain("claude: up to date");
    expect(readFileSync(file, "utf8")).toBe(before);
    expect(assent(place, ["doctor"]).stdout).toContain("shows what `assent status --line` says");
    expect(assent(place, ["doctor"]).stdout).not.toContain("not as this installation would do it");
    // What a person added beside it stays.
    writeFileSync(file, before.replace('"statusLine": {', '"statusLine": { "padding": 2,'));
    expect(install(place, "--status-line").stdout).toContain("claude: up to date");
    expect(install(place, "--no-status-line").status).toBe(0);
    expect(settings(place).statusLine).toBeUndefined();
    expect(install(place, "--status-line").status).toBe(0);
    expect(assent(place, ["uninstall", "--yes"]).status).toBe(0);
    expect(readFileSync(file, "utf8")).toBe('{\n  "model": "opus"\n}\n');
  });

  it.each([
    "~/bin/mine",
    "assent status --line --stdin; ~/bin/mine",
    "~/bin/mine $(assent status --line --stdin)",
    "~/bin/mine | assent status --line --stdin",
  ])("never replaces one that a person has made: %s", (command) => {
    const place = scratch();
    const file = place.write("~/.claude/settings.json", JSON.stringify({ statusLine: { type: "command", command } }));
    const said = install(place, "--status-line");
    expect([said.status, said.stderr]).toEqual([
      1,
      expect.stringContaining("claude: ~/.claude/settings.json has a status line of yours (`statusLine`), and it stays"),
    ]);
    expect(settings(place).statusLine?.command).toBe(command);
    // The rest of what was asked for is done.
    expect(readFileSync(file, "utf8")).toContain("PreToolUse");
    expect(assent(place, ["uninstall", "--yes"]).status).toBe(0);
    expect(settings(place)).toEqual({ statusLine: { type: "command", command } });
  });

  it("says so where no agent has one, and in a project", () => {
    const place = scratch();
    expect(assent(place, ["install", "--yes", "--agent", "codex", "--status-line"])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("none of these agents has a status line") as unknown,
    });
    expect(install(place, "--local", "--status-line")).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("into your own settings alone") as unknown,
    });
    expect(readFileSync(join(place.project, ".claude/settings.json"), "utf8")).not.toContain("statusLine");
  });
});

describe("a prompt", () => {
  const DOC = readFileSync(join(import.meta.dirname, "../../docs/how-to/status-line.md"), "utf8");
  const linesFor = (shell: string): string =>
    /```sh\n([\s\S]*?)```/.exec(DOC.slice(DOC.indexOf(shell === "fish" ? "config.fish`" : `${shell}rc\``)))?.[1] ?? "";

  it.each([
    ["bash", ["--norc", "-c"], "PROMPT_COMMAND", 'eval "$PROMPT_COMMAND"; printf "%s\\n" "${PS1@P}"'],
    ["zsh", ["-f", "-c"], "precmd", 'assent_line; print -rP -- "$RPROMPT"'],
    ["fish", ["--no-config", "-c"], "fish_right_prompt", "fish_right_prompt"],
  ] as const)("of %s shows the line by what docs/how-to/status-line.md says", (shell, flags, says, show) => {
    const place = scratch();
    decide(place, 1000, "deny");
    const lines = linesFor(shell);
    expect(lines).toContain(says);
    if (spawnSync(shell, ["--version"]).error !== undefined) return;
    const bin = join(place.root, "bin");
    place.write(`${bin}/assent`, `#!/bin/sh\nexec ${process.execPath} ${join(DIST, "bin.cjs")} "$@"\n`);
    spawnSync("chmod", ["+x", `${bin}/assent`]);
    const { stdout, stderr } = spawnSync(shell, [...flags, `${lines}\n${show}`], {
      cwd: place.project,
      env: { HOME: place.home, PATH: `${bin}:/usr/bin:/bin`, TERM: "dumb" },
      encoding: "utf8",
    });
    expect([stdout, stderr]).toEqual([expect.stringContaining("assent: 1 refused"), ""]);
  });
});
