// What a guard of the core is spoken to by: the same for both entries.
export type { World } from "@assent/core/action";
export type { Principal } from "@assent/core/policy";
export { type GuardCall, GuardCallError } from "../create-guard/call.ts";
export type { SchemaResult, StandardSchema, ToolEffect } from "../create-guard/effects.ts";
export { PermissionDenied } from "../create-guard/errors.ts";
export { GuardOptionError } from "../common/options.ts";
export type { EffectsOf, GuardedTool, InputOf, RunContext, ToolSpec } from "../create-guard/tool.ts";
export type { AllowedOutcome, CallDecision, DeniedOutcome, GuardCallOptions } from "../create-guard/types.ts";
export type { DeniedBy } from "../common/read-answer.ts";
export { CoreGuard } from "../create-guard/core-guard.ts";
export type { CoreGuardChange, CoreQuestion } from "../create-guard/types.ts";
export type { CoreAnswer, CoreGuardOptions, CoreOutcome } from "./make-guard.ts";
export { loadParts } from "./parts.ts";
