import { describe, expect, it } from "vitest";
import type { World } from "@assent/core/action";
import { lowerShell } from "@assent/core/shell";
import { smallWorld } from "../world.ts";

const P = "/home/u/p";
const files = {
  [P]: "directory",
  [`${P}/.git`]: "directory",
  [`${P}/src`]: "directory",
  [`${P}/src/a.ts`]: "file",
  [`${P}/src/lib`]: "directory",
  [`${P}/src/lib/b.ts`]: "file",
  [`${P}/odd`]: "directory",
  [`${P}/odd/-ob.txt`]: "file",
  [`${P}/README.md`]: "file",
} as const;
const world = smallWorld({ files });
const doubts = (line: string, text?: string): string =>
  lowerShell(line, { world: text === undefined ? world : smallWorld({ files: { ...files, [`${P}/.npmrc`]: "file" }, text: () => text }) })
    .unknowns.map(({ reason }) => reason)
    .join("; ");

describe("a name that begins with a dash is an option of whoever takes it, wherever it was told", () => {
  it.each([
    "ls odd | xargs sort",
    "ls o* | xargs sort",
    "ls odd src | xargs sort",
    "ls ./o*/ | xargs sort",
    "ls */o* | xargs sort",
    "(cd odd && ls) | xargs sort",
    "(cd odd && ls -t | head -1) | xargs sort",
    "(cd odd && fd .) | xargs sort",
    "(cd odd && rg --files) | xargs sort",
    "(cd odd && grep -rl x) | xargs sort",
    "(cd odd && git ls-files) | xargs sort",
    "(cd odd && git diff --name-only --relative) | xargs sort",
    "for f in $(ls odd); do sort $f; done",
    'sort "$(ls odd | head -1)"',
    '(cd "$X" && ls) | xargs sort',
    // What git tells of may be gone from the folder.
    "git ls-files --with-tree=HEAD~1 | xargs sort",
    "git ls-files --deleted | xargs sort",
    "git diff --name-only --diff-filter=D | xargs sort",
    "git diff --name-only main | xargs sort",
  ])("may be one: %s", (line) => {
    expect(doubts(line)).toContain("may turn out to be an option of sort");
  });

  it.each([
    "ls src | xargs sort",
    "ls src/*.ts | xargs sort",
    "ls s* | xargs sort",
    "ls ./s*/ | xargs sort",
    "ls src/l* | xargs sort",
    "ls | xargs sort",
    "ls missing | xargs sort",
    "(cd src && ls) | xargs sort",
    "git ls-files | xargs sort",
    "git diff --name-only --diff-filter=ACM | xargs sort",
    "find odd -type f | xargs sort",
    "grep -rl x odd | xargs sort",
    'sort "$(ls -t src/*.ts | head -1)"',
  ])("is none: %s", (line) => {
    expect(doubts(line)).toBe("");
  });
});

describe("a name that a pattern matches is any text", () => {
  const odd = ["a[$(id)]", "-v", "-r", "-rx", "-delete", "%n", "d", "src/lib/-ox"];
  const among = (names: readonly string[]): World =>
    smallWorld({ files: { ...files, ...Object.fromEntries(names.map((name) => [`${P}/${name}`, name === "d" ? "directory" : "file"])) } });
  const told = (line: string, names: readonly string[]): string =>
    lowerShell(line, { world: among(names) })
      .unknowns.map(({ reason }) => reason)
      .join("; ");

  it.each([
    // Evaluated as arithmetic, by bash or by zsh.
    "for f in *; do [[ $f -gt 3 ]]; done",
    'for f in *; do [[ 3 -lt "$f" ]]; done',
    "for f in [a-z]*; do [[ -v $f ]]; done",
    'for f in *; do test -v "$f"; done',
    "test -v *",
    "for f in *; do declare -i n=$f; done",
    "f() { for g in *; do local -i n=$g; done; }; f",
    'for f in *; do echo "${a[$f]}"; done',
    "for f in *; do a[$f]=1; done",
    'for f in *; do x=abc; echo "${x:$f}"; done',
    "for f in *; do RANDOM=$f; done",
    // Beside other text.
    "for f in a*; do echo ${x[1,$f]}; done",
    "for f in a*; do x[1+$f]=2; done",
    "for f in *; do x=abc; echo ${x:1+$f}; done",
    "for f in a*; do [[ 1,$f -eq 2 ]]; done",
    "for f in *; do declare -i n=1,$f; done",
    'for f in *; do g="x$f"; [[ $g -eq 2 ]]; done',
    "a=(*); [[ ${a[0]} -gt 3 ]]",
    'set -- *; [[ "$1" -gt 3 ]]',
    "f() { [[ $1 -gt 3 ]]; }; f *",
    "for f in *; do cd src && [[ $f -gt 3 ]]; done",
    "exit *",
    "f() { shift *; }; f",
    "for i in 1; do break *; done",
    "printf '%*s' * x",
    "printf '%ld' *",
    "test -t *",
    // Options and operators of builtins.
    "test *",
    "[ * ]",
    "test -? *",
    "test x -a *",
    "(cd d/.. && test *)",
    'for f in *; do for g in *; do test "$f" "$g"; done; done',
    'ls | while read -r f; do test "$f" "a[1]"; done',
    "printf *",
    "printf -- * x",
    'for f in *; do printf "$f" PATH; done',
    "jobs *",
    "wait *",
    "jobs ?rx touch zz",
    'for f in *; do jobs "$f" touch zz; done',
    "cd src && for f in ../*; do (cd .. && jobs $(ls) touch zz); done",
    "set *",
  ])("may run code: %s", (line) => {
    expect(told(line, odd)).not.toBe("");
  });

  it.each([
    // Of a harmless program an option may change what is read.
    "grep S *",
    'for f in *; do grep S "$f"; done',
    'a=(*); grep S "${a[@]}"',
    "ls | xargs grep S",
    "for f in $(ls); do grep S $f; done",
    'ls | while read -r f; do grep S "$f"; done',
    "wc -l *",
    "diff * x",
    // Beside other text the word is none of the names, and may be an option all the same.
    'for f in *; do sort "${f}x"; done',
    "for f in *; do sort $f.bak; done",
    'for f in *; do grep S "$f"n a.txt; done',
    'for f in *; do g="${f}x"; sort "$g"; done',
    // Where the pattern was expanded, not where the shell has gone since.
    'for f in *; do cd src && sort "$f"; done',
    'a=(*); cd src && sort "${a[@]}"',
    'set -- * && cd src && grep S "$@"',
    // One of the folders below.
    'for f in src/*/; do (cd "$f" && sort *); done',
    'for f in src/*/; do (cd "$f" && grep S *); done',
  ])("may be an option: %s", (line) => {
    expect(told(line, odd)).toContain("may turn out to be an option");
  });

  it.each(["find . -d*", "find -d* .", "find *", "find src *", "for f in *; do find . $f; done", 'for f in -*; do find . "$f"; done'])(
    "may be an action: %s",
    (line) => {
      expect(told(line, odd)).not.toBe("");
    },
  );

  // In a folder without such names.
  it.each([
    'for f in *; do [[ -f $f ]] && ls "$f"; done',
    "for f in *; do [[ $f -gt 3 ]]; done",
    'for f in [0-9]*; do [ "$f" -gt 10 ]; done',
    "declare -A m; for f in src/*; do m[$f]=1; done",
    "for f in src/*; do n=$((n+1)); done",
    "test -f *.json",
    "[ -e *.lock ]",
    "test *",
    'for f in *; do [ "$f" -nt a.txt ] && echo "$f"; done',
    'for f in $(ls); do [ -f "$f" ] && echo $f; done',
    "printf '%s\\n' *",
    'for f in *; do printf "%s: %d\\n" "$f" 3; done',
    "jobs *",
    "find * -name x",
    "grep S *",
    "grep -rn TODO *",
    'for f in *; do diff "$f" "$f.bak"; done',
    'for f in *; do sort "./${f}x" "${f}y"; done',
    "ls | xargs grep S",
    'for f in src/*/; do (cd "$f" && sort * && grep S *); done',
    'cd "$X" && ls *',
    "test -v a[0]; [ -v a[i] ]",
    "set *",
    "exit *",
  ])("is harmless: %s", (line) => {
    expect(told(line, ["a.json", "b.lock", "12"])).toBe("");
  });

  it("is not certain where the line itself may make names", () => {
    expect(told("touch x; for f in *; do [[ $f -gt 3 ]]; done", [])).toContain("may have made");
  });

  it.each(["touch -- -r && grep S *", "> -r; grep S *", "mv README.md ./-ox; sort *", "ln -s a ./-v; test *"])(
    "the line makes one: %s",
    (line) => {
      expect(told(line, [])).toContain("makes a name that is an option");
    },
  );

  it.each(["touch x && sort *", "rm -- -r; grep S *", "mkdir -p out && cp README.md out/ && wc -l *"])(
    "the line makes none: %s",
    (line) => {
      expect(told(line, [])).toBe("");
    },
  );

  // Names with this ending are no operators, whatever lies there.
  it.each(["test -f *.json", "[ -e *.lock ]", "printf '%s\\n' *", "echo *", 'for f in *; do [[ -f $f ]] && ls "./$f"; done'])(
    "is harmless among odd names: %s",
    (line) => {
      expect(told(line, odd)).toBe("");
    },
  );
});

describe("names that several commands, or folders, are told of", () => {
  /** What is read, with the filter where there is one. */
  const read = (line: string): readonly string[] =>
    lowerShell(line, { world }).actions.flatMap((action) => {
      if (action.kind !== "file" || action.operation !== "read") return [];
      const { target } = action;
      if (target.kind !== "unknown") return [target.kind === "glob" ? target.pattern : target.path];
      return [`${target.within ?? "anywhere"}${target.filter === undefined ? "" : ` ${Object.keys(target.filter).sort().join(" ")}`}`];
    });

  it.each([
    ['cat "$(ls -t src/*.ts | head -1)"', P],
    ["cat $(find src odd -name '*.ts' | head -1)", `${P} only`],
    ["cat $(find src/lib src -name '*.ts')", `${P}/src only`],
    ["find src odd -name '*.ts' | while read -r f; do cat \"$f\"; done", `${P} only`],
    ["{ find src -name '*.ts'; find odd -name '*.md'; } | xargs cat", `${P}/src only`],
    ["cat $(test -f x && echo README.md)", `${P}/README.md`],
    ["cat $(find src -name '*.ts' || echo README.md)", P],
    ["cat $(find src -name '*.ts' || echo /etc/passwd)", "anywhere"],
    ["cat $(find src -name '*.ts' || echo ../x)", "anywhere"],
    ["cat $(find -L src -name '*.ts'; find odd)", `${P} follows`],
    ["ls src | xargs cat", `${P} hidden`],
    ["ls -A src | xargs cat", P],
    ["ls src/.e* | xargs cat", `${P}/src`],
    // A file that is given is printed as it is given.
    ["ls .env | xargs cat", `${P}/.env`],
    ["ls src .env | xargs cat", `${P}/.env`],
  ])("%s reads %s", (line, expected) => {
    expect(read(line)).toContain(expected);
  });

  it("with what BSD's ls shows to root, a name may be hidden", () => {
    const { actions } = lowerShell("ls src | xargs cat", { world: smallWorld({ files, platform: "darwin" }) });
    expect(JSON.stringify(actions)).not.toContain('"hidden"');
  });
});

describe("IFS in front of read", () => {
  it.each([
    `IFS='|' read -r a b <<< "x|y"; echo "$b"`,
    `git diff --numstat | while IFS=$'\\t' read -r a d f; do echo "$f"; done`,
    `while IFS== read -r k v; do echo "$k"; done < a.txt`,
  ])("only splits: %s", (line) => {
    expect(doubts(line)).toBe("");
  });

  it.each([
    `IFS='|' eval 'x=1'`,
    `IFS="$X" read -r a b <<< "x|y"`,
    `IFS='|' ./read x`,
    `read() { :; }; IFS='|' read x`,
    `IFS='|'; x=$(cat a.txt); echo $x`,
    `IFS='|' command read x`,
  ])("is for more than that: %s", (line) => {
    expect(doubts(line)).toContain("IFS");
  });

  it.each([
    // The end of the line is a separator, which read takes away.
    `IFS=x read -r f <<< rmx; $f a.txt`,
    `find src -name '*.envx' | while IFS=x read -r f; do cat "$f"; done`,
  ])("takes the ends of a line away: %s", (line) => {
    expect(doubts(line) + JSON.stringify(lowerShell(line, { world }).actions)).toContain("a line of the input");
  });
});

describe("a name that a program hands to a shell", () => {
  it.each(["diffstat '$(id).gz'", "diffstat *.gz odd/x*", "hunspell -l 'a`id`.odt'", `cloc "a';id;'.tar.gz"`, 'cloc "$X"'])(
    "%s",
    (line) => {
      const strange = smallWorld({ files: { ...files, [`${P}/$(id).gz`]: "file" } });
      expect(
        lowerShell(line, { world: strange })
          .unknowns.map(({ reason }) => reason)
          .join(),
      ).toContain("to a shell as it is");
    },
  );
});
