/**
 * `assent/core`: what needs neither files nor a clock nor Node, and runs in a browser as well. What it would have to know
 * of a machine is passed in as a `World`.
 */
export { compilePolicy, createGuard } from "./create-guard.ts";
export type { CompiledPolicy } from "./compiled-policy.ts";
export { type PlainEntry, plainWorld, type PlainWorld } from "./given-world.ts";
export * from "./guard-exports.ts";
export type {
  CodePolicy,
  OperationObject,
  OptionRuleObject,
  PolicyObject,
  RuleConditions,
  RuleInCode,
  RuleObject,
} from "../create-guard/policy-in-code.ts";
export * from "@assent/core/action";
export {
  lowerPatch,
  patchPaths,
  readApplyPatch,
  readPatch,
  readUnifiedDiff,
  type PatchChange,
  type PatchOptions,
  type PatchReading,
} from "@assent/core/patch";
export {
  compareStrictness,
  DEFAULT_SETTINGS,
  floorPaths,
  joinLayers,
  judge,
  parseRule,
  type Basis,
  type Decision,
  type FloorPaths,
  type GrantSource,
  type JudgedAction,
  type JudgedUnknown,
  type JudgeContext,
  type LayerInput,
  type Policy,
  type PolicyFile,
  type ReasonId,
  type RequestVerdict,
  type RuleSource,
  type Verdict,
} from "@assent/core/policy";
export { readPolicy, type ReadOptions, type ReadResult } from "@assent/core/policy/read";
export { lowerArgv, lowerShell } from "./lower-at-once.ts";
export type { LowerOptions, ShellKind } from "@assent/core/shell";
