import { quote, type Lowered } from "../action/index.ts";
import { compareDecisions, judge, patternBase, ruleCovers, sampleCommands, same, type Policy, type Rule } from "../policy/index.ts";
import { lowerShell } from "../shell/index.ts";
import { NOWHERE } from "../engine/index.ts";
import type { Inspection } from "./load.ts";
import { pathActions } from "./never.ts";

export interface Shadow {
  /** The rule that always answers first. */
  readonly by: Rule;
  /** `stricter`: it asks or denies what this one would let pass or ask; `equal`: the same rule again; `broader`: one that says the same about more; `earlier`: in an `operations` block the first match speaks. */
  readonly because: "stricter" | "equal" | "broader" | "earlier";
}

/**
 * For each rule, in their order, the rule because of which it never decides anything. Proved from the patterns:
 * no entry means only that nothing was proved.
 */
export function shadows(rules: readonly Rule[], inspection: Inspection): ReadonlyMap<Rule, Shadow> {
  const base = patternBase(inspection.world, "narrow");
  const buckets = new Map<string, { readonly rule: Rule; readonly at: number }[]>();
  const counting = rules.filter(({ effect, untrusted }) => effect !== "allow" || untrusted !== true);
  for (const [at, rule] of counting.entries()) {
    const key = bucketOf(rule);
    buckets.set(key, [...(buckets.get(key) ?? []), { rule, at }]);
  }
  const out = new Map<Rule, Shadow>();
  for (const [at, rule] of counting.entries()) {
    const key = bucketOf(rule);
    const near = [
      ...(buckets.get(key) ?? []),
      ...(key === ANY_COMMAND || !key.startsWith("command ") ? [] : (buckets.get(ANY_COMMAND) ?? [])),
    ];
    const stricter = near.find((other) => compareDecisions(other.rule.effect, rule.effect) > 0 && ruleCovers(other.rule, rule, base));
    if (stricter !== undefined) {
      out.set(rule, { by: stricter.rule, because: "stricter" });
      continue;
    }
    const first = near.find((other) => other.at < at && other.rule.effect === rule.effect && repeats(other.rule, rule, inspection));
    if (first !== undefined) out.set(rule, { by: first.rule, because: same(first.rule.matcher, rule.matcher) ? "equal" : "broader" });
  }
  return out;
}

/** The same for the rules of one `operations` block, where order decides. */
export function shadowsInBlock(rules: readonly Rule[], inspection: Inspection): ReadonlyMap<Rule, Shadow> {
  const base = patternBase(inspection.world, "narrow");
  return new Map(
    rules.flatMap((rule, at): [Rule, Shadow][] => {
      const by = rules.slice(0, at).find((other) => ruleCovers(other, rule, base));
      return by === undefined ? [] : [[rule, { by, because: "earlier" }]];
    }),
  );
}

const ANY_COMMAND = "command *";

/** Rules of different buckets never cover each other. */
function bucketOf({ matcher }: Rule): string {
  switch (matcher.kind) {
    case "bash": {
      const [first] = matcher.tokens;
      return first?.is === "text" ? `command ${first.text}` : ANY_COMMAND;
    }
    case "shell": {
      const [only, ...more] = matcher.program.alternatives;
      return only !== undefined && more.length === 0 && !matcher.program.negated && !/[*?[]/.test(only) ? `command ${only}` : ANY_COMMAND;
    }
    case "option":
    case "command":
      return ANY_COMMAND;
    default:
      return matcher.kind;
  }
}

/** True when `rule` adds nothing to `other`, which has the same effect. */
export function repeats(other: Rule, rule: Rule, inspection: Inspection): boolean {
  if (!ruleCovers(other, rule, patternBase(inspection.world, "narrow"))) return false;
  if (rule.effect !== "allow" || same(other.matcher, rule.matcher)) return true;
  return namesNoMore(other, rule, inspection);
}

/** A narrower allow may name a danger or a secret that a broader one does not lift: what it spells out must be judged alike. */
function namesNoMore(other: Rule, rule: Rule, { context, policy, world }: Inspection): boolean {
  // What is judged here carries no system call, so nothing would be compared.
  if (rule.matcher.kind === "call") return false;
  const samples = sampleCommands(rule.matcher);
  if (samples.some((argv) => context.dangersOf(argv).size > 0)) return false;
  if (policy.settings.preset === "readonly" && samples.length === 0 && rule.matcher.kind !== "path") return false;
  const requests: readonly Lowered[] =
    rule.matcher.kind === "path"
      ? pathActions(rule.matcher, world).map((action) => ({ actions: [action], unknowns: [] }))
      : samples.map((argv) => lowerShell(argv.map(quote).join(" "), { world: NOWHERE }));
  const alone = (one: Rule): Policy => ({ settings: policy.settings, rules: [one], operations: [], warnings: [] });
  const [broad, narrow] = [alone(other), alone(rule)];
  return requests.every((lowered) => judge(lowered, broad, context).decision === judge(lowered, narrow, context).decision);
}
