import { beforeAll, describe, expect, it } from "vitest";
import type { Decision } from "@assent/core/policy";
import { run } from "../scratch.ts";
import { place, type PolicyText } from "./place.ts";

const here = place({ "private/x.txt": "x", ".env": "A=1" });
beforeAll(() => {
  run("git", ["init", "-q"], here.project);
  run("git", ["add", "a.txt", "b.txt", "src", "private"], here.project);
});

const policy = (...deny: readonly string[]): PolicyText => ({ permissions: { deny, allow: ["Bash(*)"] } });

function wrong(of: PolicyText, expected: Decision, lines: readonly string[]): readonly string[] {
  here.user(of);
  return lines.flatMap((line) => {
    const { decision, reason } = here.verdict(line);
    return decision === expected ? [] : [`${decision}: ${line}: ${reason}`];
  });
}

describe("what git keeps of a file that may not be read (J14)", () => {
  const rule = policy("Read(private/**)", "Read(**/.env)");
  it("is shown by no command without a question", () => {
    const shows = [
      "git grep x",
      "git grep -- x",
      "git grep -n x HEAD",
      "git log -p",
      "git log -S x",
      "git whatchanged -p",
      "git show",
      "git show HEAD",
      "git diff HEAD~1",
      "git diff --stat -p",
      "git diff -- . ':!src'",
      "git diff HEAD~1 -- *.txt main",
      'git diff HEAD~1 -- . ":!$X"',
      "git diff HEAD~1 -- . :!*",
      "git archive HEAD",
      "git stash show -p",
      "git stash list -p",
      "git grep -- src HEAD",
      "git show --tags HEAD:a.txt",
      "git show --branches --remotes HEAD:a.txt",
      "git fast-export HEAD",
      "git fast-export -- HEAD",
      "printf '%s\\n' --all | git fast-export -- HEAD",
      "git format-patch -1 --stdout",
      "git format-patch -1 --stdout --stat",
      "git format-patch -1 --stdout -q",
      "git format-patch -1 --stdout -s",
      "git diff -q",
      "git diff -q --stat",
      "git diff-tree -p HEAD",
      "git cat-file -p HEAD",
      "git reflog -p",
      "git -C . log -p",
      "cd src && git show",
      "git diff -- ':/'",
      "git show HEAD -- ':(top)'",
      "git log -p -- ':!src' ':/'",
      "git diff -- . ':(exclude,attr:x)private'",
      "git diff -- . ':(exclude,icase)Private'",
      "cd src && git diff -- ':(top)' ':(exclude)private'",
      "git diff -l5",
      "git status -v",
      "git status -sv",
      "git -C src status -vv",
      "git status --verb",
      "git diff -l 5 HEAD",
      "git stash show -M",
      "git stash show HEAD --",
      "git stash show -a stash@{0}",
      "git stash show --no-color HEAD",
      "git -c stash.showPatch=true stash show",
      "git diff HEAD:src",
      "git diff -M 'stash@{0}:src/'",
      "git bundle create - HEAD",
    ];
    expect(wrong(rule, "ask", shows)).toEqual([]);
    expect(wrong(rule, "deny", ["git show HEAD:private/x.txt", "git log -p -- private", "git blame private/x.txt"])).toEqual([]);
  });
  it("is handed on by no copy of the store, whichever program makes it", () =>
    expect(
      wrong(policy("Read(private/**)"), "ask", [
        "cp -r .git x",
        "tar czf - .git",
        "zip -r x.zip .git",
        "rsync -a .git/ x/",
        "scp -r .git host:x",
        "cat .git/objects/ab/cdef",
        "xxd .git/objects/pack/x.pack",
        "strings .git/objects/pack/*.pack",
        "find .git -type f -exec cat {} +",
        "grep -ra x .git/objects",
        "python3 -c \"print(open('.git/objects/aa/bb','rb').read())\"",
        "cd src && cp -r ../.git/objects x",
        "cp -r .git/lfs x",
        "git clone .git x",
        "git clone . x",
        "git pack-objects --stdout --all",
        "git rev-list --objects --all | git pack-objects --stdout",
        "git send-pack ../x --all",
        "git unpack-file abcd",
        "git init --separate-git-dir=x",
        "git worktree add x",
        "git fast-export --all",
      ]),
    ).toEqual([]));
  it("leaves everything else alone", () =>
    expect(
      wrong(rule, "allow", [
        "git log",
        "git log --oneline -5",
        "git log --stat",
        "git diff --stat",
        "git diff --name-only HEAD~1",
        "git show --stat",
        "git show -s HEAD",
        "git diff -- src",
        "git diff -- . ':!private'",
        "git log -p -- src a.txt",
        "git log -p a.txt",
        "git log -L1,2:a.txt",
        "git show HEAD:a.txt",
        "git archive HEAD src",
        "git grep x -- src",
        "git stash list",
        "git stash show",
        "git status",
        "git status -s",
        "git stash show stash@{0}",
        "git stash show --stat",
        "git diff --stat -- src",
        "cd src && git diff -- ':(top)' ':(top,exclude)private'",
        "git diff -- ':(top)src'",
        "git diff HEAD:src HEAD~1:src",
        "git grep -l x",
        "cat .git/HEAD",
        "ls .git",
        "cat .git/packed-refs",
      ]),
    ).toEqual([]));
  it("asks nothing where git has no such file", () => {
    expect(wrong(policy("Read(**/.env)", "Read(**/secrets/**)"), "allow", ["git log -p", "git diff", "git grep x", "git show"])).toEqual(
      [],
    );
  });
});
