import { limitedTo, type Outcome } from "@assent/guard/engine";
import { parseRule } from "@assent/core/policy";
import { changesFor } from "@assent/guard/suggest";
import { LIBRARY } from "./library.ts";

/** Where an answer holds that is kept as a rule: a relative pattern means the project that was asked about, and no other one. */
export function grantedIn(rule: string, outcome: Outcome | undefined): { readonly project?: string } {
  const parsed = parseRule(rule);
  const world = outcome?.basis?.context.world;
  return parsed.ok && world !== undefined && limitedTo(parsed) ? { project: world.canonical(world.projectRoot) } : {};
}

/** The rule that would allow exactly what was judged; undefined where one is not enough. */
export function ruleFor(outcome: Outcome): string | undefined {
  const rules = changesFor(outcome, (texts) => {
    const content = { is: "text", text: JSON.stringify({ permissions: { allow: texts } }) } as const;
    const policy = LIBRARY.reader().read(
      [{ layer: "user", file: "answer", mayGrant: true, content }],
      { text: "", pins: new Map() },
      () => [],
    );
    return policy.broken === undefined ? policy.rules : undefined;
  });
  return rules.length === 1 ? rules[0] : undefined;
}
