/** `assent/compat`: the shapes of the tools that Assent grew out of, and of its own first guard, on the same judge as `createGuard`. */
export type { AskQuestion, OnAsk, OnToolAsk, ToolAnswer } from "../common/ask.ts";
export { EditedInput, RefusedWith } from "../common/ask.ts";
export { PermissionAskError, PermissionDeniedError, type Refusal } from "../common/errors.ts";
export type { Asked, FileOperationName, From, GuardDecision, GuardRequest } from "../guard/adapted-guard.ts";
export { openGuard, type OpenedGuard, type OpenGuardOptions } from "../machine/open-guard.ts";
export * from "../rules/index.ts";
export * from "../approve/index.ts";
export * from "../backend/index.ts";
export * from "../toolset/index.ts";
