import { changesFor, type Outcome, type RuleReader, underRules } from "../engine/index.ts";
import { NEVER } from "./never.ts";
import type { History, Past } from "./past.ts";

/** Rules that would have spared a person some questions. */
export interface Suggestion {
  /** Allow rules, all of them needed. */
  readonly rules: readonly string[];
  /** Questions that would not have been asked. */
  readonly prompts: number;
  /** Requests of which that is true, the most frequent first. */
  readonly examples: readonly Past[];
}

export interface Suggested {
  readonly suggestions: readonly Suggestion[];
  /** Requests that are never suggested to be allowed: a written rule, a protection or the floor spoke. */
  readonly guarded: number;
  /** Rule sets that would have allowed something they must not: not suggested. */
  readonly unsafe: number;
  /** How many denied requests and lines of what must never be allowed every suggestion was held against. */
  readonly proof: { readonly denials: number; readonly never: number };
}

export interface Judges {
  /** Judges a past request under the policy as it is now. */
  readonly past: (past: Past) => Outcome;
  /** Judges a command in the folder where the person is. */
  readonly command: (command: string) => Outcome;
  readonly read: RuleReader;
}

const MOST_DENIALS = 500;

/**
 * Rules that would have saved questions, the most first. Only questions that nobody asked for: what a rule, a protection
 * or the floor asks stays asked. Every set is held against the denials of the log and against `NEVER` before it is told.
 */
export function suggest({ requests }: History, judges: Judges): Suggested {
  const sets = new Map<string, { readonly rules: readonly string[]; prompts: number; examples: Past[] }>();
  let guarded = 0;
  for (const past of requests) {
    if (past.prompts === 0) continue;
    const outcome = judges.past(past);
    if (outcome.verdict.decision === "allow") continue;
    if (!isUnasked(outcome)) {
      guarded += 1;
      continue;
    }
    const rules = changesFor(outcome, judges.read);
    if (rules.length === 0) continue;
    const key = rules.toSorted().join("\n");
    const set = sets.get(key) ?? { rules, prompts: 0, examples: [] };
    set.prompts += past.prompts;
    set.examples.push(past);
    sets.set(key, set);
  }
  const denied = requests.filter((past) => past.denials > 0).slice(0, MOST_DENIALS);
  const forbidden = [...denied.map(judges.past), ...NEVER.map(judges.command)].filter(({ verdict }) => verdict.decision !== "allow");
  const safe = ({ rules }: Suggestion): boolean =>
    forbidden.every((outcome) => {
      const judged = underRules(outcome, rules, judges.read);
      return judged !== undefined && judged.decision !== "allow";
    });
  const all = [...sets.values()].toSorted((a, b) => b.prompts - a.prompts);
  const suggestions = all.filter(safe);
  return { suggestions, guarded, unsafe: all.length - suggestions.length, proof: { denials: denied.length, never: NEVER.length } };
}

/** No part of it is asked by anything but a default, or has no opinion. */
function isUnasked({ verdict, basis }: Outcome): boolean {
  if (basis === undefined || verdict.decision === "deny") return false;
  const parts = [...verdict.actions.map((judged) => judged.verdict), ...verdict.unknowns.map((judged) => judged.verdict)];
  return parts.every(({ decision, basis: on }) => decision === "allow" || decision === "none" || (decision === "ask" && on === "default"));
}
