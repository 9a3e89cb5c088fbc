import { type RequestVerdict, verdictOf } from "../../policy/index.ts";
import { askOuter, type GuardPlace } from "../../supervise/outer/index.ts";
import type { GuardDecision, GuardRequest } from "./open-guard.ts";

/** A program that is not supervised when it starts never will be. */
let isFree = false;

/** What the supervisor says; undefined where there is none. */
export function askSupervisor(from: GuardPlace, request: GuardRequest): GuardDecision | undefined {
  if (isFree) return undefined;
  const answer = askOuter({ ask: "guard", from, request });
  if (answer === undefined) {
    isFree = true;
    return undefined;
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the supervisor is this program
  if (answer.is === "guard") return answer.decision as GuardDecision;
  const reason = `the supervisor could not judge this: ${answer.is === "problem" ? answer.why : "it answered something else"}`;
  const decision = request.host?.asks === false ? "deny" : "ask";
  const verdict: RequestVerdict = { ...verdictOf(decision, "failure", { reason }), actions: [], unknowns: [] };
  return { decision, reason, modelReason: reason, verdict, warnings: [] };
}
