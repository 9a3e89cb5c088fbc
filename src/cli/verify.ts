import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { visible } from "../action/index.ts";
import {
  baseFor,
  cannotConfine,
  type CorpusLine,
  exampleLines,
  hidesTemp,
  type JudgeLine,
  type LineResult,
  neededPaths,
  unpredicted,
  verifyLines,
  wholeCorpus,
  work,
} from "../verify/index.ts";
import { engine, judgeOnly } from "./engine.ts";
import { absolute } from "./place.ts";
import { writeStderr, writeStdout } from "./stdio.ts";
import { styleFor } from "./style.ts";
import { corpusPage, linePage, resultJson } from "./verify-page.ts";

export interface VerifyOptions {
  readonly all?: boolean;
  readonly family?: string;
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

/** `assent verify`: 0 as predicted, 1 something else happened too, 2 it could not be looked at. */
export async function verify(command: string | undefined, options: VerifyOptions): Promise<number> {
  if (options.worker !== undefined) {
    const [base = "", temp = ""] = options.worker.split(":");
    await work({ base, hideTemp: temp === "hide", judge });
    return 0;
  }
  const lines = command === undefined ? corpus(options) : [{ line: command, family: "given lines" }];
  if (typeof lines === "string") return unable(lines);
  const needed = neededPaths(engine.own, process.env["PATH"]);
  const base = baseFor(needed);
  const problem = cannotConfine();
  if (problem !== undefined) return unable(`commands run in namespaces of their own only, and this machine gives none: ${problem}`);
  if (base === undefined)
    return unable("the scratch project has no place: Assent or a folder of PATH lies in every folder that could be hidden");
  const results = await verifyLines(lines, {
    worker: [process.execPath, BIN, "verify", "--worker", `${base}:${hidesTemp(needed) ? "hide" : "keep"}`],
    workers: Math.max(1, availableParallelism()),
    whatever: command !== undefined,
    patience: command === undefined ? CORPUS_MS : GIVEN_MS,
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

/** This program, as its parent starts it: it lies beside the chunks that this file is built into. */
const BIN = fileURLToPath(new URL("bin.cjs", new URL(".", import.meta.url).href.replace(/chunks\/$/, "")));

function unable(why: string): number {
  writeStderr(`assent verify: ${visible(why)}\n`);
  return UNABLE;
}

function statusOf(results: readonly LineResult[], given: boolean): number {
  if (results.some(({ outcome }) => unpredicted(outcome).length > 0)) return 1;
  const isUnable = ({ outcome }: LineResult): boolean => outcome.is === "broken" || (given && outcome.is !== "run");
  return results.some(isUnable) ? UNABLE : 0;
}

/** The lines to run, or why there are none. */
function corpus({ all, family, corpus: file }: VerifyOptions): readonly CorpusLine[] | string {
  let given: readonly CorpusLine[] = [];
  try {
    if (file !== undefined) given = linesOf(readFileSync(absolute(file), "utf8"));
  } catch {
    return `${file ?? ""} cannot be read`;
  }
  const known = all === true || family !== undefined ? wholeCorpus(given) : [...given, ...(file === undefined ? exampleLines() : [])];
  const chosen = family === undefined ? known : known.filter((line) => line.family === family);
  if (chosen.length > 0) return chosen;
  return family === undefined
    ? "there is nothing to run"
    : `there is no family ${family}; they are ${[...new Set(known.map((line) => line.family))].join(", ")}`;
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

function progress(all: number): (result: LineResult, done: number) => void {
  return (_, done) => {
    if (process.stderr.isTTY && (done % 10 === 0 || done === all)) writeStderr(`\r${done} of ${all}${done === all ? "\n" : ""}`);
  };
}
