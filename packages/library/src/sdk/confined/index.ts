export { listenToRun, type RunTells } from "./listen.ts";
export { RefusedCalls, type RefusedInRun, refusedText } from "./refused.ts";
export {
  assentProgram,
  ConfinedRunChannel,
  judgeVariables,
  type RunEnd,
  type RunListener,
  type SupervisorStart,
  supervisorStart,
} from "./run.ts";
export { undoRun, type UndoneRun, type UndoRunOptions } from "./undo.ts";
