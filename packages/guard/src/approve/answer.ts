import { brief, visible } from "@assent/core/action";
import { isObject } from "@assent/core/data";
import { parseRule } from "@assent/core/policy";
import { addGrant, LONGEST_GRANT_MS, type Machine, type RuleGrant } from "../state/index.ts";
import type { CheckRule } from "./prompt.ts";
import type { Answer, Question } from "./types.ts";

/** Answers that are the same wherever they are given, and what an answer means. */

export const DENY: Answer = { answer: "deny", scope: "once" };
export const NOBODY = { answer: "deny", scope: "once", nobody: true } as const;

/** Why a no is nobody's: it was asked in vain, or people of the team may answer it later. Undefined: somebody has said it. */
export function unanswered(answer: Answer): "nobody" | "waits" | undefined {
  if (answer.answer !== "deny" || answer.scope !== "once") return undefined;
  return answer.waits === true ? "waits" : answer.nobody === true ? "nobody" : undefined;
}

/** Somebody has said something. */
export const isSaid = (answer: Answer | undefined): answer is Answer => answer !== undefined && unanswered(answer) === undefined;

/** What is wrong with a rule that a person typed. */
export function checkRule(rule: string): string | undefined {
  const parsed = parseRule(rule);
  return parsed.ok ? undefined : visible(parsed.help === undefined ? parsed.message : `${parsed.message}: ${parsed.help}`);
}

/** A consent among the rules that a question offers. INVARIANT: only for telling them apart; the question that offered it says which one it is. */
export function isConsentText(text: string): boolean {
  if (!text.startsWith('{"consent":')) return false;
  try {
    return isObject(JSON.parse(text));
  } catch {
    return false;
  }
}

/** The same for an answer that may be a consent. Whoever asked keeps it only if it was offered. */
export const checkAnswerRule = (rule: string): string | undefined => (isConsentText(rule) ? undefined : checkRule(rule));

/** What is wrong with the rule that an answer would write. INVARIANT: such an answer allows nothing, and nothing is remembered. */
export const wrongRuleIn = (answer: Answer, check: CheckRule = checkAnswerRule): string | undefined =>
  answer.answer === "quit" || answer.scope !== "always" ? undefined : check(answer.rule, answer.answer);

/** So long what an answer remembers holds. Milliseconds. */
export const lastsFor = (answer: Answer): number =>
  answer.answer === "allow" && answer.scope === "time" ? Math.min(LONGEST_GRANT_MS, 60_000 * answer.minutes) : LONGEST_GRANT_MS;

/**
 * A yes for a time, or for a session where there is one, is a grant as well: the narrowest rule that covers what was asked. What is wrong where
 * it cannot be kept: then the answer holds for this one question.
 */
export function grantAnswer(
  machine: Machine,
  { process, what, proposals }: Question,
  answer: Answer,
  { session, ...grant }: Pick<RuleGrant, "by" | "program" | "project"> & { readonly session: string | undefined },
): string | undefined {
  const narrowest = proposals.find(({ rule }) => !isConsentText(rule));
  if (answer.answer !== "allow" || narrowest === undefined) return undefined;
  const inSession = answer.scope === "session" && session !== undefined;
  if (answer.scope !== "time" && !inSession) return undefined;
  const now = Date.now();
  const made = addGrant(
    machine,
    {
      kind: "rule",
      rule: narrowest.rule,
      until: now + lastsFor(answer),
      why: brief(`answered when ${process.name} wanted to ${what}`, 300),
      ...(inSession ? { session } : {}),
      ...grant,
    },
    now,
  );
  return "problem" in made ? made.problem : undefined;
}
