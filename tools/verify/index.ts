export {
  everyOptionLines,
  everyVariableLines,
  exampleLines,
  type OptionLevel,
  optionLevels,
  toldOf,
  type VariableLine,
  wholeCorpus,
  withVariables,
} from "./corpus/index.ts";
export { cannotConfine, askHelp, verifyLines, type PoolOptions } from "./pool.ts";
export { baseFor, hidesTemp, neededPaths } from "./place.ts";
export * from "./types.ts";
export { work } from "./worker.ts";
