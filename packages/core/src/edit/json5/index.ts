export { MAX_DEPTH, MAX_FAULTS, MAX_LENGTH, type Json5Reading, readJson5 } from "./read.ts";
export { type TextPlace, placeFinder } from "./tree.ts";
export { isNamePart, isNameStart } from "./scalars.ts";
export * from "./tree.ts";
