// The test files that take long, `test/long-files.json`: `npm test` leaves them to `npm run test:rest`.
// `node scripts/long-tests.mjs --play [WORDS]`: plays them; the words are vitest's. `--sampled [WORDS]`: whole, what `npm test` draws a part of.
// `node scripts/long-tests.mjs REPORT…`: writes the list anew, from what `npm run test:all -- --reporter=json --outputFile=REPORT` wrote:
// the longest, as many as it takes for what is left to be over in MINUTES.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { testFiles } from "./test-files.mjs";

/** Of the five that `npm test` may take on two processors: the others go to building, starting processes, and loading what is tested. */
const MINUTES = 3.6;
const PROCESSORS = 2;
/** Some of what tries to get out is seen each time, and some of what is drawn anew each time. */
const KEPT = /^test\/(?:escape\/(?:opens|kernel|metadata|mutation|reads)|supervise\/programs\/git-(?:settings|whole))\./;
const LIST = new URL("../test/long-files.json", import.meta.url);
const root = fileURLToPath(new URL("..", import.meta.url));

const words = process.argv.slice(2);
const LISTS = { "--play": () => Object.keys(JSON.parse(readFileSync(LIST, "utf8"))), "--sampled": playedInPart };
if (words.length === 0) {
  process.stderr.write(`usage: node scripts/long-tests.mjs ${Object.keys(LISTS).join(" | ")} | REPORT…\n`);
  process.exit(2);
}
if (words[0] === "--list") {
  for (const [word, list] of Object.entries(LISTS)) for (const file of list()) process.stdout.write(`${word.slice(2)}\t${file}\n`);
  process.exit();
}
if (words[0] in LISTS) {
  const vitest = ["vitest", "run", ...LISTS[words[0]](), ...words.slice(1)];
  const env = words[0] === "--play" ? { ...process.env, TEST_REST: "1" } : process.env;
  process.exit(spawnSync("npx", vitest, { stdio: "inherit", env }).status ?? 1);
}

const reports = words.map((file) => JSON.parse(readFileSync(file, "utf8")));

/** Those that draw rows (`test/sampled.ts`), or fewer cases. */
function playedInPart() {
  return testFiles(root).filter((name) => /\/sampled\.ts"|"SAMPLE_SEED"/.test(readFileSync(join(root, name), "utf8")));
}

/** A report names its files as they were called where it was made: in a clone of its own, it may be. */
const local = (name) => (name.startsWith(root) ? relative(root, name) : name.replace(/^.*?\/(test\/)/, "$1"));
const files = reports
  .flatMap(({ testResults }) => testResults)
  .map(({ name, startTime, endTime }) => ({ name: local(name), seconds: Math.round((endTime - startTime) / 1000) }))
  .toSorted((a, b) => b.seconds - a.seconds || (a.name < b.name ? -1 : 1));
let left = files.reduce((sum, { seconds }) => sum + seconds, 0);
const long = [];
for (const file of files) {
  if (left <= MINUTES * 60 * PROCESSORS) break;
  if (KEPT.test(file.name)) continue;
  left -= file.seconds;
  long.push(file);
}
const listed = long.toSorted((a, b) => (a.name < b.name ? -1 : 1)).map(({ name, seconds }) => [name, seconds]);
writeFileSync(LIST, `${JSON.stringify(Object.fromEntries(listed), undefined, 2)}\n`);
process.stdout.write(`${long.length} of ${files.length} files are long; the others take ${Math.round(left)} s of a processor\n`);
