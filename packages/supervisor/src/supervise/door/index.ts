export { Door } from "./door.ts";
export { netDoor } from "./net/index.ts";
export type { Inner, Lack, Outside, TakenBack } from "./options.ts";
export { describeProcess, isGroupOfTree, killTree, lineOfGroup, listLiving } from "./processes.ts";
export { AllowedTally } from "./record.ts";
export { GitForesight } from "./git-foreseen.ts";
export { gitWords } from "./git-plan.ts";
export { type ForeseenChange, foreseenChange, isSystemGit, leavesTree, wordsOf } from "./git-question.ts";
