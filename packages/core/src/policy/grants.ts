import { type Action, type ExecAction, visible } from "../action/index.ts";
import type { ReasonId } from "./match/reasons.ts";
import type { RequestVerdict, Verdict } from "./match/verdict.ts";
import { matchRule, ruleCovers } from "./rule.ts";
import { judgingOf } from "./kinds/index.ts";
import { type MatchContext, patternBase } from "./match/match-context.ts";
import { asking, type MatchedRules } from "./matched-rules.ts";
import type { RuleIndex } from "./rule-index.ts";
import type { Rule } from "./match/types.ts";

/** No remembered answer holds longer: a person who wants more writes a rule. */
export const LONGEST_GRANT_MS = 7 * 86_400_000;

/** A remembered answer, as judging needs it: only those that hold for who asks, and now. */
export interface Grant {
  readonly id: string;
  /** An allow rule: what it answers. */
  readonly rule: Rule;
  /** The one question it answers (`questionOf`); absent: whatever is asked about what the rule speaks of. */
  readonly answered?: string | undefined;
  /** It holds for what this program does: a name, or a path. */
  readonly program?: string | undefined;
  /** Uses left; absent: any number. */
  readonly left?: number | undefined;
  /** For people: `granted by you until 14:30`. */
  readonly said: string;
  /** It lifts the sandbox as well. */
  readonly bare?: true;
}

/** What a question rests on: the rule and where it is written, else the built-in entry. */
export function questionOf({ rule, builtin, basis }: Verdict): string {
  return rule === undefined ? (builtin ?? basis) : `${rule.text} (${rule.file})`;
}

/**
 * A grant answers what it was made for. `again` judges the same with the grant as one more allow rule.
 * INVARIANT: what a rule denies, and what the floor says, is no question.
 */
export function answered(
  grants: readonly Grant[],
  asks: Verdict,
  action: Action,
  exec: ExecAction | undefined,
  again: (grant: Rule) => Verdict,
): Verdict {
  // What goes ahead anyway is answered by who lifts the sandbox around it.
  const goes = asks.decision === "allow" && asks.bare !== true;
  if (!goes && !isQuestion(asks)) return asks;
  for (const grant of grants) {
    if (goes && grant.bare !== true) continue;
    if (!isMeantBy(grant, asks, action, exec)) continue;
    const { decision, rule } = again(grant.rule);
    if (decision === "allow" && rule === grant.rule.source) return byGrant(grant);
  }
  return asks;
}

/** What a person said yes to once. */
export interface ConsentedYes {
  readonly verdict: Verdict;
  /** What a foreign repository could start was looked into. */
  readonly answersDanger?: true | undefined;
}

/** The one danger that a sentence may be about. */
export const FOREIGN_REPOSITORY = "danger.foreign-repository" satisfies ReasonId;

/**
 * What a person said yes to once, after all else. INVARIANT: no deny, no written rule, no danger but that of a repository that was looked
 * into, and nothing that is not understood is answered by it.
 */
export function consented(yes: ConsentedYes | undefined, verdict: Verdict): Verdict {
  const { decision, basis, waivable, builtin } = verdict;
  if (yes === undefined || waivable !== undefined) return verdict;
  const meant = yes.answersDanger === true && decision === "ask" && basis === "protection" && builtin === FOREIGN_REPOSITORY;
  const open = decision === "ask" || decision === "none" ? basis === "default" : decision === "allow" && basis === "knowledge";
  return open || meant ? yes.verdict : verdict;
}

/** What a grant may answer. Nothing of the floor is a question, nor what a written rule denies. */
export function isQuestion({ decision, basis }: Verdict): boolean {
  return decision !== "allow" && basis !== "floor" && !(decision === "deny" && basis === "rule");
}

/** Whether a grant is about this question, whatever its rule says. */
function isMeantBy(grant: Grant, asks: Verdict, action: Action, exec: ExecAction | undefined): boolean {
  if (grant.answered !== undefined && asks.decision !== "allow" && grant.answered !== questionOf(asks)) return false;
  // How much a folder or a pattern holds nobody has counted; commands are counted as such.
  const counts = grant.left !== undefined && !isOfCommands(grant.rule);
  if (counts && action.kind === "file" && (action.target.kind !== "path" || action.recursive === true)) return false;
  if (grant.program === undefined) return true;
  if (exec === undefined || !exec.trusted) return false;
  return grant.program.includes("/") ? exec.resolved === grant.program : exec.program === grant.program;
}

const isOfCommands = ({ matcher }: Rule): boolean => judgingOf(matcher).ofCommands;

/** A grant is one more allow rule, and the first. */
export function withGrant(own: MatchedRules, rule: Rule, action: Action, match: MatchContext): MatchedRules {
  return matchRule(rule, action, match) === "yes" ? { ...own, allow: [rule, ...own.allow] } : own;
}

/**
 * Whether a grant answers every written question about an action: it matches the action itself, and each ask rule speaks
 * of all that the grant speaks of. A question about a part of it is another question.
 */
export function answersWritten(grant: Rule, action: Action, { index, match }: { readonly index: RuleIndex; readonly match: MatchContext }) {
  if (matchRule(grant, action, match) !== "yes") return false;
  const base = patternBase(match.world, "wide");
  return asking(action, index, match).every((rule) => ruleCovers(rule, grant, base));
}

/** What a grant says where it answers. */
export function byGrant({ id, rule, left, said, bare }: Grant): Verdict {
  const { text } = rule.source;
  return {
    decision: "allow",
    basis: "grant",
    reason: `${said}: ${visible(text)}`,
    grant: { id, rule: text, ...(left === undefined ? {} : { left }) },
    ...(bare === true ? { bare } : {}),
  };
}

/** How often a request uses each grant: once for each thing it answers about, and once for a command with all it does. */
export function usesOf({ actions, unknowns }: RequestVerdict, grants: readonly Grant[]): ReadonlyMap<string, number> {
  const byId = new Map(grants.map((grant) => [grant.id, grant]));
  const used = new Map<string, Set<string>>();
  const add = (verdict: Verdict, what: string): void => {
    const id = verdict.grant?.id;
    if (id !== undefined) used.set(id, (used.get(id) ?? new Set()).add(what));
  };
  for (const [at, { action, verdict }] of actions.entries()) {
    const rule = byId.get(verdict.grant?.id ?? "")?.rule;
    const command = rule !== undefined && isOfCommands(rule) && action.origin.by === "command" ? action.origin.exec : at;
    add(verdict, `action ${command}`);
  }
  for (const [at, { unknown, verdict }] of unknowns.entries())
    add(verdict, unknown.exec === undefined ? `unknown ${at}` : `action ${unknown.exec}`);
  return new Map([...used].map(([id, what]) => [id, what.size]));
}
