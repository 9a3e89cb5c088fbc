// What a tried run costs: pairs in turn with the bare command, clock and processor time of the whole tree, in a fresh folder each.
// `node scripts/run.mjs bench/tried.ts [--pairs N] [--only ID,…]`; `dist/` is built, and folders can be laid above one another here.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { load, output, plainEnvironment, spread } from "./supervise/measure.ts";

interface Row {
  readonly id: string;
  /** Done before, and not measured: shell, in the folder. */
  readonly before?: string;
  readonly command: string;
  /** What it is compared with, where that is not itself without Assent. */
  readonly against?: string;
  /** Times the other by the clock; milliseconds of what is `kept`, or more than the other takes; megabytes. */
  readonly goal: number;
  readonly unit?: "ms" | "ms more" | "MB";
  /** It is not played where this does not work. */
  readonly needs?: string;
  /** Tried before, and not measured: what is, is `assent try apply`. */
  readonly kept?: true;
}

const FILES = "import os\nfor d in range(200):\n  os.mkdir(f'd{d}')\n  for f in range(100): open(f'd{d}/{f}','w').write('x')";
const OPENS = "for i in range(20000): open('f').close()";
const APPENDS = "for i in range(500): open(f'f{i}','a').write('x')";
const python = (code: string): string => `python3 - <<'END'\n${code}\nEND`;

const ROWS: readonly Row[] = [
  { id: "true", command: "true", against: "node -e 0", goal: 1.5 },
  { id: "10-files", command: "for i in 1 2 3 4 5 6 7 8 9 10; do echo $i > f$i; done", against: "node -e 0", goal: 4 },
  {
    id: "npm-ci",
    // 267 packages.
    before: `echo '{"name":"x","version":"1.0.0","dependencies":{"jest":"29.7.0"}}' > package.json; npm i --package-lock-only --silent`,
    command: "npm ci --silent --no-audit --no-fund",
    goal: 1.12,
  },
  {
    id: "clone",
    before: `git init -q src; cd src; ${python(FILES.replaceAll("100", "10"))}\ngit add .; git -c user.name=a -c user.email=a@b commit -qm x`,
    command: "for i in 1 2 3 4 5 6 7 8 9 10; do git clone -q src c$i; done",
    goal: 1.65,
  },
  { id: "venv", command: "python3 -m venv v", goal: 1.12 },
  { id: "20000-files", command: python(FILES), goal: 2.9 },
  { id: "apply-20000", command: python(FILES), kept: true, goal: 250, unit: "ms" },
  { id: "20000-opens", before: "echo x > f", command: python(OPENS), goal: 1.9 },
  { id: "500-changed", before: python("for i in range(500): open(f'f{i}','w').write('x')"), command: python(APPENDS), goal: 3.5 },
  {
    id: "cargo",
    needs: "cargo --version",
    before: "cargo init -q --name x",
    command: "cargo build -q --offline",
    goal: 150,
    unit: "ms more",
  },
  {
    id: "go",
    needs: "go version",
    before:
      "printf 'module x\n\ngo 1.18\n' > go.mod; printf 'package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(1) }\n' > main.go",
    command: "go build -buildvcs=false -o x .",
    goal: 150,
    unit: "ms more",
  },
  {
    id: "make",
    needs: "gcc --version",
    before: `for i in $(seq 20); do echo "int f$i(void) { return $i; }" > f$i.c; done; echo 'all: $(patsubst %.c,%.o,$(wildcard *.c))' > Makefile`,
    command: "make -s -j2",
    goal: 150,
    unit: "ms more",
  },
  {
    id: "tsc",
    before: `for i in $(seq 50); do echo "export const f$i = (a: number): string => String(a + $i);" > f$i.ts; done`,
    command: `"${resolve("node_modules/.bin/tsc")}" --strict --outDir out *.ts`,
    goal: 150,
    unit: "ms more",
  },
  { id: "memory", command: "sleep 2", goal: 2, unit: "MB" },
];

const { values } = parseArgs({ options: { pairs: { type: "string", default: "15" }, only: { type: "string" } } });
const pairs = Math.max(1, Number(values.pairs) || 15);
const scratch = mkdtempSync(join(homedir(), ".assent-tried-"));
const env = plainEnvironment({ XDG_STATE_HOME: join(scratch, "state"), TIMEFORMAT: "%R %U %S" });
const assent = `"${process.execPath}" "${resolve("dist/bin.cjs")}" try`;

/** Seconds: clock, and processor. */
function measure({ before = "true", command, kept }: Row, how: "bare" | "tried"): readonly [clock: number, processor: number] {
  const cwd = mkdtempSync(join(scratch, "run-"));
  mkdirSync(join(cwd, ".git"));
  output({ argv: ["sh", "-c", `echo 'ref: refs/heads/main' > .git/HEAD; ${before}`], cwd, env });
  const later = `${assent} -- sh -c "$c" 2> /dev/null; time ${assent} apply "$(${assent} list | cut -d' ' -f1)"`;
  const started = how === "bare" ? 'time sh -c "$c"' : kept === true ? later : `time ${assent} --apply -- sh -c "$c"`;
  const script = `c=$(cat); ${started} > /dev/null 2> err || { cat err >&2; exit 1; }`;
  const said = output({ argv: ["bash", "-c", `{ ${script}; } 2>&1 <<'COMMAND'\n${command}\nCOMMAND`], cwd, env });
  rmSync(cwd, { recursive: true });
  const [clock = Number.NaN, user = Number.NaN, system = Number.NaN] = (said.trim().split("\n").at(-1) ?? "").split(" ").map(Number);
  return [clock, user + system];
}

/** Megabytes of what is there beside the program while it waits. */
function measureMemory({ command }: Row): number {
  const cwd = mkdtempSync(join(scratch, "run-"));
  mkdirSync(join(cwd, ".git"));
  output({ argv: ["sh", "-c", "echo 'ref: refs/heads/main' > .git/HEAD"], cwd, env });
  const tree = "tree() { echo $1; for c in $(cat /proc/$1/task/$1/children); do tree $c; done; }; sleep 1; for p in $(tree $!); do";
  const sizes = `${tree} [ "$(cat /proc/$p/comm)" = sleep ] || sed -n 's/^Pss: *//p' /proc/$p/smaps_rollup; done; wait`;
  const said = output({ argv: ["bash", "-c", `${assent} -- ${command} & ${sizes}`], cwd, env });
  return said.split("\n").reduce((sum, line) => sum + Number.parseInt(line || "0", 10) / 1024, 0);
}

const isThere = ({ needs = "true" }: Row): boolean =>
  !/^MISSING$/m.test(output({ argv: ["sh", "-c", `${needs} 2>&1 || echo MISSING`], cwd: ".", env }));
const wanted = ROWS.filter((row) => (values.only === undefined || values.only.split(",").includes(row.id)) && isThere(row));
console.log(`| work | clock, × | goal | processor, × | tried, ms | ${load()}, ${pairs} pairs |\n|---|---|---|---|---|---|`);
try {
  for (const row of wanted) {
    const { id, goal, unit = "" } = row;
    if (unit === "MB") {
      const median = spread(Array.from({ length: pairs }, () => measureMemory(row))).median.toFixed(1);
      console.log(`| ${id} | ${median} MB | ≤ ${goal} ${unit} | | | ${load()} |`);
      continue;
    }
    const other = row.against === undefined ? row : { id, command: row.against, goal: 0 };
    const taken = Array.from({ length: pairs }, () => ({ bare: measure(other, "bare"), tried: measure(row, "tried") }));
    const times = (at: 0 | 1): string => spread(taken.map(({ bare, tried }) => tried[at] / bare[at])).median.toFixed(2);
    const milliseconds = (of: (pair: (typeof taken)[number]) => number): number => Math.round(1000 * spread(taken.map(of)).median);
    const more = unit === "ms more" ? `; ${milliseconds(({ bare, tried }) => tried[0] - bare[0])} ms more` : "";
    console.log(`| ${id} | ${times(0)}${more} | ≤ ${goal} ${unit} | ${times(1)} | ${milliseconds(({ tried }) => tried[0])} | ${load()} |`);
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
