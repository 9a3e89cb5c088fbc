import { statSync } from "node:fs";
import { openQuestions } from "@assent/guard/approve/queue";
import { parseObject } from "@assent/core/data";
import { glanceAtLog, type LogGlance } from "@assent/guard/audit";
import { bypassHere, bypassLeft, type Machine, stateFolder, thisMachine, namesIn } from "@assent/guard/state";
import { readRun, runsFolder, undoneOf } from "@assent/supervisor/supervise/undo";
import { JSON_VERSION } from "./json.ts";
import { absolute } from "./place.ts";
import { readStdin, writeStdout } from "./stdio.ts";

/** What is counted happened since then. */
const LATELY_MS = 60 * 60_000;
/** Folders of runs that are looked into, the newest first. */
const MOST_RUNS = 24;
const WIDTH = 40;
const MOST_SHOWN = 99;

/** What the line says, as data. */
export interface StatusLine extends LogGlance {
  /** Questions that wait for an answer now. */
  readonly waiting: number;
  /** Minutes that questions are still skipped here; null where nobody can say when it ends. Absent: they are asked. */
  readonly bypass?: number | null;
  /** Runs and edits of the last hour, at or below this folder, that changed something and are not taken back. */
  readonly undoable: number;
}

/** What a status line says of this machine and this folder. Costs a few small reads, however large the log is. */
export function statusFacts(machine: Machine, cwd: string, now = Date.now()): StatusLine {
  const left = bypassLeft(machine, now);
  const since = now - LATELY_MS;
  return {
    waiting: openQuestions(machine).length,
    ...(left > 0 ? { bypass: Math.ceil(left / 60_000) } : bypassHere(machine, now) === undefined ? {} : { bypass: null }),
    ...glanceAtLog(stateFolder(machine), since),
    undoable: undoableRuns(runsFolder(machine), cwd, since),
  };
}

/** Ids begin with the time, so that the newest are the last by name. */
function undoableRuns(folder: string, cwd: string, since: number): number {
  const newest = namesIn(folder).toSorted().slice(-MOST_RUNS);
  const runs = newest.flatMap((id) => readRun(folder, id) ?? []);
  const undone = undoneOf(runs);
  return runs.filter(
    (run) =>
      run.undoes === undefined &&
      !undone.has(run.id) &&
      run.ended !== undefined &&
      run.ended >= since &&
      (run.cwd === cwd || run.cwd.startsWith(cwd === "/" ? "/" : `${cwd}/`)) &&
      (statSync(`${run.folder}/journal.jsonl`, { throwIfNoEntry: false })?.size ?? 0) > 0,
  ).length;
}

/** `assent: 2 refused, undo 1`: at most 40 columns, what matters most first. */
export function printStatusLine({ waiting, bypass, refused, confined, more, undoable }: StatusLine): string {
  const some = (count: number, what: string, plus: boolean): string | undefined =>
    count === 0 ? undefined : `${Math.min(count, MOST_SHOWN)}${plus || count > MOST_SHOWN ? "+" : ""} ${what}`;
  const parts = [
    some(waiting, "waiting", false),
    bypass === undefined ? undefined : bypass === null ? "bypass" : `bypass ${bypass}m`,
    some(refused, "refused", more),
    undoable === 0 ? undefined : `undo ${Math.min(undoable, MOST_SHOWN)}`,
    some(confined, "sandboxed", more),
  ].filter((part) => part !== undefined);
  let line = `assent: ${parts[0] ?? "nothing waits"}`;
  for (const part of parts.slice(1)) if (line.length + 2 + part.length <= WIDTH) line += `, ${part}`;
  return line;
}

export interface StatusLineOptions {
  readonly cwd?: string;
  readonly json?: boolean;
  /** The folder stands in the JSON on standard input, as hosts hand it to a program that makes their status line. */
  readonly stdin?: boolean;
}

/** `assent status --line`. Exit 0; a folder that nobody named is this one. */
export function printStatus(options: StatusLineOptions): void {
  const read = options.stdin === true ? readStdin() : undefined;
  const input = read !== undefined && "text" in read ? read.text : undefined;
  writeStdout(statusText(thisMachine(), absolute(options.cwd ?? "."), options, input));
}

/** What `assent status --line` prints in a folder. `input`: what standard input says. */
export function statusText(machine: Machine, folder: string, options: StatusLineOptions, input: string | undefined): string {
  const cwd = (input === undefined ? undefined : folderIn(input)) ?? folder;
  const facts = statusFacts(machine, cwd);
  const line = printStatusLine(facts);
  return options.json === true ? `${JSON.stringify({ v: JSON_VERSION, cwd, line, ...facts })}\n` : `${line}\n`;
}

/** What the words behind `status` ask for, where they are the plain ones of a line; anything else is for the whole program. */
export function readLineWords(words: readonly string[]): StatusLineOptions | undefined {
  const plain = words.includes("--line") && words.every((word) => word === "--line" || word === "--json" || word === "--stdin");
  return plain ? { json: words.includes("--json"), stdin: words.includes("--stdin") } : undefined;
}

function folderIn(input: string): string | undefined {
  const cwd = parseObject(input)?.["cwd"];
  return typeof cwd === "string" && cwd.startsWith("/") ? cwd : undefined;
}
