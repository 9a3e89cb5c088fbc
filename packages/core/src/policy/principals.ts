import { BoundedMap } from "../pattern/index.ts";
import type { Policy, Rule, RuleWhen } from "./match/types.ts";

/** For whom something is judged. What is not said is not known: a rule that asks for it does not allow, and denies by asking. */
export interface Principal {
  readonly user?: string | undefined;
  readonly tenant?: string | undefined;
  /** One role, or all that somebody has. */
  readonly role?: string | readonly string[] | undefined;
  readonly agent?: string | undefined;
  readonly session?: string | undefined;
}

/** As rules are held against it: who acts stands first among the agents, then whose sub-agent that is. */
export interface Who extends Omit<Principal, "role" | "agent"> {
  readonly roles?: readonly string[] | undefined;
  readonly agents?: readonly string[] | undefined;
}

type Speaks = "yes" | "no" | "unknown";

/** Whether a rule speaks about this principal. */
function speaksAbout(when: RuleWhen, who: Who, effect: Rule["effect"]): Speaks {
  const { agents } = who;
  const acting = effect === "allow" ? agents?.slice(0, 1) : agents;
  const held: readonly (readonly [readonly string[] | undefined, readonly string[] | undefined])[] = [
    [when.user, one(who.user)],
    [when.tenant, one(who.tenant)],
    [when.role, who.roles],
    [when.agent, acting],
    [when.session, one(who.session)],
  ];
  let answer: Speaks = "yes";
  for (const [wanted, known] of held) {
    if (wanted === undefined) continue;
    if (known === undefined) answer = "unknown";
    else if (!known.some((name) => wanted.includes(name))) return "no";
  }
  return answer;
}

const one = (name: string | undefined): readonly string[] | undefined => (name === undefined ? undefined : [name]);

/** Of rules with conditions those that hold for one principal. */
function holding(rules: readonly Rule[], answers: readonly Speaks[]): readonly Rule[] {
  let at = 0;
  return rules.flatMap((rule): readonly Rule[] => {
    const { when, ...settled } = rule;
    if (when === undefined) return [rule];
    const answer = answers[at++] ?? "unknown";
    if (answer === "no" || (answer === "unknown" && rule.effect === "allow")) return [];
    return [answer === "unknown" && rule.effect === "deny" ? { ...settled, effect: "ask" } : settled];
  });
}

const answersFor = (rules: readonly Rule[], who: Who): readonly Speaks[] =>
  rules.flatMap(({ when, effect }) => (when === undefined ? [] : speaksAbout(when, who, effect)));

/** INVARIANT: the rules of a policy are those that hold for somebody nothing is known of; all stand beside them. */
export function withoutPrincipal(rules: readonly Rule[]): Pick<Policy, "rules" | "conditional"> {
  return rules.some(({ when }) => when !== undefined)
    ? { rules: holding(rules, answersFor(rules, NOBODY)), conditional: rules }
    : { rules };
}

const NOBODY: Who = {};

/** By which of a policy's conditions hold: a thousand users with five roles have five policies. */
const known = new WeakMap<Policy, BoundedMap<string, Policy>>();
const MOST_KNOWN = 64;

/** The policy as it is for one principal. */
export function policyFor(policy: Policy, who: () => Who): Policy {
  const { conditional } = policy;
  if (conditional === undefined) return policy;
  const answers = answersFor(conditional, who());
  let policies = known.get(policy);
  if (policies === undefined) known.set(policy, (policies = new BoundedMap<string, Policy>(MOST_KNOWN)));
  return policies.get(answers.join(), () => ({ ...policy, rules: holding(conditional, answers) }));
}

/** Whom a rule is about, for people: `for the role dev or ops and the user ann`. */
export function sayWhen(when: RuleWhen): string {
  const said = CONDITIONS.flatMap((key) => (when[key] === undefined ? [] : [`the ${key} ${when[key].join(" or ")}`]));
  return `for ${said.join(" and ")}`;
}

/** Whether everybody whom `inner` means is meant by `outer`, too. */
export function meansAll(outer: RuleWhen | undefined, inner: RuleWhen | undefined): boolean {
  if (outer === undefined) return true;
  return CONDITIONS.every((key) => {
    const names = outer[key];
    if (names === undefined) return true;
    const fewer = inner?.[key];
    // Somebody has several roles: one of those that are wanted is enough.
    return fewer !== undefined && fewer.every((name) => names.includes(name));
  });
}

/** What a rule may ask of a principal. */
export const CONDITIONS = ["user", "tenant", "role", "agent", "session"] as const;

const NAME_LENGTH = 128;

/** A name without control characters, cut, folded: how names of agents are compared. Empty: no name. */
export function agentName(name: string): string {
  // As nearly every name is: each decision asks three times.
  if (/^[\w-]{1,128}$/.test(name)) return name.toLowerCase();
  return name
    .replace(/[\p{Cc}\p{Cf}]/gu, "")
    .trim()
    .slice(0, NAME_LENGTH)
    .toLowerCase();
}
