import { isSomebodyThere } from "@assent/guard/approve/queue";
import type { Host, Outcome } from "@assent/guard/engine";
import type { Machine } from "@assent/guard/state";
import { isAnyRemote } from "@assent/team/team/remote";
import { askMeanwhile } from "./held-question.ts";

const asksNobody = ({ asks, bypassed, planning }: Host): boolean => !asks && !bypassed && !planning;

/** The host cannot ask, and somebody is there who could answer. */
export const mayWait = (host: Host, machine: Machine): boolean => asksNobody(host) && isSomebodyThere(machine);

/** What the policy names may be answered by people of a team. */
const isOfTeam = ({ basis }: Outcome, machine: Machine, waits: boolean | string): boolean =>
  basis?.policy.settings.team !== undefined && (typeof waits === "string" || isAnyRemote(machine));

/** A host that could ask does not where its hook is to carry questions to the team: nobody sits there. */
const leavesIt = (host: Host, waits: boolean | string): boolean => asksNobody(typeof waits === "string" ? { ...host, asks: false } : host);

/**
 * What is refused because its host cannot ask, answered by whoever is there while the host waits, or by people of a team, who
 * may have answered since it was asked before; else as it was. `waits`: false where others wait for this process; a time (`5m`) where
 * it alone carries the question there and waits that long.
 */
export function held(outcome: Outcome, machine: Machine, waits: boolean | string = true): Outcome {
  try {
    const { verdict, request } = outcome;
    if (verdict.decision !== "ask" || request.point !== "hook" || !leavesIt(request.host, waits)) return outcome;
    const isAsked = isOfTeam(outcome, machine, waits) || (waits !== false && isSomebodyThere(machine));
    if (!isAsked) return outcome;
    return askMeanwhile(outcome, machine, waits);
  } catch {
    return outcome;
  }
}
