import { describe, expect, test } from "vitest";
import { targetsOf } from "../../src/shell/paths.ts";
import { verdictFor } from "./knowledge/decide.ts";

// A text without quotes that stands behind an option's letter, or its `=`, ends at its first blank: `-k$(cat a.txt)` may be `-k1 -o FILE`.

describe("what follows an option's attached value may be options and operands", () => {
  test.each([
    "sort -k$(cat a.txt) b.txt",
    "sort -nk$(cat a.txt) b.txt",
    "sort --key=$(cat a.txt) b.txt",
    "sort --ke=$(cat a.txt) b.txt",
    "sort -t$(cat a.txt) b.txt",
    "head -n$(cat a.txt) b.txt",
    "grep -e$(cat a.txt) b.txt",
    "rg -g$(cat a.txt) x",
    "x=$(cat a.txt); sort -k$x b.txt",
    "x=$(cat a.txt); sort --key=${x} b.txt",
    "read x < a.txt; sort -k$x b.txt",
    "for x in $(cat a.txt); do sort -k$x b.txt; done",
    "git log --since=$(date -f a.txt +%F)",
    "git log --since=$(date +%c)",
    "nice -n$(cat a.txt) ls",
    "timeout -k$(cat a.txt) 5 ls",
    "curl -o$(cat a.txt) https://a.example",
  ])("%s asks", (line) => {
    expect(verdictFor(line).decision).toBe("ask");
  });

  test.each([
    'sort -k"$(cat a.txt)" b.txt',
    'sort --key="$(cat a.txt)" b.txt',
    'x=$(cat a.txt); head -n"$x" b.txt',
    "head -n$(wc -l < a.txt) b.txt",
    "head -n$((1 + 1)) b.txt",
    "head -n$N b.txt",
    "sort -k1 b.txt",
    "grep --include=*.ts x src",
    "git log --since=$(date +%F)",
    "git log --since=$(date -d yesterday +%Y-%m-%d)",
    "git log --since=$(date -u +%s)",
    "for x in 1 2; do sort -k$x b.txt; done",
  ])("%s goes ahead", (line) => {
    expect(verdictFor(line).decision).toBe("allow");
  });
});

describe("what a command that may not run prints is text or nothing", () => {
  test.each([
    'rm -rf "$HOME/$(exit; echo q)"',
    'rm -rf "$HOME/$(test -d x && echo q)"',
    'rm -rf "$HOME"/"$(false && echo q)"',
    'x=$(test -d x && echo q); rm -rf "$HOME/$x"',
    "x=$(test -d x && echo q); rm -rf ~/$x",
    'x=$(return; echo q); rm -rf ~/"$x"/',
    'x=$(test -d x && echo q); y=$x; rm -rf "$HOME/$y"',
    "x=$(test -d x && echo q); rm -rf ~/$x$x$x$x",
    'x=$(test -f x && echo q); cat ".env$x$x$x$x"',
    'cat "$(test -f a.txt && echo a.)env"',
    'x=$(test -f a.txt && echo a); cat "$x.env"',
    'cat "$(test -f a.txt && echo .e)$(test -f b.txt && echo b)nv"',
    // Several folders possible are several places.
    "x=$(test -d x && echo q); cd ~/$x && rm -rf *",
    'x=$(test -d x && echo q); cd "$HOME/$x" && rm -rf ./*',
    "x=$(test -d x && echo q); pushd ~/$x && rm -rf *",
    "x=$(test -d x && echo q); cd -P -- ~/$x && find . -delete",
    "x=$(test -d x && echo q); cd $x && rm -rf *",
    'x=$(exit; echo q); cd; cd "./$x" && rm -rf .',
    'x=$(test -d x && echo ..); cd "$x" && rm -rf *',
    "x=$(test -d x && echo ..); cd src/$x && rm -rf *",
    "x=$(test -d x && echo q)$(test -d y && echo r); cd ~/$x && rm -rf *",
    "x=$(test -d x && echo q); cd ~/$x$x$x && rm -rf *",
    "cd ~/`false && echo q` && rm -rf .",
    "x=$(test -d x && echo q); (cd ~/$x; chmod -R 777 .)",
    "x=$(test -d x && echo q); env -C ~/$x rm -rf q",
    'cd "$(test -d src && echo src)/.." && rm -rf *',
    // What stands behind `exit` prints nothing.
    'rm -rf "/tmp/$( (exit; echo q) | cat)"',
    'for x in "$(exit; echo q)"; do rm -rf "$HOME/$x"; done',
    'f() { rm -rf "$HOME/$1"; }; f "$(exit; echo q)"',
    `bash -c 'rm -rf "$HOME/$1"' _ "$(exit; echo q)"`,
    'set -- "$(exit; echo q)"; rm -rf "$HOME/$1"',
    'rm -rf "$HOME/$(eval exit; echo q)"',
    'rm -rf "$HOME/$(if true; then exit; fi; echo q)"',
    'rm -rf "$HOME/$(set -e; false; echo q)"',
    'rm -rf "$HOME/$(trap exit DEBUG; echo q)"',
    'rm -rf "$HOME/$(kill $BASHPID; echo q)"',
    'rm -rf "$HOME/$(exit; pwd)"',
  ])("%s is denied", (line) => {
    expect(verdictFor(line).decision).toBe("deny");
  });

  test.each([
    'x=$(test -f a.txt && echo a.txt); cat "$x"',
    "x=$(test -f a.txt && echo a.txt); cat $x",
    "x=$(test -f a.txt && echo src/index.ts); head -5 $x",
    "cat $(test -f a.txt && echo a.txt)",
    'x=$(test -f a.txt && echo a.txt); cat "./$x"',
    'cat "src/$(test -f src/index.ts && echo index.ts)"',
    "x=$([ -d src ] && echo src || echo lib); ls $x",
    'grep -rn "$(test -f a.txt && echo foo)" src',
    'v=$(test -f a.txt && echo 1.2); echo "v$v"',
    'cd "$(test -d src && echo src)" && ls',
    "ls $(test -d src && echo src)",
    "x=$(test -d src && echo src); cd ./$x; cat index.ts",
    'cd "./$(test -d src && echo src)" && grep -n x *.ts',
    "x=$(test -d src && echo src); (cd ./$x && wc -l a.txt)",
    "for x in src lib; do (cd $x && ls); done",
    'cat "$(exit; echo a.txt)"',
  ])("%s goes ahead", (line) => {
    expect(verdictFor(line).decision).toBe("allow");
  });
});

// Nothing lies below a file: what would be looked for there cannot be looked through.
test("a word that is one text or none names that path", () => {
  expect(targetsOf({ atoms: ["src/a.ts"], many: true }, [{ is: "at", path: "/home/u/p" }])).toEqual([
    { kind: "path", path: "/home/u/p/src/a.ts" },
  ]);
});
