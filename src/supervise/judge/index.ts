export { type Caller, type JudgedExec, RunJudge, type RunJudgeOptions } from "./run-judge.ts";
export { type Errand } from "./services.ts";
