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
  /** Times the other by the clock; milliseconds of what is `kept`. */
  readonly goal: number;
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
    before: `echo '{"name":"x","version":"1.0.0","dependencies":{"express":"4.21.2"}}' > package.json; npm i --package-lock-only --silent`,
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
  { id: "apply-20000", command: python(FILES), kept: true, goal: 250 },
  { id: "20000-opens", before: "echo x > f", command: python(OPENS), goal: 1.9 },
  { id: "500-changed", before: python("for i in range(500): open(f'f{i}','w').write('x')"), command: python(APPENDS), goal: 3.5 },
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

const wanted = ROWS.filter(({ id }) => values.only === undefined || values.only.split(",").includes(id));
console.log(`| work | clock, × | goal | processor, × | tried, ms | ${load()}, ${pairs} pairs |\n|---|---|---|---|---|---|`);
try {
  for (const row of wanted) {
    const other = row.against === undefined ? row : { id: row.id, command: row.against, goal: 0 };
    const taken = Array.from({ length: pairs }, () => ({ bare: measure(other, "bare"), tried: measure(row, "tried") }));
    const times = (at: 0 | 1): string => spread(taken.map(({ bare, tried }) => tried[at] / bare[at])).median.toFixed(2);
    const milliseconds = Math.round(1000 * spread(taken.map(({ tried }) => tried[0])).median);
    console.log(`| ${row.id} | ${times(0)} | ≤ ${row.goal}${row.kept === true ? " ms" : ""} | ${times(1)} | ${milliseconds} | ${load()} |`);
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
