import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Repositories made to make judging take long. */
export interface Repository {
  readonly what: string;
  readonly make: (folder: string) => void;
}

const put = (folder: string, name: string, text: string | Uint8Array): void => {
  mkdirSync(join(folder, name, ".."), { recursive: true });
  writeFileSync(join(folder, name), text);
};
const list = (count: number, make: (at: number) => unknown): unknown[] => Array.from({ length: count }, (_, at) => make(at));
const POLICY = ".agent-permissions.jsonc";

const policy = (what: string, text: string | (() => string)): Repository => ({
  what: `a policy with ${what}`,
  make: (folder) => put(folder, POLICY, typeof text === "string" ? text : text()),
});
const denies = (what: string, count: number, make: (at: number) => unknown): Repository =>
  policy(what, () => JSON.stringify({ permissions: { deny: list(count, make) } }));

const aliases = (n: number): string => `shopt -s expand_aliases\n${list(n, (at) => `alias a${at}='a${at + 1} a${at + 1}'`).join("\n")}\na0`;
const functions = (n: number): string => `${list(n, (at) => `f${at}() { f${at + 1}; f${at + 1}; }`).join("\n")}\nf0`;

const POLICIES: readonly Repository[] = [
  denies("examples that double aliases", 3, () => ({ rule: "Bash(x:*)", notMatch: list(300, (at) => aliases(12 + (at % 10))) })),
  denies("one example that doubles aliases", 1, () => ({ rule: "Bash(x:*)", notMatch: [aliases(40)] })),
  denies("examples that call functions", 1, () => ({ rule: "Bash(x:*)", match: list(100, () => functions(20)) })),
  denies("an example of five thousand evals", 1, () => ({ rule: "Bash(x:*)", notMatch: [`${"eval ".repeat(5000)}ls`] })),
  denies("two thousand examples", 1, () => ({
    rule: "Bash(x:*)",
    notMatch: list(2000, (at) => `cat a${at} | sort > b && python3 -c 'print(1)'`),
  })),
  denies("twenty-two thousand globs", 22_000, (at) => `Read(**/*a${at}*)`),
  denies("ten thousand globs with stars", 10_000, (at) => `Read(**/*a*b*c*d*e${at})`),
  denies("two thousand globs with braces", 2000, (at) => `Edit(**/{a,b}{c,d}{e,f}${at}/**)`),
  denies("globs of 256 alternatives", 500, (at) => `Read(**/${"{a,b}".repeat(8)}${at})`),
  denies("twenty thousand commands", 20_000, (at) => `Bash(a${at}:*)`),
  denies("five thousand commands with stars", 5000, (at) => `Bash(** a${at} ** b ** c **)`),
  denies("commands with very many stars", 100, () => `Bash(${"** a ".repeat(500)}**)`),
  denies("patterns of commands", 5000, (at) => `Shell(git {a,b,c}${at} ... --flag)`),
  denies("patterns of commands with braces", 200, () => `Shell(git ${"{a,b} ".repeat(7)}...)`),
  denies("ten thousand hosts", 10_000, (at) => `Net(*.h${at}.example:*)`),
  denies("ten thousand tools", 10_000, (at) => `mcp__s${at}__*`),
  denies("fields of tools", 5000, (at) => `Bash(command:*a*b*${at}*)`),
  denies("calls with regular expressions", 500, () => `open(/^${"(a|b)*".repeat(100)}$/, _)`),
  denies("calls with large repeats", 500, () => "open(/^((a{1,99}){1,99}){1,99}$/, _)"),
  denies("a rule of eight thousand characters", 100, () => `Read(${"*a".repeat(3900)})`),
  denies("rules with reasons", 2000, (at) => ({ rule: `Read(a${at})`, reason: "x".repeat(400) })),
  policy("a million brackets", "[".repeat(1_000_000)),
  policy("a hundred thousand brackets that close", `${"[".repeat(100_000)}${"]".repeat(100_000)}`),
  policy("half a million mistakes", `{ ${"x ".repeat(500_000)} }`),
  policy("a hundred thousand unknown keys", () =>
    JSON.stringify(Object.fromEntries(list(60_000, (at) => [`k${at}`, at]) as [string, number][])),
  ),
  policy("a megabyte of comments", `{ ${"/* a */".repeat(149_000)} }`),
  policy("a megabyte of blanks", `{${" ".repeat(1_000_000)}}`),
  policy("a long string", () => JSON.stringify({ permissions: { deny: ["x".repeat(1_000_000)] } })),
  policy("escapes", `{ "permissions": { "deny": ["${"\\u0041".repeat(170_000)}"] } }`),
  policy("two megabytes", " ".repeat(2_000_000)),
  policy("many operations", () =>
    JSON.stringify({
      operations: Object.fromEntries(list(3000, (at) => [`op${at}`, { default: "ask", rules: [] }]) as [string, unknown][]),
    }),
  ),
];

const run = (...words: readonly string[]): void => void execFileSync(words[0] ?? "", words.slice(1), { stdio: "ignore" });

/** What stands where a file is looked for. */
const ODD: readonly (readonly [string, (path: string) => void])[] = [
  ["a pipe", (path) => run("mkfifo", path)],
  ["a link to /dev/zero", (path) => symlinkSync("/dev/zero", path)],
  ["a link to /dev/random", (path) => symlinkSync("/dev/random", path)],
  ["a link to /dev/stdin", (path) => symlinkSync("/dev/stdin", path)],
  ["a link to /dev/tty", (path) => symlinkSync("/dev/tty", path)],
  ["a link to itself", (path) => symlinkSync(path, path)],
  ["a link to a large sparse file", (path) => (run("truncate", "-s", "100G", `${path}.large`), symlinkSync(`${path}.large`, path))],
  ["a folder", (path) => mkdirSync(path)],
  ["a link to a pipe", (path) => (run("mkfifo", `${path}.pipe`), symlinkSync(`${path}.pipe`, path))],
  ["a link to /proc/kmsg", (path) => symlinkSync("/proc/kmsg", path)],
  ["a link to /proc/self/mem", (path) => symlinkSync("/proc/self/mem", path)],
];
const FILES = [POLICY, ".env", ".git", ".git/index", ".git/config", ".gitignore", ".claude", "package.json", "src"];
const ODD_FILES: readonly Repository[] = FILES.flatMap((name) =>
  ODD.map(([what, make]): Repository => ({
    what: `${what} for ${name}`,
    make: (folder) => {
      run("rm", "-rf", join(folder, name));
      mkdirSync(join(folder, name, ".."), { recursive: true });
      make(join(folder, name));
    },
  })),
);

const SHAPES: readonly Repository[] = [
  { what: "two hundred thousand files in a folder", make: (folder) => many(folder, "one", 200_000) },
  { what: "a hundred thousand files in many folders", make: (folder) => list(1000, (at) => many(folder, `w${at}`, 100)) },
  {
    what: "forty thousand folders",
    make: (folder) => list(200, (a) => list(200, (b) => mkdirSync(join(folder, `x${a}/y${b}`), { recursive: true }))),
  },
  { what: "a very deep folder", make: (folder) => mkdirSync(join(folder, "d/".repeat(1500)), { recursive: true }) },
  {
    what: "links that turn round",
    make: (folder) =>
      list(300, (at) => {
        mkdirSync(join(folder, `t${at}`));
        for (const to of [0, 1, 2]) symlinkSync(`../t${(at * 7 + to) % 300}`, join(folder, `t${at}/l${to}`));
      }),
  },
  { what: "a chain of links", make: (folder) => list(2000, (at) => symlinkSync(`c${at + 1}`, join(folder, `c${at}`))) },
  { what: "links to the whole system", make: (folder) => list(500, (at) => symlinkSync("/", join(folder, `r${at}`))) },
  {
    what: "a policy in each of three thousand folders",
    make: (folder) => list(3000, (at) => put(folder, `wide/d${at}/${POLICY}`, '{ "permissions": { "deny": ["Read(x)"] } }')),
  },
  {
    what: "large policies in five hundred folders",
    make: (folder) =>
      list(500, (at) =>
        put(folder, `wide/d${at}/${POLICY}`, JSON.stringify({ permissions: { deny: list(1500, (n) => `Read(**/*a${n}*)`) } })),
      ),
  },
  {
    what: "a large index",
    make: (folder) => put(folder, ".git/index", Buffer.concat([Buffer.from("DIRC\0\0\0\x02"), Buffer.alloc(31_000_000, "wide/")])),
  },
  {
    what: "a .git that points to itself",
    make: (folder) => (run("rm", "-rf", join(folder, ".git")), put(folder, ".git", "gitdir: .git\n")),
  },
  {
    what: "a long .git file",
    make: (folder) => (run("rm", "-rf", join(folder, ".git")), put(folder, ".git", `gitdir: ${"a/".repeat(500_000)}\n`)),
  },
];

function many(folder: string, name: string, count: number): void {
  mkdirSync(join(folder, name));
  run("bash", "-c", `cd "$1" && seq ${count} | xargs touch`, "_", join(folder, name));
}

export const REPOSITORIES: readonly Repository[] = [...POLICIES, ...SHAPES, ...ODD_FILES];
