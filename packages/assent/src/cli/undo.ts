import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { visible } from "@assent/core/action";
import { messageOf, thisMachine } from "@assent/guard/state";
import {
  commandOf,
  diffOfUndo,
  isRunning,
  isThereNow,
  laterRuns,
  prepareUndo,
  runsFolder,
  runMovedTo,
  type RunRecord,
  touches,
  type Undone,
  undoRun,
  type UndoPlan,
} from "@assent/supervisor/supervise/undo";
import { saySteps } from "@assent/page/preview";
import { printDiff } from "./diff.ts";
import { writeJson } from "./json.ts";
import { shorten } from "./place.ts";
import { complain } from "./policy-target.ts";
import { noRun } from "./receipt.ts";
import { askYes } from "./ask-yes.ts";
import { chooseRuns, nameOfSpan, type SpanOptions } from "./span.ts";
import { progressLine } from "./progress.ts";
import { writeStderr, writeStdout } from "./stdio.ts";

const COMMAND = "undo";
const FIRST = 15;

export interface UndoCommandOptions extends SpanOptions {
  readonly dryRun?: boolean;
  /** With `dryRun`: the lines that would change. */
  readonly diff?: boolean;
  readonly force?: boolean;
  /** Where the folder in which the run was started lies now. */
  readonly at?: string;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** `assent undo`: 0 all of it, 1 some was left alone or failed. */
export async function undo(id: string | undefined, words: readonly string[], options: UndoCommandOptions): Promise<number> {
  const machine = thisMachine();
  const runs = runsFolder(machine);
  if (options.at !== undefined && !existsSync(options.at)) {
    complain(COMMAND, `--at ${visible(options.at)}: no such folder`, "name the folder in which the run was started, where that lies now");
    return 2;
  }
  const chosen = chooseRuns(runs, { id, words, undoable: true }, options);
  if ("problem" in chosen) return noRun(COMMAND, chosen);
  const { paths, id: wanted } = chosen;
  const run = chosen.runs.find(({ folder }) => isRunning(folder));
  if (run !== undefined) {
    const left = run.ended === undefined ? [] : (run.left ?? []);
    const names = left.map(({ pid, name }) => `${name} (${pid})`).join(", ");
    complain(
      COMMAND,
      left.length === 0 ? `${run.id} is still running` : `${run.id} left ${visible(names)} running, which may still change things`,
      left.length === 0 ? "wait for its end, or end it" : `wait for the end, or: kill ${left.map(({ pid }) => pid).join(" ")}`,
    );
    return 1;
  }
  const unkept = chosen.runs.find(({ engine }) => engine?.noUndo !== undefined);
  if (unkept?.engine?.noUndo !== undefined) {
    complain(COMMAND, `undo is not possible for ${unkept.id}: ${visible(unkept.engine.noUndo)}`);
    return 1;
  }
  const force = options.force === true;
  const moved = options.at === undefined ? chosen.runs : runsAt(chosen.runs, resolve(options.at));
  if (typeof moved === "string") {
    complain(
      COMMAND,
      visible(moved),
      "name one run, and the folder in which it was started, where that lies now: assent undo RUN --at FOLDER",
    );
    return 1;
  }
  const plan = prepareUndo(moved, { paths, force });
  const last = chosen.runs.at(-1);
  const later = last === undefined ? [] : laterRuns(runs, last);
  // Not asked for by name: it is the last that changed something.
  const skipped = wanted === undefined && isSingle(options) ? later.filter(({ cwd }) => cwd === last?.cwd) : [];
  const short = (path: string): string => visible(shorten(path, process.cwd(), machine.home));
  const json = options.json === true;
  if (!json) announce(plan, isSingle(options) ? undefined : nameOfSpan(chosen), { short, dry: options.dryRun === true, later, skipped });
  if (options.diff === true && !json) for (const one of diffOfUndo(plan.steps, last?.folder ?? "")) printDiff(one);
  if (options.dryRun === true || plan.steps.length === 0) {
    if (json) print(plan, {});
    else if (plan.steps.length === 0)
      writeStdout(plan.refused.length === 0 ? "nothing to undo: everything is as it was\n" : `nothing was undone${ifMoved(plan)}\n`);
    return plan.refused.length > 0 ? 1 : 0;
  }
  if (options.yes !== true && !json) {
    if (!process.stdin.isTTY || !process.stderr.isTTY) {
      complain(COMMAND, "this is not a terminal, so nobody can be asked", "look at `assent undo --dry-run`, then say `assent undo --yes`");
      return 1;
    }
    if (!(await askYes("Undo this?"))) {
      complain(COMMAND, "nothing was undone");
      return 1;
    }
  }
  const progress = progressLine("steps back");
  const done = carryOut(() => undoRun(runs, plan, { paths, force, now: Date.now(), onStep: progress.at }));
  progress.end();
  if (done === undefined) return 1;
  if (json) print(plan, done);
  else {
    for (const { path, why } of done.failed) writeStderr(`failed: ${short(path)} ${visible(why)}\n`);
    for (const { path, why } of done.notes) writeStderr(`note: ${short(path)}: ${visible(why)}\n`);
    writeStdout(ended(done, plan));
  }
  return plan.refused.length + done.failed.length > 0 ? 1 : 0;
}

/** The run as it would be had it been started there, or why not. */
function runsAt(runs: readonly RunRecord[], at: string): readonly RunRecord[] | string {
  const [run, ...more] = runs;
  if (run === undefined || more.length > 0) return "--at is about one run";
  const there = runMovedTo(run, at);
  return isThereNow(there) ? [there] : `${at} is not the folder in which ${run.id} was started: nothing that the run left lies there`;
}

/** The folder of a run is gone, and with it all that could be undone: it may only lie elsewhere. */
function ifMoved({ runs }: UndoPlan): string {
  const [run, ...more] = runs;
  if (run === undefined || more.length > 0 || existsSync(run.cwd)) return "";
  return `: ${visible(run.cwd)} is gone. If it was moved: assent undo ${run.id} --at NEW_FOLDER`;
}

const isSingle = ({ session, since }: SpanOptions): boolean => session === undefined && since === undefined;

/** The last line: whether it is all undone, and how to have it back. */
function ended({ id, done, failed }: Undone, { steps, refused }: UndoPlan): string {
  if (id === undefined || done === 0) return "nothing was undone\n";
  const back = `to have it back: assent undo ${id}\n`;
  if (failed.length > 0)
    return `${done} of ${steps.length} steps were done, what failed is named above and tried again by the same command; ${back}`;
  return refused.length > 0 ? `undone, but for what was left alone; ${back}` : `undone; ${back}`;
}

/** Undefined: it could not be recorded, which is said. */
function carryOut<T>(undoing: () => T): T | undefined {
  try {
    return undoing();
  } catch (error) {
    complain(COMMAND, `it stopped: ${messageOf(error)}`, "run it again once that is fixed: it goes on where it stopped");
    return undefined;
  }
}

function print({ runs, steps, refused, warnings }: UndoPlan, done: Partial<Undone>): void {
  const ids = runs.map(({ id: one }) => one);
  const shown = steps.map((step) => ({ do: step.do, path: step.path, ...(step.do === "move" ? { to: step.to } : {}) }));
  const { id, failed, notes } = done;
  const several = ids.length > 1 ? ids : undefined;
  const fields = { run: ids.at(-1), runs: several, steps: shown, refused, warnings, undo: id, failed, notes };
  writeJson({ ...fields });
}

interface Announced {
  readonly short: (path: string) => string;
  readonly dry: boolean;
  /** Newest first. */
  readonly later: readonly RunRecord[];
  /** Those of them that had changed nothing, or of which nothing is known. */
  readonly skipped: readonly RunRecord[];
}

/** `name`: of several runs. */
function announce({ runs, steps, refused, warnings }: UndoPlan, name: string | undefined, { short, dry, later, skipped }: Announced): void {
  const say = dry ? writeStdout : writeStderr;
  if (name !== undefined) say(`${visible(name)}\n`);
  else for (const run of runs) say(`${run.id}: ${visible(commandOf(run))}\n`);
  const unknown = skipped.filter(({ engine }) => engine?.noUndo !== undefined);
  const unchanged = skipped.length - unknown.length;
  if (unchanged > 0) say(`  (${unchanged === 1 ? "the run after it has" : `the ${unchanged} runs after it have`} changed nothing)\n`);
  for (const { id, engine } of unknown) say(`  (undo is not possible for the run after it, ${id}: ${visible(engine?.noUndo ?? "")})\n`);
  for (const warning of warnings) say(`warning: ${visible(warning)}\n`);
  const shown = saySteps(steps, short);
  for (const line of dry ? shown : shown.slice(0, FIRST)) say(`  ${line}\n`);
  if (!dry && shown.length > FIRST) say(`  … and ${shown.length - FIRST} more (--dry-run shows all)\n`);
  for (const { path, why } of refused) {
    const by = later.find((one) => touches(one, path));
    const first = by === undefined ? "" : `, by a later run: undo that one first (assent undo ${by.id})`;
    say(`left alone: ${short(path)} ${visible(why)}${first}\n`);
  }
}
