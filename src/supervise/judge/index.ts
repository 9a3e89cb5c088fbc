export { answerableCall, answerableName, answerableStart } from "./afar.ts";
export { GrantingJudge } from "./granting-judge.ts";
export { secretVariables } from "./secret-variables.ts";
export { RunJudge, type RunJudgeOptions } from "./run-judge.ts";
export type { CallSubject, Caller, Hosts, JudgedExec, LoginTrail, Started } from "./types.ts";
export { Mounts } from "./mounts.ts";
export { wordsOf } from "./commands.ts";
export { isCheckingOut } from "./git-config.ts";
export { ERRAND, isChange } from "./verdicts.ts";
