/**
 * `assent/core/rules`: the guard without the tables of commands and without the reader of policies, for files, addresses, patches and
 * tools. A policy is compiled beforehand by `compilePolicy` of `assent/core`.
 */
import type { PresetName, Principal } from "@assent/core/policy";
import { type CompiledPolicy, readCompiledPolicy } from "../compiled-policy.ts";
import { type CoreGuardOptions, type CoreWay, type GivenWorldGuard, makeCoreGuard } from "../make-guard.ts";

const WAY: CoreWay<PresetName | CompiledPolicy> = { read: readCompiledPolicy, commands: false };

/** As `createGuard` of `assent/core`, with compiled policies. Commands are refused, whoever would say yes. */
export function createGuard<P extends Principal = Principal>(
  options: CoreGuardOptions<PresetName | CompiledPolicy, P>,
): GivenWorldGuard<PresetName | CompiledPolicy, P> {
  return makeCoreGuard(WAY, options);
}

export { type PlainEntry, plainWorld, type PlainWorld } from "../given-world.ts";
export type { CompiledPolicy } from "../compiled-policy.ts";
export * from "../guard-exports.ts";
