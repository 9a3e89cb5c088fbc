import { limitedTo, type Outcome } from "@assent/guard/engine";
import { parseRule } from "@assent/core/policy";

/** Where an answer holds that is kept as a rule: a relative pattern means the project that was asked about, and no other one. */
export function grantedIn(rule: string, outcome: Outcome | undefined): { readonly project?: string } {
  const parsed = parseRule(rule);
  const world = outcome?.basis?.context.world;
  return parsed.ok && world !== undefined && limitedTo(parsed) ? { project: world.canonical(world.projectRoot) } : {};
}
