export { killTree } from "./door/index.ts";
export { RunError } from "./errors.ts";
export { superviseRun } from "./run.ts";
export type * from "./types.ts";
