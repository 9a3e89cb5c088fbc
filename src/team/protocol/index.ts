export * from "./messages.ts";
export * from "./questions.ts";
export type { HeldLock, TeamServeOptions } from "./serve-options.ts";
export type * from "./operate.ts";
export type * from "./preview.ts";
export { canonicalJson } from "../../data/index.ts";
export * from "./policy.ts";
export { placeOfRecord } from "./place.ts";
export { chainRecords, chainStart, type ChainedRecord, nextPoint, saltedHash } from "./chain.ts";
