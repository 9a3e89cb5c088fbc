// What supervision costs: `npm run bench:supervise`, or `node scripts/run.mjs bench/supervise.ts [calls|programs|many] [--rounds N]
// [--dist FOLDER] [--peers] [--json FILE]`. Everything is measured in turn with the bare thing, so that what else the machine does hits
// both. Needs gcc, git, python3 with venv and, once, the npm registry. `--peers` fetches what it compares with.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, release, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import type { Bench } from "./supervise/bench.ts";
import { measureCalls } from "./supervise/calls.ts";
import { measureMany } from "./supervise/many.ts";
import { load, plainEnvironment } from "./supervise/measure.ts";
import { installPeers } from "./supervise/peers.ts";
import { measureWorkloads } from "./supervise/workloads.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "5" },
    dist: { type: "string", default: "dist" },
    peers: { type: "boolean", default: false },
    json: { type: "string" },
  },
});
const rounds = Number(values.rounds);
const wanted = (part: string): boolean => positionals.length === 0 || positionals.includes(part);

const scratch = mkdtempSync(join(tmpdir(), "assent-bench-"));
const fast = mkdtempSync("/dev/shm/assent-bench-");
try {
  const places = { npm_config_cache: join(scratch, "cache"), XDG_STATE_HOME: join(scratch, "state") };
  const env = plainEnvironment(places);
  const bench: Bench = {
    scratch,
    fast,
    sources: resolve("bench/supervise"),
    root: resolve("."),
    env,
    fetching: { ...process.env, ...places },
    assent: [process.execPath, join(resolve(values.dist), "bin.cjs"), "run", "-P", "-q", "--"],
  };
  console.log(`node ${process.version}, Linux ${release()}, ${availableParallelism()} processors, ${load()}`);
  if (wanted("calls")) measureCalls(bench, rounds);
  if (wanted("many")) measureMany(bench, rounds);
  if (wanted("programs")) {
    const before = load();
    const programs = measureWorkloads(bench, rounds, values.peers ? installPeers(bench) : []);
    const machine = { node: process.version, linux: release(), processors: availableParallelism(), load: [before, load()] };
    const date = new Date().toISOString().slice(0, 10);
    if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify({ date, rounds, machine, programs }, undefined, 2)}\n`);
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
  rmSync(fast, { recursive: true, force: true });
}
