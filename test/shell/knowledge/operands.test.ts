import { describe, expect, test } from "vitest";
import type { Action } from "@assent/core/action";
import { printAction } from "@assent/core/action";
import { grammarOf, type Grammar, type Option } from "@assent/core/shell/knowledge";
import { levels } from "../../../tools/verify/corpus/examples.ts";
import { verdictFor } from "./decide.ts";

// A program that needs something to work on, and is left without it, has not been understood: an option of the table may have
// taken the word that the program itself works on. Each row is a command line; the comment says what the program really does.

const SWALLOWED = [
  // Info-ZIP takes the words behind -x up to the next option for names to leave out, and the first word for the archive.
  "unzip -o -x a.zip -d ~",
  "unzip -P a.zip -d src",
  "unzip -d src",
  "unzip -o",
  // -T, -B and -M of zstd take a number that is glued on.
  "zstd -d -f -T a.zst",
  "zstd --rm -B a.txt",
  "zstd --size-hint a.txt",
  "unzstd -f -M a.zst",
  // -C of ncompress is a flag; the table's value of it would have taken the file.
  "compress -C a.txt",
  "compress -f -C a.txt",
  "lz4 -C a.txt",
  "lzma -F a.txt",
  "bzip2 -T a.txt",
  "xz --format a.txt",
  // Their own files when nothing is named.
  "strip",
  "ranlib",
  "as",
  "ld -o",
  "nginx",
  "apache2",
  "msginit",
  "msgfmt",
  "certbot",
  "logrotate",
  "logrotate -s a.txt",
  "javac -encoding X.java",
  "rustc --edition x.rs",
  "gcc -I a.c",
  "gcc -D a.c -c",
  "cc -x a.c",
  "sox",
  "jdeps -p a.jar",
  "zip -x a.zip",
  "patch -D a.diff -i",
  "cp -S a.txt",
  "install -o a.txt",
  "shred -n a.txt",
] as const;

const HARMLESS = [
  "gzip < a.txt > /dev/null",
  "gzip -9 < a.txt",
  "cat a.txt | gzip -c | wc -c",
  "cat a.txt | xz -9 -T 2 | wc -c",
  "cat a.txt | zstd -19 | wc -c",
  "cat a.txt | zstd -T0 | wc -c",
  "unzip -l a.zip",
  "unzip -p a.zip a.txt -x b.txt",
  "unzip --help",
  "zip --help",
  "gcc -v",
  "gcc --version",
  "ld --version",
  "strip --version",
  "date",
  "date -u -d @0",
  "mount",
  "hostname",
  "tmux has-session -t x",
  "ruby -v",
  "lua -v",
  "rustc --print sysroot",
  "javac -version",
  "ssh-keygen -l -f a.pub",
  "xxd -p < a.txt",
  "uniq -c < a.txt",
  "sort a.txt -r",
  "grep foo a.txt -n",
  "ls src -la",
] as const;

describe("operands that vanish", () => {
  test.each(SWALLOWED)("%s: not understood", (command) => {
    expect(verdictFor(command).decision).not.toBe("allow");
  });

  test.each(HARMLESS)("%s: allowed", (command) => {
    expect(verdictFor(command).decision).toBe("allow");
  });
});

/** What a command writes, as paths below the project. */
const written = (command: string): readonly string[] =>
  verdictFor(command)
    .actions.map(({ action }) => action)
    .filter(
      (action: Action) => action.kind === "file" && action.operation !== "read" && action.operation !== "list" && action.upkeep !== true,
    )
    .map((action) => printAction(action).replace("/home/u/p/", ""));

// The output has no name on the command line; what it is called follows from the source.
const WRITES: readonly (readonly [command: string, ...writes: string[]])[] = [
  ["gcc a.c", "write a.out"],
  ["gcc -c a.c", "write a.o"],
  ["gcc -c src/a.c b.cc", "write a.o", "write b.o"],
  ["clang -S src/a.c", "write a.s"],
  ["g++ -c -O2 -Wall -Isrc a.cpp -o out/a.o", "write out/a.o"],
  ["gcc -E a.c -o a.i", "write a.i"],
  ["gcc -E -MD a.c", "write a.d"],
  ["gcc -fsyntax-only -MMD a.c", "write a.d"],
  ["gcc -M -MF deps a.c", "write deps"],
  ["gcc -c -MD -MF deps a.c", "write deps", "write a.o"],
  ["gcc a.h", "write a.h*ch"],
  ["gcc -c -o x.o -MD a.c", "write x.o", "write a.d", "write x.d", "write x*.d"],
  ["gfortran -fsyntax-only a.f90", "write *.mod", "write *.smod"],
  ["cpp a.c b.txt", "write b.txt"],
  ["cpp -E a.c b.txt", "write b.txt"],
  ["xxd a.txt -p", "write -p"],
  ["ar rcs lib.a a.o", "write lib.a"],
  ["ar d lib.a a.o", "write lib.a"],
  ["go build", "write p"],
  ["go build -o bin/app ./cmd/app", "write bin/app"],
  ["go build ./cmd/app", "write app"],
  ["rustc x.rs", "write /home/u/p", "write x", "write libx.rlib", "write libx.so"],
  ["rustc --emit=dep-info=d.txt -o y x.rs", "write y", "write d.txt"],
  ["javac -d classes X.java", "write recursively classes"],
  ["tsc src/index.ts", ..."js jsx mjs cjs d.ts js.map".split(" ").map((ending) => `write src/index.${ending}`)],
  ["tsc --outDir lib", "write recursively lib"],
  // They only look.
  ["gcc -E a.c"],
  ["gcc -MM a.c"],
  ["gcc -fsyntax-only a.c"],
  ["cpp a.c"],
  ["ar t lib.a"],
  ["tsc --noEmit"],
];

test.each(WRITES)("what a compiler writes: %s", (command, ...writes) => {
  expect(written(command)).toEqual(writes);
});

// Two options that change what becomes of an operand (`-w` writes it, `-H` walks through more of it) do so in either order.
describe("the order of options", () => {
  const changing = (grammar: Grammar): readonly Option[] =>
    [...new Set(grammar.options.values())].filter(({ consequences }) => consequences.some(({ then }) => then === "become"));
  const spelled = ({ names, argument }: Option): string => `${names[0] ?? ""}${argument === "required" ? " 1" : ""}`;
  const pairs = levels()
    .filter(({ isAlias }) => !isAlias)
    .flatMap(({ words, parents, entry }) => {
      const grammar = [...parents, entry].reduce<Grammar | undefined>((above, one) => grammarOf(one, above), undefined);
      const options = grammar === undefined ? [] : changing(grammar).map(spelled);
      return options.flatMap((one, at) => options.slice(at + 1).map((other) => ({ words: words.join(" "), one, other })));
    });

  test("no order is judged more mildly than the other", () => {
    const orders = pairs.map(
      ({ words, one, other }) => [`${words} ${one} ${other} ~/.bashrc`, `${words} ${other} ${one} ~/.bashrc`] as const,
    );
    const differ = orders.filter(([first, second]) => verdictFor(first).decision !== verdictFor(second).decision);
    expect(pairs.length).toBeGreaterThan(50);
    expect(differ).toEqual([]);
  });

  test.each([
    ["codespell -w -H ~/.bashrc", "deny"],
    ["codespell -H -w ~/.bashrc", "deny"],
    ["typos -w --hidden ~/.bashrc", "deny"],
    ["typos -w --hidden src", "ask"],
    ["typos --hidden -w src", "ask"],
    ["cp -l -R a.txt ~/.bashrc", "deny"],
    ["codespell -H src", "allow"],
    ["mktemp -u -d", "allow"],
    ["mktemp -d -u", "allow"],
    // One fresh name in the folder, and not the folder with all that is in it.
    ["mktemp -p ~ x.XXX", "ask"],
    ["mktemp -dp ~ x.XXX", "ask"],
    ["mktemp --tmpdir=$HOME", "ask"],
    ["mktemp --tmp=. x.XXX", "ask"],
    ["mktemp -p /etc x.XXX -p src", "deny"],
    ["mktemp -p /etc -u x.XXX", "allow"],
    ["mktemp -p src -p /etc x.XXX", "deny"],
    ["mktemp -p ~/.ssh", "deny"],
    ["mktemp -p src ../.git/hooks/x.XXX", "deny"],
    ["mktemp --tmpdir=.git hooks/x.XXX", "deny"],
    ["mktemp --tmpdir ../etc/cron.d/x.XXX", "deny"],
    ["mktemp -p '' ../etc/cron.d/x.XXX", "deny"],
    ["mktemp -p $(cat d) x.XXX", "ask"],
    ["rg --hidden --files src", "allow"],
    ["rg --files --hidden src", "allow"],
  ])("%s: %s", (command, decision) => expect(verdictFor(command).decision).toBe(decision));
});
