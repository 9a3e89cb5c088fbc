import { afterAll, describe, expect, it } from "vitest";
import { KINDS, MAKE } from "../../engine/repositories.ts";
import { Suite, type User, USERS } from "./place.ts";

/** What people do all day, in one working tree; prints what git says. */
const COMMANDS = [
  "git status -sb",
  "git log --format=%s",
  "echo 2 >> a; git diff --stat",
  "git add a",
  "git commit -qm two",
  "git switch -qc n",
  "git mv src/b c; git commit -qam moved",
  "git rm -q c; git commit -qm removed",
  "echo 3 >> a; git stash -q; git stash pop",
  "git commit -qam three; git reset -q --hard HEAD~1",
  "git branch -q side HEAD~1; git tag -a v1 -m v1",
  "git merge -q --no-edit side~1; git rebase -q --onto HEAD~1 HEAD~0; git cherry-pick n@{1} || git cherry-pick --abort",
  "git worktree list; git branch -a; git gc -q",
];
const LOOK = "git status --porcelain; git log --all --format='%H %s %D'; git worktree list; cat *; git fsck --strict --no-dangling 2>&1";
const ENV = {
  GIT_AUTHOR_DATE: "2001-01-01T00:00:00Z",
  GIT_COMMITTER_DATE: "2001-01-01T00:00:00Z",
  GIT_CONFIG_NOSYSTEM: "1",
  COLUMNS: "80",
};

const suite = new Suite();
afterAll(() => suite.remove());

interface Played {
  /** What the commands print, and what is there afterwards. */
  readonly bare: readonly string[];
  readonly run: readonly string[];
  readonly said: string;
  /** All is as before. */
  readonly undone: boolean;
}

async function play(user: User, folder: string): Promise<Played> {
  const place = suite.place();
  const at = `cd ~/w/${folder}`;
  const bash = async (text: string): Promise<string> => {
    const { status, stdout, stderr } = await place.run({ user, argv: ["bash", "-c", text], env: ENV });
    return `${stdout}${stderr}${status}`;
  };
  // What looks like a secret is another matter.
  const make = MAKE.replace("echo K=1 > .env.example; ", "");
  const script = COMMANDS.map((command) => `{ ${command}; } 2>&1; echo $?`).join("; ");
  place.fresh(user);
  await bash(make);
  const bare = [await bash(`${at}; ${script}`), await bash(`${at}; ${LOOK}`)];
  place.fresh(user);
  await bash(make);
  const before = await bash(`${at}; ${LOOK}`);
  const assent = place.supervised([]).slice(0, 2).join(" ");
  const { stdout, stderr } = await place.run({
    user,
    argv: ["bash", "-c", `${at}; exec ${assent} run -P -- bash -c "$0"`, script],
    env: ENV,
  });
  const run = [`${stdout}0`, await bash(`${at}; ${LOOK}`)];
  await bash(`${at}; ${assent} undo --yes`);
  return { bare, run, said: stderr, undone: (await bash(`${at}; ${LOOK}`)) === before };
}

describe.each(USERS)("in a run git works as without one, and is undone, as %s", { concurrent: true }, (user) => {
  it.each(Object.entries(KINDS))("%s", async (_, folder) => {
    const { bare, run, said, undone } = await play(user, folder);
    expect(bare[0]).toContain("first");
    expect(run, said).toEqual(bare);
    expect(said).not.toMatch(/refused|outside this folder/);
    expect(undone).toBe(true);
  });
});
