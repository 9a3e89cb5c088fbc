export * from "./messages.ts";
export { canonicalJson } from "./canonical.ts";
export { chainRecords, chainStart, type ChainedRecord, nextPoint, saltedHash } from "./chain.ts";
