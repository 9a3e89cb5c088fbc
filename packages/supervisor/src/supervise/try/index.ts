export { ApplyConflict } from "./apply.ts";
export { type Applying, applyTry, blockOf, eventsOf, type OfTry, type TriedReading, type TriedResult, readTry } from "./end.ts";
export { HeldTry, listTried, readTried, type TriedMeta, type TriedState } from "./folder.ts";
export type { JudgedChange } from "./judge-changes.ts";
export { Keeping } from "./kept-plan.ts";
export { givenVariables, planFile, STARTED_ANEW } from "./plan-file.ts";
export { probeTried, takeOver, tryRun, type TryOptions } from "./run.ts";
export { type TriedChange } from "./scan.ts";
export { NotTried } from "./view.ts";
