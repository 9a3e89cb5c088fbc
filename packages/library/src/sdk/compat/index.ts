/** `assent/compat`: the shapes of the tools that Assent grew out of, and of its own first guard, on the same judge as `createGuard`. */
export type { AskQuestion, OnAsk, OnToolAsk, ToolAnswer } from "../common/ask.ts";
export { EditedInput, RefusedWith } from "../common/ask.ts";
export { PermissionAskError, PermissionDeniedError, type Refusal } from "../common/errors.ts";
export type { Asked, FileOperationName, From, GuardDecision, GuardRequest } from "../common/adapted-guard.ts";
export { openGuard, type OpenedGuard, type OpenGuardOptions } from "../machine/open-guard.ts";
export { PermissionChecker, type CheckerOptions, type Explanation } from "../rules/checker.ts";
export {
  createRuleset,
  type CreateRulesetOptions,
  type Operation,
  type OperationRules,
  type PermissionRule,
  presets,
  readRuleset,
  type Ruleset,
  RulesetError,
} from "../rules/ruleset.ts";
export {
  type Approval,
  type ApprovalPolicy,
  type Assessment,
  type AutoApproveOptions,
  canAutoApprove,
  isSafeCommand,
  mayRunOutside,
  type OutsideOptions,
  type PatchInCommand,
  resolvePathAgainstWorkdir,
  SessionApprovals,
} from "../approve/can-auto-approve.ts";
export type { BackgroundInfo, BackgroundOutput, ConfinedRun, ExecuteOptions, ExecuteResult } from "../backend/execute.ts";
export type { ReadBytes, ReadOptions, ReadText, Written } from "../backend/files.ts";
export { hashLine, type LineAddress, type LineEdit } from "../backend/lines.ts";
export { ExecuteDisabledError, LocalBackend, type LocalBackendOptions } from "../backend/local-backend.ts";
export type { Failure, FailureCode } from "../backend/result.ts";
export type { Entry, GlobResult, GrepOptions, GrepResult, Listing } from "../backend/search.ts";
export { runConfined, type RunConfinedOptions } from "../backend/run-confined.ts";
export { createConsoleToolset, type ToolsetOptions } from "../toolset/create.ts";
export type { ConsoleTool, InputSchema, PropertySchema, ToolCall, ToolOutput } from "../toolset/tool.ts";
