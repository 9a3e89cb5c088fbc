export { RunAudit } from "./audit.ts";
export { isGroupOfTree, killTree } from "./door/index.ts";
export { RunError, superviseRun } from "./run.ts";
export type * from "./types.ts";
