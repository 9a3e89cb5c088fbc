import type { Lowered, World } from "@assent/core/action";
import { lowerExample, NOWHERE } from "@assent/guard/engine";
import type { Answer } from "@assent/core/pattern";
import {
  type Effect,
  EXAMPLE_WORLD,
  joinLayers,
  judge,
  type JudgeContext,
  type Matcher,
  parseRule,
  type Policy,
  judgingOf,
  readingOf,
} from "@assent/core/policy";
import { readPolicy } from "@assent/core/policy/read";
import { lowerShell } from "@assent/core/shell";
import type { Converted, Into, Loss } from "./types.ts";

/** A rule that may be written, and what of it is not as it was. */
export interface SettledRule {
  readonly rule?: Converted;
  readonly loss?: Loss;
}

/**
 * The last word on a converted rule: our judge agrees with the examples derived from it, and with the native rule's own.
 * A refusal or question that also speaks of what it should not is kept, and said; a rule that allows too much is not.
 */
export function settle(rule: Converted): SettledRule {
  const loss = verify(rule);
  if (loss !== undefined) return { loss };
  const { keep, ...bare } = rule;
  if (keep === undefined || rule.into.list !== "permissions") return { rule: bare };
  const match = keep.match ?? [];
  const wrong = failing(rule, { match });
  if (wrong.length > 0) return { loss: { why: `its example \`${wrong[0] ?? ""}\` does not surely match \`${textOf(rule)}\` here` } };
  const tooWide = failing(rule, { notMatch: keep.notMatch ?? [] });
  if (tooWide.length > 0 && rule.effect === "allow")
    return { loss: { why: `its example \`${tooWide[0] ?? ""}\` would be allowed by \`${textOf(rule)}\` here` } };
  const notMatch = (keep.notMatch ?? []).filter((example) => !tooWide.includes(example));
  const kept = { ...(match.length === 0 ? {} : { match }), ...(notMatch.length === 0 ? {} : { notMatch }) };
  const settled: Converted = Object.keys(kept).length === 0 ? bare : { ...bare, keep: kept };
  if (tooWide.length === 0) return { rule: settled };
  return {
    rule: settled,
    loss: { why: `kept, but \`${textOf(rule)}\` also means \`${tooWide[0] ?? ""}\` here, which the rule leaves out` },
  };
}

/** Those examples that do not hold. */
function failing(
  { effect, into }: Converted,
  examples: { readonly match?: readonly string[]; readonly notMatch?: readonly string[] },
): readonly string[] {
  if (into.list !== "permissions") return [];
  const text = JSON.stringify({ permissions: { [effect]: [{ ...(into.written ?? { rule: into.rule }), ...examples }] } });
  const read = readPolicy(text, { file: "import", layer: "user", examples: lowerExample });
  return read.examples.filter(({ problem }) => problem !== undefined).map(({ example }) => example);
}

/**
 * Holds a converted rule against examples of the native one: nothing is written that our own judge understands
 * differently. Undefined when it does what it should.
 */
function verify(rule: Converted): Loss | undefined {
  const made = policyOf(rule);
  if ("why" in made) return made;
  for (const example of rule.match) {
    const problem = judged(rule, made, example);
    if (problem !== "yes") return { why: `\`${textOf(rule)}\` would not surely match \`${example}\` here` };
  }
  for (const example of rule.notMatch) {
    const problem = judged(rule, made, example);
    if (problem !== "no") return { why: `\`${textOf(rule)}\` would also match \`${example}\` here` };
  }
  return undefined;
}

/** How a rule is named to people. */
export function textOf({ into }: Pick<Converted, "into">): string {
  switch (into.list) {
    case "permissions":
      return into.rule;
    case "default":
      return `operations.${into.operation}.default`;
    case "writableRoots":
      return into.folder;
    default:
      return into.pattern;
  }
}

/** A policy that says nothing else. */
function policyOf({ effect, into }: Converted): Policy | Loss {
  if (into.list === "permissions") {
    const parsed = parseRule(into.written ?? into.rule);
    if (!parsed.ok) return { why: parsed.message, ...(parsed.help === undefined ? {} : { help: parsed.help }) };
  }
  const read = readPolicy(JSON.stringify({ preset: "none", ...contentOf(effect, into) }), {
    file: "import",
    layer: "user",
    examples: lowerExample,
  });
  if (!read.ok) return { why: read.problems[0]?.message ?? "it cannot be read" };
  return joinLayers([{ ok: true, policy: read.policy }]);
}

function contentOf(effect: Effect, into: Into): Record<string, unknown> {
  switch (into.list) {
    case "permissions":
      return { permissions: { [effect]: [into.written ?? into.rule] } };
    case "default":
      return { operations: { [into.operation]: { default: effect } } };
    case "writableRoots":
      return { writableRoots: [into.folder] };
    default:
      return { operations: { [into.list]: { rules: [{ pattern: into.pattern, action: effect }] } } };
  }
}

const NO_FLOOR: JudgeContext["floor"] = { policies: [], state: [], registrations: [], own: [], projectPolicies: [] };

/** `maybe`: it asks where it should deny, which is not enough. */
function judged({ effect, into }: Converted, policy: Policy, example: string): Answer {
  const { lowered, world } = loweredOf(into, policy, example);
  if (lowered.actions.length === 0) return "no";
  const context: JudgeContext = { world, host: false, floor: NO_FLOOR, dangersOf: () => new Set(), supervised: false };
  const { actions } = judge(lowered, policy, context);
  if (actions.some(({ verdict }) => verdict.basis === "rule" && verdict.decision === effect)) return "yes";
  return effect !== "allow" && actions.some(({ verdict }) => verdict.decision === "ask" && verdict.rule !== undefined) ? "maybe" : "no";
}

/** What an example stands for: a command, or what the rule looks at. */
function loweredOf(into: Into, policy: Policy, example: string): { readonly lowered: Lowered; readonly world: World } {
  const matcher = matcherOf(into, policy);
  if (matcher !== undefined && !judgingOf(matcher).ofCommands) {
    const actions = readingOf(matcher).exampleActions(matcher, example, lowerExample) ?? [];
    return { lowered: { actions, unknowns: [] }, world: EXAMPLE_WORLD };
  }
  return { lowered: lowerShell(example, { world: NOWHERE, shell: "any" }), world: NOWHERE };
}

function matcherOf(into: Into, { operations }: Policy): Matcher | undefined {
  if (into.list === "permissions") {
    const parsed = parseRule(into.written ?? into.rule);
    return parsed.ok ? parsed.matcher : undefined;
  }
  return operations.find(({ operation }) => operation === into.list)?.rules[0]?.matcher;
}
