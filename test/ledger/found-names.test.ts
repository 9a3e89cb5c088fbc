import { describe, expect, it } from "vitest";
import { place } from "./place.ts";

/**
 * What a search or a pattern gives a name to is what the tests in front of it let through, and a walk that begins there comes
 * to all that lies below: `find . -exec cat {} \; -name '*.md'` and `grep -r KEY co*` printed secrets unasked.
 */
const here = place({
  ".env": "KEY=1",
  "conf/.env": "KEY=1",
  "conf/app.yml": "",
  "src/a.ts": "",
  "src/b.md": "",
  "docs/c.md": "",
  "odd/[x] y.ts": "",
  "__pycache__/x.pyc": "",
});
const verdict = (line: string): string => here.verdict(line).decision;

describe("an action of find gets what the tests in front of it let through", () => {
  it.each([
    "find . -exec cat {} \\; -name '*.md'",
    "find . -exec cat {} + -name '*.md'",
    "find . -type f -exec cat {} \\; -name '*.md' -print",
    "find . -name '*.md' -o -exec cat {} \\;",
    "find . -name '*.md' -print -o -exec cat {} \\;",
    "find . ! -name '*.md' -exec cat {} \\;",
    "find . -not -name '*.md' -exec cat {} \\;",
    "find . \\( -name '*.md' -o -type f \\) -exec cat {} \\;",
    "find . ! \\( -name '*.md' \\) -exec cat {} \\;",
    "find . -name '*.md' , -exec cat {} \\;",
    "find . -name '*.md' -exec echo {} \\; , -exec cat {} \\;",
    "find . -print0 -name '*.md' | xargs -0 cat",
    "find . -name '*.md' -print0 -o -print0 | xargs -0 cat",
    "cat $(find . -type f)",
    "find . -name '.e*' -exec cat {} \\;",
    "find . \\( -name '*.md' -o -name '.env' \\) -exec cat {} \\;",
    "find . -execdir cat {} \\; -name '*.md'",
  ])("%s: is asked", (line) => expect(verdict(line)).toBe("ask"));

  it.each([
    "find . -name '*.md' -exec cat {} \\;",
    "find . -type f -name '*.md' -exec cat {} +",
    "find . \\( -name '*.md' -o -name '*.ts' \\) -exec cat {} \\;",
    "find . -name '*.md' -exec cat {} \\; -o -name '*.ts' -exec cat {} \\;",
    "find . -path ./conf -prune -o -name '*.ts' -print0 | xargs -0 cat",
    "find . -name conf -prune -o -name '*.ts' -exec cat {} \\;",
    "find . \\( -name conf -o -name docs \\) -prune -o -name '*.ts' -print | xargs grep -n x",
    "find . -name '*.md' ! -name 'c*' -exec cat {} \\;",
    "cat $(find . -name '*.md')",
  ])("%s: goes ahead", (line) => expect(verdict(line)).toBe("allow"));
});

describe("a walk that begins at a name comes to all that lies below", () => {
  it.each([
    "grep -r KEY co*",
    "grep -r KEY c*f",
    "grep -r KEY *",
    "grep -R KEY ./*/",
    "rg --hidden KEY co*",
    "find . -name conf -type d -exec grep -r KEY {} +",
    "find . -name conf -exec grep -r KEY {} \\;",
    "grep -r KEY $(find . -name conf)",
    // Where find may print nothing, grep may search the whole folder.
    "grep -rn KEY $(find . -name '*.zz')",
    "grep -rn KEY $(find src -name '*.ts' -newer a)",
    "grep -rn KEY $(find src -name '*.ts' -size +1M)",
    "grep -rn KEY $(find . -maxdepth 1 -name '*.ts')",
    "grep -rn KEY $(find . -name '*.ts' -not -path '*/src/*')",
    "grep -rn KEY $(find . -name 'a.ts' ! -name 'a*')",
    "grep -rn KEY $(find docs -name '*.ts')",
    "grep -rn KEY $(find nowhere -name '*.ts')",
    "grep -rn KEY $(find . -name 'a.ts' -type d)",
    "grep -rn KEY $(find . -name '*.ts' -o -name '*.zz' -quit)",
    "grep -rn KEY $(find . -name '*.ts' | grep -v a)",
    "grep -rn KEY $(false && find . -name '*.ts')",
    "grep -rn KEY $(test -f x && find . -name '*.ts')",
    "grep -rn KEY $(timeout 1 find . -name '*.ts')",
    "grep -rn KEY $(find . -name '*.ts' > /tmp/x)",
    "rm src/a.ts; grep -rn KEY $(find . -name '*.ts')",
    "mv src /tmp/x && grep -rn KEY $(find . -name '*.ts')",
    "make clean; grep -rn KEY $(find . -name '*.ts')",
    "cd docs && grep -rn KEY .. $(find . -name '*.ts')",
    "for i in 1 2; do grep -rn KEY $(find . -name '*.ts'); rm src/a.ts; done",
    "f() { grep -rn KEY $(find . -name '*.ts'); rm src/a.ts; }; f; f",
    "grep -rn KEY $(find odd -name '*.ts')",
    "shopt -s nullglob; grep -rn KEY $(find odd -name '*.ts')",
    "IFS=./ats; grep -rn KEY $(find src -name 'a.ts')",
    "find . -name '*.zz' | xargs grep -rn KEY",
    "find . -name '*.ts' | grep -v a | xargs grep -rn KEY",
    "rm src/a.ts; find . -name '*.ts' | xargs grep -rn KEY",
    "find . -name conf -print0 | xargs -0 grep -r KEY",
    "for d in $(find . -name conf); do grep -r KEY $d; done",
    'for d in c*; do grep -r KEY "$d"; done',
    "fd conf -x grep -r KEY {}",
    "fd -t d conf | xargs grep -r KEY",
    "tar cf - co* | cat",
    "diff -r co* src",
    "git grep --untracked KEY -- 'co*'",
    "git grep --no-index KEY -- '*nv'",
  ])("%s: is asked", (line) => expect(verdict(line)).toBe("ask"));

  it.each([
    "grep -r KEY s*",
    "grep -r KEY src d*",
    "grep -rn KEY --include='*.ts' *",
    "grep -rn KEY --include='*.yml' co*",
    "rg KEY co*",
    "git grep --no-index KEY -- '*.md'",
    "find . -name src -type d -exec grep -r KEY {} +",
    "grep -n KEY $(find . -name '*.ts')",
    // There is such a file: find prints a name.
    "grep -rn KEY $(find . -name '*.ts')",
    "grep -rn KEY $(find . -type f -name '*.ts')",
    "grep -rn KEY $(find src docs -name '*.ts' -type f 2>/dev/null)",
    "grep -rn KEY $(find . -maxdepth 2 -name '*.ts' -not -path '*/node_modules/*')",
    "grep -rn KEY $(find ./src -name 'a*' ! -name '*.md' -print)",
    "cd src && grep -rn KEY $(find . -name '*.ts')",
    "ls; grep -rn KEY $(find . -name '*.ts')",
    "files=$(find . -name '*.ts'); grep -rn KEY $files",
    "find . -name '*.ts' | xargs grep -rn KEY",
    "find . -name '*.ts' -print0 | xargs -0 grep -rn KEY",
    "ls -R co*",
    "du -sh *",
  ])("%s: goes ahead", (line) => expect(verdict(line)).toBe("allow"));
});
