import { isSomebodyThere } from "../approve/queue/index.ts";
import type { Host, Outcome } from "../engine/index.ts";
import type { Machine } from "../state/index.ts";

// Entry of dist/held.cjs, which the hook loads when it refuses something. What asks is a part of its own, loaded where somebody is there.
declare const require: (id: "./held-question.cjs") => typeof import("./held-question.ts");

/** The host cannot ask, and somebody is there who could answer. */
export const mayWait = ({ asks, bypassed, planning }: Host, machine: Machine): boolean =>
  !asks && !bypassed && !planning && isSomebodyThere(machine);

/** What is refused because its host cannot ask, answered by whoever is there while the host waits; else as it was. */
export function held(outcome: Outcome, machine: Machine): Outcome {
  try {
    const { verdict, request } = outcome;
    if (verdict.decision !== "ask" || request.point !== "hook" || !mayWait(request.host, machine)) return outcome;
    return require("./held-question.cjs").askMeanwhile(outcome, machine);
  } catch {
    return outcome;
  }
}
