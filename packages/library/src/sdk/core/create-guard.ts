import type { Principal } from "@assent/core/policy";
import { type CodePolicy, readCodePolicy } from "../create-guard/policy-in-code.ts";
import { type CompiledPolicy, compiledOf } from "./compiled-policy.ts";
import { type CoreGuardOptions, type CoreWay, type GivenWorldGuard, makeCoreGuard } from "./make-guard.ts";

const WAY: CoreWay<CodePolicy> = { read: (policy, option) => readCodePolicy(policy, option).file, commands: true };

/**
 * A policy as an object, for browsers, workers and whatever else has no file system: what it would have to know of a machine is given to
 * it as a `World`.
 *
 * ```ts
 * const guard = createGuard({
 *   world: plainWorld({ cwd: "/repo", home: "/home/user" }),
 *   policy: { permissions: { allow: ["Bash(npm test:*)", "Edit(src/**)"] } },
 *   onAsk: async ({ text }) => await confirm(text),
 * });
 * const outcome = await guard.check({ shell: "rm -rf ~" }); // deny, with a text for the model
 * ```
 *
 * Throws `GuardOptionError` or `TypeError` for an option that is wrong, or that does not exist.
 */
export function createGuard<P extends Principal = Principal>(options: CoreGuardOptions<CodePolicy, P>): GivenWorldGuard<CodePolicy, P> {
  return makeCoreGuard(WAY, options);
}

/**
 * A policy as `assent/core/rules` takes it, which has no reader of policies: plain data, to be kept as JSON beside a worker. Throws
 * `GuardOptionError` with the same messages as `createGuard`.
 */
export function compilePolicy(policy: CodePolicy): CompiledPolicy {
  return compiledOf(readCodePolicy(policy, "policy").file);
}
