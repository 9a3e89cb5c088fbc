// Many programs that ask at once, as `make -j16` does: how many opens a second are answered, bare, by a listener in C with one, two and
// four receivers (RECEIVERS of loop.c), and by `assent run`, which has one thread. And all of it on one processor, for the work alone.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Bench } from "./bench.ts";
import { load, output, spread } from "./measure.ts";

const OPENS = 20_000;
const FILES = 500;
const AT_ONCE = [1, 4, 16];

/** Says how long it took in nanoseconds, without its start. */
const SCRIPT = `begin=$(date +%s%N)
at=0
while [ $at -lt $1 ]; do "$2" "$3" $4 >/dev/null & at=$((at + 1)); done
wait
echo $(($(date +%s%N) - begin))
`;

export function measureMany(bench: Bench, rounds: number): void {
  const folder = join(bench.fast, "many");
  mkdirSync(join(folder, "files"), { recursive: true });
  for (let at = 0; at < FILES; at += 1) writeFileSync(join(folder, "files", `file${at}.txt`), "x");
  const compiled = (name: string): string => {
    const file = join(bench.scratch, `${name}-many`);
    output({ argv: ["gcc", "-O2", "-o", file, join(bench.sources, `${name}.c`)], cwd: folder, env: bench.env });
    return file;
  };
  const [opens, loop] = [compiled("opens"), compiled("loop")];
  const script = join(folder, "many.sh");
  writeFileSync(script, SCRIPT);
  const receivers = (count: number) => ({ before: [loop, "do"], env: { ...bench.env, RECEIVERS: String(count) } });
  const threads = (count: number) => ({
    before: [loop, "do"],
    env: { ...bench.env, RECEIVER: `exec '${process.execPath}' '${join(bench.sources, "receivers.mjs")}' ${count}` },
  });
  const ways: Readonly<Record<string, { readonly before: readonly string[]; readonly env: NodeJS.ProcessEnv }>> = {
    bare: { before: [], env: bench.env },
    "C, 1 receiver": receivers(1),
    "C, 2 receivers": receivers(2),
    "C, 4 receivers": receivers(4),
    "Node, 1 thread": threads(1),
    "Node, 2 threads": threads(2),
    assent: { before: bench.assent, env: bench.env },
  };
  for (const [name, pinned] of [
    ["on all processors", []],
    ["on one processor", ["taskset", "-c", "0"]],
  ] as const)
    for (const atOnce of AT_ONCE) {
      const times = new Map<string, number[]>();
      for (let round = 0; round < rounds; round += 1)
        for (const [way, { before, env }] of Object.entries(ways)) {
          const each = String(Math.max(1, Math.round(OPENS / FILES / atOnce)));
          const argv = [...pinned, ...before, "/bin/sh", script, String(atOnce), opens, join(folder, "files"), each] as const;
          const [file, ...rest] = argv;
          const ns = Number(output({ argv: [file, ...rest], cwd: folder, env }).trim());
          times.set(way, [...(times.get(way) ?? []), (atOnce * Number(each) * FILES * 1e6) / ns]);
        }
      console.log(`\n${atOnce} programs at once, ${name}; thousand opens a second, median (10th to 90th percentile), ${load()}`);
      for (const [way, all] of times) {
        const { median, p10, p90 } = spread(all);
        console.log(`    ${way.padEnd(16)} ${median.toFixed(1).padStart(7)}  (${p10.toFixed(1)} to ${p90.toFixed(1)})`);
      }
    }
}
