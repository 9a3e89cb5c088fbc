export { GuardOptionError } from "./common/options.ts";
export { type ApprovalStore, memoryApprovals, type PendingApproval } from "./create-guard/approvals.ts";
export { type GuardCall, GuardCallError } from "./create-guard/call.ts";
export { createGuard } from "./create-guard/create-guard.ts";
export { commandIn, type CommandEffect } from "./create-guard/effects.ts";
export type { ToolEffect, ToolEffects, SchemaResult, StandardSchema } from "./create-guard/effects.ts";
export { mcpEffects, type McpEffectOptions } from "./create-guard/mcp-effects.ts";
export { ApprovalPending, PermissionDenied, UnknownApproval } from "./create-guard/errors.ts";
export {
  type PostgresClient,
  postgresApprovals,
  type SqliteDatabase,
  sqliteApprovals,
  type TableOptions,
} from "./create-guard/database-approvals.ts";
export { folderApprovals } from "./create-guard/folder-approvals.ts";
export { Guard } from "./create-guard/guard.ts";
export {
  type CodePolicy,
  type OperationObject,
  type OptionRuleObject,
  type PolicyObject,
  type RuleConditions,
  type RuleInCode,
  type RuleObject,
} from "./create-guard/policy-in-code.ts";
export {
  effectOf,
  type EffectsOf,
  type GuardedTool,
  type InputOf,
  type NamedTools,
  type RunContext,
  type SomeEffects,
  type ToolSpec,
} from "./create-guard/tool.ts";
export type {
  AllowedOutcome,
  CallDecision,
  GuardCallOptions,
  CallOutcome,
  DeniedOutcome,
  GuardAnswer,
  GuardChange,
  GuardOptions,
  GuardQuestion,
  PendingOutcome,
} from "./create-guard/types.ts";
export type { Principal } from "@assent/core/policy";
export type { DeniedBy } from "./common/read-answer.ts";
export { type AssentError, isAssentError } from "./common/family.ts";
export { probeSandbox } from "./common/sandbox.ts";
export { queueApprover, type QueueOnAsk, type QueueApproverOptions } from "./queue/index.ts";
export type { ConfinedStart } from "./common/adapted-guard.ts";
export type { Extension, ExtensionAnswer, ExtensionQuestion } from "@assent/guard/engine";
export { undoRun, type UndoneRun, type UndoRunOptions } from "./confined/undo.ts";
export { type RefusedInRun } from "./confined/refused.ts";
