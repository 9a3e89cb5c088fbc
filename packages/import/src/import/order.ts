import { matchesText } from "@assent/core/pattern";
import { compareDecisions, type Effect } from "@assent/core/policy";
import type { Loss } from "./types.ts";

/** A rule of a list in which one position decides: the first that matches, or the last. */
export interface Ordered {
  readonly effect: Effect;
  /** What it is about (`bash`, `edit`, …): rules about different things never meet. */
  readonly domain: string;
  /** Over that thing's text, in our notation. */
  readonly glob: string;
}

export type PlaceInPool<Rule> =
  | { readonly rule: Rule; readonly is: "kept" }
  /** Nothing it matches is left for it. */
  | { readonly rule: Rule; readonly is: "dead"; readonly by: Rule }
  /** An exception to a stricter rule: that one is kept whole. */
  | { readonly rule: Rule; readonly is: "exception"; readonly to: Rule; readonly partly: boolean };

/**
 * What becomes of each rule of an ordered list in a pool where the strictest wins. `rules` comes with the deciding one
 * first. A rule that never decides is left out; one that takes an exception from a stricter rule behind it cannot be
 * said in a pool, so the stricter one holds.
 */
export function intoPool<Rule extends Ordered>(rules: readonly Rule[]): readonly PlaceInPool<Rule>[] {
  return rules.map((rule, at): PlaceInPool<Rule> => {
    const before = rules.slice(0, at).find((other) => other.domain === rule.domain && coversText(other.glob, rule.glob));
    if (before !== undefined) return { rule, is: "dead", by: before };
    const behind = rules
      .slice(at + 1)
      .filter((other, i) => compareDecisions(other.effect, rule.effect) > 0 && meets(rule, other) && !isDead(rules, at + 1 + i));
    // A default is no rule: what it leaves open it leaves to the rules.
    const to = behind.find((other) => !isEverything(other.glob));
    return to === undefined ? { rule, is: "kept" } : { rule, is: "exception", to, partly: !coversText(to.glob, rule.glob) };
  });
}

function isDead(rules: readonly Ordered[], at: number): boolean {
  const rule = rules[at];
  return rule !== undefined && rules.slice(0, at).some((other) => other.domain === rule.domain && coversText(other.glob, rule.glob));
}

export const isEverything = (glob: string): boolean => /^\*+$/.test(glob);

function meets(a: Ordered, b: Ordered): boolean {
  if (a.domain !== b.domain) return false;
  const [first, second] = [startOf(a.glob), startOf(b.glob)];
  if (first === a.glob) return matchesText(b.glob, plain(a.glob));
  if (second === b.glob) return matchesText(a.glob, plain(b.glob));
  return first.startsWith(second) || second.startsWith(first);
}

const startOf = (glob: string): string => /^(?:\\.|[^\\*?[])*/su.exec(glob)?.[0] ?? "";
const plain = (glob: string): string => glob.replace(/\\(.)/gsu, "$1");

/** Everything `inner` matches, `outer` matches: stand-ins for its wildcards that only a wildcard takes. */
function coversText(outer: string, inner: string): boolean {
  if (outer === inner || isEverything(outer)) return true;
  if (startOf(inner) === inner) return matchesText(outer, plain(inner));
  // `?` and a set take one character, the stand-in of `*` is many.
  if (/(?:^|[^\\])(?:\\\\)*[?[]/.test(outer)) return false;
  return matchesText(outer, plain(inner.replace(/(?<!\\)\*+/g, "\uE000").replace(/(?<!\\)\?/g, "\uE001")));
}

/** How an exception is told. */
export function exceptionLoss(to: { readonly text: string; readonly effect: Effect; readonly line: number }): Loss {
  const verb = to.effect === "deny" ? "refuses" : "asks for";
  return {
    why: `it takes an exception from \`${to.text}\` (line ${to.line}); here the strictest rule wins, so that one ${verb} this too`,
    help: "make the stricter rule narrower",
  };
}
