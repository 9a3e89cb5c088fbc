import { describe, expect, it } from "vitest";
import { lowerShell } from "../../../src/shell/index.ts";
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
