export { ApplyConflict } from "./apply.ts";
export { HeldTry, listTried, readTried, type TriedMeta, type TriedState } from "./folder.ts";
export type { JudgedChange } from "./judge-changes.ts";
export { type TriedChange } from "./scan.ts";
export {
  type Applying,
  applyTry,
  blockOf,
  eventsOf,
  type OfTry,
  probeTried,
  type TriedReading,
  readTry,
  type TriedResult,
  tryRun,
  type TryOptions,
} from "./run.ts";
export { NotTried } from "./view.ts";
