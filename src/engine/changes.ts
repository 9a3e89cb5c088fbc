import { judge, type Policy, type Rule, type RequestVerdict, type Verdict } from "../policy/index.ts";
import type { Outcome } from "./decide.ts";
import { commandRules, suggestions } from "./suggest.ts";

/** Reads rules as a user's policy file would: undefined where a text is no rule. */
export type RuleReader = (rules: readonly string[]) => readonly Rule[] | undefined;

/**
 * The fewest rules found that would make the outcome allow, each naming an unapproved part and nothing else.
 * Every suggestion is tried on the real judge before it is made; none is made where none helps.
 */
export function changesFor(outcome: Outcome, read: RuleReader): readonly string[] {
  const { verdict, basis } = outcome;
  if (basis === undefined || verdict.decision === "allow") return [];
  const { lowered, context } = basis;
  const wanted: string[] = [];
  const add = (options: readonly string[], solved: (rules: readonly string[]) => boolean): boolean => {
    if (solved(wanted)) return true;
    const found = options.find((option) => !wanted.includes(option) && solved([...wanted, option]));
    if (found !== undefined) wanted.push(found);
    return found !== undefined;
  };
  const tried = (rules: readonly string[]): RequestVerdict | undefined => underRules(outcome, rules, read);
  const settled = (find: (judged: RequestVerdict) => Verdict | undefined) => (rules: readonly string[]) => {
    const judged = tried(rules);
    return judged !== undefined && find(judged)?.decision === "allow";
  };
  for (const [at, judged] of verdict.actions.entries()) {
    if (judged.verdict.decision === "allow") continue;
    if (
      !add(
        suggestions(judged.action, lowered.actions, context.world),
        settled((again) => again.actions[at]?.verdict),
      )
    )
      return [];
  }
  for (const [at, { unknown, verdict: own }] of verdict.unknowns.entries()) {
    if (own.decision === "allow") continue;
    const exec = unknown.exec === undefined ? undefined : lowered.actions[unknown.exec];
    if (
      exec?.kind !== "exec" ||
      !add(
        commandRules(exec),
        settled((again) => again.unknowns[at]?.verdict),
      )
    )
      return [];
  }
  // A later rule may have answered what an earlier one was for.
  let needed: readonly string[] = wanted;
  for (const rule of wanted) {
    const fewer = needed.filter((other) => other !== rule);
    if (tried(fewer)?.decision === "allow") needed = fewer;
  }
  return tried(needed)?.decision === "allow" ? needed : [];
}

/** The same request judged again as if the user's file allowed this too. Undefined where a text is no rule, or judging had failed. */
export function underRules({ basis }: Outcome, rules: readonly string[], read: RuleReader): RequestVerdict | undefined {
  const extra = rules.length === 0 ? [] : read(rules);
  if (extra === undefined || basis === undefined) return undefined;
  const policy: Policy = { ...basis.policy, rules: [...basis.policy.rules, ...extra] };
  return judge(basis.lowered, policy, basis.context);
}
