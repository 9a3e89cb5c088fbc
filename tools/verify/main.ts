import { createReadStream, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { brief, visible } from "@assent/core/action";
import {
  askHelp,
  baseFor,
  cannotConfine,
  everyOptionLines,
  everyVariableLines,
  exampleLines,
  hidesTemp,
  neededPaths,
  optionLevels,
  unpredicted,
  verifyLines,
  wholeCorpus,
  withVariables,
  work,
  type CorpusLine,
  type ObservedEffect,
  type JudgeLine,
  type LineResult,
  type OptionLevel,
  type LineOutcome,
  type PoolOptions,
  type VariableLine,
} from "./index.ts";
import { judgeOnly } from "@assent/page/preview";
import { lineOfWords } from "../../packages/assent/src/cli/line-of-words.ts";
import { writeStderr, writeStdout } from "../../packages/assent/src/cli/stdio.ts";
import { styleFor, type TerminalStyle } from "../../packages/assent/src/cli/style.ts";

/** `node scripts/run.mjs tools/verify/main.ts [OPTION…] [COMMAND…]`: evidence/soundness.md says what each does. */
interface VerifyOptions {
  readonly all?: boolean;
  readonly family?: string;
  /** Lines of every option of every installed program. */
  readonly options?: boolean;
  /** Every installed program, with the variables it names. */
  readonly environment?: boolean;
  /** Of these programs only. */
  readonly only?: readonly string[];
  /** The JSON that an earlier run printed: its lines are done. */
  readonly resume?: string;
  /** Only every n-th line. */
  readonly sample?: number;
  readonly corpus?: string;
  readonly json?: boolean;
  /** `FOLDER:hide` or `FOLDER:keep`: what this process is to be, in namespaces that its parent made. */
  readonly worker?: string;
}

/** What was asked for could not be done. */
const UNABLE = 2;
/** A command given by hand may take longer than one of the corpus. */
const GIVEN_MS = 60_000;
const CORPUS_MS = 5000;

const judge: JudgeLine = (command, cwd, machine) => {
  const { verdict, basis } = judgeOnly({ tool: "Bash", input: { command }, cwd }, machine, []);
  return { decision: verdict.decision, reason: verdict.reason, lowered: basis?.lowered ?? { actions: [], unknowns: [] } };
};

/** 0 as predicted, 1 something else happened too, 2 it could not be looked at. */
async function verify(words: readonly string[], options: VerifyOptions): Promise<number> {
  const given = lineOfWords(words);
  if (given !== undefined && "wrong" in given) return unable(given.wrong);
  const command = given?.line;
  if (options.worker !== undefined) {
    const [base = "", temp = ""] = options.worker.split(":");
    await work({ base, hideTemp: temp === "hide", judge });
    return 0;
  }
  const needed = neededPaths([ROOT], process.env["PATH"]);
  const base = baseFor(needed);
  const problem = cannotConfine();
  if (problem !== undefined) return unable(`commands run in namespaces of their own only, and this machine gives none: ${problem}`);
  if (base === undefined)
    return unable("the scratch project has no place: Assent or a folder of PATH lies in every folder that could be hidden");
  const pool: PoolOptions = {
    worker: [process.execPath, BIN, "--worker", `${base}:${hidesTemp(needed) ? "hide" : "keep"}`],
    workers: Math.max(1, availableParallelism()),
    whatever: command !== undefined,
    patience: command === undefined ? CORPUS_MS : GIVEN_MS,
    keeps: command === undefined ? "what was not predicted" : "all",
  };
  if (options.environment === true) return verifyEnvironment(options, `${base}/dev`, pool);
  const lines = command === undefined ? await corpus(options, pool) : [{ line: command, family: "given lines" }];
  if (typeof lines === "string") return unable(lines);
  const results = await verifyLines(lines, {
    ...pool,
    ...(options.json === true
      ? { onResult: (result: LineResult) => writeStdout(`${resultJson(result)}\n`) }
      : command === undefined
        ? { onResult: progress(lines.length) }
        : {}),
  });
  const style = styleFor(process.stdout, process.env);
  if (options.json !== true)
    writeStdout(command === undefined ? corpusPage(results, style) : results.map((result) => linePage(result, style)).join(""));
  return statusOf(results, command !== undefined);
}

/**
 * What variables do to programs: an effect counts that the line did not have without them. Then those are looked for that do it,
 * and lines that were not allowed are tried in halves.
 */
async function verifyEnvironment({ only, sample: every = 1, json }: VerifyOptions, home: string, pool: PoolOptions): Promise<number> {
  const levels = optionLevels(process.env["PATH"] ?? "", only);
  const alone = new Map<string, ReadonlySet<string>>();
  const count = { programs: new Set<string>(), variables: new Set<string>(), lines: 0, run: 0, allowed: 0, broken: 0 };
  const holes: LineResult[] = [];
  for (let todo = everyVariableLines(levels, { home, every }); todo.length > 0;) {
    const results = await verifyLines(todo, { ...pool, onResult: progress(todo.length) });
    const next: VariableLine[] = [];
    for (const [at, { outcome, line }] of results.entries())
      if (todo[at]?.variables.length === 0) alone.set(line, new Set(unpredicted(outcome).map(({ text }) => text)));
    for (const [at, result] of results.entries()) {
      const asked = todo[at];
      if (asked === undefined) continue;
      const { outcome } = result;
      count.lines++;
      count.programs.add(asked.alone.split(" ", 1)[0] ?? "");
      if (outcome.is === "broken") count.broken++;
      if (outcome.is === "run") {
        count.run++;
        count.allowed += asked.variables.length;
        for (const one of asked.variables) count.variables.add(one.split("=", 1)[0] ?? "");
      }
      const more = unpredicted(outcome).filter(({ text }) => alone.get(asked.alone)?.has(text) !== true);
      if (more.length > 0 && asked.variables.length === 1) holes.push(result);
      else if ((more.length > 0 || outcome.is === "refused") && asked.variables.length > 1) {
        const middle = Math.ceil(asked.variables.length / 2);
        for (const some of [asked.variables.slice(0, middle), asked.variables.slice(middle)]) next.push(withVariables(asked, some, at));
      }
    }
    todo = next;
  }
  if (json === true) for (const hole of holes) writeStdout(`${resultJson(hole)}\n`);
  else writeStdout(corpusPage(holes, styleFor(process.stdout, process.env)));
  writeStderr(
    `${count.programs.size} programs, ${count.lines} lines, ${count.run} run, ${count.variables.size} names of variables, ` +
      `${count.allowed} times one reached a program, ${count.broken} not observed, ${holes.length} with something unpredicted\n`,
  );
  return holes.length > 0 ? 1 : 0;
}

/** This program, as `scripts/run.mjs` has bundled it into `node_modules/.cache/assent`. */
const BIN = fileURLToPath(import.meta.url);
const ROOT = join(dirname(BIN), "../../..");

function unable(why: string): number {
  writeStderr(`verify: ${why.split("\n").map(visible).join("\n")}\n`);
  return UNABLE;
}

function statusOf(results: readonly LineResult[], given: boolean): number {
  if (results.some(({ outcome }) => unpredicted(outcome).length > 0)) return 1;
  const isUnable = ({ outcome }: LineResult): boolean => outcome.is === "broken" || (given && outcome.is !== "run");
  return results.some(isUnable) ? UNABLE : 0;
}

/** The lines to run, or why there are none. */
async function corpus(
  { all, family, corpus: file, options, only, resume, sample: every = 1 }: VerifyOptions,
  pool: PoolOptions,
): Promise<readonly CorpusLine[] | string> {
  let given: readonly CorpusLine[] = [];
  let done: ReadonlySet<string> = new Set();
  try {
    if (file !== undefined) given = linesOf(readFileSync(resolve(file), "utf8"));
    if (resume !== undefined) done = await commandsIn(resolve(resume));
  } catch {
    return `${file ?? resume ?? ""} cannot be read`;
  }
  const known =
    options === true
      ? await optionLines(optionLevels(process.env["PATH"] ?? "", only), pool)
      : all === true || family !== undefined
        ? wholeCorpus(given)
        : [...given, ...(file === undefined ? exampleLines() : [])];
  const chosen = (family === undefined ? known : known.filter((line) => line.family === family)).filter(
    ({ line }, at) => at % every === 0 && !done.has(line),
  );
  if (chosen.length > 0) return chosen;
  return family === undefined
    ? "there is nothing to run"
    : `unknown family ${family}; these are known:\n${namesInRows([...new Set(known.map((line) => line.family))].toSorted())}`;
}

/** A long list of names, a few on each line. */
function namesInRows(names: readonly string[]): string {
  const width = Math.max(...names.map(({ length }) => length)) + 2;
  const each = Math.max(1, Math.floor(80 / width));
  const rows = Array.from({ length: Math.ceil(names.length / each) }, (_, at) => names.slice(at * each, (at + 1) * each));
  return rows
    .map(
      (row) =>
        `  ${row
          .map((name) => name.padEnd(width))
          .join("")
          .trimEnd()}`,
    )
    .join("\n");
}

async function optionLines(of: readonly OptionLevel[], pool: PoolOptions): Promise<readonly CorpusLine[]> {
  const asked = of.map(({ helps }) => helps).filter(({ length }) => length > 0);
  return everyOptionLines(of, asked.length === 0 ? new Map() : await askHelp(asked, pool));
}

/** Of lines of JSON; the last may have been cut. */
async function commandsIn(file: string): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for await (const text of createInterface({ input: createReadStream(file) })) {
    const command = /^\{"v":\d+,"command":("(?:[^"\\]|\\.)*"),.*\}$/.exec(text)?.[1];
    if (command !== undefined) found.add(String(JSON.parse(command)));
  }
  return found;
}

/** One command a line, or a JSON string of one; lines that begin with `#` are comments. */
const linesOf = (text: string): readonly CorpusLine[] =>
  text
    .split("\n")
    .filter((line) => line.trim() !== "" && !line.startsWith("#"))
    .map((line) => ({ line: asJson(line) ?? line, family: "given lines" }));

function asJson(line: string): string | undefined {
  if (!line.startsWith('"')) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}

/** On a terminal a line that changes; else one line a minute. */
function progress(all: number): (result: LineResult, done: number) => void {
  const began = performance.now();
  let [ran, wrong, told] = [0, 0, began];
  return ({ outcome }, done) => {
    if (outcome.is === "run") ran++;
    if (unpredicted(outcome).length > 0) wrong++;
    const now = performance.now();
    const isTold = process.stderr.isTTY ? done % 10 === 0 || done === all : now - told > A_MINUTE;
    if (!isTold) return;
    told = now;
    const minutes = Math.ceil(((now - began) / done) * ((all - done) / A_MINUTE));
    const text = `${done} of ${all} lines, ${ran} run, ${wrong} with something unpredicted, about ${minutes} min left`;
    writeStderr(process.stderr.isTTY ? `\r${text}${done === all ? "\n" : ""}` : `${text}\n`);
  };
}

const A_MINUTE = 60_000;

/** One result as a line of JSON (evidence/soundness.md). */
function resultJson({ line, family, outcome }: LineResult): string {
  const { is, ...rest } = outcome;
  return JSON.stringify({ v: 1, command: line, family, result: is, ...rest });
}

type Ran = Extract<LineOutcome, { is: "run" }>;

/** One command: what was predicted and what was seen of it, side by side; then what nothing predicted, and what did not happen. */
function linePage({ line, outcome }: LineResult, style: TerminalStyle): string {
  if (outcome.is !== "run") return `${notRun(line, outcome)}\n`;
  const missed = unpredicted(outcome);
  const verdict = missed.length === 0 ? style.bold("as predicted") : style.bold(`${missed.length} not predicted`);
  const out = [`${verdict}  ${brief(line, style.width - 20)}`, style.dim(`${outcome.decision}, ${outcome.ended}`), ""];
  out.push(...columns(outcome, style));
  const background = outcome.effects.filter(({ expected }) => expected !== undefined && !outcome.predictions.includes(expected));
  if (background.length > 0) out.push("", style.bold("what the programs do for themselves"), ...reasons(background));
  if (missed.length > 0)
    out.push(
      "",
      style.bold("not predicted"),
      ...missed.map(({ text, program }) => `  ${brief(text, style.width - 20)}  ${style.dim(`by ${visible(program)}`)}`),
    );
  return `${out.join("\n")}\n`;
}

function columns({ predictions, effects, slack }: Ran, style: TerminalStyle): readonly string[] {
  const rows = [...new Set(predictions)].map((text): readonly [string, string] => {
    const seen = effects.filter(({ expected }) => expected === text).map((effect) => effect.text);
    const [first] = seen;
    return [
      text,
      first === undefined
        ? slack.includes(text)
          ? style.dim("never happened")
          : ""
        : seen.length === 1
          ? first
          : `${first} and ${seen.length - 1} more`,
    ];
  });
  const room = Math.max(20, Math.floor(style.width / 2) - 4);
  const width = Math.min(room, Math.max(9, ...rows.map(([text]) => text.length)));
  return [["predicted", "observed"] as const, ...rows].map(
    ([left, right]) => `  ${brief(left, width).padEnd(width)}  ${brief(right, room)}`,
  );
}

/** Many effects, few reasons. */
function reasons(effects: readonly ObservedEffect[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { expected = "" } of effects) counts.set(expected, (counts.get(expected) ?? 0) + 1);
  return [...counts].map(([why, count]) => `  ${String(count).padStart(4)}  ${visible(why)}`);
}

function notRun(line: string, outcome: Exclude<LineOutcome, Ran>): string {
  const shown = brief(line);
  if (outcome.is === "absent") return `not run: ${shown}\n  not installed here: ${visible(outcome.programs.join(", "))}`;
  if (outcome.is === "refused") return `not run: ${shown}\n  ${outcome.decision}: ${visible(outcome.why)}`;
  if (outcome.is === "said") return `not run: ${shown}`;
  return `not observed: ${shown}\n  ${visible(outcome.why)}`;
}

interface CorpusTally {
  readonly lines: number;
  readonly ran: number;
  readonly notAllowed: number;
  readonly absent: number;
  readonly broken: number;
  /** Lines that did something that was not predicted. */
  readonly unpredicted: number;
  /** Predictions that never came true. */
  readonly slack: number;
}

function tally(results: readonly LineResult[]): CorpusTally {
  const count = (is: LineOutcome["is"]): number => results.filter(({ outcome }) => outcome.is === is).length;
  return {
    lines: results.length,
    ran: count("run"),
    notAllowed: count("refused"),
    absent: count("absent"),
    broken: count("broken"),
    unpredicted: results.filter(({ outcome }) => unpredicted(outcome).length > 0).length,
    slack: results.reduce((sum, { outcome }) => sum + (outcome.is === "run" ? outcome.slack.length : 0), 0),
  };
}

/** The whole corpus: what went wrong, and the counts of each family. */
function corpusPage(results: readonly LineResult[], style: TerminalStyle): string {
  const out: string[] = [];
  for (const { line, outcome } of results) {
    if (outcome.is === "broken") out.push(notRun(line, outcome));
    const missed = unpredicted(outcome);
    if (missed.length > 0)
      out.push(brief(line), ...missed.map(({ text, program }) => `  ${brief(text)}  ${style.dim(`by ${visible(program)}`)}`));
  }
  if (out.length > 0) out.push("");
  const families = [...new Set(results.map(({ family }) => family))].toSorted();
  const width = Math.max(8, ...families.map((family) => family.length));
  const row = (name: string, counts: readonly (string | number)[]): string =>
    `${name.padEnd(width)}${counts.map((one) => String(one).padStart(13)).join("")}`;
  out.push(style.bold(row("family", ["lines", "run", "not allowed", "absent", "unpredicted", "slack"])));
  const cells = ({ lines, ran, notAllowed, absent, unpredicted: wrong, slack }: CorpusTally): readonly number[] => [
    lines,
    ran,
    notAllowed,
    absent,
    wrong,
    slack,
  ];
  for (const family of families) out.push(row(family, cells(tally(results.filter((one) => one.family === family)))));
  out.push(style.bold(row("all", cells(tally(results)))));
  return `${out.join("\n")}\n`;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    all: { type: "boolean" },
    family: { type: "string" },
    options: { type: "boolean" },
    environment: { type: "boolean" },
    only: { type: "string", multiple: true },
    resume: { type: "string" },
    sample: { type: "string" },
    corpus: { type: "string" },
    json: { type: "boolean" },
    worker: { type: "string" },
  },
});
const { sample: every, ...given } = values;
process.exitCode = await verify(positionals, { ...given, ...(every === undefined ? {} : { sample: Number(every) }) });
