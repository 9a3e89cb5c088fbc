// What one check of the library costs in a running process: `node scripts/run.mjs bench/library.ts [rounds]`.
// `checkSync` of a ruleset and `decide` of a guard, with policy files looked for each time, on the real file system.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openGuard, PermissionChecker, presets } from "@assent/library/sdk/compat";
import { thisMachine } from "@assent/guard/state";

const rounds = Number(process.argv[2] ?? 300);
/** Medians, by name. */
const figures: Record<string, number> = {};
const commands = readFileSync("test/cases/benign.txt", "utf8")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"));

const scratch = mkdtempSync(join(tmpdir(), "assent-bench-"));
const project = join(scratch, "home/project");
for (const folder of [".git", "src"]) mkdirSync(join(project, folder), { recursive: true });
for (let at = 0; at < 40; at += 1) writeFileSync(join(project, "src", `file${at}.ts`), "");

const machine = { ...thisMachine(), home: join(scratch, "home"), temp: ["/var/tmp"] };
const checker = new PermissionChecker(presets.default, { cwd: project, machine });
const alone = new PermissionChecker(presets.default, { cwd: project, machine, files: "none" });
const guard = openGuard({ cwd: project, machine, audit: false });

function measure(name: string, targets: readonly string[], work: (target: string) => void): void {
  const times: number[] = [];
  for (let round = -50; round < rounds; round += 1) {
    for (const target of targets) {
      const start = process.hrtime.bigint();
      work(target);
      const end = process.hrtime.bigint();
      if (round >= 0) times.push(Number(end - start) / 1000);
    }
  }
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): string => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(0).padStart(5);
  figures[name] = sorted[Math.floor(sorted.length * 0.5)] ?? Number.NaN;
  console.log(`${name.padEnd(34)} median ${at(0.5)} µs   p99 ${at(0.99)} µs`);
}

try {
  const paths = Array.from({ length: 40 }, (_, at) => `src/file${at}.ts`);
  console.log(`in a running process, × ${rounds}, node ${process.version}`);
  measure("checkSync read", paths, (path) => void checker.checkSync("read", path));
  measure("checkSync write", paths, (path) => void checker.checkSync("write", path));
  measure("checkSync execute", commands, (command) => void checker.checkSync("execute", command));
  measure("checkSync execute, no policy files", commands, (command) => void alone.checkSync("execute", command));
  measure("guard.decide command", commands, (command) => void guard.decide({ command }));
  if (process.env["ASSENT_JSON"] !== undefined) console.log(JSON.stringify(figures));
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
