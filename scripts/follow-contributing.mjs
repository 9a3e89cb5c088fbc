// `npm run guide [-- SECTION]`: follows the worked examples of CONTRIBUTING.md and contributing/ to the letter in a scratch copy of the tree. Their
// tests have to fail with the tests' files alone and to pass with all of it; what each example touches is counted.
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const ROOT = fileURLToPath(new URL("../", import.meta.url));

/** How many files that people write an example may touch, tests and documents aside. */
export const MOST_FILES = {
  "A program": 1,
  "A builtin": 1,
  "A package manager": 2,
  "A flag": 1,
  "A wrong verdict": 1,
  "A kind of rule": 2,
  "An agent": 2,
  "A system call": 3,
  "A built-in reason": 1,
  "A kind of question": 1,
  "A command of the CLI": 2,
};

const NEW_FILE = /(?:^| )(?:A new file|Write) `([^`]+)`:$/;
const AT_PLACE = /(?:^| )In `([^`]+)`, (after|before|instead of)(?: the line)? `(.+)`:$/;
const AT_END = /(?:^| )At the end of `([^`]+)`:$/;
const TO_RUN = /^Then:$/;
const MUST_PASS = /^`(npm [^`]+|npx [^`]+)` must pass/;

/**
 * The worked examples of a text: what is written where, in order, and what is run in the end.
 * @param {string} text
 * @param {string} from the page it stands on
 * @returns {{ title: string, writes: { file: string, place: string, at?: string, text: string }[], runs: string[] }[]}
 */
export function readExamples(text, from) {
  const lines = text.split("\n");
  const examples = [];
  let into;
  let current;
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at];
    if (/^#{1,3} /.test(line)) {
      const title = line.replace(/^#+ /, "");
      current = title in MOST_FILES ? { title, writes: [], runs: [] } : undefined;
      if (current !== undefined) examples.push(current);
    }
    if (current === undefined) continue;
    if (line.startsWith("```")) {
      const end = lines.indexOf("```", at + 1);
      if (end < 0) throw new Error(`${from}:${at + 1}: a block without an end`);
      if (into === undefined) throw new Error(`${from}:${at + 1}: a block without a line before it that says where it goes`);
      const block = lines.slice(at + 1, end).join("\n");
      if (into === "run") current.runs.push(...block.split("\n"));
      else current.writes.push({ ...into, text: block });
      into = undefined;
      at = end;
      continue;
    }
    const [, made] = NEW_FILE.exec(line) ?? [];
    const [, file, place, anchor] = AT_PLACE.exec(line) ?? [];
    const [, ended] = AT_END.exec(line) ?? [];
    if (made !== undefined) into = { file: made, place: "new" };
    else if (ended !== undefined) into = { file: ended, place: "end" };
    else if (file !== undefined) into = { file, place, at: anchor };
    else if (TO_RUN.test(line)) into = "run";
    const [, command] = MUST_PASS.exec(line) ?? [];
    if (command !== undefined) current.runs.push(...command.split(" && "));
  }
  return examples;
}

/** The worked examples of all pages about changes. */
export function allExamples(root = ROOT) {
  const more = readdirSync(join(root, "contributing")).map((name) => `contributing/${name}`);
  return ["CONTRIBUTING.md", ...more].flatMap((page) => readExamples(readFileSync(join(root, page), "utf8"), page));
}

/**
 * A file's text with one block in its place.
 * @param {string | undefined} before undefined: there is no such file
 * @param {{ file: string, place: string, at?: string, text: string }} block
 */
export function withBlock(before, { file, place, at, text }) {
  if (place === "new") {
    if (before !== undefined) throw new Error(`${file} is there already`);
    return `${text}\n`;
  }
  if (before === undefined) throw new Error(`there is no ${file}`);
  if (place === "end") return `${before}${text}\n`;
  const lines = before.split("\n");
  const isWhole = lines.includes(at);
  const found = lines.flatMap((line, index) => ((isWhole ? line === at : line.includes(at)) ? [index] : []));
  if (found.length !== 1) throw new Error(`${file} holds \`${at}\` ${found.length} times, not once`);
  const [index] = found;
  if (place === "instead of") lines.splice(index, 1, text);
  else lines.splice(place === "after" ? index + 1 : index, 0, text);
  return lines.join("\n");
}

/** Writes one block into the copy, where it says. */
function write(copy, block) {
  const target = join(copy, block.file);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, withBlock(existsSync(target) ? readFileSync(target, "utf8") : undefined, block));
}

const isWritten = (file) => !/^(?:test|docs|man|CHANGELOG)/.test(file);

function scratchCopy() {
  const copy = mkdtempSync(join(tmpdir(), "assent-guide-"));
  const files = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: ROOT, encoding: "utf8" });
  for (const file of files.split("\0")) {
    if (file === "" || !existsSync(join(ROOT, file))) continue;
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    copyFileSync(join(ROOT, file), join(copy, file));
  }
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
  return copy;
}

function run(copy, line) {
  const { status, stdout, stderr } = spawnSync("bash", ["-c", line], { cwd: copy, encoding: "utf8", maxBuffer: 1 << 28 });
  const output = `${stdout}${stderr}`;
  // A filter that no test's name matches is no failure to vitest.
  const ran = !line.startsWith("npx vitest ") || /\d+ passed/.test(output.replace(/[^]*Test Files/, ""));
  return { passed: status === 0 && ran, output };
}

function follow({ title, writes, runs }) {
  const copy = scratchCopy();
  try {
    for (const one of writes) if (!isWritten(one.file)) write(copy, one);
    if (!runs.some((line) => line.startsWith("npx vitest "))) return { title, problem: "no test is named" };
    // Types are a test, too: of an agent that only the tests name, or of a call without a handler.
    const checks = runs.filter((line) => line !== "npm run generate");
    if (checks.every((line) => run(copy, line).passed)) return { title, problem: `all passes without the example: ${checks.join("; ")}` };
    for (const one of writes) if (isWritten(one.file)) write(copy, one);
    for (const line of [...runs, "npx tsc", "node scripts/imports.mjs"]) {
      const { passed, output } = run(copy, line);
      if (!passed) return { title, problem: `\`${line}\` fails\n${output.slice(-4000)}` };
    }
    return { title, files: [...new Set(writes.map(({ file }) => file).filter(isWritten))] };
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** What `npm run new command` writes: its tests, the types and the lint pass as it is. */
function followNew() {
  const copy = scratchCopy();
  try {
    const tests = "npx vitest run --project process test/cli/what-for.test.ts test/cli/completion.test.ts";
    for (const line of [
      "node scripts/new.mjs command what-for",
      tests,
      "npx tsc",
      "npx oxlint packages/assent/src/cli test/cli",
      "npx oxfmt --check packages test",
    ]) {
      const { passed, output } = run(copy, line);
      if (!passed) return `\`${line}\` fails\n${output.slice(-4000)}`;
    }
    return undefined;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const [wanted = ""] = process.argv.slice(2);
  const examples = allExamples();
  const missing = Object.keys(MOST_FILES).filter((title) => !examples.some((one) => one.title === title));
  let failed = missing.length > 0;
  for (const title of missing) console.log(`no     ${title}: no page has such a section`);
  if (wanted === "" || "npm run new command".includes(wanted)) {
    const problem = followNew();
    if (problem !== undefined) failed = true;
    console.log(problem === undefined ? "yes    npm run new command" : `no     npm run new command: ${problem}`);
  }
  for (const example of examples.filter(({ title }) => title.includes(wanted))) {
    const { title, files = [], problem } = follow(example);
    const tooMany = files.length > MOST_FILES[title];
    if (problem !== undefined || tooMany) failed = true;
    if (problem !== undefined) console.log(`no     ${title}: ${problem}`);
    else console.log(`${tooMany ? "no " : "yes"}    ${title}: ${files.length} of at most ${MOST_FILES[title]} files: ${files.join(", ")}`);
  }
  process.exitCode = failed ? 1 : 0;
}
