export {
  type Errand,
  errandOf,
  hasLoginsFor,
  isHelper,
  type KnownHost,
  laterPlaces,
  loadedBy,
  loginWords,
  NO_ERRAND,
  toolErrand,
} from "./errands.ts";
export { isWorkingFile, namedPlan } from "./named.ts";
export { cachePlan, type CommandPlan, installPlan, type NamedChange } from "./plans.ts";
export { type ErrandBlock, readErrands, toolOf } from "./read.ts";
export { ERRANDS } from "./table.ts";
