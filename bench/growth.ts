// How cost grows: with the rules of a policy, secrets in the project, files in the project, the depth of the process tree and the length
// of the log. `npm run bench:growth [-- --rounds N] [--only log,…] [--json FILE]`; `npm run plots` draws what is in bench/growth.json.
import { mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism, release } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { makePlace, type Place, ran } from "./goals/tree.ts";
import { policyOfRules } from "./growth/policy.ts";
import { writeLargeLog } from "./large-log.ts";
import { load, spread } from "./supervise/measure.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    only: { type: "string" },
    json: { type: "string" },
    dist: { type: "string", default: "dist" },
  },
});
const rounds = Math.max(1, Number(values.rounds) || 5);
const bin = join(resolve(values.dist), "bin.cjs");

/** What is measured at each size: milliseconds. */
type Measures = Readonly<Record<string, () => number>>;

interface Axis {
  readonly id: string;
  readonly what: string;
  readonly sizes: readonly number[];
  /** Makes a place of that size. */
  readonly at: (size: number) => { readonly place: Place; readonly measures: Measures };
}

const PLAIN = '{ "permissions": { "allow": ["Bash(npm test:*)"], "deny": ["Read(**/*.pem)"] } }\n';

function hook(place: Place, command: string): () => number {
  const input = JSON.stringify({
    session_id: "bench",
    cwd: place.project,
    permission_mode: "default",
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command },
  });
  return () => ran([process.execPath, bin, "check", "--agent", "claude", "--event", "PreToolUse"], place, input).ms;
}

const run =
  (place: Place, ...argv: string[]): (() => number) =>
  () =>
    ran([process.execPath, bin, "run", "-P", "-q", "--", ...argv], place).ms;

/** So many files, 100 in a folder. */
function fill(project: string, count: number, nameOf: (at: number) => string): void {
  for (let at = 0; at < count; at += 1) {
    const folder = join(project, `part${Math.floor(at / 100)}`);
    if (at % 100 === 0) mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, nameOf(at)), "x\n");
  }
}

const AXES: readonly Axis[] = [
  {
    id: "rules",
    what: "rules in the policy",
    sizes: [10, 100, 1000, 10_000],
    at: (size) => {
      const place = makePlace(policyOfRules(size));
      return { place, measures: { "a hook call, git status": hook(place, "git status"), "assent run -- true": run(place, "true") } };
    },
  },
  {
    id: "secrets",
    what: "secrets in the project (`.env` files)",
    sizes: [0, 10, 100, 1000],
    at: (size) => {
      const place = makePlace(PLAIN);
      for (let at = 0; at < size; at += 1) {
        mkdirSync(join(place.project, `service${at}`));
        writeFileSync(join(place.project, `service${at}/.env`), "TOKEN=x\n");
      }
      return {
        place,
        measures: {
          "a hook call, git status": hook(place, "git status"),
          "a hook call, grep -rn TODO .": hook(place, "grep -rn TODO ."),
          "assent run -- true": run(place, "true"),
          "assent run -- grep -rn TODO src": run(place, "sh", "-c", "grep -rn TODO src; true"),
        },
      };
    },
  },
  {
    id: "files",
    what: "files in the project",
    sizes: [100, 1000, 10_000, 50_000],
    at: (size) => {
      const place = makePlace(PLAIN);
      fill(place.project, size, (at) => `file${at}.ts`);
      return {
        place,
        measures: {
          "a hook call, git status": hook(place, "git status"),
          "a hook call, grep -rn TODO .": hook(place, "grep -rn TODO ."),
          "assent run -- true": run(place, "true"),
        },
      };
    },
  },
  {
    id: "depth",
    what: "depth of the process tree",
    sizes: [1, 4, 16, 64],
    at: (size) => {
      const place = makePlace(PLAIN);
      writeFileSync(join(place.project, "nest.sh"), '[ "$1" -gt 1 ] && { sh nest.sh $(($1 - 1)); exit $?; }\ncat nest.sh >/dev/null\n');
      const argv = ["sh", "nest.sh", String(size)];
      return { place, measures: { bare: () => ran(argv, place).ms, "assent run": run(place, ...argv) } };
    },
  },
  {
    id: "log",
    what: "records in the log",
    sizes: [0, 10_000, 100_000, 1_000_000],
    at: (size) => {
      const place = makePlace(PLAIN);
      if (size > 0) {
        const state = join(place.home, ".local/state/assent");
        mkdirSync(state, { recursive: true, mode: 0o700 });
        writeLargeLog(state, size);
      }
      const command =
        (...words: string[]) =>
        () =>
          ran([process.execPath, bin, ...words], place).ms;
      return {
        place,
        measures: {
          "a hook call, with its line": hook(place, "git status"),
          "assent log (the newest)": command("log"),
          "assent status --line": command("status", "--line"),
        },
      };
    },
  },
];

const measured = [];
const before = load();
for (const { id, what, sizes, at } of AXES.filter((axis) => values.only === undefined || values.only.split(",").includes(axis.id))) {
  console.log(`\n${what}, milliseconds: median (10th to 90th percentile) of ${rounds}; ${load()}`);
  const places = sizes.map((size) => ({ size, ...at(size) }));
  try {
    const times = places.map(({ measures }) => new Map<string, number[]>(Object.keys(measures).map((name) => [name, []])));
    // The sizes in turn, so that what else the machine does hits all of them; the first round fills caches.
    for (let round = -1; round < rounds; round += 1)
      for (const [index, { measures }] of places.entries())
        for (const [name, measure] of Object.entries(measures)) {
          const ms = measure();
          if (round >= 0) times[index]?.get(name)?.push(ms);
        }
    const names = Object.keys(places[0]?.measures ?? {});
    const rows = names.map((name) => ({ name, points: sizes.map((size, index) => ({ size, ...spread(times[index]?.get(name) ?? []) })) }));
    for (const { name, points } of rows)
      console.log(
        `${name.padEnd(34)} ${points.map(({ size, median, p10, p90 }) => `${size.toLocaleString("en-US")}: ${median.toFixed(0)} (${p10.toFixed(0)} to ${p90.toFixed(0)})`).join("   ")}`,
      );
    measured.push({ id, what, rows });
  } finally {
    for (const { place } of places) place.close();
  }
}
if (values.json !== undefined) {
  const machine = { node: process.version, linux: release(), processors: availableParallelism(), load: [before, load()] };
  writeFileSync(
    values.json,
    `${JSON.stringify({ date: new Date().toISOString().slice(0, 10), rounds, machine, axes: measured }, undefined, 2)}\n`,
  );
}
