export type { BackgroundInfo, BackgroundOutput, ConfinedRun, ExecuteOptions, ExecuteResult } from "./execute.ts";
export type { ReadBytes, ReadOptions, ReadText, Written } from "./files.ts";
export { hashLine, type LineAddress, type LineEdit } from "./lines.ts";
export { ExecuteDisabledError, LocalBackend, type LocalBackendOptions } from "./local-backend.ts";
export type { Failure, FailureCode } from "./result.ts";
export type { Entry, GlobResult, GrepOptions, GrepResult, Listing } from "./search.ts";
export { runConfined, type RunConfinedOptions } from "./run-confined.ts";
