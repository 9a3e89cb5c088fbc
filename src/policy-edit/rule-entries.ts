import type { Edit } from "../edit/index.ts";
import { type Json, member, type Path, placeFinder, readJson5, toValue } from "../edit/json5/index.ts";
import { parseRule, type Effect, type Matcher } from "../policy/index.ts";

/** A rule where it stands in a file. */
export interface RuleEntry {
  readonly effect: Effect;
  readonly matcher: Matcher;
  readonly text: string;
  readonly reason?: string;
  readonly path: Path;
  readonly line: number;
  readonly column: number;
}

const EFFECTS: readonly Effect[] = ["allow", "ask", "deny"];

/** The rules of `permissions` in a flawless policy text, in its order. */
export function ruleEntries(text: string): readonly RuleEntry[] {
  const { root } = readJson5(text);
  const lists = member(root, "permissions")?.value;
  const placeOf = placeFinder(text);
  return EFFECTS.flatMap((effect) => {
    const list = member(lists, effect)?.value;
    return (list?.kind === "array" ? list.items : []).flatMap((item, index): readonly RuleEntry[] => {
      const parsed = parseRule(toValue(item));
      if (!parsed.ok) return [];
      const { matcher, text: written, reason } = parsed;
      const path: Path = ["permissions", effect, index];
      return [{ effect, matcher, text: written, ...(reason === undefined ? {} : { reason }), path, ...placeOf(item.start) }];
    });
  });
}

/** Adds a rule at the end of its list, which is made when it is missing. */
export function addRule(text: string, effect: Effect, entry: Json): Edit {
  const { root } = readJson5(text);
  const list: Path = ["permissions", effect];
  const there = member(member(root, "permissions")?.value, effect)?.value.kind === "array";
  return there ? { do: "insert", list, place: "end", value: entry } : { do: "set", path: list, value: [entry] };
}
