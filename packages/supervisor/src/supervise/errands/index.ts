export {
  allTools,
  type Errand,
  errandOf,
  hasLoginsFor,
  isHelper,
  isReadOfAll,
  isToolItself,
  type KnownHost,
  laterPlaces,
  loadedBy,
  loginWords,
  NO_ERRAND,
  type Rewritten,
  toolErrand,
} from "./errands.ts";
export { historyOf } from "./history.ts";
export { isWorkingFile, namedPlan, rewritesOf } from "./named.ts";
export { cachePlan, type CommandPlan, installPlan, type NamedChange } from "./plans.ts";
export { type ErrandBlock, isAtPlace, readErrands } from "./read.ts";
export { type FileBehind, filesBehind, madeUpName, segmentPattern } from "./working.ts";
