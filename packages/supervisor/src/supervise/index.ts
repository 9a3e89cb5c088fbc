export { foreseeGit } from "./foreseen.ts";
export { isGroupOfTree, killTree, lineOfGroup } from "./trap/processes.ts";
export { RunError, RunRecords } from "./records.ts";
export { superviseRun } from "./run.ts";
export type * from "./types.ts";
