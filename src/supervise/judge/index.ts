export { type About, type Caller, type JudgedExec, RunJudge, type RunJudgeOptions } from "./run-judge.ts";
export { Mounts } from "./mounts.ts";
export { type Errand } from "./services.ts";
