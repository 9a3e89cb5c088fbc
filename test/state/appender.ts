// A process of its own for concurrency tests: appends records to the audit log. node FILE HOME COUNT NAME
import { appendAudit } from "../../src/audit/index.ts";
import { thisMachine } from "../../src/state/index.ts";

const [, , home = "", count = "0", name = ""] = process.argv;
const machine = { ...thisMachine(), home, env: {} };
for (let at = 0; at < Number(count); at += 1) {
  const problem = appendAudit(machine, JSON.stringify({ v: 1, time: new Date().toISOString(), agent: name, number: at }));
  if (problem !== undefined && !problem.includes("outside of the chain")) {
    process.stderr.write(`${problem}\n`);
    process.exit(1);
  }
}
