export { type PathChange, changesAt, diffOf, diffOfUndo, type FileDiff } from "./changes.ts";
export { cloneOrCopy, type KeepResult } from "./keep.ts";
export { inFolder } from "./safe.ts";
export { readXattrs, writeXattrs } from "./xattr.ts";
export { isThereNow, type NotUndone } from "./after.ts";
export { runMovedTo } from "./moved.ts";
export type { UndoStep } from "./plan.ts";
export { countChanges, type CountedLine, findLaterRunner, receiptOf, receiptOfSpan, type Receipt, type SpanReceipt } from "./receipt.ts";
export {
  findRun,
  type NoRun,
  isSealable,
  laterRuns,
  touches,
  prepareUndo,
  readRunId,
  sealRun,
  undoneOf,
  undoRun,
  type Undone,
  type UndoPlan,
} from "./run.ts";
export { type AgentSession, findSpan, listSessions, type RunSpan, type SpanWanted } from "./sessions.ts";
export {
  commandOf,
  isRunning,
  listRuns,
  newRunId,
  readEvents,
  readRun,
  RunFolder,
  type RunMeta,
  type RunRecord,
  runsFolder,
  undoneIn,
} from "./run-folder.ts";
export { bytesOf, cleanable, cleanRuns, limitsOf, prune, pruneSeldom, type RunLimits, usedBytes } from "./limits.ts";
export {
  glanceAt,
  isOnNamedDisk,
  kindOf,
  sameTime,
  isThere,
  statAt,
  statFd,
  type FileKind,
  type ObjectStat,
  type StatRecord,
  type Time,
} from "./stat.ts";
export {
  compareSnapshot,
  endSnapshot,
  noteAlive,
  sealRecords,
  type Snapshot,
  SNAPSHOT_LIMITS,
  type SnapshotLimits,
  takeSnapshot,
} from "./snapshot.ts";
export { bytesOf as bytesAt } from "./repository.ts";
export { UndoPart } from "./part.ts";
export { type EditBefore, type PathBefore, sealEdits } from "./edits.ts";
export { DEFAULT_CAPS, UndoStore, type Caps, type PinnedName } from "./store.ts";
export { Units } from "./repository.ts";
