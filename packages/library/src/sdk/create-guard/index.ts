export { GuardOptionError } from "../common/options.ts";
export { type ApprovalStore, memoryApprovals, type PendingApproval } from "./approvals.ts";
export { type GuardCall, GuardCallError } from "./call.ts";
export type { CoreGuard } from "./core-guard.ts";
export { createGuard } from "./create-guard.ts";
export { commandIn, type CommandEffect } from "./effects.ts";
export type { ToolEffect, ToolEffects, SchemaResult, StandardSchema } from "./effects.ts";
export { mcpEffects, type McpEffectOptions } from "./mcp-effects.ts";
export { ApprovalPending, PermissionDenied, UnknownApproval } from "./errors.ts";
export { type PostgresClient, postgresApprovals, type SqliteDatabase, sqliteApprovals, type TableOptions } from "./database-approvals.ts";
export { folderApprovals } from "./folder-approvals.ts";
export { Guard } from "./guard.ts";
export {
  type CodePolicy,
  type OperationObject,
  type OptionRuleObject,
  type PolicyObject,
  type RuleConditions,
  type RuleInCode,
  type RuleObject,
} from "./policy-in-code.ts";
export type { EffectsOf, GuardedTool, InputOf, RunContext, ToolSpec } from "./tool.ts";
export type {
  AllowedOutcome,
  CallDecision,
  GuardCallOptions,
  CallOutcome,
  CoreGuardChange,
  DeniedBy,
  DeniedOutcome,
  GuardAnswer,
  GuardChange,
  GuardOptions,
  GuardQuestion,
  PendingOutcome,
} from "./types.ts";
export type { Principal } from "@assent/core/policy";
