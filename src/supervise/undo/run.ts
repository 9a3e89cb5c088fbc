import { statSync } from "node:fs";
import { planUndo, type Plan, type Refusal } from "./plan.ts";
import { fresh, sealed } from "./recorded.ts";
import { carryOut } from "./restore.ts";
import { isRunning, listRuns, newRunId, readRun, RunFolder, type RunRecord } from "./run-folder.ts";
import { UndoStore } from "./store.ts";

/**
 * Notes what the run left, so that later changes can be told, and returns the bytes its pre-images hold. Called when its
 * last process has ended and the store is closed. Throws where that cannot be written.
 */
export function sealRun(folder: string, now: number): number {
  if (statSync(`${folder}/journal.jsonl`, { throwIfNoEntry: false }) === undefined) return 0;
  const { records } = sealed(folder, now);
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
}

export interface UndoPlan extends Plan {
  readonly run: RunRecord;
  readonly warnings: readonly string[];
}

/** What an undo of the run would do. Changes nothing. */
export function prepareUndo(run: RunRecord, options: Pick<UndoOptions, "paths" | "force">): UndoPlan {
  const { folder } = run;
  const warnings: string[] = [];
  const { tree, after, records, broken } = fresh(run);
  if (broken > 0)
    warnings.push(`${broken} line${broken === 1 ? "" : "s"} of the journal could not be read: what they held cannot be undone`);
  if (!after.sealed && records.length > 0)
    warnings.push("the run was killed before it could note what it left: what may have been changed since is left alone (--force)");
  return { run, warnings, ...planUndo(tree, after, { folder, paths: options.paths, force: options.force }) };
}

export interface Undone {
  /** The run that this undo is recorded as; undefined: nothing was done. */
  readonly id?: string;
  readonly done: number;
  readonly failed: readonly Refusal[];
  readonly notes: readonly Refusal[];
}

/** Carries the plan out, recorded as a run of its own that can be undone in turn. Throws where it cannot be recorded. */
export function undoRun(runs: string, { run, steps, refused }: UndoPlan, options: UndoOptions): Undone {
  if (steps.length === 0) return { done: 0, failed: [], notes: [] };
  // Partly undone counts as not undone.
  const partly = options.paths.length > 0 || refused.length > 0;
  const own = new RunFolder(runs, {
    id: newRunId(options.now),
    argv: ["assent", "undo", run.id, ...options.paths],
    cwd: run.cwd,
    started: options.now,
    undoes: run.id,
    ...(partly ? { paths: options.paths } : {}),
  });
  try {
    // What it replaces is kept whatever its size: links cost nothing, and a person is waiting.
    const store = new UndoStore(own.folder, { file: Number.POSITIVE_INFINITY, run: Number.POSITIVE_INFINITY });
    const outcome = carryOut(steps, run.folder, store);
    store.close();
    const bytes = sealRun(own.folder, Date.now());
    own.end({ ended: Date.now(), exit: { by: "exit", code: outcome.failed.length === 0 ? 0 : 1 }, bytes });
    return { id: own.id, ...outcome };
  } finally {
    own.close();
  }
}

/** `last`: the newest that may be meant; `undoable`: that is not an undo, and not undone already. */
export function findRun(runs: string, id: string | undefined, cwd: string, undoable: boolean): RunRecord | { readonly problem: string } {
  const all = listRuns(runs);
  if (id !== undefined) {
    const exact = readRun(runs, id);
    if (exact !== undefined) return exact;
    const found = all.filter((run) => run.id.startsWith(id));
    if (found.length === 1 && found[0] !== undefined) return found[0];
    return { problem: found.length === 0 ? "there is no such run" : "several runs begin so" };
  }
  const undone = new Set(all.filter(({ undoes, paths }) => undoes !== undefined && paths === undefined).map(({ undoes }) => undoes));
  const fit = all.filter((run) => !undoable || (run.undoes === undefined && !undone.has(run.id) && !isRunning(run.folder)));
  const run = fit.findLast((one) => one.cwd === cwd) ?? fit.at(-1);
  return run ?? { problem: all.length === 0 ? "no run is recorded yet" : "every run is undone already" };
}

/** The word names a run, or how the id of one begins. */
export function readRunId(runs: string, word: string): boolean {
  return !word.includes("/") && listRuns(runs).some(({ id }) => id.startsWith(word));
}
