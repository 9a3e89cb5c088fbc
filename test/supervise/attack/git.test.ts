import { describe, expect, it } from "vitest";
import { attack } from "./world.ts";

const BEFORE = `rm -rf .git; git init -q . && git config user.name me && git config user.email me@x
printf '[core]\\n\\tfsmonitor = EVIL\\n' > config; printf '[core]\\n\\tfsmonitor = EVIL\\n' > gc
printf '[init]\\n\\ttemplateDir = /srv/proj/t\\n' > .gitconfig
mkdir -p t/hooks; cp config t/config; echo EVIL > t/hooks/pre-commit; chmod 755 t/hooks/pre-commit
git add -f config && git commit -q -m '[core]
fsmonitor = EVIL' && git branch b && git clone -q --bare . bare.git`;
/** What every repository's configuration says afterwards, and which hooks there are. */
const AFTER =
  "cat /srv/events | grep -c asked; find /srv/proj /srv/out -path '*.git/config' -o -path '*.git/config.worktree' -o -path '*/.git/modules/*/config' -o -path '*.git*/commondir' | xargs cat; find -L /srv/proj -path '*/hooks/pre-commit' ! -path '*/t/*'";

describe.concurrent("git keeps nothing that runs later, unasked", () => {
  it.each<readonly [what: string, program: string]>([
    ["an option of clone", "git clone -q -c core.fsmonitor=EVIL . x; git clone -q --config=core.fsmonitor=EVIL . y"],
    [
      "a joined option of clone",
      "git clone -q -ccore.fsmonitor=EVIL . x; git clone -qccore.fsmonitor=EVIL . y; git clone -q --conf core.fsmonitor=EVIL . z",
    ],
    ["a template", "git init -q --template=t x; git init -q --templ t y; git clone -q --template t . z"],
    [
      "a template for what is no repository yet, by its place",
      "git init -q --bare --template=t x.git; git clone -q --bare --template=t . y.git; git clone -q --mirror --templ=t . z.git; git clone -q --separate-git-dir=w.git --template=t . w",
    ],
    [
      "such a template by a variable or a setting",
      "export GIT_TEMPLATE_DIR=$PWD/t; git init -q --bare x.git; git clone -q --bar . y.git; git init -q --separate-git-dir=z.git z; unset GIT_TEMPLATE_DIR; git -c init.templateDir=$PWD/t clone -q --bare . v.git; HOME=$PWD git init -q --bare u.git",
    ],
    [
      "a template of links",
      "mkdir l l/hooks m; ln -s $PWD/config l/config; ln -s $PWD/t/hooks/pre-commit l/hooks/pre-commit; ln -s $PWD/t/hooks m/hooks; git init -q --bare --template=l x.git; git init -q --bare --template=m y.git; git init -q --template=l z; git init -q --template=m w; git clone -q --bare --template=m . v.git; rm -r l m",
    ],
    ["a template by a variable", "GIT_TEMPLATE_DIR=$PWD/t git init -q x; GIT_TEMPLATE_DIR=$PWD/t git init -q"],
    ["a template by a setting", "git -c init.templateDir=$PWD/t init -q x; T=$PWD/t git --config-env=init.templateDir=T init -q y"],
    [
      "a template by a setting in a variable",
      "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=init.templateDir GIT_CONFIG_VALUE_0=$PWD/t git init -q x",
    ],
    ["a template by another home", "HOME=$PWD git init -q x; GIT_CONFIG_GLOBAL=$PWD/.gitconfig git init -q y"],
    ["an alias that sets it", "git -c alias.x='config core.fsmonitor EVIL' x; git -c alias.y='!git config core.fsmonitor EVIL' y"],
    ["a section under another name", "git config branch.x.description '!later'; git config --rename-section branch.x alias"],
    [
      "a file that git is told to write",
      "git log -1 --format=%B --output=.git/config; git archive -o .git/config HEAD config; git format-patch -1 -o .git/hooks",
    ],
    [
      "a tracked file",
      "git checkout-index -f --prefix=.git/ config; git --work-tree=.git checkout HEAD -- config; git --work-tree=.git restore config",
    ],
    [
      "a working tree inside",
      "git worktree add -q .git/x; git worktree add -q -f .git/hooks/../../.git/y; GIT_WORK_TREE=.git git checkout -f -q HEAD",
    ],
    [
      "an address that is a command",
      "git remote add x 'ext::sh -c EVIL'; git remote set-url --add origin 'ext::sh -c EVIL'; git config remote.y.url 'ext::sh -c EVIL'",
    ],
    [
      "another repository's settings",
      "git -C /srv/proj/bare.git config core.fsmonitor EVIL; git config -f .git/config core.fsmonitor EVIL; git --git-dir=.git config core.fsmonitor EVIL",
    ],
    ["an include", "git config include.path ../EVIL; git config --add includeIf.gitdir:/.path EVIL"],
    [
      "the lock",
      "echo '[core]fsmonitor=EVIL' > .git/config.lock; mv .git/config.lock .git/config; git log --format=%B -1 --output=.git/config.lock",
    ],
    [
      "the lock held open",
      "(while :; do exec 3>>.git/config.lock; done) 2>/dev/null & for i in 1 2 3 4 5 6 7 8 9; do git config user.name $i; done; kill $!",
    ],
    [
      "a repository that lies elsewhere",
      "echo '[core]fsmonitor=EVIL' > bare.git/config.worktree; mkdir e; echo '[core]fsmonitor=EVIL' > e/config; echo ../e > bare.git/commondir; git -C bare.git worktree add -q ../w; echo ../../../e > bare.git/worktrees/w/commondir",
    ],
    [
      "links in the place of a submodule's folder, named as git names those that it tries",
      "mkdir -p t/k/hooks t/k/testing .git/modules; echo x > t/k/hooks/pre-commit; ln -s ../../t/k .git/modules/sub; ln -s testing .git/modules/tAbCdE; mkdir -p .git/modules/testing/hooks; echo x > .git/modules/testing/hooks/pre-commit; mkdir .git/modules/x; ln -s testing .git/modules/x/tAbCdE; mkdir -p .git/modules/x/testing/hooks; echo x > .git/modules/x/testing/hooks/pre-commit; ln -s ../t/k .git/modules/testing; ln -s ../../../t/k .git/modules/x/testing",
    ],
    [
      "an editor",
      "printf '#!/bin/sh\\necho [core]fsmonitor=EVIL > $1\\n' > e; chmod +x e; GIT_EDITOR=./e git config --edit; git -c core.editor=./e config -e",
    ],
  ])("%s", async (_what, program) => {
    const { out } = await attack({ before: BEFORE, program: `git --version; ${program}`, after: AFTER });
    expect(out).toMatch(/^git version/m);
    const [, kept = ""] = out.split(/^status \d+$/m);
    expect(kept).toContain("repositoryformatversion");
    expect(kept).not.toMatch(/EVIL|pre-commit|\[alias|\/e$/m);
  });
});

it("and what it does every day goes on", async () => {
  const { out, events } = await attack({
    before: BEFORE,
    program: `set -e
git clone -q /srv/proj/bare.git c; git clone -q -c core.autocrlf=false --bare . d.git; git init -q e; git init -q --bare f.git; git init -q -b main --separate-git-dir=g.git g
cd c; git config user.name x; git config user.email y@z; git config pull.rebase true; git remote add up https://example.com/x.git; git remote set-url up git@example.com:x/y
git remote rename up down; git branch -q n; git branch -q --set-upstream-to=origin/master n; git push -q -u origin n; git fetch -q --set-upstream origin master
git worktree add -q ../w n; git -C ../w status -s; git worktree remove ../w; git config --unset user.email; git config user.email y@z
git sparse-checkout set --no-cone /config 2>/dev/null; git sparse-checkout disable; git remote remove down; git branch -q -D n; cd ..
git -c protocol.file.allow=always submodule add -q /srv/proj/bare.git sub; git commit -q -m sub; git submodule deinit -q -f sub; git -c protocol.file.allow=always submodule update -q --init; git rm -q -f sub; echo FINE`,
    after: "",
  });
  expect(out).toMatch(/^FINE$/m);
  expect(events.filter(({ verdict }) => verdict !== "allow").map(({ text }) => text)).toEqual([]);
});

it("and templates without hooks, and tracked files that are called as hooks are, ask for nothing", async () => {
  const { out, events } = await attack({
    before: BEFORE,
    program: `set -e; T=/usr/share/git-core/templates
mkdir hooks; echo tracked > hooks/pre-commit; echo tracked > hooks/config; git add hooks; git commit -q -m hooks
git init -q --template=$T a; git init -q --template= b; git clone -q --template=$T --bare . c.git; git -c init.templateDir=$T init -q d
git clone -q . e; git clone -q --template=$T . f; git clone -q -c core.autocrlf=false --mirror . g.git; cat f/hooks/*; echo FINE`,
  });
  expect(out).toMatch(/^tracked\ntracked\nFINE$/m);
  expect(events.filter(({ verdict }) => verdict !== "allow").map(({ text }) => text)).toEqual([]);
});

describe.concurrent("where the policy says what git keeps, its commands ask for no more", () => {
  const NAMES = ["config", "config.lock", "hooks/**"].map((name) => `/srv/proj/**/.git/${name}`);
  const allow = NAMES.flatMap((name) => ["Write", "Edit", "Delete"].map((kind) => `${kind}(${name})`));
  const program = `git config core.fsmonitor KEPT; git clone -q -c core.pager=KEPT . c; git init -q --template=t d; git config -f /srv/out/f core.pager OUT
git -C /srv/out/r config core.pager OUT; git config --global core.pager OUT; git clone -q -c core.pager=OUT . /srv/out/c`;
  const before = `${BEFORE}; git init -q /srv/out/r; rm .git/hooks/*`;
  const after = "cat .git/config c/.git/config d/.git/config; ls d/.git/hooks; cat /srv/out/f /srv/out/*/.git/config /srv/home/.gitconfig";

  it("there, and nowhere else", async () => {
    const { out } = await attack({ allow, before, program, after });
    expect(out.match(/KEPT|pre-commit/g)).toEqual(["KEPT", "KEPT", "pre-commit"]);
    // What was taken back is named by its words.
    expect(out.replaceAll(/^assent: .*$/gm, "")).not.toContain("OUT");
  });

  it("and a rule on files says nothing of git's", async () => {
    const { out } = await attack({ allow: ["Write(/srv/proj/**)", "Edit(/srv/proj/**)", "Bash(git *)"], before, program, after });
    expect(out).not.toMatch(/KEPT|OUT/);
    expect(out).not.toMatch(/^pre-commit$/m);
  });
});

it("in a place that is mounted twice, too", async () => {
  const { out } = await attack({
    before: "rm -rf .git; mkdir /srv/tmp/again; mount --bind /srv/proj /srv/tmp/again",
    program: "git init -q n && git -C n config user.name x && echo FINE; git -C n log --output=.git/config",
    after: "cat n/.git/config",
  });
  expect(out).toMatch(/^FINE$/m);
  expect(out).toContain("repositoryformatversion");
});

describe.concurrent("repositories beside the one worked in come and go", () => {
  const TWO =
    "rm -rf .git; git init -q .; git config --global user.name me; git config --global user.email me@x; git init -q x; cd x; echo a > a; git add a; git commit -qm a; git worktree add -q ../wt; git clone -q --bare . ../bare.git; cd ..; mkdir y; cp -r x y/x";

  it("moved and removed as a whole", async () => {
    const { out, events } = await attack({
      before: TWO,
      program: "mv y y2 && mv x x2 && mv x2 x && git -C x worktree move ../wt ../wt2 && rm -rf y2 wt2 x bare.git; ls",
    });
    expect(events.filter(({ outcome }) => outcome === "refused")).toEqual([]);
    expect(out.trim()).toBe("status 0");
  });

  it("but not the one worked in, nor with a file of git's that nobody was asked about", async () => {
    const { out } = await attack({
      before: `${TWO}; echo keep > ../out/keep; git config core.keep me`,
      program: `rm -rf .git; rm -f x/.git/config; printf '[core]\nfsmonitor=EVIL\n' > x/.git/config
mkdir z z/g; cp x/.git/HEAD z/g; printf '[core]\nfsmonitor=EVIL\n' > z/g/config; mkdir -p z/g/hooks; echo EVIL > z/g/hooks/pre-commit; mv z/g z/.git
mkdir w; git init -q w/a; mv w/a/.git w/b; echo EVIL > w/b/hooks/pre-commit; printf '[core]\nfsmonitor=EVIL\n' > w/b/config; mv w/b w/a/.git`,
      after: "cat .git/config; find . -path '*/.git/*' -type f | xargs grep -l EVIL; find . -path '*/.git/hooks/pre-commit'",
    });
    expect(out).toContain("keep = me");
    expect(out).not.toMatch(/^\.\//m);
  });

  it("and not where a rule speaks of the place", async () => {
    const { out } = await attack({
      before: "mkdir -p p/guard q; echo K > p/guard/k",
      deny: ["Edit(/srv/proj/p/guard/**)", "Write(/srv/proj/p/guard/**)"],
      program: "mv p r; mv q p; echo changed > r/guard/k; echo changed > p/guard/k; mkdir e; mv e p/guard",
      after: "find . -name k | xargs cat",
    });
    expect(out).toMatch(/^K$/m);
    expect(out).not.toMatch(/^changed$/m);
  });
});

it("cargo makes the configuration of a new repository itself", async () => {
  const { out } = await attack({
    // A program of that name, as root installs it.
    before:
      "mount -t tmpfs -o mode=755 none /usr/local/sbin; cp /bin/dash /usr/local/sbin/cargo; mkdir -p x/.git y/.git; echo mine > y/.git/config",
    program: "cargo -c 'echo new > x/.git/config; echo more >> x/.git/config; echo new > y/.git/config'; echo new > x/.git/config.worktree",
    after: "cat x/.git/* y/.git/*",
  });
  expect(out.match(/^(?:new|mine|more)$/gm)).toEqual(["new", "mine"]);
});

it("the folder worked in gets its mode and times, the ones above do not", async () => {
  const { out } = await attack({
    program: "chmod 750 . && touch -d @1000000000 . && stat -c '%a %Y' . && chmod 700 .. ; chmod 700 ~; chmod 700 /srv/tmp; chmod 700 /tmp",
    after: "stat -c %a /srv /srv/home /srv/tmp /tmp | tr '\\n' ' '",
  });
  expect(out).toContain("750 1000000000");
  expect(out).toContain("1777 755 755 1777");
});
