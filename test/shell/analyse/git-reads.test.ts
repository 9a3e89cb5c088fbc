import { describe, expect, test } from "vitest";
import { EXAMPLE_WORLD, verdictFor } from "../knowledge/decide.ts";
import { smallWorld } from "../world.ts";

/** A repository whose folders hold secrets that git leaves out, and another one that nothing is stashed in. */
const files: Readonly<Record<string, "file" | "directory">> = {
  "/home/u": "directory",
  "/home/u/.ssh": "directory",
  "/home/u/.ssh/id_rsa": "file",
  "/home/u/empty": "directory",
  "/home/u/p": "directory",
  "/home/u/p/.git": "directory",
  "/home/u/p/a.ts": "file",
  "/home/u/p/b.ts": "file",
  "/home/u/p/src": "directory",
  "/home/u/p/src/.env": "file",
  "/home/u/p/src/a.ts": "file",
  "/home/u/p/lib": "directory",
  "/home/u/p/lib/a.ts": "file",
};
const tracked = (path: string): boolean => path.endsWith(".ts");
const PLAIN = smallWorld({ files, tracked });
const STASHED = smallWorld({ files: { ...files, "/home/u/p/.git/logs/refs/stash": "file" }, tracked });

const judge = (command: string, world = STASHED): string => verdictFor(command, world).decision;

// Each printed a canary with git 2.39.
describe("git does not show what lies in folders that it compares", () => {
  test.each([
    ["git diff src ~"],
    ["git diff src lib"],
    ["git diff -- src lib"],
    ["git diff --stat -p src/ ./lib"],
    ["git diff ../empty ../.ssh"],
    ["git diff . ~"],
    ["git diff src $HOME"],
    ["git diff {src,lib}"],
    ["git diff src* lib"],
    ['git diff "$A" lib'],
    ["GIT_CEILING_DIRECTORIES=/home git diff src lib"],
    ["export GIT_CEILING_DIRECTORIES=/home; git diff src lib"],
    ["cd src && git diff . ../lib"],
    ["git -C src diff . ../lib"],
    ["echo src lib | xargs git diff"],
    ["echo x | GIT_CEILING_DIRECTORIES=/home git diff - src"],
    ["git difftool -y src lib"],
    ["git diff --stat ~/.ssh/id_rsa a.ts"],
    ["git diff --numstat a.ts ../.ssh/id_rsa"],
    ["git -C src diff -s ../../.ssh/id_rsa ../a.ts"],
    ["git diff --name-only -- a.ts ~/.ssh/id_rsa"],
    ["git -c grep.fallbackToNoIndex=true grep KEY"],
    ["git --config-env=grep.fallbackToNoIndex=X grep KEY"],
  ])("%s", (command) => expect(judge(command)).toMatch(/^(?:ask|deny)$/));
});

describe("git does not show what its input or a stash says", () => {
  test.each([
    ["echo :src/.env | git show --stdin", "deny"],
    ["git show --stdin <<< :src/.env", "deny"],
    ["printf ':src/.env\\n' | git log -p --stdin", "deny"],
    ["printf 'HEAD\\n--\\nsrc/.env\\n' | git log -p --stdin", "deny"],
    ["echo 'contents :src/.env' | git cat-file --batch-command", "deny"],
    ["echo ':src/.env x' | git cat-file --batch='%(rest)'", "deny"],
    ["echo :src/.env | git diff-tree -p --stdin", "deny"],
    ["echo :src/.env | git rev-list --objects --stdin", "deny"],
    ["git show --stdin < list", "ask"],
    ["echo --all | git log -p --stdin", "ask"],
    ["echo stash^3 | git show --stdin", "ask"],
    ["git show stash^3", "ask"],
    ["git show 'stash@{1}^3'", "ask"],
    ["git show refs/stash^3", "ask"],
    ["git show 'stash^{/untracked}'", "ask"],
    ["git show ':/untracked files'", "ask"],
    ["git show stash^@", "ask"],
    ["git show 3f3f18c^3", "ask"],
    ["git show HEAD..stash", "ask"],
    ["git show -m stash", "ask"],
    ["git show --diff-merges=on stash", "ask"],
    ["git -c log.diffMerges=on show stash", "ask"],
    ["git log -p stash", "ask"],
    ["git log -p --all", "ask"],
    ["git log -S KEY -p --all", "ask"],
    ["git rev-list --objects stash^3", "ask"],
    ["git log -p --reflog", "ask"],
    ["git diff HEAD stash^3", "ask"],
    ["git diff-tree -m -p stash", "ask"],
    ["git grep KEY stash^3", "ask"],
    ["git archive stash^3", "ask"],
    ["git cat-file -p stash^3", "ask"],
    ["git cat-file --batch --batch-all-objects", "ask"],
    ["git fast-export --all", "ask"],
    ["git format-patch --stdout --root stash^3", "ask"],
    ["git stash show -p -u", "ask"],
    ["git stash show -p --only-untracked", "ask"],
    ["git merge-tree HEAD HEAD stash^3", "ask"],
    ["git merge-tree --trivial-merge HEAD stash stash^3", "ask"],
    ["git merge-tree --write-tree HEAD stash^3", "ask"],
    ["git stash show -u --stat -p", "ask"],
    ["git stash show -u --stat --", "ask"],
    ["git stash show -u --stat --raw", "ask"],
    ["git stash show -u --stat -U3", "ask"],
    ["git stash show -u --stat -Gfoo", "ask"],
    ["git stash show -u --stat --check", "ask"],
    ["git stash show -u --stat --binary", "ask"],
    ["git -c stash.showIncludeUntracked=true stash show -p", "ask"],
    ["git rev-list --all | git show --stdin", "ask"],
    ["git log --all --format=%H | xargs git show", "ask"],
    ["git show $(git rev-parse --verify stash^3)", "ask"],
    ["git log -p $(git rev-parse --verify stash)", "ask"],
    ["git log -p $(git merge-base stash stash)", "ask"],
    ["git log -p $(git show -s --format=%H stash)", "ask"],
    ["git stash list --format=%H | xargs git log -p", "ask"],
    ["git for-each-ref --format='%(refname)' | xargs git log -p", "ask"],
    ["git rev-parse --verify :src/.env | xargs git show", "deny"],
    ["git ls-files -s src/.env | cut -d' ' -f2 | xargs git show", "deny"],
    ["git ls-files --format='%(objectname)' src/.env", "deny"],
    ["git ls-tree HEAD src/.env", "deny"],
    ["git log --raw -- src/.env", "deny"],
    ["git reflog -p -- src/.env", "deny"],
    ["git show HEAD~2.. stash", "ask"],
    ["git show ^main stash@{0}", "ask"],
    ["git show --not main --not stash", "ask"],
    ["git show -3 stash", "ask"],
    ["git show -n2 refs/stash", "ask"],
    ["git show --max-count=9 stash", "ask"],
    ["A=stash; git show main..feature $A", "ask"],
    ["git bundle create - --all", "ask"],
    ["git bundle create - stash", "ask"],
    ["git bundle create - HEAD -- src/.env", "deny"],
    ["git bundle create - HEAD:src/.env", "deny"],
    ["git bundle create -q - stash@{0}^3", "ask"],
  ])("%s: %s", (command, expected) => expect(judge(command)).toBe(expected));
});

describe("what no commit has yet is shown by nothing that shows the index or the working tree", () => {
  const CHANGED = smallWorld({ files, tracked, changedSecrets: () => ["/home/u/p/src/.env", "/home/u/p/src/gone/.env"] });
  const IN_SRC = smallWorld({
    files: { ...files },
    tracked: (path) => tracked(path) || path.endsWith("src/.env"),
    changedSecrets: () => ["/home/u/p/src/.env"],
  });

  test.each([
    ["git diff"],
    ["git diff --cached"],
    ["git diff --staged -U9"],
    ["git diff HEAD"],
    ["git diff HEAD~1 -- src"],
    ["git diff HEAD~1 *"],
    ['for f in *; do git diff HEAD "$f"; done'],
    ["git diff --stat -p"],
    ["git -C src diff"],
    ["git grep KEY"],
    ["git grep --cached KEY"],
    ["git grep KEY -- src"],
    ["git diff-index -p HEAD"],
    ["git diff-files -p"],
    ["git status -v"],
    ["git status --verbose -s"],
  ])("%s", (command) => expect([judge(command, CHANGED), judge(command, IN_SRC)]).toEqual(["ask", "ask"]));

  test.each([
    ["git diff --stat"],
    ["git diff --cached --name-only"],
    ["git diff main feature"],
    ["git diff main..feature"],
    ["git diff -- lib"],
    ["git diff -- ':!src' ':!gone'"],
    ["git grep -l KEY"],
    ["git show"],
    ["git log -p"],
    ["git archive HEAD"],
    ["git status"],
  ])("but by others: %s", (command) => expect([judge(command, IN_SRC), judge(command)]).toEqual(["allow", "allow"]));
});

describe("and goes ahead otherwise", () => {
  test.each([
    ["git diff --stat -- src/.env"],
    ["git diff --name-only HEAD~1 -- src/.env"],
    ["git show --numstat HEAD -- src/.env"],
    ["git show --name-status HEAD -- src/.env"],
    ["git show -1 HEAD"],
    ["git show -3"],
    ["git show stash main"],
    ["git bundle create - main"],
    ["git bundle create - HEAD~3..HEAD"],
    ["git diff"],
    ["git diff HEAD~1 -- src"],
    ["git diff origin/main -- src"],
    ["git diff origin/main src"],
    ["git diff main feature"],
    ["git diff main..feature -- src lib"],
    ["git diff a.ts b.ts"],
    ["git diff src/a.ts lib/a.ts"],
    ["git diff $(git merge-base main HEAD) src"],
    ["git diff HEAD^!"],
    ["git show HEAD^2"],
    ["git show HEAD:src/a.ts"],
    ["git show 'HEAD@{10:00}:src/a.ts'"],
    ["git show stash@{0}"],
    ["git show stash --stat"],
    ["git stash show -p"],
    ["git stash show -u"],
    ["git merge-tree main~1 main feature"],
    ["git merge-tree $(git merge-base HEAD main) HEAD main"],
    ["git stash show -u --stat"],
    ["git stash show --stat=80 -u stash@{1}"],
    ["git stash show -u --name-status"],
    ["git stash show --only-untracked --shortstat"],
    ["git stash show -u --numstat --summary"],
    ["git stash show -u -s"],
    ["git stash list -p"],
    ["git log --stat"],
    ["git log -p -3 -- stash"],
    ["git log -p --branches"],
    ["git log --all --oneline --graph"],
    ["git log --all -S password_reset --oneline"],
    ["git rev-list --all --objects | head"],
    ["git reflog -5"],
    ["git rev-list --all --count"],
    ["git rev-list HEAD | git show --stdin --stat"],
    ["git rev-list --objects HEAD | git cat-file --batch-check"],
    ["git log --format=%H -3 | xargs -n1 git show --stat"],
    ["git log -p $(git merge-base main HEAD)..HEAD"],
    ["git ls-files | head"],
    ["git ls-files --error-unmatch src/.env"],
    ["git ls-files -s src/a.ts"],
    ["git rev-parse HEAD:src/a.ts"],
    ["git ls-tree -r HEAD --name-only src/.env"],
    ["git grep 'stash^3'"],
    ["git -c grep.lineNumber=true grep x"],
  ])("%s", (command) => expect(judge(command)).toBe("allow"));

  test.each([
    ["git log -p --all"],
    ["git rev-list --all | git show --stdin"],
    ["git show :/fix"],
    ["git show 3f3f18c^3"],
    ["git fast-export --all"],
  ])("where nothing is stashed: %s", (command) =>
    expect([judge(command, PLAIN), judge(command, EXAMPLE_WORLD)]).toEqual(["allow", "allow"]),
  );
});

describe("a repository inside the project's, whose configuration names programs, is no one's that the project trusts", () => {
  const nested = (config: string): ReturnType<typeof smallWorld> =>
    smallWorld({
      files: { ...files, "/home/u/p/sub": "directory", "/home/u/p/sub/.git": "directory", "/home/u/p/sub/.git/config": "file" },
      tracked,
      text: (path) => (path === "/home/u/p/sub/.git/config" ? config : path.endsWith("/HEAD") ? "ref: refs/heads/main\n" : undefined),
    });

  test.each([
    ["git -C sub ls-remote origin", "[core]\n\tsshCommand = ./evil\n"],
    ["cd sub && git ls-remote", "[core]\n\tsshCommand = sh -c evil\n"],
    ["git -C sub status", "[core]\n\tfsmonitor = ./evil\n"],
    ["git -C sub diff", '[diff "x"]\n\ttextconv = ./evil\n'],
    ["git -C sub diff", '[filter "x"]\n\tclean = ./evil\n'],
    ["git -C sub log -p", '[diff "x"]\n\tcommand = ./evil\n'],
    ["git -C sub log --show-signature", "[gpg]\n\tprogram = ./evil\n"],
    ["git -C sub remote show origin", '[remote "origin"]\n\turl = ext::./evil\n'],
    ["git -C sub ls-remote", "[credential]\n\thelper = !./evil\n"],
    ["git -C sub show", "[core]\n\tpager = ./evil\n"],
  ])("%s beside %j", (command, config) => expect(judge(command, nested(config))).toMatch(/^(?:ask|deny|none)$/));

  test.each([
    ["git -C sub status", "[core]\n\trepositoryformatversion = 0\n\tbare = false\n[user]\n\tname = a\n"],
    ["git -C sub ls-remote origin", '[remote "origin"]\n\turl = git@github.com:a/b.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n'],
    ["git -C sub diff", '[filter "lfs"]\n\tclean = git-lfs clean -- %f\n[core]\n\tfsmonitor = true\n'],
    ["git -C sub log -3", "[core]\n\thooksPath = .husky/_\n[alias]\n\tco = checkout\n"],
  ])("%s beside %j goes ahead", (command, config) => expect(judge(command, nested(config))).toBe("allow"));
});
