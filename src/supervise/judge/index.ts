export { GrantingJudge } from "./granting-judge.ts";
export { RunJudge, type RunJudgeOptions } from "./run-judge.ts";
export type { About, Caller, JudgedExec } from "./types.ts";
export { Mounts } from "./mounts.ts";
export { type Errand } from "./services.ts";
