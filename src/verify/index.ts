export {
  everyOptionLines,
  everyVariableLines,
  exampleLines,
  type OptionLevel,
  optionLevels,
  type VariableLine,
  wholeCorpus,
  withVariables,
} from "./corpus/index.ts";
export { cannotConfine } from "./confine.ts";
export { baseFor, hidesTemp, neededPaths } from "./place.ts";
export { askHelp, type PoolOptions, verifyLines } from "./pool.ts";
export * from "./types.ts";
export { work } from "./worker.ts";
