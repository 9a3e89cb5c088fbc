import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { allCommands, commandTable, type ValueKind } from "../../packages/assent/src/cli/command-table.ts";
import { program } from "../../packages/assent/src/cli/program.ts";
import { SAMPLE, sampled } from "../sampled.ts";
import { assent, DIST, scratch, type Scratch } from "../scratch.ts";

/** What people type by mistake: the exit status, and what they must be able to read in the answer. */
interface WrongUse {
  readonly args: readonly string[];
  readonly status: number;
  readonly says: string;
  /** Files of the project, or below `~`. */
  readonly files?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

const use = (args: string, status: number, says: string, more: Partial<WrongUse> = {}): WrongUse => ({
  args: args === "" ? [] : args.split(" "),
  status,
  says,
  ...more,
});

const NEXT = "assent help";
const USER = "~/.agent-permissions.jsonc";
const BROKEN = { [USER]: '{ "permissions": { "deny": [ }' };

/** Names that are not there. */
const NAMES: readonly WrongUse[] = [
  use("", 2, "Usage: assent"),
  use("nope", 2, NEXT),
  use("explian ls", 2, "Did you mean explain?"),
  use("help nope", 2, "unknown command 'nope'"),
  use("help rule nope", 2, "unknown command 'rule nope'"),
  use("--nope", 2, NEXT),
  use("explain --nope ls", 2, "unknown option '--nope'"),
  use("rule", 2, "Usage: assent rule"),
  use("rule nope", 2, NEXT),
  use("profile nope", 2, NEXT),
  use("completion", 2, "missing required argument 'shell'"),
  use("completion tcsh", 2, "`tcsh` is not bash, zsh or fish"),
  use("bypass maybe", 2, "`maybe` is not on, off or status"),
  use("auto maybe", 2, NEXT),
  use("confine maybe", 2, NEXT),
  use("breaker maybe", 2, NEXT),
  use("version 2", 2, NEXT),
  use("install --agent nope", 2, "nope"),
  use("install --mode nope", 2, "--mode `nope` is not auto, direct or rulesync"),
  use("uninstall --agent nope", 2, "nope"),
  use("export", 2, "--agent"),
  use("export --agent nope", 2, "nope"),
  use("import --agent nope", 2, "nope"),
];

/** Files and folders that are not there, or are something else. Nothing is judged then. */
const PLACES: readonly WrongUse[] = [
  ...["explain", "rules", "lint", "test", "replay", "run", "mcp"].map((name) =>
    use(`${name} --policy nope.jsonc${/explain|run|mcp/.test(name) ? " ls" : ""}`, 2, "no such file: nope.jsonc"),
  ),
  use("rule list --policy nope.jsonc", 2, "no such file: nope.jsonc"),
  use("explain --policy src ls", 2, "that is a folder: src"),
  use("explain --cwd /no/such ls", 2, "no such folder: /no/such"),
  use("rules --cwd /no/such", 2, "no such folder: /no/such"),
  use("explain --cwd a.txt ls", 2, "that is a file: a.txt", { files: { "a.txt": "" } }),
  use("explain --diff nope.jsonc ls", 2, "no such file: nope.jsonc"),
  use("team policy push nope.json", 2, "assent team policy push: no such file: nope.json\n"),
  use("team policy list --key nope.json", 2, "assent team policy list: --key: no such file: nope.json\n"),
  use("team policy release one", 2, "assent team policy release: `one` is not a whole number from 1 to 1000000"),
  use("lint /etc/no-such", 2, "no such file: /etc/no-such\n"),
  use("lint ../no-such", 2, "no such file: ../no-such\n"),
  use("lint src", 2, "that is a folder: src"),
  use("test no-such", 2, "no such file: no-such"),
  use("test src", 2, "that is a folder: src"),
  use("run no-such-program", 127, "not found"),
  use("wrap no-such-program", 2, "not found"),
  use("unwrap ls", 2, "assent wrap --list"),
  use("receipt no-such", 2, "assent receipt --list"),
  use("undo", 1, "assent receipt --list"),
  use("profile show no-such", 2, "assent profile list"),
  use("grants revoke no-such", 2, "assent grants list"),
  use("edit", 1, "no such program", { env: { EDITOR: "no-such-editor" } }),
  use("edit", 1, "it may not be executed", { env: { EDITOR: "./notes.txt" }, files: { "notes.txt": "" } }),
];

/** Words in a form that is not understood. */
const WORDS: readonly WrongUse[] = [
  use("explain", 2, "nothing to explain"),
  { args: ["explain", "git status", "--json"], status: 2, says: "assent explain --json 'git status'" },
  { args: ["explain", "ls", "--json"], status: 2, says: "assent explain -- ls --json" },
  use("explain --input {} ls", 2, "not both"),
  use("explain --input x", 2, "--input is not JSON"),
  use("explain --input []", 2, "--input is not a JSON object"),
  use("rule add Bash(ls)", 2, "--allow, --ask or --deny"),
  use("rule add Bash(ls) --allow --deny", 2, "cannot be used with"),
  use("rule add Bash(ls --deny", 2, "Bash(ls"),
  use("rule remove Bash(ls)", 1, "assent rules"),
  use("log --since yesterday-ish", 2, "30m, 2h, 7d"),
  use("log -n x", 2, "assent log: --lines `x` is not a whole number from 1 to"),
  use("bypass on", 2, "--for 10m"),
  use("bypass on --for 48h", 2, "24h"),
  use("grants revoke", 2, "assent grants list"),
  use("replay", 2, "--policy FILE"),
  use("suggest --days 0", 2, "assent suggest: --days `0` is not a whole number from 1 to 3650: write 14"),
  use("wrap --list ls", 2, "--list and --json take no name"),
  use("run --learn --background-dir x ls", 2, "cannot be used with"),
  use("run --dry-run ls", 2, "--dry-run goes with --learn"),
];

/** Broken inputs, and nobody to answer. */
const INPUTS: readonly WrongUse[] = [
  use("lint", 1, ".agent-permissions.jsonc:1", { files: BROKEN }),
  use("test", 1, ".agent-permissions.jsonc:1", { files: BROKEN }),
  use("rule add Bash(ls) --deny", 1, "has mistakes and is left as it is", { files: BROKEN }),
  { args: ["rule", "add", "Raed(**)", "--deny"], status: 2, says: "did you mean `Read(…)`?" },
  { args: ["rule", "add", "--force", "Raed(**)", "--deny"], status: 0, says: 'added deny {"tool":"Raed(**)"}' },
  { args: ["deny", "--yes", "opne(/x, _)"], status: 2, says: "did you mean `open(path, mode)`?" },
  { args: ["deny", "--yes", "--force", "opne(/x, _)"], status: 0, says: 'added deny {"tool":"opne(/x, _)"}' },
  { args: ["deny", "--yes", "--force", "Read(src/**)"], status: 0, says: "added deny Read(src/**)" },
  { args: ["grants", "add", "Edti(src/**)"], status: 2, says: "did you mean `Edit(…)`?" },
  { args: ["rule", "add", "Bash(git push *)", "--deny"], status: 0, says: "write `Bash(git push:*)`" },
  { args: ["rule", "add", "Edit(src/[z-a])", "--deny"], status: 2, says: "runs backwards" },
  use("explain --batch", 0, '"error":"the line is not JSON"', { input: "nope\n" }),
  use("confine on", 1, "terminal"),
  use("auto on", 1, "terminal"),
  use("breaker reset", 1, "terminal"),
  use("grants add Bash(ls)", 1, "terminal"),
];

/** A word where a command of a group stands. */
const GROUPS: readonly WrongUse[] = [
  use("runs nope", 2, "unknown command 'nope': `assent runs` has list, clean"),
  use("runs list nope", 2, "too many words"),
  use("log nope", 2, "`assent log` has verify, export"),
  use("grants nope", 2, "`assent grants` has add, list, revoke"),
  use("agents nope", 2, "unknown command 'nope'"),
  use("trust nope", 2, NEXT),
  use("install claude", 2, NEXT),
  use("session", 2, NEXT),
];

/** Times and numbers: an example of a right one. */
const NUMBERS: readonly WrongUse[] = [
  ...["receipt", "undo", "diff", "log", "log export"].map((name) => use(`${name} --since never`, 2, "write 30m, 2h, 7d, or 2026-11-01")),
  use("runs clean --older soon", 2, "write 30m, 2h, 7d, or 2026-11-01"),
  use("bypass on --for 0m", 2, "write 10m, 2h or 3d"),
  use("bypass on --for 2026-11-01", 2, "write 10m, 2h or 3d"),
  use("grants add Bash(ls) --for long", 2, "write 10m, 2h or 3d"),
  use("grants add Bash(ls) --for 9d", 2, "7 days at most"),
  use("grants add Bash(ls) --count 0", 2, "--count 1 to 1000"),
  use("allow --for x ls", 2, "write 10m, 2h or 3d"),
  use("allow --for 2h --yes npm test", 2, "a grant is agreed to at the terminal: say it without --yes"),
  use("allow --yes --for 2h npm test", 2, "a grant is agreed to at the terminal: say it without --yes"),
  use("log -n 0", 2, "20, for example"),
  use("log -n -3", 2, "20, for example"),
  use("suggest --days x", 2, "14, for example"),
  use("replay --confined --days -1", 2, "14, for example"),
  use("log export --timeout soon", 2, "20, for example"),
  use("mcp --listen 99999 -- x", 2, "127.0.0.1:PORT"),
  use("run --background-respond . x approve", 2, "`x` is not a number of a question"),
];

/** What is no command where one is wanted. */
const ADDRESSES: readonly WrongUse[] = [
  ...["allow", "ask", "deny"].map((name) => use(`${name} https://evil.com`, 2, `assent ${name} "WebFetch(domain:evil.com)"\n`)),
  use("deny http://evil.com/x?y=1", 2, '"WebFetch(domain:evil.com)"'),
  use("deny http://evil.com:8080", 2, '"WebFetch(domain:evil.com)", "Net(evil.com:8080)"'),
  use("deny wss://me:key@evil.com", 2, '"WebFetch(domain:evil.com)"'),
  use("deny HTTPS://EVIL.com now", 2, '"WebFetch(domain:evil.com)"'),
  use("deny https://", 2, '"WebFetch(domain:x.com)"'),
  use("deny file:///etc/hosts", 2, '"Read(/etc/hosts)", "Edit(/etc/hosts)"'),
  // A bare host may be a program.
  use("deny --dry-run evil.com", 0, "Bash(evil.com:*)"),
  use("deny .env", 1, '"Read(.env)"'),
  use("deny Bash(rm", 2, "write `Bash(rm)`"),
  use("allow bash(ls)", 2, "did you mean `Bash(ls)`?"),
  use("rule add rm --deny", 0, "the command is written `Bash(rm:*)`"),
  use("log export --to no/such/file", 1, "its folder does not exist"),
];

/** Made, or only looked for: what is named need not be there. */
const MADE: Readonly<Record<string, string>> = {
  "test --junit no-such": "is written",
  "lint --sarif no-such": "is written",
  "run --output no-such": "is written",
  "run --strace no-such": "is written",
  "run --summary no-such": "is written",
  "log export --to no-such": "is written",
  "team policy key --out no-such": "is made",
  "team policy sign --out no-such x": "is written",
  "run --background-dir no-such": "is made",
  "run --background-wait no-such": "a run that begins may still make it; after half a minute it fails",
  "check --policy no-such": "a hook always answers, and then allows nothing",
  "run --profile no-such": "is made by the first answer that is remembered",
  "clip --profile no-such": "is made by the first answer that is remembered",
  "wrap --profile no-such": "is made by the first answer that is remembered",
  "wrap install --profile no-such x": "is made by the first answer that is remembered",
  "profile edit no-such": "is made in the editor",
  "grants add --session no-such Bash(ls)": "a session may begin later",
  "log --session no-such": "limits what is listed",
  "team serve --folder no-such": "is made, and the server goes on until it is ended",
  "team export --cursor no-such": "is made; without a database it fails for that",
};

const ALL = [...NAMES, ...PLACES, ...WORDS, ...INPUTS, ...GROUPS, ...NUMBERS, ...ADDRESSES];

function place({ files = {} }: Pick<WrongUse, "files">): Scratch {
  const made = scratch();
  for (const [file, text] of Object.entries(files)) made.write(file, text);
  return made;
}

describe(`wrong use (${SAMPLE})`, () => {
  it("is at least sixty ways", () => expect(new Set(ALL.map((one) => JSON.stringify(one))).size).toBeGreaterThanOrEqual(60));

  it.each(sampled(ALL, 3).map((one) => [one.args.join(" "), one] as const))("assent %s", (_name, one) => {
    const { status, stdout, stderr } = assent(place(one), one.args, one.input, one.env);
    const said = `${stdout}${stderr}`;
    expect(said).toContain(one.says);
    expect(status).toBe(one.status);
    // The sentence, not what Node makes of an error that nobody expected.
    expect(said).not.toMatch(/^ {4}at |node:|spawnSync|uv_cwd/m);
    // Nor what the parser of command lines makes of a value.
    expect(said).not.toMatch(/command-argument|is invalid/);
  });
});

const PRINTING = [["--help"], ["--version"], ["version"], ["help", "run"], ["explain", "ls"], ["rules"], ["lint"], ["bypass"], ["auto"]];

function inShell(script: string, args: readonly string[], here: Scratch): { status: number | null; stderr: string } {
  const { status, stderr } = spawnSync("bash", ["-c", script, process.execPath, join(DIST, "bin.cjs"), ...args], {
    cwd: here.project,
    encoding: "utf8",
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: here.home },
  });
  return { status, stderr };
}

/** A project in which a run has changed a file. */
const KEPT = scratch({ keep: true });
afterAll(() => rmSync(KEPT.root, { recursive: true, force: true }));
beforeAll(() => {
  KEPT.write("kept.txt", "a");
  const { status, stderr } = assent(KEPT, ["run", "-P", "-q", "--", "touch", "new.txt"]);
  if (status !== 0) throw new Error(stderr);
});

describe(`a name, a place, a time or a number that is not there (${SAMPLE})`, () => {
  const rows = allCommands(commandTable(program())).filter(({ path }) => !path.endsWith(" help"));
  /** What stands for an argument that is needed besides. */
  const FILLED: Readonly<Record<string, string>> = { "<rule>": "Bash(ls)", "<package>": "x", "<name>": "x", "<answer>": "yes" };
  const LISTED_KINDS: readonly ValueKind[] = ["run", "session", "profile", "grant", "wrapped", "host", "file", "folder"];
  /** Options without which a command looks at no other. */
  const NEEDED: Readonly<Record<string, string>> = { "assent team ci add": "--issuer https://x --audience x --claim repository=a/b" };
  const isNumber = (name: string): boolean => ["time", "count", "n", "number", "seconds"].includes(name);
  const wrong = (kind: ValueKind, name: string): string | undefined => {
    if (Array.isArray(kind)) return "no-such";
    if (kind === "run") return "20200101-000000-abcdef";
    if (LISTED_KINDS.includes(kind) || isNumber(name)) return "no-such";
    return undefined;
  };
  const walk = rows.flatMap(({ path, arguments: args, options }) => {
    const words = path.split(" ").slice(1);
    const needed = args.filter(({ text }) => text.startsWith("<")).map(({ text }) => FILLED[text] ?? "x");
    const last = path === "assent allow" ? ["ls"] : [];
    const asArgument = args.slice(0, 1).flatMap(({ kind, text }) => {
      const value = wrong(kind, text);
      return value === undefined ? [] : [[...words, value]];
    });
    const asOption = options.flatMap(({ names, value }) => {
      const given = value === undefined ? undefined : wrong(value.kind, value.name);
      const required = NEEDED[path] === undefined ? [] : NEEDED[path].split(" ");
      return given === undefined ? [] : [[...words, names.at(-1) ?? "", given, ...required, ...needed, ...last]];
    });
    return [...asArgument, ...asOption].map((all) => all.join(" "));
  });

  it("every exception is a row of the walk", () => expect(Object.keys(MADE).filter((row) => !walk.includes(row))).toEqual([]));

  it.each(sampled(walk, 3).filter((row) => MADE[row] === undefined))("assent %s", (row) => {
    const here = scratch();
    const { status, stdout, stderr } = assent(here, row.split(" "));
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/no-such|20200101-000000-abcdef/);
    expect(stderr).not.toMatch(/^ +at /m);
  });

  it.each([
    ["diff no-such", 2, "no such file, and the run"],
    ["undo no-such --dry-run", 2, "no such file, and the run"],
    ["undo kept.txt no-such --yes", 2, "no such file, and the run"],
    ["diff 20200101-000000-abcdef", 2, "20200101-000000-abcdef: unknown run"],
    ["undo 20200101-000000-abcdef --yes", 2, "20200101-000000-abcdef: unknown run"],
    ["allow --run 20200101-000000-abcdef", 2, "20200101-000000-abcdef: unknown run"],
    ["diff kept.txt", 0, "changed nothing there"],
    ["run", 2, "say which program to run"],
    ["run -P --", 2, "say which program to run"],
    ["seen no-such", 2, "assent seen"],
    ["seen no-such --json", 2, "assent seen"],
    ["trust --revoke no-such", 2, "assent trust --list"],
    ["agents forget no-such", 2, "assent agents list"],
  ])("with a run that is kept: assent %s", (row, status, says) => {
    const run = assent(KEPT, row.split(" "));
    expect([run.status, run.stderr]).toEqual([status, expect.stringContaining(says)]);
  });
});

describe("output that goes nowhere", () => {
  it.each(PRINTING)("assent %s %s: a full device is an error", (...args) => {
    const { status, stderr } = inShell('"$0" "$@" > /dev/full', args, scratch());
    expect([status, stderr]).toEqual([1, "assent: the output cannot be written: no space left on the device\n"]);
  });

  it.each(PRINTING)("assent %s %s: a reader that went away is none", (...args) => {
    // The reader has ended before anything is written.
    const { status, stderr } = inShell('{ sleep 0.2; "$0" "$@"; echo "$?" >&2; } | true', args, scratch());
    expect([status, stderr]).toEqual([0, "0\n"]);
  });

  it("following the log ends with its reader", () => {
    const here = scratch();
    const hook = { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "ls" }, cwd: here.project };
    assent(here, ["check", "--agent", "claude", "--event", "PreToolUse"], JSON.stringify(hook));
    expect(inShell('timeout 10 "$0" "$@" | true; exit "${PIPESTATUS[0]}"', ["log", "--follow"], here).status).toBe(0);
  });
});

describe("a folder that was deleted", () => {
  it.each([["explain", "ls"], ["rules"], ["lint"], ["doctor"], ["init"], ["test"], ["auto"]])("assent %s %s", (...args) => {
    const here = scratch();
    const gone = join(here.root, "gone");
    mkdirSync(gone);
    const { status, stderr } = inShell(`cd '${gone}' && rmdir '${gone}' && "$0" "$@"`, args, here);
    expect([status, stderr]).toEqual([1, "assent: the folder you are in has been deleted: change to another one (`cd ~`)\n"]);
  });
});

describe("a command as its words", () => {
  it.each([
    [["git", "status"], "git status"],
    [["git", "commit", "-m", "two words"], "git commit -m 'two words'"],
    [["echo", "it's"], String.raw`echo 'it'\''s'`],
    // What the shell has read is not read once more.
    [["echo", "$(rm -rf ~)"], "echo '$(rm -rf ~)'"],
    [["echo", "*", "a;b", "", "~"], "echo '*' 'a;b' '' '~'"],
    [["A=1", "ls"], "A=1 ls"],
    [["A=x y", "B=", "ls", "C=1"], "A='x y' B= ls C=1"],
    [["--", "ls", "--json"], "ls --json"],
    [["ls", "--color"], "ls --color"],
    [["ls -l | head"], "ls -l | head"],
  ])("explain %j judges %s", (words, line) => {
    const here = scratch();
    const judged = (args: readonly string[]): unknown => JSON.parse(assent(here, ["explain", "--json", ...args]).stdout);
    expect(judged(words)).toEqual(judged([line]));
    expect(assent(here, ["explain", ...words]).stdout.split("\n")[0]).toContain(line);
  });
});

it("reads a policy from a pipe", () => {
  const here = scratch();
  const policy = join(here.root, "policy.jsonc");
  writeFileSync(policy, '{ "permissions": { "deny": ["Bash(ls:*)"] } }');
  expect(inShell(`"$0" "$@" --policy <(cat '${policy}') ls > '${policy}.out'`, ["explain"], here).status).toBe(0);
  rmSync(policy);
});
