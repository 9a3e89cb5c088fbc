export { queueApprover, type QueueApprover, type QueueOptions } from "./approver.ts";
export { joinApprovers } from "./join.ts";
export { type NotifySettings, readNotify, writeNotify } from "./notify-settings.ts";
export { answerOf, LONGEST_NOTE, MOST_MINUTES } from "./parse.ts";
export { noteSignOfLife, questionsFolder } from "./folder.ts";
export { announceApprover, approversThere, isSomebodyThere } from "./presence.ts";
export { answerQuestion, openQuestion, openQuestions } from "./store.ts";
export type * from "./types.ts";
export { type QueueChange, watchQuestions } from "./watch.ts";
