export { killTree } from "./door/index.ts";
export { RunError, superviseRun } from "./run.ts";
export type * from "./types.ts";
