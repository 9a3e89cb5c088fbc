import type { Outcome } from "@assent/guard/engine";
import type { RequestVerdict } from "@assent/core/policy";

/** What guards of this process have judged, by its verdict: whoever asks a person needs more than that. */
const outcomes = new WeakMap<RequestVerdict, Outcome>();

export const outcomeOf = (verdict: RequestVerdict): Outcome | undefined => outcomes.get(verdict);

export function noteOutcome(outcome: Outcome): void {
  outcomes.set(outcome.verdict, outcome);
}
