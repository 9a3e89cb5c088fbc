// What an import of the library costs a program: fresh processes in turn with a bare `import "zod"` and with nothing, by the clock and
// in processor time; and what the import and a first check of a command cost together. `npm run build && node bench/import.mjs [rounds]`.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const rounds = Number(process.argv[2] ?? 40);
const root = process.env.ASSENT_ROOT ?? fileURLToPath(new URL("..", import.meta.url));
const zod = fileURLToPath(new URL("../node_modules/zod", import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "assent-bench-"));
mkdirSync(join(scratch, "node_modules"));
symlinkSync(root, join(scratch, "node_modules/assent"));
symlinkSync(zod, join(scratch, "node_modules/zod"));

const CHECK = 'console.log((await createGuard({}).check({ shell: "git status && ls -la src | head" })).verdict);';
const PROGRAMS = {
  nothing: "",
  'import "zod"': 'import "zod";',
  'import "assent"': 'import "assent";',
  'import "assent/core"': 'import "assent/core";',
  "import and a first check": `import { createGuard } from "assent"; ${CHECK}`,
};
const env = { PATH: process.env.PATH, HOME: scratch };
const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1];

/** Milliseconds by the clock and of processor time, of a process with all that it started: bash has them to the millisecond. */
function timed(argv) {
  const { status, stderr } = spawnSync("bash", ["-c", 'TIMEFORMAT="%3R %3U %3S"; time "$@" > /dev/null', "bash", ...argv], {
    cwd: scratch,
    env,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`${argv.join(" ")} exited with ${status}: ${stderr}`);
  const [real, user, system] = stderr.trim().split("\n").at(-1).split(" ").map(Number);
  return { clock: real * 1000, processor: (user + system) * 1000 };
}

try {
  const programs = Object.entries(PROGRAMS).map(([name, text], at) => {
    const file = join(scratch, `program${at}.mjs`);
    writeFileSync(file, text);
    return { name, file, clock: [], processor: [] };
  });
  for (let round = -2; round < rounds; round += 1)
    for (const { file, clock, processor } of programs) {
      const took = timed([process.execPath, file]);
      if (round < 0) continue;
      clock.push(took.clock);
      processor.push(took.processor);
    }
  const base = programs[1];
  console.log(`fresh processes, ${rounds} rounds in turn, node ${process.version}`);
  for (const { name, clock, processor } of programs) {
    const part = (list, against) =>
      `${median(list).toFixed(1).padStart(6)} ms ${(median(list) / median(against)).toFixed(2).padStart(5)} x`;
    if (process.env.ASSENT_JSON === undefined)
      console.log(`${name.padEnd(26)} clock ${part(clock, base.clock)}   processor ${part(processor, base.processor)}`);
  }
  const [, zod, assent] = programs;
  const figures = {
    zod: median(zod.processor),
    assent: median(assent.processor),
    "zod clock": median(zod.clock),
    "assent clock": median(assent.clock),
  };
  if (process.env.ASSENT_JSON !== undefined) console.log(JSON.stringify(figures));
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
