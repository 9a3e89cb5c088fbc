export { decide, failed, type GuardOptions, type Outcome } from "./decide.ts";
export type { PolicyReader } from "./compiled.ts";
export { POLICY_NAME, type PolicySource } from "./policy-files.ts";
export type { Host, Input, Request, ToolFacts } from "./request.ts";
export { answerFor, type Answer } from "./speak.ts";
export { changesFor, type RuleReader } from "./changes.ts";
export { changedParts, differ, withUserFile, type ChangedPart } from "./compare.ts";
export { normalise } from "./canonical.ts";
export { realWorld } from "./world.ts";
