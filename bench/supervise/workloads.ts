// What whole programs take: bare, under `assent run`, and under others, in turn.
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { Bench } from "./bench.ts";
import { load, output, spread, type Spread, timed } from "./measure.ts";
import type { Peer } from "./peers.ts";

interface Workload {
  readonly name: string;
  /** Most it may take, as a multiple of bare; undefined: nobody has asked for it. */
  readonly target?: number;
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  /** Before each time: what the last one left goes away. */
  readonly clear?: () => void;
  /** What it is compared with, where that is not itself. */
  readonly against?: readonly [string, ...string[]];
  readonly anyStatus?: true;
  readonly times: number;
}

const FILES = 700;
const FILE_BYTES = 21_000;

export function workloads(bench: Bench, rounds: number): readonly Workload[] {
  const { scratch, fast, env, fetching, root, sources } = bench;
  const aside = join(scratch, "aside");
  mkdirSync(aside);
  let moved = 0;
  // Not removed: for half a minute ext4 looks for numbers around those of removed files (recently_deleted), 0.3 ms a new file.
  const clear = (path: string) => (): void => {
    if (existsSync(path)) renameSync(path, join(aside, String(moved++)));
  };

  // 267 packages with jest 29.7.0.
  const npm = join(scratch, "npm");
  mkdirSync(npm);
  writeFileSync(
    join(npm, "package.json"),
    '{ "name": "bench", "version": "1.0.0", "private": true, "dependencies": { "jest": "29.7.0" } }',
  );
  const quiet = ["--no-audit", "--no-fund", "--ignore-scripts"];
  output({ argv: ["npm", "install", "--package-lock-only", ...quiet], cwd: npm, env: fetching });
  output({ argv: ["npm", "ci", ...quiet], cwd: npm, env: fetching });

  const repository = join(scratch, "repository");
  for (let at = 0; at < FILES; at += 1) {
    const folder = join(repository, `folder${at % 40}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `file${at}`), randomBytes(FILE_BYTES).toString("hex"));
  }
  const git = (...words: string[]): string => output({ argv: ["git", ...words], cwd: repository, env });
  git("init", "-q");
  git("add", ".");
  git("-c", "user.name=b", "-c", "user.email=b@example.org", "commit", "-qm", "all");
  const clones = join(scratch, "clones");
  mkdirSync(clones);

  const venv = join(scratch, "venv");
  mkdirSync(venv);

  const distinct = join(scratch, "distinct");
  output({ argv: ["gcc", "-O2", "-o", distinct, join(sources, "distinct.c")], cwd: scratch, env });
  const many = join(fast, "distinct");
  mkdirSync(many);
  return [
    { name: "run true / node -e 0", target: 2, argv: ["true"], against: [process.execPath, "-e", "0"], cwd: scratch, times: rounds * 4 },
    {
      name: "npm ci, 267 packages",
      target: 1.05,
      argv: ["npm", "ci", "--offline", ...quiet],
      cwd: npm,
      clear: clear(join(npm, "node_modules")),
      times: rounds,
    },
    {
      name: "git clone x 10",
      target: 1.15,
      argv: ["sh", "-c", `for i in 0 1 2 3 4 5 6 7 8 9; do git clone -q ${repository} clone$i || exit 1; done`],
      cwd: clones,
      clear: () => {
        clear(clones)();
        mkdirSync(clones);
      },
      times: rounds,
    },
    {
      name: "distinct paths: 20,000 files made in 700 folders, some read, renamed and deleted; in memory",
      argv: [distinct, "700", "20000"],
      cwd: many,
      clear: () => rmSync(join(many, "node_modules"), { recursive: true, force: true }),
      times: rounds,
    },
    // Whether it finds something does not matter here.
    {
      name: "tsc --noEmit",
      target: 1.05,
      argv: [join(root, "node_modules/.bin/tsc"), "--noEmit"],
      cwd: root,
      anyStatus: true,
      times: rounds,
    },
    {
      name: "python3 -m venv",
      target: 1.1,
      argv: ["python3", "-m", "venv", "made"],
      cwd: venv,
      clear: clear(join(venv, "made")),
      times: rounds,
    },
  ];
}

/** One program, bare and under each: milliseconds, and the median as a multiple of bare. */
export interface MeasuredWorkload {
  readonly name: string;
  readonly times: number;
  readonly bare: Spread;
  readonly under: readonly (Spread & { readonly tool: string; readonly ratio: number })[];
}

export function measureWorkloads(bench: Bench, rounds: number, peers: readonly Peer[]): readonly MeasuredWorkload[] {
  const measured: MeasuredWorkload[] = [];
  const ways: readonly Peer[] = [{ name: "assent", before: bench.assent, env: bench.env }, ...peers];
  console.log(`\nprograms, ${load()}`);
  for (const { name, target, argv, cwd, clear, against, anyStatus, times } of workloads(bench, rounds)) {
    const failed = new Map<string, string>();
    const bare: number[] = [];
    const found = new Map<string, number[]>(ways.map((way) => [way.name, []]));
    for (let round = 0; round < times; round += 1) {
      clear?.();
      bare.push(timed({ argv: against ?? argv, cwd, env: bench.env }, anyStatus));
      for (const way of ways) {
        if (failed.has(way.name)) continue;
        clear?.();
        const [file = "", ...rest] = [...way.before, ...argv];
        try {
          found.get(way.name)?.push(timed({ argv: [file, ...rest], cwd, env: way.env }, anyStatus));
        } catch (error) {
          failed.set(way.name, error instanceof Error ? error.message : String(error));
        }
      }
    }
    const own = spread(bare);
    const shown = ({ median, p10, p90 }: ReturnType<typeof spread>): string =>
      `${median.toFixed(0).padStart(6)} ms  (${p10.toFixed(0)} to ${p90.toFixed(0)})`;
    console.log(
      `${name}, ${times} times, ${target === undefined ? "no target" : `target ${target} x`}\n    ${"bare".padEnd(24)} ${shown(own)}`,
    );
    for (const way of ways) {
      const why = failed.get(way.name);
      const took = spread(found.get(way.name) ?? []);
      console.log(
        `    ${way.name.padEnd(24)} ${why === undefined ? `${shown(took)}  ${(took.median / own.median).toFixed(2)} x` : `did not run: ${why}`}`,
      );
    }
    console.log(`    ${load()}`);
    const under = ways.flatMap((way) => {
      if (failed.has(way.name)) return [];
      const took = spread(found.get(way.name) ?? []);
      return [{ tool: way.name, ...took, ratio: took.median / own.median }];
    });
    measured.push({ name, times, bare: own, under });
  }
  return measured;
}
