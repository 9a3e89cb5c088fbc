import { rmSync } from "node:fs";
import { openState } from "../state/index.ts";
import { messageOf, RunError } from "./errors.ts";
import type { Exit, RunEvent, RunOptions } from "./types.ts";
import { newRunId, RunFolder, runsFolder, sealRun } from "./undo/index.ts";

export function recordsOf({ machine, argv, cwd }: RunOptions, profile: string): RunFolder {
  const state = openState(machine);
  if ("problem" in state) throw new RunError("state", `${state.problem}: the run's records need it`);
  const started = Date.now();
  try {
    return new RunFolder(runsFolder(machine), { id: newRunId(started), argv, cwd, profile, started });
  } catch (error) {
    throw new RunError("state", `the run's records cannot be kept: ${messageOf(error)}`);
  }
}

/** What the run left is written down, so that an undo can tell what was changed since. */
export function keep(records: RunFolder, undo: boolean, exit: Exit | undefined, onNotice: RunOptions["onNotice"]): void {
  const ended = Date.now();
  try {
    records.end({ ended, ...(exit === undefined ? {} : { exit }) });
    if (undo) records.end({ bytes: sealRun(records.folder, ended) });
    records.close();
  } catch (error) {
    onNotice?.(`what the run left could not be noted, so an undo will be careful: ${messageOf(error)}`);
  }
}

/** Of a run that did not begin nothing is kept. */
export function discard(records: RunFolder): void {
  records.close();
  rmSync(records.folder, { recursive: true, force: true });
}

/** What a receipt tells. */
export function isNotable({ outcome, answer, action }: RunEvent): boolean {
  return outcome === "refused" || answer !== undefined || action.kind === "exec" || action.kind === "net";
}
