import { build } from "esbuild";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  askHelp,
  type CorpusLine,
  baseFor,
  everyOptionLines,
  everyVariableLines,
  exampleLines,
  hidesTemp,
  type LineResult,
  neededPaths,
  optionLevels,
  unpredicted,
  verifyLines,
  wholeCorpus,
  withVariables,
} from "../../tools/verify/index.ts";

/**
 * The kernel checks the parser: commands run for real in namespaces of their own, and whatever they do was predicted.
 * `npm run verify` runs everything; here is a sample of each family. evidence/soundness.md tells how it is done.
 */
const ROOT = join(import.meta.dirname, "../..");
const PATH = `${dirname(process.execPath)}:/usr/sbin:/usr/bin:/sbin:/bin`;
const needed = neededPaths([ROOT], PATH);
const base = baseFor(needed) ?? "";
const place = `${base}:${hidesTemp(needed) ? "hide" : "keep"}`;
const env = { PATH, NODE_NO_WARNINGS: "1" };
const LONG = 300_000;
const harness = (name: string): string => join(ROOT, `node_modules/.cache/assent/${name}-${process.pid}.mjs`);
const LIAR = harness("liar");
const WRONG_TABLES = harness("wrong-tables");
const VERIFY = harness("verify");

const run = async (lines: readonly string[], worker: readonly string[], whatever = false): Promise<readonly LineResult[]> =>
  verifyLines(
    lines.map((line) => ({ line, family: "test" })),
    { worker: [process.execPath, ...worker], workers: 1, whatever, patience: 10_000, env },
  );
const assent = [VERIFY, "--worker", place];
const missed = (result: LineResult | undefined): readonly string[] =>
  result === undefined
    ? ["no result"]
    : result.outcome.is === "run"
      ? unpredicted(result.outcome).map(({ text }) => text)
      : [JSON.stringify(result.outcome)];

beforeAll(async () => {
  mkdirSync(dirname(LIAR), { recursive: true });
  for (const [from, outfile] of [
    ["harness/liar.ts", LIAR],
    ["harness/wrong-tables.ts", WRONG_TABLES],
    ["../../tools/verify/main.ts", VERIFY],
  ] as const)
    await build({
      entryPoints: [join(import.meta.dirname, from)],
      outfile,
      bundle: true,
      platform: "node",
      format: "esm",
      target: "node20",
      packages: "external",
      logLevel: "warning",
    });
});
afterAll(() => [LIAR, WRONG_TABLES, VERIFY].forEach((file) => rmSync(file, { force: true })));

describe("a table that lies is caught", () => {
  /** What the line does that only a lie leaves out. `$P`: the project; `$H`: home. */
  const LIES: readonly (readonly [line: string, effects: readonly string[]])[] = [
    ["env true", ["exec true"]],
    ["env sh -c 'exec cat /dev/null'", ["exec sh -c exec cat /dev/null", "exec cat /dev/null"]],
    ["touch new.txt", ["write $P/new.txt"]],
    ["mkdir made", ["mkdir $P/made"]],
    ["rm b.txt", ["delete $P/b.txt"]],
    ["mv b.txt c.txt", ["rename $P/b.txt", "write $P/c.txt", "delete $P/c.txt"]],
    ["ln -s a.txt made", ["link $P/made"]],
    ["chmod 600 b.txt", ["metadata $P/b.txt"]],
    ["truncate -s 0 b.txt", ["edit $P/b.txt"]],
    ["cat ~/.ssh/id_rsa", ["read $H/.ssh/id_rsa"]],
    ["cat link.txt", ["read $P/a.txt"]],
    ["bash -c 'echo x > /dev/tcp/127.0.0.1/9'", ["connect localhost:9"]],
  ];

  test("exec, write, delete, read of a secret, connect", { timeout: LONG }, async () => {
    const results = await run(
      LIES.map(([line]) => line),
      [LIAR, place],
    );
    const fill = (text: string): string => text.replace("$P", `${base}/dev/project`).replace("$H", `${base}/dev`);
    expect(results.map((result) => [result.line, missed(result).toSorted()])).toEqual(
      LIES.map(([line, effects]) => [line, effects.map(fill).toSorted()]),
    );
  });
});

/** A row of the options of an entry (`""`: its operands), what it is made, and what is then seen that nothing predicted. */
const WRONG: readonly (readonly [name: string, right: string, wrong: string, effect: string])[] = [
  ["sort", "-o --output=write", "-o --output=text", "write $P/1"],
  ["wc", "-l --lines", "-l --lines=text", "read $P/a.txt"],
  ["touch", "", "read+", "metadata $P/a.txt"],
  ["git log", "--output=write", "--output=text", "write $P/1"],
];

test(
  "every option: finds a wrong entry: a kind, an option that swallows, an operand, one of a subcommand",
  {
    timeout: LONG,
  },
  async () => {
    const about = (row: string): readonly string[] =>
      row === ""
        ? [" -a"]
        : row
            .replace(/=.*/, "")
            .split(" ")
            .map((option) => ` ${option}`);
    const lines = WRONG.flatMap(([name, right]) =>
      everyOptionLines(optionLevels(PATH, name.split(" ").slice(0, 1)).filter(({ level }) => level.words.join(" ") === name))
        .map(({ line }) => line)
        .filter((line) => about(right).some((option) => line.includes(option))),
    );
    const results = await run(lines, [WRONG_TABLES, place, ...WRONG.map((one) => one.slice(0, 3).join("|"))]);
    const seen = (name: string): readonly string[] =>
      results.filter(({ line, outcome }) => outcome.is === "run" && line.startsWith(`${name} `)).flatMap(missed);
    for (const [name, , , effect] of WRONG) expect(seen(name)).toContain(effect.replace("$P", `${base}/dev/project`));
  },
);

/** Ways of asking for the options of a subcommand, and what is told of the first that tells any. */
const ASKED: readonly (readonly [ways: readonly string[], options: readonly string[]])[] = [
  [
    ["echo --one -7", "echo --two"],
    ["--one", "-7"],
  ],
  [["echo no such word >&2; false", "echo --two >&2", "echo -7"], ["--two"]],
  [["no-such-program", "echo help", "echo help", "echo -7"], ["-7"]],
  [["rm -rf ~/project", "true"], []],
];

test("the options of a subcommand are asked for until some are told", { timeout: LONG }, async () => {
  const [level] = optionLevels(PATH, ["git"]).filter(({ level: { words } }) => words.length === 2);
  if (level === undefined) throw new Error("git has no subcommand in the tables");
  const told = await askHelp(
    ASKED.map(([ways]) => ways),
    { worker: [process.execPath, ...assent], workers: 1, whatever: true, patience: 10_000, env },
  );
  for (const [helps, options] of ASKED) {
    const lines = everyOptionLines([{ ...level, helps }], told).map(({ line }) => line);
    for (const option of ["--one", "--two", "-7"])
      expect(lines.includes(`${level.level.words.join(" ")} ${option}`), `${helps[0]}: ${option}`).toBe(options.includes(option));
  }
});

test("a run of every option that is broken off has seen what differs most", () => {
  const of = optionLevels(PATH, ["git"]).filter(({ level: { words } }) => words.length === 2);
  const names = of.map(({ level }) => level.words.join(" ")).slice(0, 40);
  const told = new Map([["help", "--own-one --own-two --no-pager"]]);
  const lines = everyOptionLines(
    of.slice(0, names.length).map((one) => ({ ...one, helps: ["help"] })),
    told,
  ).map(({ line }) => line);
  const places = (option: string): readonly number[] =>
    names.map((name) => lines.findIndex((line) => line.startsWith(`${name} ${option} `)));
  const firstOf = (shape: RegExp): number => lines.findIndex((line) => shape.test(line));
  const own = Math.max(...places("--own-one"), ...places("--own-two"));
  expect(Math.min(...places("--own-one"))).toBeGreaterThanOrEqual(0);
  // Every option of a subcommand's own with an operand comes before any with a value, and what all inherit comes late.
  expect(own).toBeLessThan(firstOf(/=1 /));
  expect(places("--no-pager").filter((at) => at < own)).toHaveLength(1);
  expect(Math.min(...places("--no-pager"))).toBeGreaterThanOrEqual(0);
});

test("names of one row that are programs of their own have their subcommands tried, each", () => {
  const names = ["systemctl", "hostnamectl", "apt-get", "apt-cache"].filter((name) => existsSync(`/usr/bin/${name}`));
  const tried = optionLevels(PATH, names).flatMap(({ level: { words } }) => (words.length > 1 ? (words[0] ?? []) : []));
  expect([...new Set(tried)].toSorted()).toEqual(names.toSorted());
});

/** A program, what is said wrongly of its variables, and what a decoy in one of them then does that nothing predicted. */
const WRONG_READS: readonly (readonly [line: string, reads: string, variable: string, effect: string])[] = [
  ["git status", "GIT_TRACE=any", "GIT_TRACE=$H/other/trace", "write $H/other/trace"],
  ["file a.txt", "MAGIC=any", "MAGIC=$H/other/readme.md", "read $H/other/readme.md"],
];

test("every variable: finds a wrong row of variables", { timeout: LONG }, async () => {
  const home = `${base}/dev`;
  const lines = WRONG_READS.flatMap(([alone, , variable]) =>
    [0, 2].map((turn) => withVariables({ alone, family: "" }, [variable.replace("$H", home)], turn).line),
  );
  const right = await run(lines, assent);
  expect(right.filter(({ outcome }) => outcome.is !== "refused").map(({ line }) => line)).toEqual([]);
  const wrong = await run(lines, [WRONG_TABLES, place, ...WRONG_READS.map(([line, reads]) => `${line.split(" ", 1)[0]}|reads|${reads}`)]);
  for (const [at, result] of wrong.entries())
    expect(missed(result), result.line).toContain(WRONG_READS[Math.floor(at / 2)]?.[3].replace("$H", home));
});

test("the variables of a program are those that its file, its libraries and its manual name", () => {
  const names = (program: string): readonly string[] =>
    everyVariableLines(optionLevels(PATH, [program]), { home: "/home/dev", every: 1 }).flatMap(({ variables }) =>
      variables.map((one) => one.split("=", 1)[0] ?? ""),
    );
  expect(names("git")).toEqual(expect.arrayContaining(["GIT_TRACE", "CI", "NO_COLOR", "LC_ALL"]));
  expect(names("sort")).toEqual(expect.arrayContaining(["TZ", "CI"]));
});

/** What a line does below folders that it makes itself is seen, too: nothing that was predicted "never happened". */
const BELOW_WHAT_IT_MAKES: readonly string[] = [
  "mkdir foo && touch foo/a",
  "mkdir foo && cd foo && touch a",
  "mkdir foo && (cd foo && echo x > a)",
  "mkdir foo && echo x > foo/a && cat foo/a",
  "mkdir foo && cp a.txt foo/b",
  "mkdir foo && rmdir foo",
  "mkdir foo && touch foo/a && chmod 600 foo/a",
  "mkdir foo && mv b.txt foo/c",
  "mkdir foo && touch foo/a && mv foo/a foo/b",
  "mkdir foo && touch foo/a && mv foo bar",
  "mkdir foo && touch foo/a && ls foo",
  "mkdir foo && touch foo/a && rm foo/a",
  "mkdir foo && mkdir foo/b && rmdir foo/b",
  "mkdir -p foo/bar && touch foo/bar/a",
  "mkdir foo && cp a.txt foo",
  "mkdir foo && mv b.txt foo",
  "mkdir foo && mv b.txt foo && mv foo bar",
  "cp -r src copy && touch copy/new",
  "mkdir foo && cp a.txt foo/x && cp -r foo bar && touch bar/new",
  "mkdir foo && tar cf t.tar a.txt && tar xf t.tar -C foo",
  "install -D a.txt foo/e/w",
  "mkdir -p foo/b && cd foo/b && echo x > y",
  "mkdir foo && ln b.txt foo",
  "mkdir foo && ln b.txt a.txt foo",
  "mkdir foo && ln -t foo b.txt",
  "mkdir -p foo/e && ln b.txt foo/e/k",
  "mkdir foo && ln b.txt foo && mv foo bar",
  "mkdir -p foo/e && mv b.txt foo/e",
  "mkdir foo && mv src foo && touch foo/src/new",
  "cp -r src copy && mv copy other && rm other/a.ts",
  "ln -s src l && touch l/new",
  "ln -s b.txt l && echo x >> l",
  "mkdir foo && ln -s foo l && cp a.txt l",
  "ln -s foo l && mkdir foo && touch l/a",
];

/** As above; that the tables also tell what git may do elsewhere is left aside. */
const BELOW_WHAT_GIT_MAKES: readonly string[] = [
  "git init r && touch r/a",
  "git init r && cd r && git add . && touch q",
  "mkdir foo && (cd foo && git init)",
  "git clone . y && rm y/a.txt",
  "git clone . y && touch y/new && rm -rf y",
];

test("what is predicted below a folder that the line makes is seen", { timeout: LONG }, async () => {
  const results = await run([...BELOW_WHAT_IT_MAKES, ...BELOW_WHAT_GIT_MAKES], assent, true);
  const said = ({ line, outcome }: LineResult): readonly string[] =>
    outcome.is === "run"
      ? [...(BELOW_WHAT_GIT_MAKES.includes(line) ? [] : outcome.slack), ...unpredicted(outcome).map(({ text }) => text)]
      : [JSON.stringify(outcome)];
  const wrong = results.map((result) => [result.line, ...said(result)]).filter(({ length }) => length > 1);
  expect(wrong).toEqual([]);
});

/** Programs that every Linux has, or that these tests need anyway; `npm run verify` runs what else is installed. */
const FAMILIES = ["basics", "checksums", "compare", "data", "files", "git", "search", "system", "text"];
const OF_A_FAMILY = 8;
const PROGRAMS = 30;

/** Evenly from the whole. */
const evenly = (lines: readonly CorpusLine[], most: number): readonly string[] =>
  lines.length <= most
    ? lines.map(({ line }) => line)
    : Array.from({ length: most }, (_, at) => lines[Math.floor((at * lines.length) / most)]?.line ?? "");

/** Where this repository lies below /tmp itself, the scratch world cannot cover it: what is made there at a random name is the machine's. */
const covered = ({ line }: CorpusLine): boolean => hidesTemp(needed) || !/\bmktemp\b|\/tmp\b/.test(line);

function sample(): readonly string[] {
  const examples = exampleLines().filter(covered);
  const programs = wholeCorpus().filter((one) => one.family === "shell programs" && covered(one));
  return [
    ...FAMILIES.flatMap((family) =>
      evenly(
        examples.filter((one) => one.family === family),
        OF_A_FAMILY,
      ),
    ),
    ...evenly(programs, PROGRAMS),
  ];
}

test("a sample of what is allowed does what was predicted, and nothing else", { timeout: LONG }, async () => {
  const results = await run(sample(), assent);
  const wrong = results.flatMap(({ line, outcome }) =>
    outcome.is === "broken" ? [[line, outcome.why]] : unpredicted(outcome).map(({ text, program }) => [line, `${program}: ${text}`]),
  );
  expect(wrong).toEqual([]);
  expect(results.filter(({ outcome }) => outcome.is === "run").length).toBeGreaterThan(50);
});
