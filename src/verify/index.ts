export { exampleLines, wholeCorpus } from "./corpus/index.ts";
export { cannotConfine } from "./confine.ts";
export { baseFor, hidesTemp, neededPaths } from "./place.ts";
export { verifyLines } from "./pool.ts";
export * from "./types.ts";
export { work } from "./worker.ts";
