export { RunError, superviseRun } from "./run.ts";
export type * from "./types.ts";
