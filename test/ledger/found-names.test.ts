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
    // Where find prints nothing, grep searches the whole folder.
    "grep -rn KEY $(find . -name '*.ts')",
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
    "ls -R co*",
    "du -sh *",
  ])("%s: goes ahead", (line) => expect(verdict(line)).toBe("allow"));
});
