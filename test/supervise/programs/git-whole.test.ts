import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { playGit } from "./git-cases.ts";
import { Suite, USERS } from "./place.ts";

/** More are played by git-whole-more.test.ts, and thousands by night. */
const RUNS = process.env["SAMPLE_SEED"] === undefined ? 24 : 8;
const suite = new Suite();
afterAll(() => suite.remove());

it(`git goes through whole, or leaves everything as it was (${RUNS} cases)`, { timeout: RUNS * 20_000 }, async () => {
  expect(await playGit(suite, RUNS)).toBe("");
});

const [user = "self"] = USERS;
const LAID = `git init -q -b main p && cd p && git config user.email a@b && git config user.name a &&
  mkdir b sub && echo c > b/c && echo one > sub/.env && git add -A && git commit -qm first`;

// A git whose files were looked at when it had ended. [how, a line, whether what stands behind it runs]
it.each([
  ["run -P", "git sparse-checkout set b && echo > after", false],
  ["run -P", "git sparse-checkout set b; echo > after", false],
  ["run -P", "(git sparse-checkout set b) && sh -c 'echo > after'", false],
  ["run -P", "if git sparse-checkout set b; then env true && echo > after; fi", false],
  ["run --confined 0000000000000000", "git sparse-checkout set b && git sparse-checkout disable && echo > after", false],
  ["run -P", "git switch -q -c new && git switch -q main && echo > after", true],
  ["run -P", "git sparse-checkout set b sub && /bin/true && echo > after", true],
] as const)("assent %s, %s: what comes behind it runs: %s", { timeout: 60_000 }, async (how, line, goesOn) => {
  const place = suite.place();
  place.fresh(user);
  writeFileSync(join(place.home, ".agent-permissions.jsonc"), JSON.stringify({ version: 1, unknown: "confine" }));
  await place.run({ user, argv: ["bash", "-c", LAID], env: { GIT_CONFIG_NOSYSTEM: "1" } });
  const words = how.includes("-P") ? `"$0" "$1" run -P -- bash -c "$2"` : `"$0" "$1" ${how} -- "$2"`;
  const argv = ["bash", "-c", `cd p && ${words}`, process.execPath, suite.command, line];
  const { status, stderr } = await place.run({ user, argv, env: { GIT_CONFIG_NOSYSTEM: "1" } });
  const { stdout } = await place.run({ user, argv: ["bash", "-c", "cd p && ls; git config --local -l"] });
  expect([/^after$/m.test(stdout), status === 0], stderr).toEqual([goesOn, goesOn]);
  if (!goesOn) expect([/sparse|worktreeconfig/.test(stdout), /was taken back/.test(stderr)]).toEqual([false, true]);
});
