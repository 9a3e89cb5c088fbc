// What the audit log costs: `node scripts/run.mjs bench/audit.ts [RECORDS]`. Writes them as hooks do, spread over 30 days,
// then verifies and searches. A million take about a gigabyte of a scratch folder.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { appendAudit, auditLine, lastOf, query, verifyLog } from "@assent/guard/audit";
import { stateFolder, thisMachine } from "@assent/guard/state";

const records = Number(process.argv[2] ?? "100000");
const folder = mkdtempSync(join(tmpdir(), "assent-audit-"));
const DAY = 86_400_000;
const timed = <T>(name: string, work: () => T): T => {
  const start = performance.now();
  const result = work();
  console.log(
    `${name.padEnd(44)} ${(performance.now() - start).toFixed(0).padStart(8)} ms   ${(process.memoryUsage.rss() / 2 ** 20).toFixed(0)} MB`,
  );
  return result;
};

try {
  const machine = { ...thisMachine(), home: folder, env: {} };
  const start = Date.now() - 30 * DAY;
  const line = (at: number): string => {
    const decision = at % 10 === 0 ? "deny" : at % 4 === 0 ? "ask" : "allow";
    const command = at % 3 === 0 ? `git log --oneline -n ${at}` : `npm run build -- --target ${at}`;
    const judged = { decision, basis: "rule", reason: "allowed by a rule", actions: [], unknowns: [] } as const;
    return auditLine({
      time: start + (at / records) * 30 * DAY,
      point: "hook",
      agent: "claude",
      session: "0f0c6b1e-5c3b-4d8e-9f4e-3f8d7c2b1a00",
      cwd: "/home/someone/projects/assent",
      tool: "Bash",
      input: { command },
      verdict: { ...judged, rule: { text: "Bash(git log:*)", file: "/home/someone/.agent-permissions.jsonc", line: 12, column: 5 } },
      answer: decision,
      milliseconds: 0.4,
    });
  };
  const lines = Array.from({ length: 1000 }, (_, at) => line(at));
  timed("1,000 lines made", () => lines.map((_, at) => line(at)));
  let problem: string | undefined;
  const before = performance.now();
  timed(`${records} appended`, () => {
    for (let at = 0; at < records; at += 1) problem ??= appendAudit(machine, line(at));
  });
  if (problem !== undefined) throw new Error(problem);
  console.log(`${((1000 * (performance.now() - before)) / records).toFixed(1)} µs each, the line's making included`);
  const state = stateFolder(machine);
  console.log(timed("verify", () => verifyLog(state)));
  console.log(
    timed("log --denied --since 7d", () => [...query(state, { denied: true, since: Date.now() - 7 * DAY })].length),
    "records",
  );
  console.log(
    timed("log --denied", () => lastOf(state, { denied: true }, 50).length),
    "records",
  );
  console.log(
    timed("log --denied --since 30d", () => [...query(state, { denied: true, since: Date.now() - 31 * DAY })].length),
    "records",
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
