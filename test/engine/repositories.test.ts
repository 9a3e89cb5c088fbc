import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { REFERENCE } from "@assent/hosts/agents";
import { decide } from "@assent/guard/engine";
import { realWorld } from "../../packages/guard/src/engine/world.ts";
import type { RequestVerdict } from "@assent/core/policy";
import { engine } from "../scratch.ts";
import { KINDS, repositories } from "./repositories.ts";

const place = repositories();
afterAll(() => rmSync(place.root, { recursive: true, force: true }));

/** What is said of a command in a session that began in a folder below `~/w`. */
function verdictIn(folder: string, command: string, temp?: string): string {
  const verdict = found(folder, command, temp);
  return verdict.decision === "allow" ? (verdict.confined === undefined ? "bare" : "confined") : verdict.decision;
}

function found(folder: string, command: string, temp?: string): RequestVerdict {
  place.write("~/.agent-permissions.jsonc", `{ "version": 1, "unknown": "confine" }`);
  const host = { shell: "bash", decides: true, asks: true, bypassed: false, planning: false, confines: true } as const;
  const machine = temp === undefined ? place.machine : { ...place.machine, temp: [temp] };
  const facts = REFERENCE.protocol.tools["Bash"];
  const { verdict } = decide(
    { tool: "Bash", facts, input: { command }, cwd: place.at(folder), host, point: "hook", agent: "claude" },
    { machine, ...engine, policyFiles: [], audit: false, memory: "none" },
  );
  return verdict;
}

const SAME = [
  ["git status -sb", "bare"],
  ["git log --oneline -3", "bare"],
  ["git diff HEAD", "bare"],
  ["git rev-parse HEAD", "bare"],
  ["cat .env.example", "bare"],
  ["git add a", "confined"],
  ["git commit -qm x", "confined"],
  ["git switch -c n", "confined"],
  ["git stash", "confined"],
  ["git worktree list", "bare"],
  ["tee .git/hooks/pre-commit", "deny"],
  ["tee .git/config", "ask"],
] as const;

describe("a repository is the same wherever its git folder lies", () => {
  it.each(Object.entries(KINDS))("%s", (_, folder) => {
    expect(SAME.map(([command]) => [command, verdictIn(folder, command)])).toEqual(SAME);
  });

  it.each<readonly [folder: string, command: string, verdict: string]>([
    // The working trees of one repository know each other.
    ["wt", "git -C ../plain status", "bare"],
    ["wt", "git -C ../plain log -3", "bare"],
    ["wt", "git -C ../plain diff --stat", "bare"],
    ["wt", "git -C ../plain/src status", "bare"],
    ["wt", "cd ../plain && git status", "bare"],
    ["wt", "git -C ../plain/.git log -1", "bare"],
    ["wt", "git -C ../plain/.claude/worktrees/x diff", "bare"],
    ["wt", "cat ../plain/.env.example", "bare"],
    ["plain", "git -C ../wt status", "bare"],
    ["plain", "git -C .claude/worktrees/x log", "bare"],
    ["plain", "cat ../wt/.env.example ../wt/a", "bare"],
    ["plain/.claude/worktrees/x", "git -C ../../.. status", "bare"],
    ["hub/m", "git -C .. log -1", "bare"],
    ["hub/m", "git -C ../.bare log -1", "bare"],
    ["hub", "git -C m status", "bare"],
    ["hub", "git worktree list", "bare"],
    ["hub", "cat m/.env.example", "bare"],
    ["bwt", "git -C ../b.git branch", "bare"],
    ["super", "git -C sub status", "bare"],
    ["super", "cat sub/.env.example", "bare"],
    // Others do not, where others write (these lie in /tmp).
    ["wt", "git -C ../lib status", "ask"],
    ["wt", "git -C ../hub/m status", "ask"],
    ["plain", "git -C ~/evil status", "ask"],
    // The project's own, named by its folder, is nobody else's.
    ["plain", "git clone -q . build/copy", "confined"],
    ["plain", "cd src && git clone .. ../build/copy", "confined"],
    ["plain", "git clone --depth 1 ./ build", "confined"],
    ["plain", "git fetch . main:side", "confined"],
    ["plain", 'git clone "$PWD" build', "confined"],
    ["wt", "git clone . build", "confined"],
    ["plain", "git clone . ../copy", "ask"],
    ["plain", "git clone .. build", "ask"],
    ["plain", "git clone ../lib build", "ask"],
    ["plain", "git clone ./src build", "ask"],
    ["plain", "git clone ../plain/../lib build", "ask"],
    ["plain", "cd ../lib && git clone . ../plain/build", "ask"],
    ["plain", "git -C ../lib clone . ../plain/build", "ask"],
    ["plain", "git clone -u ./evil . build", "confined"],
    ["plain", "git clone ~/evil build", "ask"],
    ["plain", "git pull ../lib main", "ask"],
    ["super", "git clone ./sub build", "ask"],
    // What a run could hold in the project's own is not held elsewhere.
    ["plain", "git branch -D topic", "confined"],
    ["plain", "git -C src branch -D topic", "confined"],
    ["plain", "git -C . reset --hard", "confined"],
    ["wt", "git -C ../plain branch -D x", "confined"],
    ["plain", "git -C ../lib branch -D topic", "ask"],
    ["plain", "git -C ../lib branch -df topic", "ask"],
    ["plain", "git -C ../lib branch --delete --force topic", "ask"],
    ["plain", "git -C ../lib reset --hard", "ask"],
    ["plain", "git -C ~/w/lib commit --amend -m x", "ask"],
    ["plain", "git -C ../lib clean -fdx", "ask"],
    ["plain", "git -C ../lib rebase -i HEAD~1", "ask"],
    ["plain", "cd ../lib && git branch -D topic", "ask"],
    ["plain", "(cd ../lib; git checkout -f topic)", "ask"],
    ["plain", "git --git-dir=../lib/.git branch -D topic", "ask"],
    ["plain", "git branch -D topic && git -C ../lib branch -D topic", "ask"],
    ["plain", "env git -C ../lib reflog expire --expire=now --all", "ask"],
    ["plain", "d=../lib; git -C $d filter-branch HEAD", "ask"],
    ["bwt", "git -C ../plain status", "ask"],
    ["super/sub", "git -C .. status", "ask"],
    ["plain", "cat ~/evil/.npmrc", "deny"],
    ["plain", "cat ../lib/.npmrc", "deny"],
    // Working trees are made beside those that are there; one that is removed is asked about, in words of its own.
    ["plain", "git worktree add ../n", "ask"],
    ["plain", "git worktree add -b n ../n main", "ask"],
    ["plain", "git worktree add n", "confined"],
    ["plain", "git worktree add .claude/worktrees/n", "confined"],
    ["wt", "git worktree add ../n", "ask"],
    ["wt", "git -C ../plain worktree add ../n", "ask"],
    ["bwt", "git worktree add ../n", "ask"],
    ["hub/m", "git worktree add ../n", "ask"],
    ["hub", "git worktree add n", "confined"],
    ["plain", "git worktree add ~/n", "ask"],
    // It is there, and full: git would refuse it.
    ["plain", "git worktree add ../lib", "deny"],
    ["plain", "git worktree add ../.n", "ask"],
    ["plain", "git worktree add ../n/n", "ask"],
    ["plain", "git worktree add /etc/n", "deny"],
    ["plain", "git worktree add ../$X", "confined"],
    ["plain", "git worktree lock ../wt", "confined"],
    ["plain", "git worktree unlock wt", "confined"],
    ["plain", "git worktree prune", "confined"],
    ["plain", "git worktree move ../wt ../n", "ask"],
    ["plain", "git worktree remove ../wt", "ask"],
    ["plain", "git worktree remove wt", "ask"],
    ["plain", "git worktree remove --force ../wt", "ask"],
    ["plain", "cd src && git worktree remove -ff ../../wt", "ask"],
    ["wt", "git worktree remove .claude/worktrees/x", "ask"],
    ["wt", "git worktree remove ../wt", "deny"],
    ["wt", "git worktree remove ../plain", "deny"],
    ["plain", "git worktree remove ../lib", "deny"],
    ["plain", "git worktree remove ../hub/m", "deny"],
    ["plain", "git worktree remove ~", "deny"],
    // What can start programs is locked in whichever folder it lies.
    ["wt", "tee ../plain/.git/config", "ask"],
    ["wt", "tee ../plain/.git/hooks/post-checkout", "deny"],
    ["wt", "tee ../plain/.git/worktrees/wt/config.worktree", "ask"],
    ["plain", "tee .git/worktrees/wt/config.worktree", "ask"],
    ["plain", "tee .git/worktrees/wt/commondir", "ask"],
    ["plain", "tee .git/worktrees/wt/gitdir", "ask"],
    ["plain", "tee .git/worktrees/wt/modules/sub/hooks/post-checkout", "deny"],
    ["plain", "tee .git/worktrees/wt/modules/sub/config", "ask"],
    ["hub", "tee .bare/config", "ask"],
    ["hub", "tee .bare/hooks/pre-commit", "deny"],
    ["hub", "tee .bare/info/attributes", "ask"],
    ["hub", "tee .bare/worktrees/m/config.worktree", "ask"],
    ["hub", "mv x .bare/hooks", "deny"],
    ["hub/m", "tee ../.bare/config", "ask"],
    ["sep", "tee ../gitdirs/sep/config", "ask"],
    ["sep", "tee ../gitdirs/sep/hooks/pre-push", "deny"],
  ])("in %s: %s", (folder, command, verdict) => {
    expect(verdictIn(folder, command)).toBe(verdict);
  });

  it("that is removed is named as what it is", () => {
    expect(found("plain", "git worktree remove --force ../wt").reason).toMatch(
      /^removes a working tree of this repository outside the project: .* with --force also what is not committed/,
    );
  });
});

/** No temporary folder is among these. */
describe("where no repository is around a folder, git only says so", () => {
  beforeAll(() => place.change(".", "cp -r ~/evil/.git ~/bare.git; mkdir -p ~/other/.hg; cp /bin/true ~/other/git"));

  it.each<readonly [command: string, verdict: string]>([
    ["cd .. && git add docs/a.md", "confined"],
    ["cd src && go vet ./...; cd .. && git stash pop", "confined"],
    ["cd ~/Work/missing && git checkout main", "confined"],
    ["cd ~/Work/missing; git branch --show-current", "confined"],
    ["git -C ../missing reset --hard", "confined"],
    ["git -C .. clean -fdx", "confined"],
    ["(cd ~; git commit --amend -m x)", "confined"],
    ["cd / && git stash", "confined"],
    ["git -C ~/bare.git log", "ask"],
    ["git -C ~/evil/missing log", "ask"],
    ["cd ~/evil/src && git status", "ask"],
    ["cd ..; git -C lib stash", "ask"],
    ["cd .. && git --git-dir=lib/.git stash", "ask"],
    ["cd .. && GIT_DIR=lib/.git git stash", "confined"],
    ["cd .. && git init", "ask"],
    ["cd .. && git init n", "ask"],
    ["git -C .. init", "ask"],
    ["cd .. && git clone https://github.com/a/b", "ask"],
    ["cd .. && git push -f", "ask"],
    ["cd .. && git config --global core.fsmonitor ./x", "deny"],
    // It works without a repository, and each file that it touches is judged then.
    ["cd .. && git apply x.patch", "confined"],
    ["cd ~ && git diff --output=.zshrc", "deny"],
    ["cd ~ && git diff --no-index /dev/null .ssh/id_rsa", "deny"],
    ["git -C ../$X stash", "ask"],
    // What others look for does not lie in `.git`.
    ["cd ~/other && hg status", "ask"],
    ["hg -R ~/other log", "ask"],
    ["cd ~/other && ./git stash", "ask"],
    ["cd ~/other && /usr/bin/git stash", "confined"],
    ["git init -q ../n && cd ../n && git stash", "ask"],
    ["cp -r ~/evil/.git .. && cd .. && git status", "deny"],
  ])("%s", (command, verdict) => {
    expect(verdictIn("plain", command, "/nowhere")).toBe(verdict);
  });
});

/** A folder `plain/sub` whose git obeys others, made by `before` in `~/w/plain`. */
const ATTACKS: readonly (readonly [why: string, before: string, folder?: string | undefined, command?: string | undefined])[] = [
  ["`.git` leads to a foreign repository", "mkdir sub; echo gitdir: ~/evil/.git > sub/.git"],
  ["by a way upwards", "mkdir sub; echo gitdir: ../../../evil/.git > sub/.git"],
  ["by a link", "mkdir sub; ln -s ~/evil/.git sub/.git"],
  ["by a link to a link", "mkdir sub; ln -s ~/evil/.git g; ln -s ../g sub/.git"],
  ["by a link to a file", "mkdir sub; echo gitdir: ~/evil/.git > g; ln -s ../g sub/.git"],
  ["that names the folder back", "mkdir sub; echo gitdir: ~/evil/.git > sub/.git; git --git-dir ~/evil/.git config core.worktree $PWD/sub"],
  [
    "that knows such a working tree",
    "mkdir sub; git -C ~/evil worktree add -q e; echo gitdir: ~/evil/.git/worktrees/e > sub/.git; echo $PWD/sub/.git > ~/evil/.git/worktrees/e/gitdir",
  ],
  ["the working tree of a foreign repository", "git -C ~/evil worktree add -q ~/w/plain/sub"],
  ["the repository lies in the project", "cp -r ~/evil/.git fake; mkdir sub; echo gitdir: ../fake > sub/.git"],
  [
    "and names the folder back",
    "cp -r ~/evil/.git fake; mkdir sub; echo gitdir: ../fake > sub/.git; git --git-dir fake config core.worktree ../sub",
  ],
  [
    "and knows the working tree",
    "cp -r ~/evil/.git fake; mkdir -p sub fake/worktrees/e; echo gitdir: ../fake/worktrees/e > sub/.git; cd fake/worktrees/e; echo ../.. > commondir; echo $OLDPWD/sub/.git > gitdir; cp ../../HEAD .",
  ],
  [
    "the repository lies in `.git` under a name of nobody's",
    "cp -r ~/evil/.git .git/fake; mkdir sub; echo gitdir: ../.git/fake > sub/.git; git --git-dir .git/fake config core.worktree ../../sub",
  ],
  [
    "seen from another working tree",
    "cp -r ~/evil/.git .git/fake; mkdir ../wt/sub; echo gitdir: ../../plain/.git/fake > ../wt/sub/.git; git --git-dir .git/fake config core.worktree ~/w/wt/sub",
    "wt",
  ],
  ["git works in `.git` itself", "cp -r ~/evil/.git .git/sub", "plain", "git -C .git/sub log"],
  ["a folder that came with the project is a repository", "cp -r ~/evil/.git sub"],
  ["with an empty `.git` in it", "cp -r ~/evil/.git sub; mkdir sub/.git"],
  ["a folder below it", "cp -r ~/evil/.git sub; mkdir sub/x", "plain", "git -C sub/x log"],
  ["that is cloned by a link to it", "ln -s ~/evil sub", "plain", "git clone ./sub/../. x"],
  ["and from within by its parent", "mkdir ~/evil/d; ln -s ~/evil/d sub", "plain", "cd sub && git clone .. ~/w/plain/x"],
  ["the session's own leads there", "echo ~/evil/.git > .git/commondir", "plain", "git clone . x"],
  [
    "a folder that says where the rest lies",
    "cp -r ~/evil/.git rest; rm rest/HEAD; mkdir sub; cp .git/HEAD sub; echo ../rest > sub/commondir",
  ],
  ["the rest lies elsewhere", "mkdir sub; cp .git/HEAD sub; echo ~/evil/.git > sub/commondir", "plain", "git -C sub log"],
  ["`commondir` leads elsewhere", "ln -s .claude/worktrees/x sub; echo ~/evil/.git > .git/worktrees/x/commondir"],
  ["`commondir` of the session's own", "echo ~/evil/.git > .git/worktrees/wt/commondir", "wt", "git status"],
  ["`commondir` of a plain repository", "echo ~/evil/.git > .git/commondir", "plain", "git status"],
  ["`gitdir` names another folder", "ln -s .claude/worktrees/x sub; echo ~/other/.git > .git/worktrees/x/gitdir"],
  ["`gitdir` of the session's own", "echo ~/other/.git > .git/worktrees/wt/gitdir", "wt", "git status"],
  ["a copy of a working tree", "cp -r .claude/worktrees/x sub"],
  ["a submodule's git folder taken for another folder", "cd ../super; cp -r sub other", "super", "git -C other status"],
  ["an empty `.git` in a foreign folder", "mkdir -p sub/d/.git; echo gitdir: ~/evil/.git > sub/.git", "plain", "git -C sub/d status"],
  ["the project's own without its `.git`", "mkdir sub; echo gitdir: ../.git > sub/.git"],
  [
    "a session in a folder of the project, with a git folder beside it",
    "cp -r ~/evil/.git f; mkdir sub; echo gitdir: ../f > sub/.git",
    "plain/sub",
    "git status",
  ],
  ["with one in it", "mkdir sub; cp -r ~/evil/.git sub/f; echo gitdir: ./f > sub/.git", "plain/sub", "git status"],
  ["with one elsewhere in home", "cp -r ~/evil/.git ~/f; mkdir sub; echo gitdir: ~/f > sub/.git", "plain/sub", "git status"],
  [
    "in the working tree of a repository of the project's",
    "cp -r ~/evil/.git f; git -C f worktree add -q ../sub",
    "plain/sub",
    "git status",
  ],
  ["`.git` says nothing", "mkdir sub; echo > sub/.git"],
  ["`.git` says more", "mkdir sub; printf 'gitdir: %s\\nx\\n' ~/evil/.git > sub/.git"],
  ["the folder is not known", "mkdir -p sub/d; echo gitdir: ~/evil/.git > sub/d/.git", "plain", 'cd "sub/$X" && git status'],
  [
    "a folder of its own beside the project",
    "rm -rf ../sep; mkdir ../sep; cp -r ~/evil/.git ../g; echo gitdir: ../g > ../sep/.git",
    "plain",
    "git -C ../sep status",
  ],
  ["by an option", "true", "plain", "git --git-dir ~/evil/.git status"],
  ["by another option", "true", "plain", "git --work-tree=$HOME/evil status"],
];

describe("git that would obey another repository asks", () => {
  it.each(ATTACKS.map(([why, ...rest]) => ({ why, rest })))(
    "$why",
    ({ rest: [before, folder = "plain", command = "git -C sub status"] }) => {
      place.change("plain", before);
      expect(verdictIn(folder, command)).toBe("ask");
    },
  );

  it.each([
    "GIT_DIR=~/evil/.git git status",
    "export GIT_DIR=$HOME/evil/.git; git status",
    "env GIT_DIR=../../evil/.git git log",
    "GIT_WORK_TREE=~/evil git status",
    "GIT_COMMON_DIR=~/evil/.git git status",
    "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.fsmonitor GIT_CONFIG_VALUE_0=./x git status",
  ])("or works behind the sandbox: %s", (command) => {
    expect(verdictIn("plain", command)).toBe("confined");
  });

  it("where an agent may write the repository beside the project", () => {
    place.change(".", "");
    expect(["bwt", "hub/m", "sep", "wt"].map((folder) => verdictIn(folder, "git status", join(place.home, "w")))).toEqual([
      "confined",
      "confined",
      "confined",
      "bare",
    ]);
  });

  it("where a working tree was moved by hand, until it is repaired", () => {
    place.change(".", "mv wt moved");
    expect(verdictIn("moved", "git status")).toBe("ask");
    place.sh("git -C plain worktree repair ~/w/moved", place.at("."));
    expect(verdictIn("moved", "git status")).toBe("bare");
  });
});

describe("what git tracks", () => {
  it.each<readonly [how: string, make: string, tracked: boolean | undefined]>([
    ["version 2", "true", true],
    ["version 3", "git update-index --skip-worktree a", true],
    ["version 4", "git update-index --index-version 4", true],
    ["version 4 with long names", "mkdir $(printf '%0200d' 1); touch */b; git add -A; git update-index --index-version 4", true],
    ["a split index", "git update-index --split-index", true],
    ["a split index that grew", "git rm -q --cached .env.example; git update-index --split-index; git add .env.example", true],
    ["a split index with changes", "git update-index --split-index; echo 2 >> .env.example; git add .env.example", true],
    ["a split index from which it was taken", "git update-index --split-index; git rm -q --cached .env.example", false],
    [
      "a split index from which many were taken",
      "for i in $(seq 300); do echo > .a$i; done; git add -A; git update-index --split-index; git rm -q --cached .a* .env.example",
      false,
    ],
    ["a split index without its other file", "git update-index --split-index; rm .git/sharedindex.*", undefined],
    ["a split index of version 4", "git update-index --index-version 4 --split-index", true],
    ["a name that ends in link", "echo > some-link; echo > link; git add -A", true],
    ["a sparse index", "git sparse-checkout set --cone --sparse-index src", true],
    ["objects with long names", "rm -rf .git; git init -q --object-format=sha256; git add -A", true],
    ["told beforehand only", "git rm -q --cached .env.example; git add -N .env.example", false],
    ["taken out", "git rm -q --cached .env.example", false],
    ["an index cut off", "head -c 200 .git/index > i; mv i .git/index", undefined],
    ["an index of another kind", "printf 'DIRC\\0\\0\\0\\5' > .git/index", undefined],
    [
      "an extension nobody knows",
      "python3 -c \"b=open('.git/index','rb').read(); open('.git/index','wb').write(b[:-20]+b'abcd\\0\\0\\0\\0'+b[-20:])\"",
      undefined,
    ],
    [
      "an extension that may be passed by",
      "python3 -c \"b=open('.git/index','rb').read(); open('.git/index','wb').write(b[:-20]+b'ZZZZ\\0\\0\\0\\0'+b[-20:])\"",
      true,
    ],
    ["no index", "rm .git/index", false],
  ])("%s", (_, make, tracked) => {
    place.change("plain", make);
    const { tracked: isTracked } = realWorld(place.machine, place.at("plain"), undefined);
    expect(isTracked(join(place.at("plain"), ".env.example"))).toBe(tracked);
  });

  it("below a folder of a sparse index is not known", () => {
    place.change(
      "plain",
      "mkdir d; echo > d/.env.example; git add -A; git commit -qm d; git sparse-checkout set --cone --sparse-index src",
    );
    const { tracked } = realWorld(place.machine, place.at("plain"), undefined);
    expect(["src/b", "d/.env.example", "e"].map((name) => tracked(join(place.at("plain"), name)))).toEqual([true, undefined, false]);
  });
});

// What mktemp makes lies in a temporary folder, whatever it is called: `cd` and `-C` lead there, or nowhere.
describe("sandboxed, git works in what the line has made with mktemp", () => {
  it.each<readonly [command: string, verdict: string]>([
    ['d=$(mktemp -d); cd "$d"; git init; git add -A', "confined"],
    ['d=$(mktemp -d); git -C "$d" add -A', "confined"],
    ['T=$(mktemp -d) && git worktree add --detach "$T" HEAD && (cd "$T" && git apply -)', "confined"],
    ['T=$(mktemp -d -t x.XXXXXX); cd "$T" && git add .', "confined"],
    ['T=$(mktemp -d /tmp/x.XXXXXX); cd "$T" && git add .', "confined"],
    ['d=$(mktemp -d); rm -rf "$d"', "confined"],
    ['d=$(mktemp -d); git -C "$d" push --force', "ask"],
    ['d=$(mktemp -d); git -C "$d" --git-dir="$HOME/w/other/.git" add -A', "ask"],
    ['d=$(mktemp -d -p ~/x); cd "$d"; git add .', "ask"],
    ['d=$(mktemp -d ~/x.XXXX); cd "$d"; git add .', "ask"],
    ['TMPDIR=~/x; d=$(mktemp -d); cd "$d"; git add .', "ask"],
    ['cd "$(mktemp -d)$HOME/.ssh" && cat id_rsa', "deny"],
  ])("%s", (command, verdict) => {
    expect(verdictIn("plain", command, "/tmp")).toBe(verdict);
  });
});
