export { type Change, diffOf, type FileDiff } from "./changes.ts";
export type { Kept } from "./keep.ts";
export type { Refusal, Step } from "./plan.ts";
export { type Counted, receiptOf, type Receipt } from "./receipt.ts";
export { findRun, laterRuns, touches, prepareUndo, readRunId, sealRun, undoRun, type Undone, type UndoPlan } from "./run.ts";
export { isRunning, LIMITS, listRuns, newRunId, prune, RunFolder, type RunMeta, type RunRecord, runsFolder } from "./run-folder.ts";
export { kindOf, statAt, statFd, type Kind, type ObjectStat } from "./stat.ts";
export { DEFAULT_CAPS, UndoStore, type Caps, type Place } from "./store.ts";
