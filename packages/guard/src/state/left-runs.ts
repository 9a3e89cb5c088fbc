import { rmdirSync, statSync } from "node:fs";
import { attempt } from "@assent/core/data";
import { ensureFolder, errorCode, namesIn, readOwnObject, removeFile, writeAtomic } from "./files.ts";
import type { Machine } from "./machine.ts";
import { openState, stateFolder } from "./state.ts";

/**
 * Confined commands that have left something running: a file each in `left/` of the state folder, named after the run. What is left
 * stays as long as the file is there: the run's supervisor looks, and ends it when the file is gone. The folder is there as long as
 * it holds something.
 */
interface LeftRun {
  readonly agent: string;
  /** Absent: it belongs to no session, and none ends it. */
  readonly session?: string;
}

const LEFT = "left";
const RUN = /^[0-9a-z][0-9a-z-]{7,63}$/;
const MAX_BYTES = 1 << 16;

/** There while anything is left. */
export const leftFolder = (machine: Machine): string => `${stateFolder(machine)}/${LEFT}`;

const fileOf = (machine: Machine, run: string): string => `${leftFolder(machine)}/${run}.json`;

/** A run has left something. Why that cannot be noted; undefined: it is. */
export function noteLeftRun(machine: Machine, run: string, of: LeftRun): string | undefined {
  const state = openState(machine);
  if ("problem" in state) return state.problem;
  for (let again = true; ; again = false) {
    try {
      ensureFolder(leftFolder(machine));
      writeAtomic(fileOf(machine, run), `${JSON.stringify({ v: 1, ...of })}\n`);
      return undefined;
    } catch (error) {
      // Who took the last file out meanwhile took the folder, too.
      if (!again) return errorCode(error);
    }
  }
}

/** Nobody has ended it. What cannot be looked at is as good as ended. */
export const isLeftRun = (machine: Machine, run: string): boolean =>
  attempt(() => statSync(fileOf(machine, run), { throwIfNoEntry: false }) !== undefined, false);

/** What was left is over. */
export function dropLeftRun(machine: Machine, run: string): void {
  removeFile(fileOf(machine, run));
  try {
    rmdirSync(leftFolder(machine));
  } catch {
    // Something else is left.
  }
}

/**
 * An agent's session has ended: what its confined commands left running ends, too. For the host's hook that hears of it; loads
 * nothing but files, and waits for nothing. How many runs were told.
 */
export function endSession(machine: Machine, agent: string, session: string): number {
  const folder = leftFolder(machine);
  let ended = 0;
  for (const name of namesIn(folder)) {
    const run = name.endsWith(".json") ? name.slice(0, -".json".length) : "";
    if (!RUN.test(run)) continue;
    const left = readOwnObject(fileOf(machine, run), MAX_BYTES, machine.uid);
    if (left?.["agent"] !== agent || left["session"] !== session) continue;
    dropLeftRun(machine, run);
    ended += 1;
  }
  return ended;
}
