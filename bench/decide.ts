// What one decision costs in a running process: `npm run bench`, or `node scripts/run.mjs bench/decide.ts [rounds]`.
// Everything the hook does between reading its input and writing its answer, on the real file system; without the log line.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { agentNamed } from "../src/agents/index.ts";
import { decide } from "../src/guard/index.ts";
import { read } from "../src/guard/reader/index.ts";
import { thisMachine } from "../src/state/index.ts";

const rounds = Number(process.argv[2] ?? 300);
const commands = readFileSync("test/cases/benign.txt", "utf8")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"));

const scratch = mkdtempSync(join(tmpdir(), "assent-bench-"));
const project = join(scratch, "home/project");
for (const folder of [".git", "src", "packages/a"]) mkdirSync(join(project, folder), { recursive: true });
for (let at = 0; at < 40; at += 1) writeFileSync(join(project, "src", `file${at}.ts`), "");
writeFileSync(
  join(scratch, "home/.agent-permissions.jsonc"),
  '{ "permissions": { "allow": ["Bash(npm test:*)", "Edit(src/**)"], "ask": ["Shell(git push ...)"], "deny": ["Read(**/*.pem)"] } }',
);

const machine = { ...thisMachine(), home: join(scratch, "home"), temp: ["/var/tmp"] };
const facts = agentNamed("claude")?.tools["Bash"];
const host = { shell: "any", decides: true, asks: true, bypassed: false, planning: false } as const;
const options = { machine, reader: () => ({ read }), own: [], audit: false };

try {
  const times: number[] = [];
  const slowest = new Map<string, number>();
  for (let round = -20; round < rounds; round += 1) {
    for (const command of commands) {
      const start = process.hrtime.bigint();
      decide({ tool: "Bash", facts, input: { command }, cwd: project, host, point: "bench", agent: "claude" }, options);
      if (round < 0) continue;
      const microseconds = Number(process.hrtime.bigint() - start) / 1000;
      times.push(microseconds);
      slowest.set(command, (slowest.get(command) ?? 0) + microseconds / rounds);
    }
  }
  times.sort((a, b) => a - b);
  const at = (share: number): string => (times[Math.floor(times.length * share)] ?? 0).toFixed(0);
  console.log(`one decision in a running process, ${commands.length} benign commands × ${rounds}, node ${process.version}`);
  console.log(`median ${at(0.5)} µs   p90 ${at(0.9)} µs   p99 ${at(0.99)} µs   max ${at(0.99999)} µs`);
  const worst = [...slowest].toSorted(([, a], [, b]) => b - a).slice(0, 5);
  for (const [command, mean] of worst) console.log(`  ${mean.toFixed(0).padStart(6)} µs  ${command.slice(0, 90)}`);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
