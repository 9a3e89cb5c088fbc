export { RunAudit } from "./audit.ts";
export { foreseeGit } from "./foreseen.ts";
export { isGroupOfTree, killTree, lineOfGroup } from "./door/index.ts";
export { RunError, superviseRun } from "./run.ts";
export type * from "./types.ts";
