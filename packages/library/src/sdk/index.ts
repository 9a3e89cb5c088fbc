export * from "./create-guard/index.ts";
export { type AskQuestion, EditedInput, type OnAsk, type OnToolAsk, RefusedWith, type ToolAnswer } from "./common/ask.ts";
export { queueApprover, type QueueOnAsk, type QueueApproverOptions } from "./queue/index.ts";
export { PermissionAskError, PermissionDeniedError, type Refusal } from "./common/errors.ts";
export type { ConfinedStart } from "./guard/confined-start.ts";
export {
  openGuard,
  type Asked,
  type FileOperationName,
  type From,
  type OpenedGuard,
  type GuardDecision,
  type GuardRequest,
  type OpenGuardOptions,
} from "./guard/open-guard.ts";
export type { Extension, ExtensionAnswer, ExtensionQuestion } from "@assent/guard/engine";
export * from "./rules/index.ts";
export * from "./approve/index.ts";
export * from "./backend/index.ts";
export { undoRun, type RefusedInRun, type UndoneRun, type UndoRunOptions } from "./confined/index.ts";
export * from "./toolset/index.ts";
export {
  type AiSandboxSession,
  type ContainerOptions,
  type ContainerProcess,
  type ContainerSession,
  type GuardableSandbox,
  type GuardSandboxOptions,
  openContainer,
  type OpenAiSandboxClient,
  type OpenAiSandboxSession,
  type SandboxCommand,
  type SandboxRunResult,
  SandboxUnclear,
} from "./sandbox/index.ts";
