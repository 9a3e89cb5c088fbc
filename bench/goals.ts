// Measures everything there is a goal for, or compares with another commit: `npm run bench -- [--rounds N] [--only ID,…] [--json FILE]
// [--write FILE] [--against REF]`. Builds nothing itself, but for `--against`. `--from FILE` writes the table of an earlier run.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { availableParallelism, release, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { type GoalReport, lineOf, type MeasuredGoal, measuredGoal, type Pairs, ratios, writeTable } from "./goals/report.ts";
import { commitOf, goalGroups, type GoalRow, type RowGroup } from "./goals/rows.ts";
import type { BuiltTree } from "./goals/tree.ts";
import type { Bench } from "./supervise/bench.ts";
import { load, plainEnvironment, spread } from "./supervise/measure.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "3" },
    only: { type: "string" },
    json: { type: "string" },
    write: { type: "string" },
    from: { type: "string" },
    against: { type: "string" },
  },
});
const rounds = Math.max(1, Number(values.rounds) || 3);
const wanted = (id: string): boolean => values.only === undefined || values.only.split(",").some((one) => id.startsWith(one));
const root = resolve(".");
const here: BuiltTree = { name: "here", root, dist: join(root, "dist") };
const scratch = mkdtempSync(join(tmpdir(), "assent-bench-"));
const fast = mkdtempSync("/dev/shm/assent-bench-");

function benchFor(tree: BuiltTree): Bench {
  const [own, ownFast] = [join(scratch, tree.name), join(fast, tree.name)];
  mkdirSync(own);
  mkdirSync(ownFast);
  const places = { npm_config_cache: join(scratch, "cache"), XDG_STATE_HOME: join(own, "state") };
  return {
    scratch: own,
    fast: ownFast,
    sources: join(root, "bench/supervise"),
    root,
    env: plainEnvironment(places),
    fetching: { ...process.env, ...places },
    assent: [process.execPath, join(tree.dist, "bin.cjs"), "run", "-P", "-q", "--"],
  };
}

/** Another commit, built in a scratch folder. */
function treeAt(ref: string): BuiltTree {
  const folder = join(scratch, "against");
  const git = (...words: string[]): string => execFileSync("git", words, { cwd: root, encoding: "utf8" });
  git("worktree", "add", "--detach", folder, ref);
  const lock = (at: string): string => readFileSync(join(at, "package-lock.json"), "utf8");
  if (lock(root) === lock(folder)) symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  else execFileSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: folder, stdio: "inherit" });
  execFileSync(process.execPath, ["scripts/build.mjs"], { cwd: folder, stdio: "inherit" });
  return { name: "there", root: folder, dist: join(folder, "dist") };
}

interface Taken {
  readonly row: GoalRow;
  readonly pairs: Pairs;
  failed: string | undefined;
}

const text = (error: unknown): string => (error instanceof Error ? error.message : String(error)).split("\n")[0] ?? "";

/** Opens one group for each tree and measures their rows in turn; undefined where the group cannot be opened there. */
function measureGroup(groups: readonly RowGroup[]): readonly (readonly Taken[])[] {
  const opened = groups.map((group) => {
    try {
      return group.open();
    } catch (error) {
      console.log(`${group.name} did not run: ${text(error)}`);
      return { rows: [], close: () => undefined };
    }
  });
  const taken = opened.map(({ rows }) =>
    rows.filter(({ id }) => wanted(id)).map((row): Taken => ({ row, pairs: { own: [], bare: [] }, failed: undefined })),
  );
  const [first = []] = taken;
  try {
    for (let round = 0; round < rounds; round += 1)
      for (const { row } of first)
        for (let time = 0; time < row.times; time += 1)
          for (const side of taken) {
            const one = side.find((each) => each.row.id === row.id);
            if (one === undefined || one.failed !== undefined) continue;
            try {
              if (one.row.bare !== undefined) one.pairs.bare.push(one.row.bare());
              one.pairs.own.push(one.row.own());
            } catch (error) {
              one.failed = text(error);
            }
          }
  } finally {
    for (const { close } of opened) close();
  }
  return taken;
}

function compare(ref: string): void {
  const there = treeAt(ref);
  const name = execFileSync("git", ["rev-parse", "--short", ref], { cwd: root, encoding: "utf8" }).trim();
  console.log(`${commitOf(here)} against ${name}, in turn, ${rounds} rounds; below 1 is faster; ${load()}`);
  const groups = [here, there].map((tree) => groupsOf(tree));
  for (const [at, group] of (groups[0] ?? []).entries()) {
    const other = groups[1]?.[at];
    if (other === undefined) continue;
    const [own = [], against = []] = measureGroup([group, other]);
    for (const { row, pairs, failed } of own) {
      const that = against.find((one) => one.row.id === row.id);
      if (failed !== undefined || that === undefined || that.failed !== undefined || that.pairs.own.length === 0)
        console.log(`${"".padEnd(22)} ${row.what}: did not run: ${failed ?? that?.failed ?? `${name} has no such thing`}`);
      else {
        const { median, p10, p90 } = ratios(pairs.own, that.pairs.own);
        const of = [pairs.own, that.pairs.own].map((all) => spread(all).median.toPrecision(3)).join(" and ");
        console.log(
          `${`${median.toFixed(2)} × (${p10.toFixed(2)} to ${p90.toFixed(2)})`.padEnd(22)} ${row.what}: ${of} ${row.unit === "x" ? "each alone" : row.unit}`,
        );
      }
    }
  }
}

function groupsOf(tree: BuiltTree): readonly RowGroup[] {
  let bench: Bench | undefined;
  return goalGroups(here, tree, () => (bench ??= benchFor(tree)), rounds).filter(({ ids }) => ids.some((id) => wanted(id)));
}

function measure(): void {
  const before = load();
  const rows: MeasuredGoal[] = [];
  for (const group of groupsOf(here))
    for (const { row, pairs, failed } of measureGroup([group])[0] ?? []) {
      const found = measuredGoal(row, pairs, failed);
      rows.push(found);
      console.log(lineOf(found));
    }
  const machine = { node: process.version, linux: release(), processors: availableParallelism(), load: [before, load()] } as const;
  const report: GoalReport = { date: new Date().toISOString().slice(0, 10), commit: commitOf(here), rounds, machine, rows };
  console.log(`${rows.filter(({ reached }) => reached).length} of ${rows.length} reached; ${machine.load.join(", ")}`);
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(report, undefined, 2)}\n`);
  if (values.write !== undefined) writeTable(values.write, report);
}

try {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by this program
  if (values.from !== undefined)
    writeTable(values.write ?? "evidence/performance.md", JSON.parse(readFileSync(values.from, "utf8")) as GoalReport);
  else if (values.against === undefined) measure();
  else compare(values.against);
} finally {
  if (existsSync(join(scratch, "against"))) execFileSync("git", ["worktree", "remove", "--force", join(scratch, "against")], { cwd: root });
  rmSync(scratch, { recursive: true, force: true });
  rmSync(fast, { recursive: true, force: true });
}
