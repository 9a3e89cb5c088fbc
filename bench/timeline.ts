// What looking through a large log costs: `npm run bench:timeline [-- RECORDS]`. Writes a log of a million records (as
// `appendAudit` would, without its care for others, so that it takes a minute) and looks at it as the page does. With a
// FOLDER after RECORDS the log stays there, and is used again.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { statusText } from "../packages/assent/src/cli/status-line.ts";
import { writeLargeLog } from "./large-log.ts";
import { thisMachine } from "@assent/guard/state";
import { lineAt, logExtent, type LogFilter, pageBefore, recordsBetween } from "@assent/guard/audit";

const DAY = 86_400_000;
const timed = <T>(name: string, work: () => T): T => {
  const start = performance.now();
  const result = work();
  const took = performance.now() - start;
  console.log(`${name.padEnd(64)} ${took.toFixed(1).padStart(8)} ms   ${(process.memoryUsage.rss() / 2 ** 20).toFixed(0)} MB`);
  return result;
};

function main(): void {
  const records = Number(process.argv[2] ?? "1000000");
  const given = process.argv[3];
  const folder = join(given ?? mkdtempSync(join(tmpdir(), "assent-timeline-")), "assent");
  try {
    if (given === undefined || !existsSync(join(folder, "audit.jsonl")))
      timed(`${records} records written`, () => writeLargeLog(folder, records));
    const { first, last, bytes } = timed("how far it goes", () => logExtent(folder));
    console.log(`records ${first} to ${last}, ${(bytes / 2 ** 20).toFixed(0)} MB`);
    const machine = { ...thisMachine(), env: { XDG_STATE_HOME: join(folder, "..") } };
    const lines = Array.from({ length: 200 }, () => {
      const start = performance.now();
      statusText(machine, "/home/someone/projects/assent", {}, undefined);
      return performance.now() - start;
    }).toSorted((a, b) => a - b);
    console.log(`the line of \`assent status --line\`: ${statusText(machine, "/", {}, undefined).trim()}`);
    console.log(`made 200 times in one process: median ${lines[100]?.toFixed(2)} ms, worst ${lines.at(-1)?.toFixed(2)} ms`);
    const newest = timed("the newest 200", () => pageBefore(folder, undefined, {}, { most: 200 }));
    timed("one of them whole", () => lineAt(folder, newest.records[100]?.place ?? { segment: 0, at: 0 }));
    for (const share of [0.25, 0.5, 0.99])
      timed(`200 records at ${share * 100} % of the way back`, () => {
        const at = Math.round(last - share * (last - first));
        return recordsBetween(folder, at - 199, at).length;
      });
    const far = Array.from({ length: 100 }, (_, at) => Math.round(first + 200 + ((at * 7919) % 10_000) * ((last - first - 200) / 10_000)));
    const took = far.map((at) => {
      const start = performance.now();
      recordsBetween(folder, at - 199, at);
      return performance.now() - start;
    });
    console.log(`100 jumps: median ${took.toSorted((a, b) => a - b)[50]?.toFixed(1)} ms, worst ${Math.max(...took).toFixed(1)} ms`);
    timed("which record it was 12 days ago", () => pageBefore(folder, undefined, { until: Date.now() - 12 * DAY }, { most: 1 }));
    const filters: readonly (readonly [string, LogFilter])[] = [
      ["refused", { verdicts: ["deny"] }],
      [
        "one session of 500 records, 20 days ago",
        { session: `0f0c6b1e-5c3b-4d8e-9f4e-${String(Math.floor(records / 3 / 500)).padStart(12, "0")}` },
      ],
      ["text that is in every tenth record", { text: "Denied by" }],
      ["text that is in 10 records", { text: "NEEDLE.example" }],
      ["text that is nowhere", { text: "nowhere at all" }],
      ["one day, 20 days ago", { since: Date.now() - 20 * DAY, until: Date.now() - 19 * DAY }],
      ["an agent, 20 days ago", { agent: "gemini", since: Date.now() - 20 * DAY, until: Date.now() - 19 * DAY }],
    ];
    for (const [name, filter] of filters) {
      const page = timed(`the newest 200: ${name}`, () => pageBefore(folder, undefined, filter, { most: 200 }));
      console.log(`  ${page.records.length} found in ${(page.read / 2 ** 20).toFixed(1)} MB`);
    }
  } finally {
    if (given === undefined) rmSync(join(folder, ".."), { recursive: true, force: true });
  }
}

main();
