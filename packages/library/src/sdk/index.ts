export * from "./create-guard/index.ts";
export { type AssentError, isAssentError } from "./common/family.ts";
export { probeSandbox } from "./common/sandbox.ts";
export { queueApprover, type QueueOnAsk, type QueueApproverOptions } from "./queue/index.ts";
export type { ConfinedStart } from "./guard/confined-start.ts";
export type { Extension, ExtensionAnswer, ExtensionQuestion } from "@assent/guard/engine";
export { undoRun, type RefusedInRun, type UndoneRun, type UndoRunOptions } from "./confined/index.ts";
