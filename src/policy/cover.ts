import type { PatternBase } from "../pattern/index.ts";
import { judgingOf, type Matcher } from "./kinds/index.ts";
import { sideOf } from "./match-context.ts";
import type { Rule } from "./types.ts";

/**
 * Whether one rule speaks about everything that another speaks about. True only where that is proved from the
 * patterns; false means nothing. Deny and ask rules match more spellings than allow rules do, so the sides count.
 */
export function ruleCovers(outer: Rule, inner: Rule, base: PatternBase): boolean {
  const sides = { outer: sideOf(outer.effect), inner: sideOf(inner.effect) };
  if (sides.outer === "narrow" && sides.inner === "wide") return false;
  // A trusted project's own allow rules end with the project.
  if (sides.outer === "narrow" && outer.root !== undefined && outer.root !== inner.root) return false;
  if (same(outer.matcher, inner.matcher)) return true;
  const kind = judgingOf(outer.matcher);
  if (kind.isEveryCommand(outer.matcher, sides.outer) && judgingOf(inner.matcher).ofCommands) return true;
  return kind.covers(outer.matcher, inner.matcher, sides, base);
}

/** Matchers are plain data, made by one parser: equal ones have equal text. */
export function same(a: Matcher, b: Matcher): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
