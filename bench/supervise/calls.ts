// What one call costs: probe.c makes it, bare, under loop.c, and under `assent run`, in turn.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { busily, load, output, spread } from "./measure.ts";
import type { Bench } from "./bench.ts";

/** The answer each call gets: CONTINUE, SEND (done on the program's behalf), ADDFD (a descriptor handed over). */
const CALLS = {
  recvmsg: "CONTINUE",
  chmod: "SEND",
  mkdir: "SEND",
  unlink: "SEND",
  read: "ADDFD",
  write: "ADDFD",
  create: "ADDFD",
} as const;

const PROBE_ROUNDS = 12;
const CALLS_A_ROUND = 400;

export function measureCalls(bench: Bench, rounds: number): void {
  const folder = join(bench.fast, "calls");
  mkdirSync(folder, { recursive: true });
  const compiled = (name: string): string => {
    const file = join(bench.scratch, name);
    output({ argv: ["gcc", "-O2", "-o", file, join(bench.sources, `${name}.c`)], cwd: folder, env: bench.env });
    return file;
  };
  const [probe, loop] = [compiled("probe"), compiled("loop")];
  const ways = {
    bare: [],
    "C loop": [loop, "do"],
    "C loop, near": [loop, "near"],
    assent: [...bench.assent],
    "assent --no-undo": [...bench.assent.slice(0, -1), "--no-undo", "--"],
  } satisfies Record<string, readonly string[]>;
  const work = (): void => {
    for (const [call, answer] of Object.entries(CALLS)) {
      const times = new Map<string, number[]>();
      for (let round = 0; round < rounds; round += 1)
        for (const [way, before] of Object.entries(ways)) {
          const [file = "", ...rest] = [...before, probe, call, String(PROBE_ROUNDS), String(CALLS_A_ROUND)];
          const lines = output({ argv: [file, ...rest], cwd: folder, env: bench.env })
            .trim()
            .split("\n");
          times.set(way, [...(times.get(way) ?? []), ...lines.map((line) => Number(line) / 1000)]);
        }
      const bare = spread(times.get("bare") ?? []).median;
      console.log(`${call.padEnd(7)} ${answer.padEnd(9)} bare ${bare.toFixed(1)} µs; above it, median (10th to 90th percentile):`);
      for (const way of Object.keys(ways).slice(1)) {
        const { median, p10, p90 } = spread((times.get(way) ?? []).map((time) => time - bare));
        console.log(`    ${way.padEnd(18)} ${median.toFixed(1).padStart(7)} µs  (${p10.toFixed(1)} to ${p90.toFixed(1)})`);
      }
    }
    console.log(load());
  };
  console.log(`\ncalls, the machine as it is, ${load()}`);
  work();
  console.log("\ncalls, every processor busy");
  busily(work);
}
