export { made, textRule, wordsRule } from "./command.ts";
export { type Access, everyPath, flatPattern, gitignorePattern, pathRule } from "./paths.ts";
export { exceptionLoss, intoPool, isEverything, type Ordered, type PlaceInPool } from "./order.ts";
export {
  Collector,
  type Converted,
  type Loss,
  type Lost,
  type NativeContext,
  type NativeRead,
  type NativeOrigin,
  type NativeScope,
  type Unreadable,
} from "./types.ts";
export { settle, type SettledRule, textOf } from "./settle.ts";
export { planImport, type ImportPlan, type Sourced } from "./plan.ts";
