export { MAX_DEPTH, MAX_FAULTS, MAX_LENGTH, type Read, readJson5 } from "./read.ts";
export { type Place, placeFinder } from "./tree.ts";
export { isNamePart, isNameStart } from "./scalars.ts";
export * from "./tree.ts";
