// `npm run examples [-- PAGE…]`: types every example of README and docs in a scratch home, those that take long included, runs every
// program of examples/, and says what is not as the page says. `--write` writes what is really printed into the pages; `--list` lists what is not run, and why.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runExamples } from "../test/adapters/examples.ts";
import { pages, readPage } from "../test/docs/blocks.ts";
import { NOT_RUN_LIST, notRunList } from "../test/docs/not-run.ts";
import { type Outcome, runPage } from "../test/docs/run.ts";

const root = process.cwd();
const words = process.argv.slice(2);
const wanted = words.filter((word) => !word.startsWith("--"));
const files = pages(root).filter((file) => wanted.length === 0 || wanted.some((word) => file.includes(word)));

if (words.includes("--list")) process.stdout.write(notRunList(root));
else {
  let wrong = 0;
  let run = 0;
  for (const file of files) {
    const outcomes = await runPage(root, readPage(root, file), !words.includes("--quick"));
    run += outcomes.filter(({ block }) => block.language !== "" && block.language !== "text").length;
    const bad = outcomes.filter(({ problem }) => problem !== undefined);
    wrong += bad.length;
    for (const { block, problem } of bad) console.log(`${file}:${block.line}  ${problem}\n`);
    if (words.includes("--write")) rewritePage(file, bad);
  }
  // The programs of examples/: those of SDKs are agents with a scripted model.
  const isWanted = (name: string): boolean => wanted.length === 0 || wanted.some((word) => `examples/${name}.mjs`.includes(word));
  for (const [name, problem] of await runExamples(root, isWanted)) {
    run += 1;
    if (problem === undefined) continue;
    wrong += 1;
    console.log(`examples/${name}.mjs  ${problem}\n`);
  }
  if (words.includes("--write") && wanted.length === 0) writeFileSync(join(root, NOT_RUN_LIST), notRunList(root));
  console.log(`${run} examples run, ${wrong} not as the page says`);
  process.exitCode = wrong > 0 ? 1 : 0;
}

function rewritePage(file: string, outcomes: readonly Outcome[]): void {
  const lines = readFileSync(join(root, file), "utf8").split("\n");
  for (const { block, written } of outcomes.toReversed()) {
    if (written === undefined) continue;
    const indent = /^ */.exec(lines[block.line - 1] ?? "")?.[0] ?? "";
    const text = written.split("\n").map((line) => (line === "" ? line : indent + line));
    lines.splice(block.line, block.text.split("\n").length, ...text);
  }
  writeFileSync(join(root, file), lines.join("\n"));
}
