// What a guest printed (run.sh), for people: its lines as they come, then how many of each suite passed. `--json`: that as one object.
// `--write FILE`: the cell of the table about escapes.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [machine = "", ...options] = process.argv.slice(2);
const json = options.includes("--json");
const file = options[options.indexOf("--write") + 1];
const rows = [];
let kernel = "";
let ended = false;
// Suites that were to be played may not pass by playing nothing.
let suites = false;
const broken = [];
for await (const raw of createInterface({ input: process.stdin })) {
  const line = raw.replace(/\r$/, "");
  // What the firmware printed may stand before it.
  kernel = /== kernel (.*)$/.exec(line)?.[1] ?? kernel;
  if (line === "== end") ended = true;
  if (line.startsWith("== suites, ")) suites = true;
  if (line.startsWith("== broken off: ")) broken.push(line.slice(3));
  const row = /^#row (.*)$/.exec(line)?.[1];
  if (row === undefined) {
    if (!json) console.log(line);
    continue;
  }
  const read = JSON.parse(row);
  // What a test itself leaves out was not tried.
  if (read.outcome === "left out") continue;
  rows.push(read);
  if (!json)
    console.log(
      `${read.outcome === "passed" ? "ok  " : "FAIL"} ${read.name} (${(read.ms / 1000).toFixed(1)} s)${read.error === undefined ? "" : `\n${read.error}`}`,
    );
}
const passed = rows.filter(({ outcome }) => outcome === "passed");
const failed = rows.filter(({ outcome }) => outcome !== "passed");
if (suites && rows.length === 0) broken.push("no test was played");
if (json) console.log(JSON.stringify({ machine, kernel, ended, broken, passed: passed.length, of: rows.length, rows }, undefined, 2));
else if (rows.length > 0) {
  for (const { name, file: suite } of failed) console.log(`failed: ${suite} ${name}`);
  console.log(`${passed.length} of ${rows.length} passed on ${kernel}${ended ? "" : "; it did not come to its end"}`);
}
if (options.includes("--write") && file !== undefined && existsSync(file) && rows.length > 0) {
  const result = JSON.parse(readFileSync(file, "utf8"));
  result.cells.escapes = {
    value: `${passed.length} of ${rows.length}`,
    shown: `kernel and Node: ${kernel.replace(/ lsm .*/, "")}; each succeeds without Assent first${failed.length > 0 ? `; not passed: ${failed.map(({ name }) => name).join("; ")}` : ""}`,
    command: `npm run machines -- ${machine} --escapes`,
  };
  writeFileSync(file, `${JSON.stringify(result, undefined, 2)}\n`);
}
if (!json) for (const text of broken) console.log(`failed: ${text}`);
if (!ended || failed.length > 0 || broken.length > 0) process.exitCode = 1;
