import type { Action, Lowered } from "../action/index.ts";
import { isQuestion } from "./grants.ts";
import { judge, type JudgeContext } from "./judge.ts";
import { judgingOf } from "./kinds/index.ts";
import { parseRule } from "./parse-rule.ts";
import { matchRule } from "./rule.ts";
import type { MatchContext } from "./match/match-context.ts";
import type { Effect, Policy, Rule, SigningKeys } from "./match/types.ts";
import type { RequestVerdict, Verdict } from "./match/verdict.ts";

/** How many people have to say yes. */
export interface AnswerableRemote {
  readonly people: 1 | 2;
  /** So long it waits for them, within what its host allows; absent: as long as who asks does by itself. Milliseconds. */
  readonly wait?: number;
  /** By which keys they have to sign it; absent: by none. */
  readonly passkeys?: SigningKeys;
}

/**
 * Whether people of a team may answer the question that a request is; undefined: they may not.
 *
 * INVARIANT: all that is asked about is named by the policy (`team.answers`), and is a question: nothing that a rule denies, nothing of
 * the floor, nothing that something else than judging asks (a breaker, an extension, a broken policy).
 */
export function answerableRemote(
  verdict: RequestVerdict,
  { lowered, policy, context }: { readonly lowered: Lowered; readonly policy: Policy; readonly context: JudgeContext },
): AnswerableRemote | undefined {
  const { team } = policy.settings;
  if (team === undefined || team.answers.length === 0 || !isAsked(verdict) || policy.broken !== undefined) return undefined;
  const judged = judge(lowered, policy, context);
  if (judged.decision !== verdict.decision || judged.reason !== verdict.reason || judged.basis !== verdict.basis) return undefined;
  const asked: (readonly Action[])[] = [];
  for (const { action, verdict: own } of judged.actions) {
    if (own.decision === "allow") continue;
    if (!isOpenQuestion(own)) return undefined;
    asked.push([action, ...commandOf(action, lowered)]);
  }
  for (const { unknown, verdict: own } of judged.unknowns) {
    if (own.decision === "allow") continue;
    const exec = lowered.actions[unknown.exec ?? -1];
    if (!isOpenQuestion(own) || exec === undefined) return undefined;
    asked.push([exec]);
  }
  const isUnknown = judged.unknowns.some(({ verdict: own }) => own.decision !== "allow");
  return answerableParts({ asked, actions: lowered.actions, isUnknown }, policy, context);
}

/** What is asked about, each with the command that does it, of all that would be done. */
export interface AskedParts {
  readonly asked: readonly (readonly Action[])[];
  readonly actions: readonly Action[];
  /** Something else may be meant. */
  readonly isUnknown: boolean;
}

/** As `answerableRemote`, of parts that somebody else has judged. INVARIANT: each of them is an open question. */
export function answerableParts(
  { asked, actions, isUnknown }: AskedParts,
  { settings: { team }, broken }: Policy,
  match: MatchContext,
): AnswerableRemote | undefined {
  if (team === undefined || broken !== undefined) return undefined;
  const { passkeys } = team;
  const [answers, twice, signed] = [rulesOf(team.answers, "allow"), rulesOf(team.twoPeople, "ask"), rulesOf(passkeys?.rules ?? [], "ask")];
  if (answers === undefined || twice === undefined || signed === undefined) return undefined;
  const speaks = (rule: Rule, [action, command]: readonly Action[]): boolean =>
    (action !== undefined && matchRule(rule, action, match) === "yes") ||
    (command !== undefined && judgingOf(rule.matcher).ofCommands && matchRule(rule, command, match) === "yes");
  if (asked.length === 0 || !asked.every((one) => answers.some((rule) => speaks(rule, one)))) return undefined;
  // What may be meant counts: the second person, and the passkey, are asked for rather once too often.
  const isMeant = (rules: readonly Rule[]): boolean =>
    (isUnknown && rules.length > 0) || actions.some((action) => rules.some((rule) => matchRule(rule, action, match) !== "no"));
  const people = isMeant(twice) ? 2 : 1;
  const waits = (team.waits ?? []).map(({ rules, milliseconds }) => ({
    milliseconds,
    rules: rules === undefined ? undefined : (rulesOf(rules, "ask") ?? []),
  }));
  const wait = waits.find(({ rules }) => rules === undefined || asked.some((one) => rules.some((rule) => speaks(rule, one))));
  const waited = wait === undefined ? {} : { wait: wait.milliseconds };
  if (passkeys === undefined || !isMeant(signed)) return { people, ...waited };
  const { site, credentials } = passkeys;
  if (new Set(credentials.map(({ person }) => person)).size < people) return undefined;
  return { people, ...waited, passkeys: { site, credentials } };
}

/** A question that is lifted by a yes: nothing of the floor, nothing that a bypass leaves as it is. */
export const isOpenQuestion = (verdict: Verdict): boolean => isAsked(verdict) && isQuestion(verdict) && verdict.waivable !== false;

/** The command that does it. */
function commandOf(action: Action, { actions }: Lowered): readonly Action[] {
  const exec = action.kind !== "exec" && action.origin.by === "command" ? actions[action.origin.exec] : undefined;
  return exec?.kind === "exec" ? [exec] : [];
}

/** Undefined where a text is no rule: the reader lets none through. */
function rulesOf(texts: readonly string[], effect: Effect): readonly Rule[] | undefined {
  const rules = texts.flatMap((text): Rule[] => {
    const parsed = parseRule(text);
    if (!parsed.ok) return [];
    return [{ effect, matcher: parsed.matcher, layer: "user", source: { text: parsed.text, file: "team", line: 1, column: 1 } }];
  });
  return rules.length === texts.length ? rules : undefined;
}

/** Where no host decides, what nobody says anything of is a question, too. */
const isAsked = ({ decision }: Pick<Verdict, "decision">): boolean => decision === "ask" || decision === "none";
