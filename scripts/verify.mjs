// Everything that is allowed without a question is run for real and held against what was predicted: `npm run verify`.
// Writes the counts into evidence/soundness.md. With --keep as its word, what is in dist/ is used as it is, and the page is left alone.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const keeps = process.argv.includes("--keep");
const scratch = mkdtempSync(join(tmpdir(), "assent-verify-"));
const PAGE = join(root, "evidence/soundness.md");
const [START, END] = ["<!-- counts: written by `npm run verify` -->", "<!-- end of counts -->"];

/** The notations that keep one command on one line; test/ledger/corpus.test.ts reads the same. */
const decoded = (text) =>
  text
    .replaceAll("⏎", "\n")
    .replaceAll("⇥", "\t")
    .replaceAll("␣nb", "\u00a0")
    .replace(/\\u\{([0-9a-f]+)\}/gi, (_, hex) => String.fromCodePoint(Number.parseInt(hex, 16)));

const cases = ["benign", "everyday", "hostile"].flatMap((name) =>
  readFileSync(join(root, `test/cases/${name}.txt`), "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => decoded(line.replace(/^(?:allow|ask|deny|none): /, ""))),
);

if (!keeps) execFileSync(process.execPath, [join(root, "scripts/build.mjs")], { stdio: "inherit" });
const corpus = join(scratch, "corpus");
writeFileSync(corpus, `${cases.map((line) => JSON.stringify(line)).join("\n")}\n`);
const started = Date.now();
const args = [join(root, "scripts/run.mjs"), "tools/verify/main.ts", "--all", "--corpus", corpus, "--json"];
// The system's own programs: others, in homes, are of other versions on every machine.
const PATH = "/usr/sbin:/usr/bin:/sbin:/bin";
const env = { ...process.env, HOME: scratch, PATH, NODE_EXTRA_CA_CERTS: undefined };
const child = spawn(process.execPath, args, { cwd: root, env, stdio: ["ignore", "pipe", "inherit"] });

const families = new Map();
const wrong = [];
for await (const text of createInterface({ input: child.stdout })) {
  const { command, family, result, effects = [], slack = [], why } = JSON.parse(text);
  const counts = families.get(family) ?? { lines: 0, run: 0, refused: 0, absent: 0, broken: 0, unpredicted: 0, slack: 0 };
  families.set(family, counts);
  counts.lines++;
  counts[result]++;
  counts.slack += slack.length;
  const missed = effects.filter(({ expected }) => expected === undefined);
  if (missed.length > 0) counts.unpredicted++;
  if (missed.length > 0 || result === "broken") wrong.push({ command, missed, why });
}
const status = await new Promise((resolve) => {
  if (child.exitCode !== null) resolve(child.exitCode);
  else child.once("close", resolve);
});
rmSync(scratch, { recursive: true, force: true });

for (const { command, missed, why } of wrong) {
  process.stdout.write(`${JSON.stringify(command)}${why === undefined ? "" : `  not observed: ${why}`}\n`);
  for (const { text, program } of missed) process.stdout.write(`    ${program}: ${text}\n`);
}
const columns = ["lines", "run", "refused", "absent", "broken", "unpredicted", "slack"];
const sum = Object.fromEntries(columns.map((key) => [key, [...families.values()].reduce((all, counts) => all + counts[key], 0)]));
const row = (name, counts) => `| ${name} | ${columns.map((key) => counts[key]).join(" | ")} |`;
const table = [
  `| family | lines | run | not allowed | not installed | not observed | with something unpredicted | slack |`,
  `|---|${"---:|".repeat(columns.length)}`,
  ...[...families].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, counts]) => row(name, counts)),
  row("**all**", sum),
].join("\n");
process.stdout.write(`${table}\n${Math.round((Date.now() - started) / 1000)} s\n`);
if (!keeps && sum.run > 0) {
  const page = readFileSync(PAGE, "utf8");
  const [before] = page.split(START);
  const [, after] = page.split(END);
  writeFileSync(PAGE, `${before}${START}\n\n${table}\n\n${END}${after}`);
}
process.exitCode = wrong.length > 0 ? 1 : (status ?? 1);
