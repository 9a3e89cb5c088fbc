import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { SAMPLE, sampled } from "../../sampled.ts";
import { Suite, USERS } from "./place.ts";
import { CHANGING, HARMLESS, LAID, type SettingsRow } from "./settings-rows.ts";

/**
 * A command of git that puts something into settings of agents, their servers, or a policy: one question with the difference before it
 * starts; with yes it goes through whole, with no, or nobody there, nothing has happened.
 */
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

const named = (rows: readonly SettingsRow[]) =>
  sampled(rows, 8).map(([line, shows, first = ""]) => ({ line, shows, first, name: first === "" ? line : `${line} (${first})` }));

describe(`settings of agents: one question with the difference before git starts (${SAMPLE})`, { concurrent: true }, () => {
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
const FORGED: readonly SettingsRow[] = [
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
