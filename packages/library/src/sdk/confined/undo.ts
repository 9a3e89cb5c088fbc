import { resolve } from "node:path";
import { type Machine, thisMachine } from "@assent/guard/state";
import { checkOptions, GuardOptionError, type Options } from "../common/options.ts";

/** What of a run is undone. */
export interface UndoRunOptions {
  /** Only these, and what lies below them; relative ones start at the process's folder. By default everything. */
  readonly paths?: readonly string[];
  /** Also what was changed since by somebody else. */
  readonly force?: boolean;
  /** Only say what would be done. */
  readonly dryRun?: boolean;
  /** For tests: another home, other environment variables. */
  readonly machine?: Machine;
}

/** What became of an undo. */
export interface UndoneRun {
  /** The undo is a run of its own, and can be undone by this id; undefined where nothing was to be done. */
  readonly id: string | undefined;
  /** Paths that are as they were, or would be. */
  readonly paths: readonly string[];
  /** Left alone: what was changed since, and what failed. */
  readonly left: readonly { readonly path: string; readonly why: string }[];
  readonly warnings: readonly string[];
}

const OPTIONS = { paths: "texts", force: "boolean", dryRun: "boolean", machine: "object" } satisfies Options<UndoRunOptions>;

/**
 * Brings back what a run changed (`ExecuteResult.confined.run`), as `assent undo` does: what somebody changed since is
 * left alone. Rejects where the run is unknown, or still runs.
 *
 * ```ts
 * const { confined } = await backend.execute("./tidy.sh");
 * if (confined !== undefined) console.log((await undoRun(confined.run)).paths);
 * ```
 */
export async function undoRun(run: string, options: UndoRunOptions = {}): Promise<UndoneRun> {
  checkOptions("undoRun", options, OPTIONS);
  const wrong = (why: string): never => {
    throw new GuardOptionError("run", `undoRun: ${why}`);
  };
  if (typeof run !== "string") return wrong("the id of a run is a text");
  const { machine = thisMachine(), force = false, dryRun = false } = options;
  const paths = (options.paths ?? []).map((path) => resolve(path));
  // Only Linux has runs, and what reads their records is native.
  const undo = await import("@assent/supervisor/supervise/undo");
  const runs = undo.runsFolder(machine);
  const found = undo.findRun(runs, run, process.cwd(), false);
  if ("problem" in found) return wrong(`${run}: ${found.problem}`);
  if (undo.isRunning(found.folder)) return wrong(`${found.id} is still running, and may still change things`);
  const plan = undo.prepareUndo([found], { paths, force });
  const planned = [...new Set(plan.steps.map(({ path }) => path))];
  if (dryRun || plan.steps.length === 0) return { id: undefined, paths: planned, left: plan.refused, warnings: plan.warnings };
  const done = undo.undoRun(runs, plan, { paths, force, now: Date.now() });
  const failed = new Set(done.failed.map(({ path }) => path));
  return {
    id: done.id,
    paths: planned.filter((path) => !failed.has(path)),
    left: [...plan.refused, ...done.failed],
    warnings: [...plan.warnings, ...done.notes.map(({ path, why }) => `${path}: ${why}`)],
  };
}
