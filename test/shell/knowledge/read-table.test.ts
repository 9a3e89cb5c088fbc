import { describe, expect, it } from "vitest";
import { mistakesInVariables } from "../../../packages/core/src/shell/knowledge/asides.ts";
import { printMistake, readTables } from "../../../packages/core/src/shell/knowledge/read-table.ts";

const read = (text: string) => readTables([{ family: "fruit", text }]);
const spec = (text: string) => {
  const { entries, mistakes } = read(text);
  expect(mistakes.map(printMistake)).toEqual([]);
  return entries[0]?.spec;
};

describe("what a table says", () => {
  it("names, fields, flags, examples of each verdict", () => {
    expect(
      spec(`
# A comment.
apple pear
cherry
  summary: fruit of trees
  style: posix
  operands: read* dest
  effects: net, remote.read x
  closed
  upkeep: write ~/.apple
  upkeep: read ~/.pear
  allow: apple 'a b'  c
  allow: pear --x; ls
  deny: apple # no comment
`),
    ).toEqual({
      names: "apple pear cherry",
      summary: "fruit of trees",
      style: "posix",
      operands: "read* dest",
      effects: "net, remote.read x",
      closed: true,
      upkeep: ["write ~/.apple", "read ~/.pear"],
      examples: { allow: ["apple 'a b'  c", "pear --x; ls"], deny: ["apple # no comment"] },
    });
  });

  it("`none` is nothing, and a verdict", () => {
    expect(spec("apple\n  operands: none\n  effects: none\n  helps: none\n  none: apple\n")).toEqual({
      names: "apple",
      operands: "",
      effects: "",
      helps: "",
      examples: { none: ["apple"] },
    });
  });

  it("rows of options, several to a line, with negations and digits", () => {
    expect(spec("apple\n  options: -a --all; -1..-9\n  allow: apple\n")?.options).toBe("-a --all\n-1..-9");
    expect(spec("apple\n  options:\n    -a --[no-]all[=text] -> stop\n    # left out: -b\n    -c=read\n  allow: apple\n")?.options).toBe(
      "-a --all[=text] -> stop\n--no-all\n-c=read",
    );
  });

  it("what is shared: a row that stands before another of its name counts", () => {
    const shared = "@help\n  options: -h --help -> stop; -v\n\n";
    expect(spec(`${shared}apple\n  options:\n    -v=read\n    @help\n    -x\n  allow: apple\n`)?.options).toBe(
      "-v=read\n-h --help -> stop\n-x",
    );
    expect(spec(`${shared}apple\n  options:\n    @help\n    -v=read; -x\n  allow: apple\n`)?.options).toBe("-h --help -> stop\n-v\n-x");
    expect(spec("@many\n  reads: A=any\n\napple\n  reads: @many; B C=flag\n  allow: apple\n")?.reads).toBe("A=any\nB C=flag");
  });

  it("`like`: what an entry does not say itself, examples excepted", () => {
    expect(
      spec(`@tool
  style: none
  operands: text*
  effects: code.project
  allow: tool

apple
  like: @tool
  operands: none
  ask: apple
`),
    ).toEqual({ names: "apple", style: "none", operands: "", effects: "code.project", examples: { ask: ["apple"] } });
  });

  it("subcommands: several keys, on several lines, and braces", () => {
    const found = spec(`apple
  allow: apple
  sub eat | bite off
  sub {peel,core} {one,two}
    operands: none
    allow: apple eat
    sub slowly
      ask: apple eat slowly
  sub drop
    deny: apple drop
`);
    expect(found?.subcommands).toEqual({
      "eat|bite off|peel one|peel two|core one|core two": {
        operands: "",
        examples: { allow: ["apple eat"] },
        subcommands: { slowly: { examples: { ask: ["apple eat slowly"] } } },
      },
      drop: { examples: { deny: ["apple drop"] } },
    });
  });

  it("what other parts know of programs stands beside the entry, and makes none by itself", () => {
    const { entries, asides, mistakes } = read(
      "apple pear\n  operands: none\n  secret: -p\n  secret: [pear pear-*] eat -> #1 <\n  allow: apple\n\ncherry\n  secret: key\n",
    );
    expect(mistakes).toEqual([]);
    expect(entries.map(({ spec: one }) => one)).toEqual([{ names: "apple pear", operands: "", examples: { allow: ["apple"] } }]);
    expect(asides).toEqual([
      { key: "secret", names: "apple pear", row: "-p", family: "fruit", line: 3 },
      { key: "secret", names: "pear pear-*", row: "eat -> #1 <", family: "fruit", line: 4 },
      { key: "secret", names: "cherry", row: "key", family: "fruit", line: 8 },
    ]);
  });

  it("an example of several lines", () => {
    expect(spec("apple\n  ask:\n    apple <<E\n    x\n    E\n")?.examples).toEqual({ ask: ["apple <<E\nx\nE"] });
  });
});

describe("a mistake is named with file, line and key", () => {
  const MISTAKES: readonly (readonly [text: string, ...mistakes: string[]])[] = [
    [
      "apple\n",
      "1: apple: what it does is missing below it, indented",
      "1: apple: it has no example: `allow:`, `none:`, `ask:` or `deny:`",
    ],
    ["apple\n  operands: none\n", "1: apple: it has no example: `allow:`, `none:`, `ask:` or `deny:`"],
    ["apple\n  secret: [pear] -p\n", "2: apple: secret: pear is not a name of this entry"],
    ["apple\n  secret:\n", "2: apple: secret: its value is missing"],
    ["apple\n  secret: -p\n\napple\n  allow: apple\n", "4: apple: apple has an entry elsewhere"],
    ["apple\n  allow: apple\n  sub eat\n    secret: -p\n    allow: apple eat\n", "4: apple eat: secret: unknown field"],
    ["apple\n  colour: red\n  allow: apple\n", "2: apple: colour: unknown field"],
    ["apple\n  operands: fruit\n  allow: apple\n", "2: apple: operands: unknown operand kind `fruit`"],
    ["apple\n  effects: explode\n  allow: apple\n", "2: apple: effects: unknown effect `explode`"],
    ["apple\n  style: new\n  allow: apple\n", "2: apple: style: it is one of gnu, posix, bsd, words, none"],
    ["apple\n  output: x\n  allow: apple\n", "2: apple: output: it is one of paths, input, operands, number, numbers, pieces, nothing"],
    ["apple\n  otherwise: x\n  allow: apple\n", "2: apple: otherwise: unknown danger"],
    ["apple\n  options: -a=fruit\n  allow: apple\n", "2: apple: options: unknown operand kind `fruit`"],
    ["apple\n  options:\n    -a\n    -b -> explode\n  allow: apple\n", "4: apple: options: unknown effect `explode`"],
    ["apple\n  options:\n    -a --all\n    -b --all\n  allow: apple\n", "4: apple: options: --all is listed twice"],
    ["apple\n  options: all\n  allow: apple\n", "2: apple: options: option line `all`: a name does not begin with - or +"],
    ["apple\n  options: @no\n  allow: apple\n", "2: apple: options: unknown @no"],
    ["apple\n  like: @no\n  allow: apple\n", "2: apple: like: unknown @no"],
    ["apple\n  reads: A\n  allow: apple\n", "2: apple: reads: the variables `A` are not understood"],
    ["apple\n  closed: yes\n  allow: apple\n", "2: apple: closed: it takes no value"],
    ["apple\n  summary:\n  allow: apple\n", "2: apple: summary: its value is missing"],
    ["apple\n  style: gnu\n  style: bsd\n  allow: apple\n", "3: apple: style: it is given twice"],
    ["apple\n  allow:\n", "2: apple: allow: a command line is missing"],
    ["apple\n  allow: apple\n    sub x\n", "2: apple: allow: an example of several lines begins below its verdict"],
    ["apple\n  allow: apple\n\napple\n  allow: apple\n", "4: apple: apple has an entry elsewhere"],
    ["ap/ple\n  allow: x\n", "1: ap/ple: `ap/ple` is not the name of a command"],
    ["@x\n  style: gnu\n", "1: @x: nothing uses it"],
    ["@x\n  like: @x\n\napple\n  like: @x\n  allow: apple\n", "2: @x: like: it uses itself"],
    [
      "apple\n  allow: apple\n  sub eat | eat\n    allow: apple eat\n  sub eat\n    ask: apple eat\n",
      "3: apple eat: the subcommand `eat` is listed twice",
      "5: apple eat: the subcommand `eat` is listed twice",
    ],
    ["apple\n  allow: apple\n   style: gnu\n", "2: apple: allow: an example of several lines begins below its verdict"],
    ["apple\n    style: gnu\n  allow: apple\n", "3: apple: `allow: apple` is indented by 2, not by 4"],
  ];
  // What reads these rows leaves out what it does not understand: a slip of the pen would open, or close, nothing at all.
  const ROWS: readonly (readonly [row: string, mistake: string])[] = [
    ["secret: config -> key oauth", "`config -> key oauth` is not [SUBCOMMAND… ->] WHAT…, as the table of `secret` has it"],
    ["secret: login > -p", "`login > -p` is not [SUBCOMMAND… ->] WHAT…, as the table of `secret` has it"],
    ["steered: aksed .applerc", "`aksed .applerc` is not asked FILE… or noted FILE…, in small letters"],
    ["steered: noted Applefile", "`noted Applefile` is not asked FILE… or noted FILE…, in small letters"],
    ["follows: list, mod -- its files", "`list, mod -- its files` is not settings, or [always] [unless] [SUBCOMMAND | …] -- WHAT"],
    ["follows: list", "`list` is not settings, or [always] [unless] [SUBCOMMAND | …] -- WHAT"],
    ["starts: diff - shows what it finds", "`diff - shows what it finds` says no reason: WHAT… -- WHY"],
    ["starts: bin/diff -- shows what it finds", "`bin/diff` is not the name of a program, or a folder with a / at its end"],
    ["looks: ~/.applerc", "`~/.applerc` says no reason: WHAT… -- WHY"],
    ["looks: $foldr -- its names", "`$foldr` is not a file, or a name of files that verify knows"],
    ["changes: $folder -- its names", "`$folder` is not a file, or $read"],
    ["links: $git -- its names", "`$git` is not a file"],
    ["reaches: local_host -- its own", "`local_host` is not a host"],
    ["does: look status", "`look status` is not what commands of git do, and which: looks SUBCOMMAND | SUBCOMMAND"],
    ["public: forge", "`forge` is not [forge] HOST…, or HOST -> HOST…"],
    ["public: a.example > b.example", "`a.example > b.example` is not [forge] HOST…, or HOST -> HOST…"],
    ["variables: ints RANDOM", "`ints RANDOM` is not what shells do with variables, and which: integer NAME…, or decides NAME… -- WHY"],
    ["variables: decides PWD", "`decides PWD` is not what shells do with variables, and which: integer NAME…, or decides NAME… -- WHY"],
    ["login: .netrc", "`.netrc` is not a file at home or in /etc"],
    ["login: ~/.netrc unless -n", "`~/.netrc unless -n` is not a file at home or in /etc"],
    ["private: ~/.Apple", "`~/.Apple` is not ~/FILE, /PLACE, FOLDER/ or FILE, in small letters"],
    ["private: /srv/*", "`/srv/*` is not ~/FILE, /PLACE, FOLDER/ or FILE, in small letters"],
    ["private: .apple/ .pear/", "`.apple/ .pear/` is not ~/FILE, /PLACE, FOLDER/ or FILE, in small letters"],
    ["startup: .applerc", "`.applerc` is not ~/FILE, ~/FOLDER/ or /PLACE, in small letters"],
    ["startup: ~/a/b/c/d/e/", "`~/a/b/c/d/e/` is not ~/FILE, ~/FOLDER/ or /PLACE, in small letters"],
    ["programs: ~/.apple/bin", "`~/.apple/bin` is not [daily] ~/FOLDER/, in small letters"],
  ];
  it.each(ROWS)("%s", (row, mistake) => {
    expect(read(`apple\n  summary: x\n  ${row}\n  allow: apple\n`).mistakes.map(printMistake)).toEqual([
      `packages/core/knowledge/fruit.table:3: apple: ${row.slice(0, row.indexOf(":"))}: ${mistake}`,
    ]);
  });

  it("a pattern that does not compile is a mistake of its row", () => {
    const mistakes = read("apple\n  login: ~/.netrc unless /(/\n").mistakes.map(printMistake);
    expect(mistakes).toEqual(["packages/core/knowledge/fruit.table:2: apple: login: `(` is not a pattern"]);
  });

  it.each([
    ["CI\n  harmles: word\n", 2, "harmles", "unknown field"],
    ["CI\n  harmless: wrod\n", 2, "harmless", "`wrod` is not a grammar"],
    ["CI\n  harmless: /(/\n", 2, "harmless", "`/(/` is not a grammar"],
    ["CI\n\n# x\nA-B\n  harmless: any\n", 4, "A-B", "it is not the name of a variable"],
    ["CI\n  everyone: yes\n", 2, "everyone", "`yes` is not nothing: the key takes no value"],
    ["CI\n  is:\n", 2, "is:", "unknown field"],
  ])("a table of variables: %j", (text, ...mistake) => {
    expect(mistakesInVariables(text)).toEqual([mistake]);
  });

  it.each(MISTAKES)("%j", (text, ...mistakes) => {
    expect(read(text).mistakes.map(printMistake)).toEqual(mistakes.map((one) => `packages/core/knowledge/fruit.table:${one}`));
  });
});
