import { isObject } from "@assent/core/data";
import { listIn } from "../common/members.ts";
import { questionOf, type Judged } from "../adapters/judge.ts";
import type { ReviewDecision, ReviewRequest } from "./shapes.ts";

/**
 * Puts questions by one interrupt: the answers, in the same order. Undefined: this run cannot be interrupted. INVARIANT: of the same
 * message the same calls are asked about each time the step is played again, for answers go by their place alone.
 */
export function interruptAbout(asked: readonly Judged[], runtime: object): readonly ReviewDecision[] | undefined {
  const interrupt: unknown = Reflect.get(runtime, "interrupt");
  if (typeof interrupt !== "function") return undefined;
  const request: ReviewRequest = {
    actionRequests: asked.map((judged) => ({
      name: judged.from.tool,
      args: isObject(judged.from.input) ? judged.from.input : {},
      description: questionOf(judged),
    })),
    reviewConfigs: asked.map(({ from }) => ({ actionName: from.tool, allowedDecisions: ["approve", "edit", "reject"] })),
  };
  try {
    // oxlint-disable-next-line typescript/no-unsafe-call -- langgraph's own; it throws what stops the run until it is resumed
    const answer: unknown = interrupt(request);
    const decisions = listIn(isObject(answer) ? answer["decisions"] : undefined);
    return decisions.length === asked.length ? decisions.map(decisionIn) : asked.map(() => ({ type: "reject" }));
  } catch (error) {
    if (isObject(error) && error["lc_error_code"] === "MISSING_CHECKPOINTER") return undefined;
    throw error;
  }
}

/** What a person has answered: an approval only where nothing else can be meant. */
function decisionIn(decision: unknown): ReviewDecision {
  if (!isObject(decision)) return { type: "reject" };
  if (decision["type"] === "approve") return { type: "approve" };
  const { message, editedAction: edited } = decision;
  if (decision["type"] === "edit" && isObject(edited) && typeof edited["name"] === "string" && isObject(edited["args"]))
    return { type: "edit", editedAction: { name: edited["name"], args: edited["args"] } };
  return typeof message === "string" ? { type: "reject", message } : { type: "reject" };
}
