import { createInterface } from "node:readline/promises";
import { visible } from "../action/index.ts";
import { messageOf, thisMachine } from "../state/index.ts";
import {
  commandOf,
  findRun,
  isRunning,
  laterRuns,
  prepareUndo,
  runsFolder,
  type RunRecord,
  type UndoStep,
  touches,
  undoRun,
  type UndoPlan,
} from "../supervise/undo/index.ts";
import { idAndPaths } from "./diff.ts";
import { JSON_VERSION } from "./json.ts";
import { shorten } from "./place.ts";
import { complain } from "./policy-target.ts";
import { noRun } from "./receipt.ts";
import { writeStderr, writeStdout } from "./stdio.ts";

const COMMAND = "undo";
const FIRST = 15;

export interface UndoCommandOptions {
  readonly dryRun?: boolean;
  readonly force?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** `assent undo`: 0 all of it, 1 some was left alone or failed. */
export async function undo(id: string | undefined, words: readonly string[], options: UndoCommandOptions): Promise<number> {
  const machine = thisMachine();
  const runs = runsFolder(machine);
  const { id: wanted, paths } = idAndPaths(runs, id, words);
  const run = findRun(runs, wanted, process.cwd(), wanted === undefined);
  if ("problem" in run) return noRun(COMMAND, run.problem, wanted);
  if (isRunning(run.folder)) {
    const left = run.ended === undefined ? [] : (run.left ?? []);
    const names = left.map(({ pid, name }) => `${name} (${pid})`).join(", ");
    complain(
      COMMAND,
      left.length === 0 ? `${run.id} is still running` : `${run.id} left ${visible(names)} running, which may still change things`,
      left.length === 0 ? "wait for its end, or end it" : `wait for the end, or: kill ${left.map(({ pid }) => pid).join(" ")}`,
    );
    return 1;
  }
  const force = options.force === true;
  const plan = prepareUndo(run, { paths, force });
  const later = laterRuns(runs, run);
  // Not asked for by name: it is the last that changed something.
  const skipped = wanted === undefined ? later.filter(({ cwd }) => cwd === run.cwd).length : 0;
  const short = (path: string): string => visible(shorten(path, process.cwd(), machine.home));
  const json = options.json === true;
  if (!json) announce(plan, short, options.dryRun === true, { later, skipped });
  if (options.dryRun === true || plan.steps.length === 0) {
    if (json) print(plan, {});
    else if (plan.steps.length === 0)
      writeStdout(plan.refused.length === 0 ? "nothing to undo: everything is as it was\n" : "nothing was undone\n");
    return plan.refused.length > 0 ? 1 : 0;
  }
  if (options.yes !== true && !json) {
    if (!process.stdin.isTTY || !process.stderr.isTTY) {
      complain(COMMAND, "there is no terminal to ask on", "look at `assent undo --dry-run`, then say `assent undo --yes`");
      return 1;
    }
    if (!(await confirmed())) {
      complain(COMMAND, "nothing was undone");
      return 1;
    }
  }
  const done = carryOut(() => undoRun(runs, plan, { paths, force, now: Date.now() }));
  if (done === undefined) return 1;
  if (json) print(plan, done);
  else {
    for (const { path, why } of done.failed) writeStderr(`failed: ${short(path)} ${visible(why)}\n`);
    for (const { path, why } of done.notes) writeStderr(`note: ${short(path)}: ${visible(why)}\n`);
    const first = plan.interrupted === undefined ? "" : `, then assent undo ${plan.interrupted.undo.id}`;
    writeStdout(done.id === undefined ? "nothing was undone\n" : `undone; to have it back: assent undo ${done.id}${first}\n`);
  }
  return plan.refused.length + done.failed.length > 0 ? 1 : 0;
}

/** Undefined: it could not be recorded, which is said. */
function carryOut<T>(undoing: () => T): T | undefined {
  try {
    return undoing();
  } catch (error) {
    complain(COMMAND, `it stopped: ${messageOf(error)}`, "say it again once that is mended: it goes on where it stopped");
    return undefined;
  }
}

function print({ run, steps, refused, warnings }: UndoPlan, done: Partial<ReturnType<typeof undoRun>>): void {
  const shown = steps.map((step) => ({ do: step.do, path: step.path, ...(step.do === "move" ? { to: step.to } : {}) }));
  const { id, failed, notes } = done;
  writeStdout(`${JSON.stringify({ v: JSON_VERSION, run: run.id, steps: shown, refused, warnings, undo: id, failed, notes })}\n`);
}

const WORDS: Readonly<Record<Exclude<UndoStep["do"], "attributes">, string>> = {
  delete: "delete",
  move: "move back",
  restore: "bring back",
  content: "write the old bytes to",
};

interface Since {
  /** Newest first. */
  readonly later: readonly RunRecord[];
  /** How many of these had changed nothing. */
  readonly skipped: number;
}

function announce({ run, steps, refused, warnings }: UndoPlan, short: (path: string) => string, dry: boolean, since: Since): void {
  const say = dry ? writeStdout : writeStderr;
  say(`${run.id}: ${visible(commandOf(run))}\n`);
  if (since.skipped > 0)
    say(`  (${since.skipped === 1 ? "the run after it has" : `the ${since.skipped} runs after it have`} changed nothing)\n`);
  for (const warning of warnings) say(`warning: ${visible(warning)}\n`);
  const shown = steps.flatMap((step) => {
    if (step.do === "attributes" || (step.do === "move" && step.aside === true)) return [];
    return [`${WORDS[step.do]} ${short(step.path)}${step.do === "move" ? ` as ${short(step.to)}` : ""}`];
  });
  const attributes = steps.filter((step) => step.do === "attributes").length;
  if (attributes > 0) shown.push(`set modes and times of ${attributes} path${attributes === 1 ? "" : "s"}`);
  for (const line of dry ? shown : shown.slice(0, FIRST)) say(`  ${line}\n`);
  if (!dry && shown.length > FIRST) say(`  … and ${shown.length - FIRST} more (--dry-run shows all)\n`);
  for (const { path, why } of refused) {
    const by = since.later.find((one) => touches(one, path));
    const first = by === undefined ? "" : `, by a later run: undo that one first (assent undo ${by.id})`;
    say(`left alone: ${short(path)} ${visible(why)}${first}\n`);
  }
}

async function confirmed(): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const closed = new Promise<string>((resolve) => lines.once("close", () => resolve("")));
    const answer = await Promise.race([lines.question("Undo this? Type yes: "), closed]);
    return answer.trim().toLowerCase() === "yes";
  } finally {
    lines.close();
  }
}
