// A process of its own for concurrency tests: appends records to the audit log. node FILE HOME COUNT NAME [BYTES OF A FILE]
import { appendAudit, KEEP } from "@assent/guard/audit";
import { thisMachine } from "@assent/guard/state";

const [, , home = "", count = "0", name = "", bytes] = process.argv;
const machine = { ...thisMachine(), home, env: {} };
const keep = bytes === undefined ? KEEP : { ...KEEP, segmentBytes: Number(bytes) };
for (let at = 0; at < Number(count); at += 1) {
  const problem = appendAudit(machine, JSON.stringify({ v: 1, time: new Date().toISOString(), agent: name, number: at }), keep);
  if (problem !== undefined && !problem.includes("the disk is full")) {
    process.stderr.write(`${problem}\n`);
    process.exit(1);
  }
}
