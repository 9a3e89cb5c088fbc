import type { Rule } from "./types.ts";

/** Notes a rule's place in its list under a key. */
export function put(places: Map<string, number[]>, key: string, at: number): void {
  const list = places.get(key);
  if (list === undefined) places.set(key, [at]);
  else list.push(at);
}

/** The rules at these places, in their order; the list itself where that is all of them. */
export function select(rules: readonly Rule[], places: ReadonlySet<number>): readonly Rule[] {
  if (places.size === rules.length) return rules;
  const chosen: Rule[] = [];
  for (const at of [...places].toSorted((a, b) => a - b)) {
    const rule = rules[at];
    if (rule !== undefined) chosen.push(rule);
  }
  return chosen;
}

/** Two choices from one list as one; `places` says where each of its rules stands. */
export function inOrder(some: readonly Rule[], others: readonly Rule[], places: ReadonlyMap<Rule, number>): readonly Rule[] {
  if (others.length === 0) return some;
  if (some.length === 0) return others;
  return [...new Set([...some, ...others])].toSorted((a, b) => (places.get(a) ?? 0) - (places.get(b) ?? 0));
}
