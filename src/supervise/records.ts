import { rmSync } from "node:fs";
import { messageOf, openState } from "../state/index.ts";
import { RunError } from "./errors.ts";
import type { Exit, RunEvent, RunOptions } from "./types.ts";
import { newRunId, RunFolder, type RunMeta, runsFolder, sealRun } from "./undo/index.ts";

export function recordsOf({ machine, argv, cwd }: RunOptions, profile: string): RunFolder {
  const state = openState(machine);
  if ("problem" in state) throw new RunError("state", unusable(state.problem));
  const started = Date.now();
  try {
    return new RunFolder(runsFolder(machine), { id: newRunId(started), argv, cwd, profile, started });
  } catch (error) {
    throw new RunError("state", unusable(`the run's records cannot be kept: ${messageOf(error)}`));
  }
}

/** In a sandbox everything but the project may be read-only. */
function unusable(problem: string): string {
  const way = /EROFS|EACCES|EPERM/.test(problem)
    ? "; where a sandbox around this closes it, start `assent run` outside the sandbox, or set XDG_STATE_HOME to a folder that it lets you write"
    : "";
  return `${problem}: the run's records need it${way}`;
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

/** The program has ended, and others of its tree go on: what there is so far. They may still change things. */
export function keepSoFar(records: RunFolder, undo: boolean, exit: Exit, left: RunMeta["left"]): void {
  const ended = Date.now();
  records.end({ ended, exit, ...(left === undefined ? {} : { left }) });
  if (undo) records.end({ bytes: sealRun(records.folder, ended) });
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
