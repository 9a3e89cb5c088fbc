import { closeSync, statSync } from "node:fs";
import { projectOf } from "@assent/guard/engine";
import { thisMachine } from "@assent/guard/state";
import { callOffLast, forgetIntended, type Interrupted, interruptedUndo, noteIntended } from "./interrupted.ts";
import { planUndo, type StepPlan } from "./plan.ts";
import { type NotUndone, readRecordedAnew, sealRecorded } from "./after.ts";
import { changedBetween } from "./repository.ts";
import { carryOut } from "./restore.ts";
import { isRunning, listRuns, lockRun, newRunId, readRun, RunFolder, type RunRecord, undoneIn } from "./run-folder.ts";
import { UndoStore } from "./store.ts";
import type { Replay } from "./tree.ts";

/** Something was about to change in the run. */
export const isSealable = (folder: string): boolean => (statSync(`${folder}/journal.jsonl`, { throwIfNoEntry: false })?.size ?? 0) > 0;

/**
 * Notes what the run left, so that later changes can be told, and returns the bytes its pre-images hold. Called when its
 * last process has ended and the store is closed. Throws where that cannot be written.
 */
export function sealRun(folder: string, now: number): number {
  if (statSync(`${folder}/journal.jsonl`, { throwIfNoEntry: false }) === undefined) return 0;
  const { records } = sealRecorded(folder, now);
  let bytes = 0;
  for (const record of records)
    if ((record.op === "remove" || record.op === "modify") && record.key !== undefined && record.is !== undefined && record.is[4] <= 1)
      bytes += record.is[3];
  return bytes;
}

export interface UndoOptions {
  /** Absolute; empty: everything. */
  readonly paths: readonly string[];
  readonly force: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Told after each step. */
  readonly onStep?: (done: number, all: number) => void;
}

export interface UndoPlan extends StepPlan {
  /** Oldest first. */
  readonly runs: readonly RunRecord[];
  /** It was begun before. */
  readonly interrupted?: Interrupted;
  readonly warnings: readonly string[];
}

/** What an undo of the runs, oldest first, would do. Changes nothing. */
export function prepareUndo(runs: readonly RunRecord[], options: Pick<UndoOptions, "paths" | "force">): UndoPlan {
  const interrupted = interruptedUndo(runs);
  if (interrupted !== undefined) {
    const { steps, refused, undo } = interrupted;
    const what = runs.length === 1 ? "this run" : "one of these runs";
    const warning = `an undo of ${what} (${undo.id}) ended before it was done: it goes on where it stopped`;
    return { runs, warnings: [warning], broken: new Map(), steps, refused, interrupted };
  }
  const warnings: string[] = [];
  const folders = runs.map(({ folder }) => folder);
  let { tree, after, records, broken, sealed, spoken } = readRecordedAnew(runs);
  const between = runs.length > 1 ? changedBetween(folders.map((folder, i) => ({ folder, paths: spoken[i] ?? new Set() }))) : [];
  const held = new Map<string, string>(between);
  let plan = planUndo(tree, after, { folders, paths: options.paths, force: options.force, held, moved: runs[0]?.moved });
  while (plan.broken.size > 0) {
    for (const [root, why] of plan.broken) held.set(root, why);
    // A plan moves the names about.
    ({ tree, after, records, broken, sealed, spoken } = readRecordedAnew(runs));
    plan = planUndo(tree, after, { folders, paths: options.paths, force: options.force, held, moved: runs[0]?.moved });
  }
  if (broken > 0)
    warnings.push(`${broken} line${broken === 1 ? "" : "s"} of the journal could not be read: what they held cannot be undone`);
  const killed = records.length === 0 ? [] : runs.filter((_, i) => sealed[i] === false).map(({ id }) => id);
  if (killed.length > 0) {
    const what = runs.length === 1 ? "the run was" : `${killed.join(", ")} ${killed.length === 1 ? "was" : "were"}`;
    warnings.push(`${what} killed before it could note what it left: what may have been changed since is left alone (--force)`);
  }
  return { runs, warnings, ...plan };
}

export interface Undone {
  /** The run that this undo is recorded as; undefined: nothing was done. */
  readonly id?: string;
  readonly done: number;
  readonly failed: readonly NotUndone[];
  readonly notes: readonly NotUndone[];
}

/** Carries the plan out, recorded as a run of its own that can be undone in turn. Throws where it cannot be recorded. */
export function undoRun(runs: string, plan: UndoPlan, options: UndoOptions): Undone {
  if (plan.steps.length === 0) return { done: 0, failed: [], notes: [] };
  const locks: number[] = [];
  try {
    for (const { folder } of plan.runs) {
      const lock = lockRun(folder);
      if (lock === undefined) return undoneMeanwhile(plan);
      locks.push(lock);
    }
    if (isUndoneMeanwhile(listRuns(runs), plan)) return undoneMeanwhile(plan);
    return carryOutPlan(runs, plan, options);
  } finally {
    for (const lock of locks) closeSync(lock);
  }
}

function isUndoneMeanwhile(all: readonly RunRecord[], { runs }: UndoPlan): boolean {
  const [only] = runs;
  if (runs.length === 1 && only !== undefined) return undoneOf(all).has(only.id);
  const planned = new Set(runs.map(({ id }) => id));
  return all.some((one) => one.ended !== undefined && !planned.has(one.id) && undoneIn(one).some((id) => planned.has(id)));
}

function undoneMeanwhile({ runs }: UndoPlan): Undone {
  const [{ cwd, id } = { cwd: "/", id: "it" }] = runs;
  return { done: 0, failed: [{ path: cwd, why: `is as it was: ${id} was undone meanwhile, by another \`assent undo\`` }], notes: [] };
}

/** A new undo, or one that was begun before: that one goes on. */
function recordsOf(at: string, plan: UndoPlan, paths: readonly string[], now: number): RunFolder {
  const { runs, refused, interrupted } = plan;
  if (interrupted !== undefined) {
    const { folder: _, ...meta } = interrupted.undo;
    return new RunFolder(at, meta);
  }
  const ids = runs.map(({ id }) => id);
  const [last = ""] = ids.slice(-1);
  // Partly undone counts as not undone.
  const partly = paths.length > 0 || refused.length > 0;
  return new RunFolder(at, {
    id: newRunId(now),
    argv: ["assent", "undo", ...(ids.length > 3 ? [ids[0] ?? "", "…", last] : ids), ...paths],
    cwd: runs.at(-1)?.cwd ?? "/",
    started: now,
    undoes: last,
    ...(ids.length > 1 ? { undoesToo: ids.slice(0, -1) } : {}),
    ...(partly ? { paths } : {}),
  });
}

function carryOutPlan(runs: string, plan: UndoPlan, options: UndoOptions): Undone {
  const { steps, refused, interrupted } = plan;
  const paths = interrupted?.paths ?? options.paths;
  const own = recordsOf(runs, plan, paths, options.now);
  try {
    if (interrupted !== undefined) callOffLast(own.folder);
    // What it replaces is kept whatever its size: links cost nothing, and a person is waiting.
    const store = new UndoStore(own.folder, { file: Number.POSITIVE_INFINITY, run: Number.POSITIVE_INFINITY });
    if (interrupted === undefined) noteIntended(own.folder, { steps, refused, paths });
    const outcome = carryOut(steps, plan.runs.at(-1)?.folder ?? "", store, { since: interrupted?.since, onStep: options.onStep });
    store.close();
    const bytes = sealRun(own.folder, Date.now());
    own.end({ ended: Date.now(), exit: { by: "exit", code: outcome.failed.length === 0 ? 0 : 1 }, bytes });
    forgetIntended(own.folder);
    return { id: own.id, ...outcome };
  } finally {
    own.close();
  }
}

/** Why no run is meant, and the one that would be in another project. */
export interface NoRun {
  readonly problem: string;
  readonly elsewhere?: RunRecord | undefined;
}

/** Without an id the newest of the project that `cwd` lies in; `undoable`: that is not an undo, and not undone already. */
export function findRun(runs: string, id: string | undefined, cwd: string, undoable: boolean): RunRecord | NoRun {
  const all = listRuns(runs);
  if (id !== undefined) {
    const exact = readRun(runs, id);
    if (exact !== undefined) return exact;
    const found = all.filter((run) => run.id.startsWith(id));
    if (found.length === 1 && found[0] !== undefined) return found[0];
    return { problem: found.length === 0 ? "unknown run" : "several runs begin so" };
  }
  const undone = undoneOf(all);
  // What a run left behind may still change things: that it does is said.
  const mayBe = (run: RunRecord): boolean =>
    run.undoes === undefined && !undone.has(run.id) && (!isRunning(run.folder) || (run.left !== undefined && run.ended !== undefined));
  const fit = undoable ? all.filter(mayBe) : all;
  const changed = (run: RunRecord): boolean => !undoable || hasChanges(run);
  const touched = (run: RunRecord): boolean => readRecordedAnew([run]).records.length > 0;
  const last = (some: readonly RunRecord[]): RunRecord | undefined => {
    const begun = undoable ? some.findLast((one) => interruptedUndo([one]) !== undefined) : undefined;
    return begun ?? some.findLast(changed) ?? some.findLast(touched);
  };
  const isHere = ofProject(cwd);
  const run = last(fit.filter(isHere));
  if (run !== undefined) return run;
  const here = all.filter(isHere);
  const where = here.length === all.length ? "" : " of this folder";
  const elsewhere = last(fit.filter((one) => !isHere(one)));
  if (fit.some(isHere)) return { problem: `no run${where} that is not undone yet has changed anything`, elsewhere };
  return { problem: here.length === 0 ? `no run${where} is recorded yet` : `every run${where} is undone already`, elsewhere };
}

/** Whether a run was started in the project that a folder lies in: in another, it is another's. */
export function ofProject(cwd: string): (run: RunRecord) => boolean {
  const machine = thisMachine();
  const known = new Map<string, string>();
  const project = (folder: string): string => {
    const found = known.get(folder) ?? projectOf(folder, machine);
    known.set(folder, found);
    return found;
  };
  return (run) => project(run.cwd) === project(cwd);
}

/** Something is not as it was before, but for the times of folders: what was only opened for writing is. */
function hasChanges(run: RunRecord): boolean {
  if (!mayHaveChanges(readRecordedAnew([run]).tree)) return false;
  const { steps, refused } = prepareUndo([run], { paths: [], force: false });
  return steps.length + refused.length > 0;
}

function mayHaveChanges({ touched }: Replay): boolean {
  for (const { alive, made, moved, removed, inode } of touched)
    if (alive ? made || moved || inode?.content !== undefined || inode?.attributes === true : removed !== undefined) return true;
  return false;
}

/** An undo that was not killed, nor left anything undone that it had planned. */
const isWhole = ({ ended, exit, paths }: RunRecord): boolean =>
  paths === undefined && ended !== undefined && exit?.by === "exit" && exit.code === 0;

/** Ids of the runs that are undone, by an undo that is not undone itself. `all`: oldest first. */
export function undoneOf(all: readonly RunRecord[]): ReadonlySet<string> {
  const undone = new Set<string>();
  for (const run of all.toReversed()) if (isWhole(run) && !undone.has(run.id)) for (const id of undoneIn(run)) undone.add(id);
  return undone;
}

/** Runs that began after this one, that are no undo and not undone, newest first. */
export function laterRuns(runs: string, run: RunRecord): readonly RunRecord[] {
  const all = listRuns(runs);
  const undone = undoneOf(all);
  const at = all.findIndex(({ id }) => id === run.id);
  return all
    .slice(at + 1)
    .filter(({ id, undoes, ended }) => undoes === undefined && ended !== undefined && !undone.has(id))
    .toReversed();
}

/** The run changed something at this path, or a name of it. */
export function touches(run: RunRecord, path: string): boolean {
  return readRecordedAnew([run]).records.some(
    (record) => ("path" in record && record.path === path) || ("to" in record && record.to === path),
  );
}

/** The word names a run, or how the id of one begins. */
export function readRunId(runs: string, word: string): boolean {
  return !word.includes("/") && listRuns(runs).some(({ id }) => id.startsWith(word));
}
