// What many rules cost: `npm run bench`, or `node scripts/run.mjs bench/rules.ts [rounds]`.
// The same decisions under 10 and under 10,000 rules of every kind, half of them deny and ask rules, in turn; and how
// long a policy file of 10,000 rules takes to be read and to be taken from the cache.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { policyOfRules } from "./growth/policy.ts";
import { agentNamed } from "@assent/hosts/agents";
import { decide, type DecideOptions, type Request } from "@assent/guard/engine";
import { read } from "@assent/guard/engine/reader";
import { thisMachine } from "@assent/guard/state";

const rounds = Number(process.argv[2] ?? 100);
const commands = readFileSync("test/cases/benign.txt", "utf8")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"));

const scratch = mkdtempSync(join(tmpdir(), "assent-rules-"));

/** A home of its own with a policy of so many rules. */
function place(count: number) {
  const home = join(scratch, `with-${count}`);
  const project = join(home, "project");
  for (const folder of [".git", "src", "packages/a"]) mkdirSync(join(project, folder), { recursive: true });
  for (let at = 0; at < 40; at += 1) writeFileSync(join(project, "src", `file${at}.ts`), "");
  const file = join(home, ".agent-permissions.jsonc");
  writeFileSync(file, policyOfRules(count));
  const machine = { ...thisMachine(), home, temp: ["/var/tmp"], env: { ...process.env, XDG_STATE_HOME: join(home, "state") } };
  const options: DecideOptions = { machine, reader: () => ({ read }), own: [], audit: false };
  return { project, options };
}

const facts = agentNamed("claude")?.protocol.tools["Bash"];
const host = { shell: "any", decides: true, asks: true, bypassed: false, planning: false } as const;
const request = (command: string, cwd: string): Request => ({
  tool: "Bash",
  facts,
  input: { command },
  cwd,
  host,
  point: "bench",
  agent: "claude",
});

const sorted = (times: readonly number[]): readonly number[] => times.toSorted((a, b) => a - b);
const at = (times: readonly number[], share: number): number => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;

function timed(work: () => void): number {
  const start = process.hrtime.bigint();
  work();
  return Number(process.hrtime.bigint() - start) / 1000;
}

try {
  const few = place(10);
  const many = place(10_000);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2100);
  const first = timed(() => void decide(request("git status", many.project), many.options));
  const times = { few: [] as number[], many: [] as number[] };
  for (let round = -10; round < rounds; round += 1)
    for (const command of commands)
      for (const [name, { project, options }] of [
        ["few", few],
        ["many", many],
      ] as const) {
        const time = timed(() => void decide(request(command, project), options));
        if (round >= 0) times[name].push(time);
      }
  const [less, more] = [sorted(times.few), sorted(times.many)];
  const show = (name: string, all: readonly number[]): void =>
    console.log(`${name.padEnd(13)} median ${at(all, 0.5).toFixed(0).padStart(5)} µs   p99 ${at(all, 0.99).toFixed(0).padStart(5)} µs`);
  console.log(`${commands.length} benign commands × ${rounds}, in turn, node ${process.version}`);
  show("10 rules", less);
  show("10,000 rules", more);
  console.log(
    `10,000 against 10: median ${(at(more, 0.5) / at(less, 0.5)).toFixed(2)} ×, p99 ${(at(more, 0.99) / at(less, 0.99)).toFixed(2)} ×`,
  );
  console.log(`the first decision under 10,000 rules, the file read: ${(first / 1000).toFixed(0)} ms`);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
