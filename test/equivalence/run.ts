import { spawn, spawnSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { everyday } from "./everyday.ts";
import { redis, sqlite } from "./databases.ts";
import { HERE, type Outcome, type Results, type Suite, SUITES, type Unit } from "./suites.ts";
import { cargo, go } from "./toolchains.ts";

const HELP = `npm run equivalence -- [options]

Runs the tests of real programs bare and under a policy that allows everything, and compares them test by test.
Each unit is run three times in namespaces of its own, on a machine with IPv4 and IPv6 addresses: bare; under
supervision; and again, after \`assent undo\`, while a daemon of another run lives in the same folder.
Linux, with unshare(1), setpriv(1) and ip(8); sources come from Debian (apt-get source), into the cache alone.

  --list           what can be compared here, and what is missing
  --suite NAME     only this suite (again for another)
  --unit PATTERN   only units whose names match this regular expression
  --except PATTERN not those
  --all            every unit: hours
  --once           one supervised run, not a second one after its undo
  --tried          by \`assent try --apply\` in the place of \`assent run\`
  --jobs N         units at a time (1)
  --seconds N      the longest that one run of a unit may take (300)
  --record FILE    add what each unit gave; those in it are not run again, and the table is made of all of it
  --root           compare what root is given; else, as root, everything runs as the user 65534
  --cache DIR      sources and what is built of them; that user must be able to read it
`;
const flags = process.argv.slice(2);
const valuesOf = (name: string): readonly string[] => flags.flatMap((flag, at) => (flag === name ? [flags[at + 1] ?? ""] : []));
const numberOf = (name: string, other: number): number => Number(valuesOf(name)[0] ?? other);
const all = flags.includes("--all");
const once = flags.includes("--once");
/** Root loses its rights under supervision: so everybody else is compared, unless asked otherwise. */
const isRoot = process.getuid?.() === 0;
const asUser = isRoot && !flags.includes("--root");
const wanted = valuesOf("--suite");
const pattern = new RegExp(valuesOf("--unit")[0] ?? "");
const except = new RegExp(valuesOf("--except")[0] ?? "^$");
const cache = resolve(valuesOf("--cache")[0] ?? (isRoot ? "/var/cache/assent-equivalence" : join(homedir(), ".cache/assent-equivalence")));
const record = valuesOf("--record")[0];
const ALL = [...SUITES, redis, sqlite, go, cargo, everyday];
const seconds = numberOf("--seconds", 300);

const ASSENT = join(process.env["SUPERVISE_DIST"] ?? join(HERE, "../../dist"), "bin.cjs");
const UNSHARE = ["-nmp", "--fork", "--kill-child", "--mount-proc", ...(isRoot ? [] : ["-r"])];
const AS_USER = asUser ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : [];

/** A rule that names the host opens this machine; `Net(*)` the rest. */
const HOSTS = ["localhost", "127.0.0.1", "[::1]", "0.0.0.0", "[::]", "198.51.100.1", "[2001:db8:1::1]", "*"];
const everything = ({ preset }: Suite): unknown => ({
  version: 1,
  ...(preset === undefined ? {} : { preset }),
  permissions: {
    allow: [
      ...["Read", "Edit", "Write", "Delete", "List", "Exec"].map((kind) => `${kind}(/**)`),
      "Bash(*)",
      ...HOSTS.map((host) => `Net(${host})`),
    ],
  },
});

/** Why a test ends otherwise under supervision; `tests` is a regular expression for whole names. */
interface Known {
  readonly suite: string;
  readonly tests: string;
  readonly why: string;
}
const known = JSON.parse(readFileSync(join(HERE, "known.json"), "utf8")) as readonly Known[];

interface Place {
  readonly root: string;
  readonly project: string;
  readonly env: Record<string, string>;
}

function placeFor(suite: Suite, unit: Unit): Place {
  const root = mkdtempSync(join(tmpdir(), "assent-same-"));
  const project = join(root, "home/project");
  mkdirSync(join(root, "tmp"));
  writeFileSync(join(root, "policy.json"), JSON.stringify(everything(suite)));
  if (asUser) spawnSync("chown", ["-R", "65534:65534", root]);
  freshProject(project);
  if (asUser) spawnSync("chown", ["65534:65534", join(root, "home")]);
  const { PATH = "/usr/bin:/bin" } = process.env;
  const home = join(root, "home");
  const env = {
    PATH,
    HOME: home,
    XDG_STATE_HOME: join(root, "state"),
    LANG: "C.UTF-8",
    TERM: "dumb",
    LIMIT: String(seconds - 20),
    ...unit.env,
  };
  return { root, project, env };
}

/** In namespaces of its own, all of which end with it. Undefined: it did not end in time. */
function inWorld({ root, project, env }: Place, commands: readonly string[], runs = 1): Promise<string | undefined> {
  const args = [...UNSHARE, "sh", join(HERE, "world.sh"), ...AS_USER, "bash", "-c", commands.join("\n")];
  return new Promise((done) => {
    const child = spawn("unshare", args, { cwd: project, env: { ...env, ROOT: root }, stdio: ["ignore", "pipe", "pipe"] });
    let text = "";
    let ended = true;
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (data: Buffer) => void (text += data.toString("latin1")));
    const timer = setTimeout(
      () => {
        ended = false;
        child.kill("SIGKILL");
      },
      runs * seconds * 1000,
    );
    child.on("close", () => {
      clearTimeout(timer);
      done(ended ? text : undefined);
    });
  });
}

const quoted = (words: readonly string[]): string => words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
const KIND = flags.includes("--tried") ? ["try", "--apply"] : ["run", "-q", "-P"];
const supervised = (words: readonly string[]): string =>
  `${quoted([process.execPath, ASSENT, ...KIND, "--policy"])} "$ROOT/policy.json" -- ${quoted(words)}`;

/** Which of the runs did not end in time. */
type Late = "bare" | "supervised";

function freshProject(project: string): void {
  rmSync(project, { recursive: true, force: true });
  mkdirSync(join(project, ".git/objects"), { recursive: true });
  mkdirSync(join(project, ".git/refs"));
  writeFileSync(join(project, ".git/HEAD"), "ref: refs/heads/main\n");
  if (asUser) spawnSync("chown", ["-R", "65534:65534", project]);
}

async function compare(suite: Suite, unit: Unit): Promise<Outcome | Late> {
  if (suite.compare !== undefined) return suite.compare(unit);
  const place = placeFor(suite, unit);
  const { root, project } = place;
  try {
    const plain = await inWorld(place, [quoted(unit.command)]);
    if (plain === undefined) return "bare";
    const bare = suite.results(plain, project, unit);
    freshProject(project);
    const daemon = `(exec 9>&-; ${supervised(["sh", "-c", "while sleep 1; do :; done"])} </dev/null >/dev/null 2>&1 &)`;
    const undo = `${quoted([process.execPath, ASSENT, "undo", "--yes"])} >"$ROOT/undo" 2>&1`;
    const keep = (name: string): string => `if [ -e results ]; then mv results "$ROOT/${name}"; fi`;
    const first = [supervised(unit.command), 'if [ -e results ]; then cp results "$ROOT/first"; fi'];
    const again = [undo, "rm -rf results", "echo '== again =='", daemon, supervised(unit.command), keep("again")];
    const text = await inWorld(place, once ? first : [...first, ...again], once ? 1 : 2);
    if (text === undefined) return "supervised";
    const [one = "", two = ""] = text.split("== again ==\n");
    const of = (part: string, name: string): Results => {
      const at = join(root, name);
      rmSync(join(project, "results"), { force: true });
      if (existsSync(at)) writeFileSync(join(project, "results"), readFileSync(at));
      return suite.results(part, project, unit);
    };
    return { bare, others: [of(one, "first"), ...(once ? [] : [of(two, "again")])] };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

interface Difference {
  readonly test: string;
  readonly bare: string;
  readonly supervised: string;
}

interface Found {
  readonly suite: string;
  readonly unit: string;
  readonly tests: number;
  readonly pass: number;
  /** Those that fail bare compare little. */
  readonly failed?: number;
  readonly differences: readonly Difference[];
  readonly late?: Late;
}

function differences({ bare, others }: Outcome): readonly Difference[] {
  return [...bare].flatMap(([test, result]) => {
    const found = others.map((results) => results.get(test) ?? "nothing").find((other) => other !== result);
    return found === undefined ? [] : [{ test, bare: result, supervised: found }];
  });
}

/** What a suite says of a test that failed; 77: it left itself out. */
const FAILS = /^(?:error\b.*|failure|unexpected success|FAIL|not ok|(?!77$)[1-9]\d*)$/;

/** What changes from run to run by itself is no difference: it must show again. */
async function settled(suite: Suite, unit: Unit): Promise<Found> {
  const names = { suite: suite.name, unit: unit.name };
  const outcome = await compare(suite, unit);
  if (typeof outcome === "string") return { ...names, tests: 0, pass: 0, differences: [], late: outcome };
  let found = differences(outcome);
  for (let tries = 0; tries < 2 && found.length > 0; tries++) {
    const anew = await compare(suite, unit);
    if (typeof anew === "string") break;
    const still = new Map(differences(anew).map((difference) => [difference.test, difference]));
    found = found.filter(({ test, bare }) => still.get(test)?.bare === bare);
  }
  const pass = [...outcome.bare.values()].filter((result) => /^(?:ok|PASS|0|expected failure)$/.test(result)).length;
  const failed = [...outcome.bare.values()].filter((result) => FAILS.test(result)).length;
  return { ...names, tests: outcome.bare.size, pass, failed, differences: found };
}

const linesOf = (file: string): readonly Found[] =>
  existsSync(file)
    ? readFileSync(file, "utf8")
        .trim()
        .split("\n")
        .flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Found]))
    : [];

const reasonFor = (suite: string, test: string): Known | undefined =>
  known.find((entry) => entry.suite === suite && new RegExp(`^(?:${entry.tests})$`).test(test));

/** The table, and every difference with its reason; how many have none. */
function report(found: readonly Found[]): number {
  const rows: string[] = [];
  let unexplained = 0;
  for (const { name, from } of ALL) {
    const own = found.filter(({ suite }) => suite === name);
    if (own.length === 0) continue;
    const count = (of: (each: Found) => number): number => own.reduce((sum, each) => sum + of(each), 0);
    const late = own.filter((each) => each.late !== undefined);
    for (const each of late) process.stdout.write(`LATE ${name} ${each.unit}: the ${String(each.late)} run did not end in ${seconds} s\n`);
    for (const { unit, tests, failed = 0 } of own)
      if (failed > tests / 5) process.stdout.write(`BARE ${name} ${unit}: ${failed} of ${tests} fail without Assent, and compare little\n`);
    const open = count(({ differences: all }) => all.filter(({ test }) => reasonFor(name, test) === undefined).length);
    const different = count(({ differences: all }) => all.length);
    for (const { unit, differences: list } of own)
      for (const { test, bare, supervised: other } of list) {
        const why = reasonFor(name, test)?.why;
        process.stdout.write(
          `${why === undefined ? "UNEXPLAINED" : "known"} ${name} ${unit}: ${test}: ${bare} / ${other}${why === undefined ? "" : ` (${why})`}\n`,
        );
      }
    unexplained += open;
    const tests = count((each) => each.tests);
    const cells = [
      name,
      from,
      own.length - late.length,
      tests,
      count((each) => each.pass),
      tests - different,
      different - open,
      open,
      late.length,
    ];
    rows.push(`| ${cells.join(" | ")} |`);
  }
  const heads = [
    "suite",
    "from",
    "files or groups",
    "tests",
    "pass bare",
    "the same",
    "different, with a reason",
    "unexplained",
    "not ended in time",
  ];
  process.stdout.write(`| ${heads.join(" | ")} |\n|${"---|".repeat(heads.length)}\n${rows.join("\n")}\n`);
  return unexplained;
}

async function main(): Promise<void> {
  if (flags.includes("--help") || flags.includes("-h")) return void process.stdout.write(HELP);
  const missing = ["unshare", "setpriv", "ip", "bash"].filter((name) => spawnSync("sh", ["-c", `command -v ${name}`]).status !== 0);
  if (missing.length > 0) throw new Error(`this needs ${missing.join(", ")} (Debian: apt-get install util-linux iproute2 bash)`);
  mkdirSync(cache, { recursive: true });
  if (asUser && spawnSync("setpriv", [...AS_USER.slice(1), "test", "-r", cache, "-a", "-x", cache]).status !== 0)
    throw new Error(`the user 65534 cannot read ${cache}: name another folder with --cache`);
  const before = record === undefined ? [] : linesOf(record);
  const found = [...before];
  const work: (readonly [Suite, Unit])[] = [];
  for (const suite of ALL) {
    if (wanted.length > 0 && !wanted.includes(suite.name)) continue;
    const units = suite.units(cache, all);
    if (typeof units === "string") process.stdout.write(`${suite.name} (${suite.from}) cannot be compared here: ${units}\n`);
    else {
      const chosen = units.filter(({ name }) => pattern.test(name) && !except.test(name));
      if (flags.includes("--list"))
        process.stdout.write(`${suite.name} (${suite.from}):\n${chosen.map(({ name }) => `  ${name}\n`).join("")}`);
      work.push(
        ...chosen.flatMap((unit) =>
          before.some((each) => each.suite === suite.name && each.unit === unit.name) ? [] : [[suite, unit] as const],
        ),
      );
    }
  }
  if (flags.includes("--list")) return;
  const next = async (): Promise<void> => {
    for (let each = work.shift(); each !== undefined; each = work.shift()) {
      const result = await settled(...each);
      found.push(result);
      if (record !== undefined) appendFileSync(record, `${JSON.stringify(result)}\n`);
      const what = result.late === undefined ? `${result.tests} tests, ${result.differences.length} different` : "not ended in time";
      process.stderr.write(`${result.suite} ${result.unit}: ${what} (${work.length} to go)\n`);
    }
  };
  await Promise.all(Array.from({ length: numberOf("--jobs", 1) }, next));
  if (report(found) > 0) process.exitCode = 1;
}

try {
  await main();
} catch (error) {
  process.stderr.write(`equivalence: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
