import { describe, expect, test } from "vitest";
import { targetsOf } from "../../packages/core/src/shell/words/paths.ts";
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

describe("what prints names may print none, and what stands around them is then all there is", () => {
  test.each([
    'cat "$(find src -name zz)$HOME/.ssh/id_rsa"',
    'cat "$(find src -name zz)/etc/shadow"',
    "cat $(find src -name zz)$HOME/.ssh/id_rsa",
    "cat `find src -name zz`$HOME/.ssh/id_rsa",
    'cat "$(find src -name zz).env"',
    "cat .en$(find src -name zz)v",
    'cat "$(ls zz).env"',
    'cat "$(ls a.txt).env"',
    'cat "$(grep -l zz src/*)$HOME/.ssh/id_rsa"',
    'cat "$(rg -l zz src)$HOME/.ssh/id_rsa"',
    'cat "$(git ls-files zz)$HOME/.ssh/id_rsa"',
    'cat "$(git diff --name-only)$HOME/.ssh/id_rsa"',
    'cat "$(git describe)$HOME/.ssh/id_rsa"',
    'cat "$(git merge-base a b)$HOME/.ssh/id_rsa"',
    'cat "$(find src -name zz | sort | head -1)$HOME/.ssh/id_rsa"',
    'cat "$(false && find src)$HOME/.ssh/id_rsa"',
    'cat "$(echo "$(find src -name zz)")$HOME/.ssh/id_rsa"',
    'cat "$(find src -name a)$(find src -name b)$HOME/.ssh/id_rsa"',
    'd=$(find src -name zz); cat "$d$HOME/.ssh/id_rsa"',
    'd=$(find src -name zz); e=$d; cat "$e/etc/shadow"',
    'd=$(find src -name zz)$HOME/.ssh; cat "$d/id_rsa"',
    'd="$(find src -name zz)"; d+="$HOME/.ssh/id_rsa"; cat "$d"',
    'd=$(find src -name zz.ts); cat "${d%.ts}$HOME/.ssh/id_rsa"',
    'f() { cat "$1$HOME/.ssh/id_rsa"; }; f "$(find src -name zz)"',
    'sh -c \'cat "$1$HOME/.ssh/id_rsa"\' _ "$(find src -name zz)"',
    'cat < "$(find src -name zz)$HOME/.ssh/id_rsa"',
    'cd "$(find src -name zz)$HOME/.ssh" && cat id_rsa',
    'cd "$(find src -name zz)/etc" && cat shadow',
    'tar cf - "$(find src -name zz)$HOME/.ssh"',
    'rm -rf "$(find src -name zz)$HOME"',
  ])("%s is denied", (line) => {
    expect(verdictFor(line).decision).toBe("deny");
  });

  test.each([
    'find . "$(find src -name zz)-delete"',
    'find "$(ls zz)-delete"',
    'sort "$(find src -name zz)-oa.txt" b.txt',
    'sort "$(find src -name zz)--compress-program=sh" a.txt',
    'sort "$(ls a.txt)-ob.txt"',
    'git grep x "$(find src -name zz)-Osh"',
    'git log "$(find src -name zz)--output=a.txt"',
    'git diff "$(git merge-base a b)--output=a.txt"',
    'fd x "$(find src -name zz)--exec=rm"',
    'rg x "$(rg -l y)--pre=sh"',
    'jobs "$(find src -name zz)-x" touch zz',
    'sort "$(test -d x && echo src/)-oa.txt" b.txt',
    'find . "$(test -d x && echo src/)-delete"',
  ])("%s asks: it may be an option", (line) => {
    expect(verdictFor(line).decision).toBe("ask");
  });

  test.each([
    'cat "$(git ls-files src | head -1)"',
    'd=$(find src -name dist | head -1); ls "$d/x"; cat "$d/package.json"',
    'cat "src/$(ls src | head -1)"',
    'f=$(ls -t src | head -1); head "src/$f"',
    "for f in $(ls src); do cat src/$f; head src/$f.md; done",
    'sort "$(find src -name zz)"',
    'find "$(find src -name zz)" -name x',
    'git diff "$(git merge-base HEAD origin/main)" --stat',
    "git diff $(git merge-base HEAD origin/main)..HEAD",
    'cd "$(find . -name zz | head -1)/src" && ls',
    '[ -n "$(find src -name zz)" ]',
    'cat "$(git rev-parse --show-toplevel)/README.md"',
    'test -f "$(ls a.txt).bak"',
  ])("%s goes ahead", (line) => {
    expect(verdictFor(line).decision).toBe("allow");
  });

  // Of a word without quotes there is none where nothing was printed.
  test("a loop over names never has an empty one", () => {
    expect(verdictFor("for d in $(find src -name zz); do cat $d/etc/shadow; done").decision).toBe("allow");
  });
});

describe("a word without quotes is none where nothing was printed", () => {
  test.each([
    // `cd` goes home.
    "cd $(find src -name zz) && cat .ssh/id_rsa",
    "cd $(ls -d src) && cat .ssh/id_rsa",
    "cd -P -- $(ls -d src) && cat .ssh/id_rsa",
    "cd `git ls-files zz` && cat .aws/credentials",
    "d=$(ls -d zz); cd $d && cat .ssh/id_rsa",
    "d=$(ls -d zz); cd ${d}; cat .netrc",
    "cd $(ls -d src) && rm -rf .",
    // The word before it is the last one.
    "cp a.txt /etc/passwd $(find src -type d -name zz)",
    "cp a.txt ~/.ssh/authorized_keys $(ls -d zz)",
    "d=$(ls -d zz); mv a.txt ~/.ssh/authorized_keys $d",
    "ls -d zz | xargs cp a.txt ~/.ssh/authorized_keys",
  ])("%s is denied", (line) => {
    expect(verdictFor(line).decision).toBe("deny");
  });

  // They look through the folder they are started in, which holds `.env`.
  test.each([
    "grep -r foo $(find src -name zz)",
    "d=$(find src -name zz); grep -R foo $d",
    "rg --hidden foo $(ls -d src)",
    "rg -uuu foo `git ls-files zz`",
    "git grep --no-index foo $(ls -d src)",
    "find src -name zz | xargs grep -r foo",
    "find src -name zz -print0 | xargs -0 rg --hidden foo",
    "git ls-files zz | xargs -n 5 grep -rn foo",
    "find $(find src -type d -name zz) -name x -o -name '.env' | xargs cat",
  ])("%s asks", (line) => {
    expect(verdictFor(line).decision).not.toBe("allow");
  });

  test.each([
    "grep -n foo $(find src -name zz)",
    "rg foo $(git ls-files src)",
    'grep -r foo "$(find src -name zz)"',
    "grep -r foo src $(find src -name zz)",
    "find src -name zz | xargs grep -n foo",
    "find src -name zz | xargs -r grep -rn foo",
    "for d in $(find src -type d); do cd $d && cat /etc/hostname; done",
    "for f in $(find src -name zz); do grep -r foo $f; done",
    "cd $(ls -d src) && ls",
    "ls $(find src -name zz)",
    "find $(ls -d src) -name '*.ts'",
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
