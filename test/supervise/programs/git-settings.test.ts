import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { SAMPLE, sampled } from "../../sampled.ts";
import { Suite, USERS } from "./place.ts";

/**
 * A command of git that puts something into settings of agents, their servers, or a policy: one question with the difference before it
 * starts; with yes it goes through whole, with no, or nobody there, nothing has happened.
 */
const LAID = `
set -e
git init -q -b main p; cd p
mkdir .claude .gemini d; echo '{"permissions":{}}' > .claude/settings.json; echo '{}' > .mcp.json; echo a > a; echo d > d/f
printf '{ "version": 1, "permissions": { "deny": ["Read(x)"] } }\\n' > .agent-permissions.jsonc; printf '1\\n2\\n3\\n4\\n5\\n6\\n7\\n8\\n9\\n' > .gemini/settings.json
git add -A; git commit -qm first; git tag v1
git switch -qc settings; echo '{"permissions":{"allow":["Bash"]}}' > .claude/settings.json; echo '{"mcpServers":{"x":{"command":"x","env":{"K":"ghp_0123456789abcdefghij0123456789abcdef"}}}}' > .mcp.json; git commit -qam settings
git switch -qc policy main; printf '{ "version": 1 }\\n' > .agent-permissions.jsonc; git commit -qam policy
git switch -qc none main; git rm -rq .claude; git commit -qm none
git switch -qc new main; mkdir -p .cursor sub/.claude; echo '{}' > .cursor/mcp.json; echo '{}' > sub/.claude/settings.json; git add -A; git commit -qm new
git switch -qc plain main; echo plain > a; echo e > e; git add -A; git commit -qm plain
git switch -q main; echo two > d/f; git commit -qam two
git clone -q --bare . ../origin.git; git remote add origin ../origin.git; git fetch -q; git branch -q -D new; git branch -q -u origin/settings
find . -name .git -prune -o -type f -exec touch -d '1 hour ago' {} +; git update-index -q --refresh`;

const ENV = {
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@b",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@b",
  GIT_AUTHOR_DATE: "2001-01-01T00:00:00Z",
  GIT_COMMITTER_DATE: "2001-01-01T00:00:00Z",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_EDITOR: "true",
};
const LOOK = `cd p; GIT_OPTIONAL_LOCKS=0; find . -name .git -prune -o -type f -print0 | sort -z | xargs -0 sha1sum; git ls-files -s; cat .git/HEAD; git rev-parse HEAD; git stash list`;
const DRIVER = fileURLToPath(new URL("../../cli/answer_questions.py", import.meta.url));

const suite = new Suite();
afterAll(() => suite.remove());
const [user = "self"] = USERS;

interface Played {
  readonly questions: number;
  readonly output: string;
  readonly status: number | string;
  readonly before: string;
  readonly after: string;
  /** As git alone leaves it. */
  readonly alone: string;
}

/** `keys`: what a person answers; undefined: nobody is there. */
async function play(line: string, first: string, how: "y" | "n" | "nobody" | "confined"): Promise<Played> {
  const place = suite.place();
  place.fresh(user);
  writeFileSync(join(place.home, ".agent-permissions.jsonc"), JSON.stringify({ version: 1, unknown: "confine" }));
  const bash = async (words: string) => await place.run({ user, argv: ["bash", "-c", words], env: ENV });
  const laid = await bash(`${LAID}\n${first}`);
  expect(laid, laid.stderr).toMatchObject({ status: 0 });
  await bash("mkdir ../copy && mv p origin.git ../copy && cp -a ../copy/. .");
  const before = (await bash(LOOK)).stdout;
  const inside = ["bash", "-c", `cd p && exec "$@"`, "-"];
  const run = [process.execPath, suite.command, "run"];
  const argv =
    how === "confined"
      ? [...inside, ...run, "--confined", "0000000000000000", "--", line]
      : how === "nobody"
        ? [...inside, ...run, "-P", "--", "bash", "-c", line]
        : [...inside, "python3", DRIVER, how, "--", ...run, "bash", "-c", line];
  const ran = await place.run({ user, argv, env: ENV });
  const after = (await bash(LOOK)).stdout;
  const alone = (await bash(`rm -rf p origin.git; cp -a ../copy/. .; (cd p && ${line}) >/dev/null 2>&1; ${LOOK}`)).stdout;
  const isAsked = how === "y" || how === "n";
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the driver prints
  const asked = isAsked
    ? (JSON.parse(ran.stdout) as { readonly questions: number; readonly output: string })
    : { questions: 0, output: "" };
  return { ...asked, output: asked.output + ran.stderr, status: ran.status, before, after, alone };
}

/** A line, what it changes in which settings, and what was there before. */
type Row = readonly [line: string, shows: readonly string[], first?: string];
const CHANGING: readonly Row[] = [
  ["git switch -q settings", [".claude/settings.json", '+{"permissions":{"allow":["Bash"]}}', ".mcp.json", "[redacted]"]],
  ["git checkout -q settings", [".mcp.json"]],
  ["git checkout -q --detach settings~0", [".mcp.json"]],
  ["git -C d checkout -q settings", [".mcp.json"]],
  ["git switch -q -", [".mcp.json"], "git switch -q settings; git switch -q main"],
  ["git switch -q -c mine settings", [".mcp.json"]],
  ["git switch -q new", [".cursor/mcp.json (new)", "sub/.claude/settings.json (new)"]],
  ["git switch -q none", [".claude/settings.json (deleted)"]],
  ["git switch -q policy", [".agent-permissions.jsonc", '-{ "version": 1, "permissions": { "deny": ["Read(x)"] } }']],
  ["git switch -q -f settings", [".mcp.json"], "echo dirty > .mcp.json"],
  ["git checkout -q -- .claude/settings.json", ['+{"permissions":{}}'], "echo mine > .claude/settings.json"],
  ["git checkout -q .", [".mcp.json"], "echo mine > .mcp.json"],
  ["git checkout -q settings -- .claude", [".claude/settings.json"]],
  ["git checkout -q settings '*.json'", [".mcp.json"]],
  ["git restore .mcp.json", [".mcp.json"], "echo mine > .mcp.json"],
  ["git restore -s settings -SW :/", [".mcp.json"]],
  ["git merge -q --no-edit settings", [".mcp.json"]],
  ["git merge -q --ff-only settings", [".mcp.json"], "git reset -q --hard v1"],
  [
    "git merge -q --no-edit rules",
    ["+nine"],
    "git switch -qc rules v1; sed -i s/9/nine/ .gemini/settings.json; git commit -qam rules; git switch -q main; sed -i s/1/one/ .gemini/settings.json; git commit -qam mine",
  ],
  ["git pull -q --no-rebase --no-edit", [".mcp.json", "git pull -q --no-rebase --no-edit"]],
  ["git pull -q --rebase origin settings", [".mcp.json"]],
  ["git rebase -q settings", [".mcp.json"]],
  ["git cherry-pick settings", [".mcp.json"]],
  ["git revert --no-edit HEAD", [".mcp.json"], "git cherry-pick settings"],
  ["git reset -q --hard settings", [".mcp.json"]],
  ["git reset -q --hard", [".mcp.json"], "echo mine > .mcp.json"],
  ["git stash -q", [".mcp.json"], "echo mine > .mcp.json"],
  ["git stash pop -q", ["+mine"], "echo mine > .mcp.json; git stash -q"],
  ["git stash apply -q 0", ["+mine"], "echo mine > .mcp.json; git stash -q"],
];

/** Nothing of that kind changes. */
const HARMLESS: readonly Row[] = [
  ["git switch -q plain", []],
  ["git switch -q plain", [], "echo '{ }' > .mcp.json"],
  ["git switch -q -c other", [], "echo '{ }' > .mcp.json"],
  ["git checkout -q -- a", [], "echo x > a; echo '{ }' > .mcp.json"],
  ["git checkout -q plain -- .", []],
  ["git restore --staged .mcp.json", [], "echo '{ }' > .mcp.json; git add .mcp.json"],
  ["git merge -q --no-edit plain", []],
  ["git merge -q --no-edit v1", [], "git cherry-pick settings"],
  ["git merge -q --no-edit plain", [], "git cherry-pick settings"],
  ["git rebase -q plain", []],
  ["git cherry-pick plain", []],
  ["git reset -q settings~1", []],
  ["git reset -q --hard plain", []],
  ["git stash -q && git stash pop -q", [], "echo x > a"],
  ["git pull -q --no-rebase --no-edit origin plain", []],
];
const named = (rows: readonly Row[]) =>
  sampled(rows, 8).map(([line, shows, first = ""]) => ({ line, shows, first, name: first === "" ? line : `${line} (${first})` }));

describe(`settings of agents: one question with the difference before git starts (${SAMPLE})`, () => {
  it.each(named(CHANGING))("$name: with yes it goes through whole", { timeout: 60_000 }, async ({ line, shows, first }) => {
    const { questions, output, after, before, alone } = await play(line, first, "y");
    expect(questions, output).toBe(1);
    for (const text of shows) expect(output).toContain(text);
    expect(output).not.toContain("ghp_0123");
    expect(after, output).toBe(alone);
    expect(after).not.toBe(before);
  });

  it.each(named(CHANGING.filter((_, at) => at % 4 === 0 || /pull|stash/.test(CHANGING[at]?.[0] ?? ""))))(
    "$name: without a yes nothing has happened",
    { timeout: 100_000 },
    async ({ line, first }) => {
      const no = await play(line, first, "n");
      expect([no.questions, no.after], no.output).toEqual([1, no.before]);
      for (const how of ["nobody", "confined"] as const) {
        const { after, before, status, output } = await play(line, first, how);
        expect(after, output).toBe(before);
        expect(status, output).not.toBe(0);
        expect(output).toMatch(/decides? what an agent may do/);
        if (how === "nobody" && !line.includes("'")) expect(output).toContain(`start it where you can be asked: assent run -- ${line}`);
      }
    },
  );

  it.each(named(HARMLESS))("$name: no question", { timeout: 60_000 }, async ({ line, first }) => {
    const { output, after, alone, status } = await play(line, first, "nobody");
    expect(status, output).toBe(0);
    expect(after, output).toBe(alone);
  });
});

it("the same words at once in two working trees: each difference is a question of its own", { timeout: 60_000 }, async () => {
  const first = "for w in 1 2; do git worktree add -q --detach w$w v1; done; cd w2; echo '{ }' > .mcp.json; git commit -qam other";
  const line = "for w in 1 2; do (cd w$w; exec git checkout -q settings -- .mcp.json) & done; wait";
  const { questions, output, after, alone } = await play(line, first, "y");
  expect(questions, output).toBe(2);
  expect(output).toContain("-{ }");
  expect(after, output).toBe(alone);
});

/** With a yes to what was shown, something else would be written. */
const FORGED: readonly Row[] = [
  ["git -c filter.f.smudge='echo FORGED #' switch -q settings", [], "echo '.mcp.json filter=f' > .git/info/attributes"],
  ["git switch -q settings", [], "echo '.mcp.json text eol=crlf' > .git/info/attributes"],
];

it.each(named(FORGED))("$name: it is taken back", { timeout: 60_000 }, async ({ line, first }) => {
  const { output, after, before } = await play(line, first, "y");
  expect(after, output).toBe(before);
  expect(output).toContain("would not be as it was shown");
});

it("so many that nobody reads them: what is not shown is said", { timeout: 60_000 }, async () => {
  const first = `git switch -qc many; for n in $(seq 50); do mkdir -p d$n/.claude; echo '{}' > d$n/.claude/settings.json; done; git add -A; git commit -qm many; git switch -q main`;
  const { questions, output } = await play("git switch -q many", first, "n");
  expect(questions, output).toBe(1);
  expect(output.match(/settings\.json \(new\)/g)).toHaveLength(40);
  expect(output.replace(/\s+│?\s*/g, " ")).toContain("and 10 more files, whose differences are not shown here");
});
