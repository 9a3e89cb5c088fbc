import { randomBytes } from "node:crypto";
import type { Principal } from "@assent/core/policy";
import { Guard } from "./guard.ts";
import { GuardWorld } from "./guard-world.ts";
import { heardBy } from "./in-run.ts";
import { readGuardOptions } from "./guard-options.ts";
import { guardMachine } from "./judging.ts";
import { checkStricter } from "./policy-in-code.ts";
import type { GuardOptions } from "./types.ts";

/**
 * A policy, as an object of code. Nothing on the machine counts unless `files` asks for it.
 *
 * ```ts
 * const guard = createGuard({
 *   policy: { permissions: { allow: ["Bash(npm test:*)"], deny: ["Read(secrets/**)"] } },
 *   cwd: "/repo",
 *   onAsk: async ({ text }) => ((await confirm(text)) ? { yes: "once" } : { no: "not now" }),
 * });
 * const outcome = await guard.check({ shell: "rm -rf build" }); // allow, deny or pending: a refusal is a value
 * ```
 *
 * Throws `GuardOptionError` or `TypeError` for an option that is wrong, or that does not exist.
 */
export function createGuard<P extends Principal = Principal>(options: GuardOptions<P> = {}): Guard<P> {
  const { policies, principal, waits } = readGuardOptions(options);
  const { files = "none", confine = false, audit = files !== "none", shell = "any", approvals, cwd = process.cwd() } = options;
  const [policy, ...stricter] = policies;
  if (files === "none") checkStricter(policy, stricter);
  let own: Uint8Array | undefined;
  const secret = async (): Promise<Uint8Array> => (await approvals?.secret?.()) ?? (own ??= randomBytes(32));
  const { onAsk, onDecision, shadow } = options;
  const root = { machine: guardMachine(options), policy, files, confine, audit, shell, heard: confine ? heardBy(onDecision) : undefined };
  const shared = { root, options: { onAsk, approvals, onDecision, shadow }, secret, waits };
  return new Guard(new GuardWorld<P>(shared, { principal, cwd, stricter }));
}
