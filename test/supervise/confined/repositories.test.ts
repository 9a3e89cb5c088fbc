import { describe, expect, it } from "vitest";
import { KINDS, MAKE } from "../../engine/repositories.ts";
import { confined, type ConfinedResult } from "./world.ts";

/** A confined command of a session that began in a working tree below `~/w`. */
async function inKind(folder: string, command: string, bare = false): Promise<ConfinedResult> {
  const cwd = `/srv/home/w/${folder}`;
  // What looks like a secret is another matter.
  const make = MAKE.replace("echo K=1 > .env.example; ", "");
  return await confined({
    command,
    bare,
    before: `(${make}) > /dev/null; cd ${cwd}`,
    ticket: { cwd, root: cwd },
    after: `cd ${cwd}; git status -sb; git log --all --format='%H %s'; git worktree list; cat a; git fsck --no-dangling`,
  });
}

const COMMANDS = [
  "git status -sb",
  "git log --format=%s",
  "git diff --stat",
  "git add a",
  "git commit -qm two",
  "git switch -qc n",
  "git mv src/b c",
  "git commit -qam moved",
  "git stash -qu",
  "git tag -a v1 -m v1",
  "git merge -q --no-edit HEAD~1",
  "git reset -q --hard HEAD~1",
  "git rm -q a",
  "git worktree list",
];
const ALL = `echo 2 >> a; { ${COMMANDS.join("; ")}; } 2>&1`;

describe("a sandboxed git works as without Assent", () => {
  it.each(Object.entries(KINDS))("%s", async (_, folder) => {
    const { said, ...sandboxed } = await inKind(folder, ALL);
    const { said: _said, ...bare } = await inKind(folder, ALL, true);
    expect(sandboxed, said.join("\n")).toEqual(bare);
    expect(said.filter((line) => line.startsWith("refused"))).toEqual([]);
  });

  it.each([
    ["plain", "git worktree add -q -b n ../n && cd ../n && echo 2 >> a && git commit -qam two && git log --format=%s"],
    ["wt", "git worktree add -q -b n ../n && echo 2 >> ../n/a && git -C ../n status -s"],
    ["plain", "git worktree add -q -b n n && echo 2 >> n/a && git -C n status -s"],
    ["bwt", "git worktree add -q -b n ../n && ls ../n"],
    ["hub/m", "git worktree add -q -b n ../n && ls ../n"],
    ["plain", "git worktree lock ../wt; git worktree unlock wt; git worktree prune -v"],
  ])("in %s: %s", async (folder, command) => {
    const { said, ...sandboxed } = await inKind(folder, command);
    const { said: _said, ...bare } = await inKind(folder, command, true);
    expect(sandboxed, said.join("\n")).toEqual(bare);
  });
});

describe("a confined command does not", () => {
  it.each([
    // Another folder of the person's is none of the run's, also after a working tree was made beside it.
    ["plain", "git worktree add -q -b n ../n; echo x > ../lib/a", "../lib/a"],
    ["plain", "mkdir ../n", "../n"],
    ["plain", "echo x > ../wt/a", "../wt/a"],
    // What starts programs is locked, in whichever folder.
    ["wt", "echo x >> ../plain/.git/config", "../plain/.git/config"],
    ["wt", "echo x > ../plain/.git/hooks/post-checkout", "../plain/.git/hooks/post-checkout"],
    ["wt", "echo git config core.fsmonitor ./x > s; sh s", "../plain/.git/config"],
    [
      "wt",
      "echo git config extensions.worktreeConfig true > s; echo git config --worktree core.fsmonitor ./x >> s; sh s",
      "../plain/.git/worktrees/wt/config.worktree",
    ],
    ["wt", "echo x > ../plain/.git/worktrees/wt/commondir", "../plain/.git/worktrees/wt/commondir"],
    ["wt", "echo x > ../plain/.git/worktrees/wt/gitdir", "../plain/.git/worktrees/wt/gitdir"],
    ["wt", "mkdir -p ../plain/.git/info; echo x > ../plain/.git/info/attributes", "../plain/.git/info/attributes"],
    ["wt", "echo x > .git", ".git"],
    ["wt", "rm .git", ".git"],
    ["sep", "echo x > ../gitdirs/sep/hooks/pre-commit", "../gitdirs/sep/hooks/pre-commit"],
    ["sep", "echo x >> ../gitdirs/sep/config", "../gitdirs/sep/config"],
    ["sep", "rm -f ../gitdirs/sep/config", "../gitdirs/sep/config"],
    ["hub/m", "echo x >> ../.bare/config", "../.bare/config"],
    ["hub/m", "echo x > ../.bare/worktrees/m/config.worktree", "../.bare/worktrees/m/config.worktree"],
    ["hub", "echo x > .bare/hooks/pre-commit", ".bare/hooks/pre-commit"],
    ["hub", "rm -f .bare/config", ".bare/config"],
    ["hub", "mv .bare/hooks .bare/h; mkdir .bare/hooks; echo x > .bare/hooks/pre-commit", ".bare/hooks/pre-commit"],
    ["bwt", "echo x >> ../b.git/config", "../b.git/config"],
    ["super/sub", "echo x >> ../.git/modules/sub/config", "../.git/modules/sub/config"],
    ["super/sub", "echo x > ../.git/HEAD", "../.git/HEAD"],
    // A repository of its own making does not become one that is trusted.
    ["gitdirs", "mkdir f; cp -r sep/* f/; git init -q --separate-git-dir=f .", ".git"],
    ["gitdirs", "mkdir f; cp -r sep/* f/; git init -q --separate-git-dir=f s", "s/.git"],
    ["gitdirs", "mkdir f; cp -r sep/* f/; git -C f worktree add -q --detach ../s", "s/.git"],
    [
      "gitdirs",
      "mkdir f g; cp -r sep/objects sep/refs f; cp sep/config f/c; mv f/c f/config; cp sep/HEAD g; echo ../f > g/commondir; git -C g worktree add -q --detach ../s main",
      "s/.git",
    ],
  ])("in %s: %s", async (folder, command, path) => {
    const told = `sha1sum ${path} 2>&1`;
    const { said, stdout } = await inKind(folder, `{ ${command}; } 2>/dev/null; ${told}`);
    const { stdout: before } = await inKind(folder, told);
    expect(stdout, said.join("\n")).toBe(before);
    expect(said.filter((line) => line.startsWith("refused")).length).toBeGreaterThan(0);
  });
});
