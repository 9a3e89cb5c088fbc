import { type Action, spend } from "../action/index.ts";
import { resolvePath } from "../path/index.ts";
import type { Answer, PatternBase } from "../pattern/index.ts";
import { judgingOf } from "./kinds/index.ts";
import { type MatchContext, type Side, sideOf } from "./match/match-context.ts";
import { isInsideFolder, pathIsInside, worksInside } from "./match/match-path.ts";
import { meansAll } from "./principals.ts";
import { pathFields } from "./match/tool-fields.ts";
import type { Matcher, Rule } from "./match/types.ts";

/**
 * Whether a rule speaks about an action. `maybe` means that it depends on what is only known at run time: it is
 * not enough for an allow rule, and makes of a deny rule an ask.
 *
 * @example matchRule(rule, action, { world }) === "yes"
 */
export function matchRule(rule: Rule, action: Action, context: MatchContext): Answer {
  const answer = matchMatcher(rule.matcher, action, sideOf(rule.effect), context);
  if (answer === "no" || rule.effect !== "allow" || rule.layer !== "project" || rule.root === undefined) return answer;
  return holdsInside(rule.root, action, context) ? answer : "no";
}

/** As `matchRule`, for a pattern that is no written rule. */
export function matchMatcher(matcher: Matcher, action: Action, side: Side, context: MatchContext): Answer {
  spend(2);
  return judgingOf(matcher).match(matcher, action, side, context);
}

/** An allow rule of a project's own file reaches no further than the project. */
function holdsInside(root: string, action: Action, context: MatchContext): boolean {
  const { cwd } = context.world;
  if (!pathIsInside(cwd, root, context)) return false;
  if (action.kind === "file") return isInsideFolder(action.target, root, context);
  if (action.kind === "exec") return worksInside(action.folders, root, context);
  if (action.kind === "tool") return pathFields(action).every((path) => pathIsInside(resolvePath(cwd, path), root, context));
  return true;
}

/**
 * Whether one rule speaks about everything that another speaks about. True only where that is proved from the
 * patterns; false means nothing. Deny and ask rules match more spellings than allow rules do, so the sides count.
 */
export function ruleCovers(outer: Rule, inner: Rule, base: PatternBase): boolean {
  const sides = { outer: sideOf(outer.effect), inner: sideOf(inner.effect) };
  if (sides.outer === "narrow" && sides.inner === "wide") return false;
  // A trusted project's own allow rules end with the project.
  if (sides.outer === "narrow" && outer.root !== undefined && outer.root !== inner.root) return false;
  if (!meansAll(outer.when, inner.when)) return false;
  if (same(outer.matcher, inner.matcher)) return true;
  const kind = judgingOf(outer.matcher);
  if (kind.isEveryCommand(outer.matcher, sides.outer) && judgingOf(inner.matcher).ofCommands) return true;
  return kind.covers(outer.matcher, inner.matcher, sides, base);
}

/** Matchers are plain data, made by one parser: equal ones have equal text. */
export function same(a: Matcher, b: Matcher): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
