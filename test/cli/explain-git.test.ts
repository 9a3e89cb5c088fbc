import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { judgeOnly } from "@assent/page/preview";
import { type Foreseen, withForesight } from "../../packages/assent/src/cli/explain-git.ts";
import { thisMachine } from "@assent/guard/state";
import { KINDS, repositories } from "../engine/repositories.ts";
import { assent, scratch } from "../scratch.ts";
import { CHANGING, HARMLESS, LAID } from "../supervise/programs/settings-rows.ts";

/**
 * `assent explain` of a command of git: where a run would stop and ask, for settings of agents, their servers or a policy, it says so, with
 * the difference; where it would not, it says nothing of it.
 */
const ENV = {
  PATH: "/usr/bin:/bin",
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@b",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@b",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_EDITOR: "true",
};
let root = "";
const bash = (folder: string, words: string): void => {
  const { status, stderr } = spawnSync("bash", ["-c", words], { cwd: folder, env: { ...ENV, HOME: root }, encoding: "utf8" });
  expect(status, stderr).toBe(0);
};
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "explain-git-")));
  bash(root, `mkdir laid; cd laid; ${LAID}`);
});
afterAll(() => rmSync(root, { recursive: true, force: true }), 200_000);

let many = 0;
/** What is said of a line in a fresh copy of the project, behind some commands. */
function foresee(line: string, first: string, unknown: "confine" | "ask" = "confine"): Foreseen {
  const home = join(root, `home-${++many}`);
  cpSync(join(root, "laid"), home, { recursive: true, preserveTimestamps: true });
  bash(join(home, "p"), `set -e; git update-index -q --refresh || :; ${first}`);
  bash(home, `echo '{ "version": 1, "unknown": "${unknown}" }' > .agent-permissions.jsonc`);
  const machine = { ...thisMachine({ HOME: home }), home };
  return withForesight(judgeOnly({ tool: "Bash", input: { command: line }, cwd: join(home, "p") }, machine, []));
}

const named = (rows: typeof CHANGING) =>
  rows.map(([line, shows, first = ""]) => ({ line, shows, first, name: first === "" ? line : `${line} (${first})` }));

describe("what a run stops and asks about is no sandboxed command", () => {
  it.each(named(CHANGING))("$name", ({ line, shows, first }) => {
    const { outcome, difference } = foresee(line, first);
    expect(outcome.verdict.decision).toBe("ask");
    // What would be lost is asked about in any case.
    expect(["floor.settings", "danger.history-rewrite"]).toContain(outcome.verdict.builtin);
    const said = [outcome.verdict.reason, ...difference].join("\n");
    for (const text of shows) expect(said).toContain(text);
    expect(said).not.toContain("ghp_0123");
  });

  it.each(named(HARMLESS))("$name: nothing is said", ({ line, first }) => {
    const { outcome, difference } = foresee(line, first);
    expect([outcome.verdict.decision, outcome.verdict.builtin, difference]).toEqual(["allow", "confined", []]);
  });
});

/** The same command however it is written, and where it is started. */
it.each([
  "cd d && git switch settings",
  "cd .. && git -C p switch settings && make",
  "(cd d; git checkout -q settings)",
  "bash -c 'git switch settings'",
  "b=settings; git switch $b",
  `git switch "sett"ings`,
  "timeout 9 git switch settings",
  "env A=1 git switch settings",
  "git -c advice.detachedHead=false checkout settings",
  "/usr/bin/git switch settings",
  "make && git switch settings | cat",
  "git status && git merge --no-edit settings",
  "for x in 1; do git switch settings; done",
])("%s", (line) => {
  const { outcome, stops } = foresee(line, "");
  expect([stops, outcome.verdict.decision]).toEqual([true, "ask"]);
  expect(outcome.verdict.reason).toContain(".claude/settings.json");
});

/** A pull joins what was fetched the way that it is told to. */
it.each([
  ["git pull -q --rebase=false --no-edit", "echo '{}' > .gemini/settings.json; git commit -qam own"],
  ["git pull -q --no-edit . settings", ""],
])("%s (%s)", (line, first) => {
  const { outcome, stops } = foresee(line, first);
  expect([stops, outcome.verdict.reason]).toEqual([true, expect.stringContaining(".claude/settings.json")]);
});

it("a temporary folder that cannot be used is a warning, and the verdict is as it was", () => {
  const before = process.env["TMPDIR"];
  process.env["TMPDIR"] = join(root, "nowhere");
  try {
    const { outcome, stops, difference } = foresee("git switch settings", "");
    expect([stops, difference, outcome.verdict.decision]).toEqual([false, [], "allow"]);
    expect(outcome.warnings.join()).toContain("could not be looked at");
  } finally {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
  }
});

describe("in each kind of repository", () => {
  const place = repositories();
  afterAll(() => rmSync(place.root, { recursive: true, force: true }));
  const laid = `
set -e; git switch -qc base; mkdir -p .claude; echo '{}' > .claude/settings.json; git add -A; git commit -qm base
git switch -qc settings; echo '{"a":1}' > .claude/settings.json; git commit -qam settings
git switch -qc work base; echo 2 >> a; git commit -qam work`;
  const CLEAN = [
    "git switch settings",
    "git checkout -q settings",
    "git switch -c mine settings",
    "git checkout settings -- .claude",
    "git restore -s settings .",
    "git merge --no-edit settings",
    "git rebase settings",
    "git cherry-pick settings",
    "git reset --hard settings",
  ];
  const DIRTY = ["git restore .", "git checkout -- .", "git stash", "git reset --hard"];
  const HARMLESS_THERE = ["git switch base", "git merge --no-edit base", "git reset --hard base", "git stash"];
  const said = (folder: string, command: string): string => {
    place.write("~/.agent-permissions.jsonc", `{ "version": 1, "unknown": "confine" }`);
    const judged = judgeOnly({ tool: "Bash", input: { command }, cwd: place.at(folder) }, place.machine, []);
    const { decision, builtin } = withForesight(judged).outcome.verdict;
    return `${command}: ${decision} ${builtin}`;
  };

  it.each(Object.entries(KINDS))("%s", { timeout: 200_000 }, (_, folder) => {
    place.change(folder, laid);
    expect(CLEAN.map((command) => said(folder, command))).toEqual(CLEAN.map((command) => `${command}: ask floor.settings`));
    expect(HARMLESS_THERE.map((command) => said(folder, command))).toEqual(HARMLESS_THERE.map((command) => `${command}: allow confined`));
    place.change(folder, `${laid}; echo '{"mine":1}' > .claude/settings.json`);
    expect(DIRTY.map((command) => said(folder, command))).toEqual(DIRTY.map((command) => `${command}: ask floor.settings`));
  });
});

/** What cannot be told before, and what is no such change. */
it.each(["git switch $(cat a)", "git fetch -q && git switch unknown", "git commit -qam x", "git apply a.patch", "git branch -D plain"])(
  "%s: as it was",
  (line) => {
    expect(foresee(line, "")).toMatchObject({ stops: false, difference: [] });
  },
);

it("where the agent's host asks by itself, that stays so, and the difference is told", () => {
  const { outcome, difference, stops } = foresee("git switch settings", "", "ask");
  expect([outcome.verdict.decision, outcome.verdict.basis, stops]).toEqual(["ask", "default", false]);
  expect(difference).toContain('+{"permissions":{"allow":["Bash"]}}');
});

it("is printed, as text, as JSON and for many at once", { timeout: 60_000 }, () => {
  const place = scratch();
  rmSync(place.project, { recursive: true });
  cpSync(join(root, "laid", "p"), place.project, { recursive: true, preserveTimestamps: true });
  place.write("~/.agent-permissions.jsonc", '{ "version": 1, "unknown": "confine" }');
  const text = assent(place, ["explain", "cd d && git switch settings"]).stdout;
  expect(text).toMatch(/^ask /);
  expect(text).toContain(`assent run -- git -C ${place.project}/d switch settings`);
  expect(text).toContain("may start it sandboxed; git is not started there, and the agent is told why");
  expect(text).toContain('  +{"permissions":{"allow":["Bash"]}}');
  expect(text).not.toMatch(/goes ahead|To allow it from now on/);
  const json: unknown = JSON.parse(assent(place, ["explain", "--json", "git switch settings"]).stdout);
  expect(json).toMatchObject({ verdict: "ask", builtin: "floor.settings", answer: "allow", changes: [] });
  expect(json).not.toHaveProperty("confined");
  expect(json).toHaveProperty("difference", expect.arrayContaining(['+{"permissions":{"allow":["Bash"]}}']));
  const lines = ["git switch settings", "git switch plain"].map((command) => JSON.stringify({ tool: "Bash", input: { command } }));
  const many = assent(place, ["explain", "--batch"], `${lines.join("\n")}\n`)
    .stdout.trim()
    .split("\n");
  expect(many.map((line): unknown => JSON.parse(line))).toMatchObject([
    { verdict: "ask", builtin: "floor.settings" },
    { verdict: "allow", confined: true },
  ]);
});
