export { type ContainerOptions, type ContainerProcess, type ContainerSession, openContainer } from "./open-container.ts";
export type { AiSandboxSession, SandboxCommand, SandboxRunResult } from "./ai-session.ts";
export { SandboxUnclear } from "./facts.ts";
export { type GuardableSandbox, guardSandbox } from "./guard-sandbox.ts";
export type { GuardSandboxOptions } from "./judge.ts";
export type { OpenAiSandboxClient, OpenAiSandboxSession } from "./openai-session.ts";
