// What one decision costs in a running process: `npm run bench`, or `node scripts/run.mjs bench/decide.ts [rounds]`.
// The real `decide()`, everything the hook does between reading its input and writing its answer, on the real file
// system; without the log line. Lowering and judging are measured alone as well, with their share of the file system.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { agentNamed } from "@assent/hosts/agents";
import { decide, type Request } from "@assent/guard/engine";
import { read } from "@assent/guard/engine/reader";
import { lowerTool } from "@assent/core/request";
import { realWorld } from "../packages/guard/src/engine/world.ts";
import { judge } from "@assent/core/policy";
import { thisMachine } from "@assent/guard/state";

const rounds = Number(process.argv[2] ?? 300);
const json = process.env["ASSENT_JSON"] !== undefined;
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
const facts = agentNamed("claude")?.protocol.tools["Bash"];
const host = { shell: "any", decides: true, asks: true, bypassed: false, planning: false } as const;
const options = { machine, reader: () => ({ read }), own: [], audit: false };
const request = (command: string): Request => ({
  tool: "Bash",
  facts,
  input: { command },
  cwd: project,
  host,
  point: "bench",
  agent: "claude",
});

const sorted = (times: readonly number[]): readonly number[] => times.toSorted((a, b) => a - b);
const at = (times: readonly number[], share: number): number => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
const shown = (microseconds: number): string => microseconds.toFixed(0).padStart(5);

/** Times of each line, in microseconds. */
function measure(work: (command: string) => void): readonly (readonly number[])[] {
  const times = commands.map((): number[] => []);
  for (let round = -20; round < rounds; round += 1) {
    for (const [line, command] of commands.entries()) {
      const start = process.hrtime.bigint();
      work(command);
      const end = process.hrtime.bigint();
      if (round >= 0) times[line]?.push(Number(end - start) / 1000);
    }
  }
  return times.map(sorted);
}

function report(name: string, times: readonly (readonly number[])[]): void {
  const all = sorted(times.flat());
  const lines = sorted(times.map((line) => at(line, 0.5)));
  console.log(
    `${name.padEnd(8)} median ${shown(at(all, 0.5))} µs   p99 ${shown(at(all, 0.99))} µs   medians of the lines: median ${shown(at(lines, 0.5))} µs   p99 ${shown(at(lines, 0.99))} µs`,
  );
}

try {
  // A policy file that has just been written is read anew each time; people's have lain there for a while.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2100);
  console.log(`in a running process, ${commands.length} benign commands × ${rounds}, node ${process.version}`);
  const decisions = measure((command) => void decide(request(command), options));
  report("decision", decisions);
  const all = sorted(decisions.flat());
  if (json) console.log(JSON.stringify({ median: at(all, 0.5), p99: at(all, 0.99) / 1000 }));
  else reportParts(decisions);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

/** Lowering and judging alone, and the lines that take longest. */
function reportParts(decisions: readonly (readonly number[])[]): void {
  report(
    "lower",
    measure((command) => void lowerTool(request(command), realWorld(machine, project, undefined))),
  );
  const bases = new Map(commands.map((command) => [command, decide(request(command), options).basis]));
  report(
    "judge",
    measure((command) => {
      const basis = bases.get(command);
      // A world of its own: what it has seen is kept for one decision only.
      if (basis !== undefined) judge(basis.lowered, basis.policy, { ...basis.context, world: realWorld(machine, project, undefined) });
    }),
  );
  const slowest = commands.map((command, line) => [command, at(decisions[line] ?? [], 0.5)] as const).toSorted(([, a], [, b]) => b - a);
  for (const [command, median] of slowest.slice(0, 5)) console.log(`  ${shown(median)} µs  ${command.slice(0, 90)}`);
}
