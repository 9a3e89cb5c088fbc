import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { hasTurn, remove, Suite, type User, USERS } from "./place.ts";

/**
 * A repository is undone as a unit: as it was before the run where nobody has changed it since, else left as it is. Real git
 * before, in the run and since; `git fsck --strict` after each undo, and a second run over what was brought back.
 */
interface Case {
  readonly name: string;
  /** Text for bash, in a folder that holds the repository `p`, with three commits, and a clone of it `far`. */
  readonly before?: string;
  readonly run: string;
  /** What a person does between the run and the undo. */
  readonly since?: string;
  /** What becomes of the git folders: all as before the run, or all as they were before the undo. */
  readonly then: "back" | "held";
  /** In what the undo prints. */
  readonly says?: RegExp;
}

const commit = (text: string): string => `echo ${text} >> f; git commit -qam ${text}`;

/** Two branches that cannot be joined without a conflict. */
const DIVERGED =
  "git checkout -qb o; echo o > f; git commit -qam o; git checkout -q main; echo m > f; git commit -qam m; echo m2 > f; git commit -qam m2";
const SHA256 =
  "git init -q --object-format=sha256 ../s; cd ../s; for i in 1 2; do echo $i > f; git add f; git commit -qm $i; done; cd ../p";

const CASES: readonly Case[] = [
  { name: "a commit", run: commit("A"), then: "back" },
  {
    name: "a commit, and one by a person on top",
    run: commit("A"),
    since: commit("B"),
    then: "held",
    says: /revert --no-edit \w{40}\.\.\w{40}/,
  },
  {
    name: "two commits, looked at since",
    run: `${commit("A")}; ${commit("B")}`,
    since: "git status; git log; git diff; sleep 1.1; touch f; git status",
    then: "back",
  },
  { name: "a commit, staged on top", run: commit("A"), since: "echo x > n; git add n", then: "held", says: /reset --soft \w{40}/ },
  {
    name: "a commit, amended since",
    run: commit("A"),
    since: "git commit -q --amend -m other",
    then: "held",
    says: /git branch before-the-run|git -C \S+ branch before-the-run/,
  },
  { name: "an amend in the run", run: "git commit -q --amend -m other", then: "back" },
  { name: "an amend, and a commit on top", run: "git commit -q --amend -m other", since: commit("B"), then: "held" },
  { name: "a commit, a branch made since", run: commit("A"), since: "git branch mine", then: "held" },
  { name: "a commit, a tag made since", run: commit("A"), since: "git tag -a v1 -m v1", then: "held" },
  { name: "a commit, a note made since", run: commit("A"), since: "git notes add -m n", then: "held" },
  { name: "a commit, a stash made since", run: commit("A"), since: "echo s >> f; git stash -q", then: "held" },
  { name: "a commit, another branch checked out since", run: commit("A"), since: "git checkout -qb mine", then: "held" },
  {
    name: "a commit, rebased since",
    run: commit("A"),
    since: `git checkout -qb mine HEAD~1; echo m > m; git add m; git commit -qm m; git rebase -q main`,
    then: "held",
  },
  {
    name: "a commit, a rebase stopped in the middle since",
    run: commit("A"),
    since: "GIT_SEQUENCE_EDITOR='sed -i s/^pick/edit/' git rebase -qi HEAD~1 || true",
    then: "held",
  },
  {
    name: "a commit, fetched since",
    run: commit("A"),
    since: "git -C ../far commit -q --allow-empty -m far; git fetch -q ../far main:refs/remotes/far/main",
    then: "held",
  },
  { name: "a commit, gc since", run: commit("A"), since: "git reflog expire --expire=now --all; git gc -q --prune=now", then: "held" },
  {
    name: "a staged file replaced, pruned since",
    before: "echo s1 > s; git add s",
    run: "echo s2 > s; git add s",
    since: "git prune",
    then: "held",
  },
  { name: "objects packed since", run: commit("A"), since: "git repack -qad", then: "held" },
  { name: "gc in the run", run: `${commit("A")}; git gc -q --prune=now`, then: "back" },
  { name: "gc in the run, and a commit on top", run: `${commit("A")}; git gc -q --prune=now`, since: commit("B"), then: "held" },
  {
    name: "history dropped and pruned in the run",
    run: "git reset -q --hard HEAD~2; git reflog expire --expire=now --all; git gc -q --prune=now",
    then: "back",
  },
  {
    name: "history dropped and pruned in the run, a commit on top: what the answer names is there",
    run: "git reset -q --hard HEAD~2; git reflog expire --expire=now --all; git gc -q --prune=now",
    since: commit("B"),
    then: "held",
    says: /branch before-the-run \w{40}/,
  },
  { name: "a stash in the run", before: "echo s >> f", run: "git stash -q", then: "back" },
  {
    name: "a stash in the run, a stash since",
    before: "echo s >> f",
    run: "git stash -q",
    since: "echo t >> f; git stash -q",
    then: "held",
  },
  { name: "a stash dropped in the run", before: "echo s >> f; git stash -q", run: "git stash drop -q; git prune", then: "back" },
  {
    name: "a merge",
    before: "git checkout -qb b HEAD~1; echo b > b; git add b; git commit -qm b; git checkout -q main",
    run: "git merge -q b -m m",
    then: "back",
  },
  {
    name: "a merge with a conflict",
    before: "git checkout -qb b HEAD~1; echo b > f; git commit -qam b; git checkout -q main",
    run: "git merge -q b || true",
    then: "back",
  },
  {
    name: "a rebase",
    before: "git checkout -qb b HEAD~1; echo b > b; git add b; git commit -qm b",
    run: "git rebase -q main",
    then: "back",
  },
  { name: "a worktree", run: "git worktree add -q ../wt; cd ../wt; echo w > w; git add w; git commit -qm w", then: "back" },
  {
    name: "a worktree, and a commit in it since",
    run: "git worktree add -q ../wt",
    since: "cd ../wt; echo w > w; git add w; git commit -qm w",
    then: "held",
  },
  {
    name: "a commit in a worktree that was there",
    before: "git worktree add -q ../wt",
    run: "cd ../wt; echo w > w; git add w; git commit -qm w",
    then: "back",
  },
  { name: "a submodule", run: "git -c protocol.file.allow=always submodule --quiet add ../far sub; git commit -qm sub", then: "back" },
  {
    name: "a submodule, and a commit in it since",
    run: "git -c protocol.file.allow=always submodule --quiet add ../far sub; git commit -qm sub",
    since: "cd sub; echo s > s; git add s; git commit -qm s",
    then: "held",
  },
  {
    name: "a commit in a submodule that was there",
    before: "git -c protocol.file.allow=always submodule --quiet add ../far sub; git commit -qm sub",
    run: "cd sub; echo s > s; git add s; git commit -qm s",
    then: "back",
  },
  {
    name: "a bare repository pushed to",
    before: "git init -q --bare ../bare.git; git push -q ../bare.git main",
    run: `${commit("A")}; git push -q ../bare.git main`,
    then: "back",
  },
  {
    name: "a bare repository pushed to in the run and since",
    before: "git init -q --bare ../bare.git; git push -q ../bare.git main",
    run: "git commit -q --allow-empty -m A; git push -q ../bare.git main",
    since:
      "git clone -q ../bare.git ../c; cd ../c; echo c > c; git add c; git commit -qm c; git push -q origin main; cd ../p; git commit -q --allow-empty -m B",
    then: "held",
  },
  {
    name: "GIT_DIR elsewhere",
    before: "git init -q --separate-git-dir=../elsewhere ../q; cd ../q; echo 1 > f; git add f; git commit -qm 1",
    run: "cd ../q; echo 2 > f; git commit -qam 2",
    since: "cd ../q; echo 3 > f; git commit -qam 3",
    then: "held",
  },
  {
    name: "objects elsewhere",
    run: "mkdir ../o; export GIT_OBJECT_DIRECTORY=$PWD/../o GIT_ALTERNATE_OBJECT_DIRECTORIES=$PWD/.git/objects; echo only here | git hash-object -w --stdin",
    since: "echo $PWD/../o > .git/objects/info/alternates; git tag t $(echo only here | git hash-object --stdin)",
    then: "held",
  },
  {
    name: "packed refs",
    before: "git branch b; git pack-refs --all",
    run: `${commit("A")}; git branch -D b; git pack-refs --all`,
    then: "back",
  },
  {
    name: "a shallow clone deepened",
    before: "git clone -q --depth 1 file://$PWD/../far ../s",
    run: "cd ../s; git fetch -q --unshallow",
    then: "back",
  },
  { name: "a clone", run: "git clone -q ../far ../c", then: "back" },
  {
    name: "a clone, and a commit in it since",
    run: "git clone -q ../far ../c",
    since: "cd ../c; echo c > c; git add c; git commit -qm c",
    then: "held",
  },
  {
    name: "a clone, and an object in it since",
    run: "git init -q ../c",
    since: "cd ../c; echo c | git hash-object -w --stdin",
    then: "held",
  },
  {
    name: "an alternate",
    run: "echo $PWD/../far/.git/objects > .git/objects/info/alternates; git -C ../far commit -q --allow-empty -m far; git fetch -q ../far main; git merge -q FETCH_HEAD -m m",
    then: "back",
  },
  { name: "the git folder deleted", run: "rm -rf .git", then: "back" },
  {
    name: "the git folder deleted, another one made since",
    run: "rm -rf .git",
    since: "git init -q; git add .; git commit -qm anew",
    then: "held",
  },
  {
    name: "the git folder moved",
    run: `git commit -q --allow-empty -m A; mv ../p ../q; cd ../q; git commit -q --allow-empty -m B`,
    since: "cd ../q; git commit -q --allow-empty -m C",
    then: "held",
  },
  { name: "an object deleted", run: "rm -f .git/objects/??/*", then: "back" },
  { name: "an object overwritten", run: "chmod u+w .git/objects/??/*; for o in .git/objects/??/*; do echo x > $o; done", then: "back" },
  { name: "a setting changed since", run: commit("A"), since: "git config d.e f", then: "held" },
  {
    name: "a branch checked out, a branch made since at another commit",
    run: "git checkout -q HEAD~1",
    since: "git branch mine main",
    then: "held",
  },
];

/** What git leaves half done, and what lies beside a repository: as one user. */
const MORE: readonly Case[] = [
  { name: "a lock of the index left since", run: commit("A"), since: "touch .git/index.lock", then: "held" },
  { name: "a lock of the index left by the run", run: `${commit("A")}; touch .git/index.lock`, then: "back" },
  { name: "a lock of the index left before", before: "touch .git/index.lock", run: "rm .git/index.lock; git add f", then: "back" },
  {
    name: "a merge in progress, finished in the run",
    before: `${DIVERGED}; git merge o || true`,
    run: "git add f; git commit -qm merged",
    then: "back",
  },
  { name: "a merge in progress, given up in the run", before: `${DIVERGED}; git merge o || true`, run: "git merge --abort", then: "back" },
  {
    name: "a merge in progress in the run, finished since",
    before: DIVERGED,
    run: "git merge o || true",
    since: "git add f; git commit -qm merged",
    then: "held",
  },
  {
    name: "a cherry-pick in progress, finished in the run",
    before: `${DIVERGED}; git cherry-pick o || true`,
    run: "git add f; git commit -qm picked",
    then: "back",
  },
  {
    name: "a revert in progress, given up in the run",
    before: `${DIVERGED}; git revert HEAD~1 || true`,
    run: "git revert --abort || git reset -q --hard",
    then: "back",
  },
  {
    name: "a rebase in progress, given up in the run",
    before: `${DIVERGED}; git rebase -q o || true`,
    run: "git rebase --abort",
    then: "back",
  },
  {
    name: "a rebase in progress, skipped in the run, on top of it since",
    before: `${DIVERGED}; git rebase -q o || true`,
    run: "git rebase --skip",
    since: commit("B"),
    then: "held",
  },
  {
    name: "a bisection in progress, ended in the run",
    before: "git bisect start HEAD HEAD~2 >/dev/null",
    run: "git bisect good >/dev/null; git bisect reset -q",
    then: "back",
  },
  {
    name: "a bisection, and a step since",
    run: "git bisect start HEAD HEAD~2 >/dev/null",
    since: "git bisect good >/dev/null",
    then: "held",
  },
  { name: "sha256", before: SHA256, run: `cd ../s; ${commit("A")}`, then: "back" },
  { name: "sha256, and a commit on top", before: SHA256, run: `cd ../s; ${commit("A")}`, since: `cd ../s; ${commit("B")}`, then: "held" },
  { name: "sha256, gc in the run", before: SHA256, run: `cd ../s; ${commit("A")}; git gc -q --prune=now`, then: "back" },
  {
    name: "sparse checkout",
    before: "git sparse-checkout set --no-cone f",
    run: `git sparse-checkout add f1; ${commit("A")}`,
    then: "back",
  },
  {
    name: "a filter",
    before:
      "git config filter.up.clean 'tr a-z A-Z'; git config filter.up.smudge 'tr A-Z a-z'; echo '*.t filter=up' > .gitattributes; git add .; git commit -qm attributes",
    run: "echo abc > x.t; git add x.t; git commit -qm x; rm x.t; git checkout x.t",
    then: "back",
  },
  {
    name: "a repository in the repository",
    before: "git init -q in; cd in; echo x > f; git add f; git commit -qm in; cd ..",
    run: `(cd in; ${commit("A")}); ${commit("A")}`,
    then: "back",
  },
  { name: "a commit, the reflog expired since", run: commit("A"), since: "git reflog expire --expire=now --all", then: "held" },
  { name: "a commit, refs packed since", run: commit("A"), since: "git pack-refs --all", then: "held" },
  { name: "a commit, a graph of commits written since", run: commit("A"), since: "git commit-graph write --reachable", then: "back" },
  {
    name: "a graph of commits in the run",
    run: `${commit("A")}; git commit-graph write --reachable; git multi-pack-index write`,
    then: "back",
  },
  {
    name: "objects packed by hand since",
    run: commit("A"),
    since: "git pack-objects -q .git/objects/pack/pack < <(git rev-list --objects --all | cut -d' ' -f1) >/dev/null; git prune-packed",
    then: "held",
  },
  {
    name: "a hook that writes",
    before: "printf '#!/bin/sh\\necho hi > hooked\\n' > .git/hooks/post-commit; chmod +x .git/hooks/post-commit",
    run: commit("A"),
    then: "back",
  },
  {
    name: "a worktree removed in the run",
    before: "git worktree add -q ../wt; cd ../wt; echo w > w; git add w; git commit -qm w; cd ../p",
    run: "git worktree remove --force ../wt; git branch -D wt",
    then: "back",
  },
  {
    name: "a branch renamed, its name taken by a folder of branches",
    run: "git branch b; git branch -m b c; git branch b/x",
    then: "back",
  },
  { name: "a branch replaced by a folder of branches", before: "git branch b", run: "git branch -D b; git branch b/x", then: "back" },
  { name: "a replaced object", run: "git replace HEAD HEAD~1", then: "back" },
  {
    name: "a read-only repository folder",
    before: "git branch b; chmod -R a-w .git/refs",
    run: "chmod -R u+w .git/refs; git branch -D b",
    then: "back",
  },
];

const START = `
set -e
git init -q p; cd p
for i in 1 2 3; do seq $i > f; echo $i > f$i; git add .; git commit -qm $i; done
cd ..; git clone -q p far; cd p
`;

/** All there is to say of the repositories below. */
const LOOK = `
for g in $(find . -name HEAD -path '*' -not -path '*/logs/*' -not -path '*/refs/*' | sort); do
  d=$(dirname $g); [ -d $d/objects ] && [ -d $d/refs ] || continue
  echo "== $d" | sed s:/q/:/p/:; cat $d/HEAD; git --git-dir=$d for-each-ref --format='%(refname) %(objectname)'; git --git-dir=$d ls-files -s
  (cd $d; find logs -type f 2>/dev/null | sort | xargs -r cat; cat config shallow objects/info/alternates MERGE_HEAD 2>/dev/null; ls -d rebase-* 2>/dev/null; ls worktrees modules 2>/dev/null) || true
done`;
const FSCK = `
for g in $(find . -name HEAD -not -path '*/logs/*' -not -path '*/refs/*' | sort); do
  d=$(dirname $g); [ -d $d/objects ] && [ -d $d/refs ] || continue
  git --git-dir=$d fsck --strict --no-dangling 2>&1 | grep -v ^notice:
  # Every object that is named anywhere is there.
  git --git-dir=$d rev-list --objects --all --reflog >/dev/null
  git --git-dir=$d ls-files -s | while read m o s n; do [ $m = 160000 ] || git --git-dir=$d cat-file -e $o; done
done`;

const ENV = {
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@b",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@b",
  GIT_CONFIG_COUNT: "2",
  GIT_CONFIG_KEY_0: "init.defaultBranch",
  GIT_CONFIG_VALUE_0: "main",
  GIT_CONFIG_KEY_1: "gc.auto",
  GIT_CONFIG_VALUE_1: "0",
};

const suite = new Suite();
afterAll(() => suite.remove());

/** What is broken in the end, in git's words. */
async function play(
  user: User,
  { before = "", run, since = "", then, says }: Omit<Case, "then"> & { then: Case["then"] | "either" },
): Promise<string> {
  const place = suite.place();
  place.fresh(user);
  const bash = async (text: string): Promise<string> => {
    const ran = await place.run({ user, argv: ["bash", "-c", `${text}\n`], env: ENV });
    expect(ran, text).toMatchObject({ status: 0 });
    return ran.stdout;
  };
  await bash(`${START}\n${before}`);
  const first = await bash(LOOK);
  const supervised = async (text: string): Promise<void> => {
    const ran = await place.run({ user, argv: place.supervised(["bash", "-c", text]), env: ENV });
    expect(ran.stderr, text).not.toMatch(/refused|Permission denied/);
  };
  await supervised(`cd p; ${run}`);
  const ran = await bash(LOOK);
  await bash(`cd p 2>/dev/null || cd q; ${since}`);
  const second = await bash(LOOK);
  const undone = await place.run({ user, argv: [...place.supervised([]).slice(0, 2), "undo", "--yes"], env: ENV });
  const third = await bash(LOOK);
  const said = `${undone.stdout}${undone.stderr}`;
  expect(await bash(FSCK), said).toBe("");
  // What was cleaned up since looks the same, and is held nevertheless.
  if (then === "either" && ran === second) expect([first, second], said).toContain(third);
  else expect(third, said).toBe(then === "back" ? first : second);
  if (says !== undefined) expect(said).toMatch(says);
  // What the answer names can be done.
  const command = /: (git (?:-C \S+|--git-dir=\S+) \S+ .*)$/m.exec(said)?.[1];
  const oids = [...(command?.matchAll(/\b[0-9a-f]{40}\b/g) ?? [])].map(([oid]) => oid);
  const git = command
    ?.split(" ")
    .slice(0, command.startsWith("git -C") ? 3 : 2)
    .join(" ");
  for (const oid of oids) await bash(`${git} cat-file -e ${oid} && ${git} rev-list --objects ${oid} >/dev/null`);
  // A revert may meet what was changed since.
  if (command !== undefined && !command.includes(" revert ")) await bash(command);
  const broken = await bash(FSCK);
  remove(place.folder);
  return broken;
}

describe.each(USERS)("a repository is undone as a unit, as %s", { concurrent: true }, (user) => {
  for (const one of CASES.filter((_, row) => hasTurn(user, row))) it(one.name, async () => expect(await play(user, one)).toBe(""));
});

describe.each(USERS.slice(-1))("a repository in an odd state, as %s", { concurrent: true }, (user) => {
  for (const one of MORE) it(one.name, async () => expect(await play(user, one)).toBe(""));
});

const OPERATIONS = [
  "echo $RANDOM >> f; git commit -qam w",
  "echo $RANDOM > n$RANDOM; git add .; git commit -qm n",
  "echo $RANDOM > u$RANDOM; git add .",
  "git commit -q --allow-empty -m e",
  "git commit -q --amend --allow-empty -m am",
  "git reset -q --hard HEAD~1",
  "git reset -q --soft HEAD~1",
  "git checkout -q -b b$RANDOM",
  "git checkout -q --detach",
  "git checkout -q main",
  "git branch -q x$RANDOM",
  "git branch -D $(git for-each-ref --format='%(refname:short)' refs/heads | grep -v main | head -1)",
  "git tag -m t t$RANDOM",
  "git stash -q -u",
  "git stash pop -q",
  "git merge -q --no-ff -m m $(git for-each-ref --format='%(refname)' refs/heads | shuf -n1)",
  "git rebase -q $(git for-each-ref --format='%(refname)' refs/heads | shuf -n1)",
  "git cherry-pick HEAD~1 >/dev/null",
  "git revert --no-edit HEAD >/dev/null",
  "git pack-refs --all",
  "git gc -q --prune=now",
  "git reflog expire --expire=now --all; git gc -q --prune=now",
  "git repack -qad",
  "git prune",
  "git notes add -f -m n",
  "git worktree add -q ../w$RANDOM",
  "git fetch -q ../far main:refs/remotes/far/r$RANDOM",
  "git status",
  "touch *; git status",
  "git rm -q -f --ignore-unmatch f1",
  "git clean -fdq",
  "rm -rf .git/objects/$(ls .git/objects | head -1)",
];

it("whatever is done in the run and since", { timeout: 600_000 }, async () => {
  // The last one breaks it: no person does that.
  const operations = (most: number, end?: number): fc.Arbitrary<readonly string[]> =>
    fc.array(fc.constantFrom(...OPERATIONS.slice(0, end)), { maxLength: most });
  const join = (all: readonly string[]): string => all.map((one) => `{ ${one}; } >/dev/null 2>&1 || true`).join("; ") || ":";
  await fc.assert(
    fc.asyncProperty(operations(2, -1), operations(5), operations(3, -1), async (before, run, since) => {
      expect(await play(USERS[0] ?? "self", { name: "", before: join(before), run: join(run), since: join(since), then: "either" })).toBe(
        "",
      );
    }),
    { numRuns: Number(process.env["REPOSITORY_RUNS"] ?? 8), endOnFailure: true },
  );
});
