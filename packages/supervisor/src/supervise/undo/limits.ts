import { lstatSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { attempt } from "@assent/core/data";
import { DEFAULT_SETTINGS, type UndoSettings } from "@assent/core/policy";
import { isRunning, listRuns, type RunRecord } from "./run-folder.ts";
import { listSessions } from "./sessions.ts";

/** What is kept for undo on this machine. */
export interface RunLimits {
  /** Most runs and edits. */
  readonly runs: number;
  /** Most bytes of pre-images. */
  readonly bytes: number;
  readonly days: number;
}

/** What a policy says of it. */
export const limitsOf = ({ keepDays, keepMegabytes, keepRuns }: UndoSettings): RunLimits => ({
  runs: keepRuns,
  bytes: keepMegabytes * 2 ** 20,
  days: keepDays,
});

const LIMITS = limitsOf(DEFAULT_SETTINGS.undo);

const DAY = 86_400_000;
/** A session that did something within this time, in milliseconds, may go on. */
const LIVE = DAY / 2;
/** The hook looks for it: what goes ahead without a question because it can be taken back is a question as long as it is there. */
export const FULL = "full";
const PRUNED = ".pruned";
/** Milliseconds between two looks at everything. */
const SELDOM = 60_000;

/**
 * Removes the records of the oldest runs beyond the limits; never of one that lives, of a session that may go on, nor of the last. Where
 * these alone are beyond them, that is noted for the hook. Ids of the removed.
 */
export function prune(
  runs: string,
  limits: RunLimits = LIMITS,
  now = Date.now(),
  isOurs: (run: RunRecord) => boolean = () => true,
): readonly string[] {
  const all = listRuns(runs);
  const live = liveRuns(all, now);
  const removed: string[] = [];
  let kept = 0;
  let bytes = 0;
  for (const run of all.toReversed()) {
    const own = bytesOf(run);
    const old = run.started < now - limits.days * DAY;
    const fits = kept < limits.runs && bytes + own <= limits.bytes && !old;
    if (kept === 0 || fits || live.has(run.id) || isRunning(run.folder) || !isOurs(run) || !remove(run)) {
      kept += 1;
      bytes += own;
    } else removed.push(run.id);
  }
  noteFull(runs, bytes > limits.bytes);
  return removed;
}

/** `prune`, where that was not done a moment ago; `isOurs`: only of these records are removed. */
export function pruneSeldom(runs: string, limits?: RunLimits, isOurs?: (run: RunRecord) => boolean): void {
  const file = `${runs}/${PRUNED}`;
  const now = Date.now();
  if ((statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) > now - SELDOM) return;
  try {
    writeFileSync(file, "", { mode: 0o600 });
    utimesSync(file, now / 1000, now / 1000);
    prune(runs, limits, now, isOurs);
  } catch {
    // The next run tries again.
  }
}

/** Removes what ended before `until`, in milliseconds since the epoch, but for what lives. The removed. */
export function cleanRuns(runs: string, until: number, limits: RunLimits = LIMITS): readonly RunRecord[] {
  const removed = cleanable(runs, until).filter(remove);
  noteFull(runs, usedBytes(runs) > limits.bytes);
  return removed;
}

/** What `cleanRuns` would remove. */
export const cleanable = (runs: string, until: number): readonly RunRecord[] =>
  listRuns(runs).filter((run) => (run.ended ?? run.started) < until && !isRunning(run.folder));

export const usedBytes = (runs: string): number => listRuns(runs).reduce((sum, run) => sum + bytesOf(run), 0);

/** Bytes of a run's pre-images. */
export const bytesOf = (run: RunRecord): number => run.bytes ?? sizeOf(`${run.folder}/kept`);

function liveRuns(all: readonly RunRecord[], now: number): ReadonlySet<string> {
  const live = listSessions(all).filter(({ runs }) => runs.some(({ started, ended = started }) => ended > now - LIVE));
  return new Set(live.flatMap(({ runs }) => runs.map(({ id }) => id)));
}

function remove({ folder }: RunRecord): boolean {
  try {
    rmSync(folder, { recursive: true, force: true });
    return true;
  } catch {
    // The next run tries again.
    return false;
  }
}

function noteFull(runs: string, full: boolean): void {
  try {
    if (full) writeFileSync(`${runs}/${FULL}`, "", { mode: 0o600 });
    else rmSync(`${runs}/${FULL}`, { force: true });
  } catch {
    // A folder that is not there is not full.
  }
}

/** Bytes that would be free without it. */
const sizeOf = (folder: string): number =>
  attempt(
    () =>
      readdirSync(folder).reduce((sum, name) => {
        const stat = lstatSync(`${folder}/${name}`, { throwIfNoEntry: false });
        return sum + (stat === undefined || stat.nlink > 1 ? 0 : stat.blocks * 512);
      }, 0),
    0,
  );
