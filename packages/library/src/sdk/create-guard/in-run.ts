import { randomUUID } from "node:crypto";
import { brief, sayAction, visible } from "@assent/core/action";
import type { Question } from "@assent/guard/approve";
import type { Principal } from "@assent/core/policy";
import type { JudgedInRun, RunAnswer } from "@assent/supervisor/supervise/control-channel";
import type { RunningCall } from "./call.ts";
import { placeOfRule } from "./policy-in-code.ts";
import { isPlainYes, verdictOfQuestion } from "../common/ask.ts";
import { readAnswer } from "./answers.ts";
import { tell } from "./flow.ts";
import { warn } from "./guard-world.ts";
import type { GuardPlaceInCode, GuardRoot } from "./judging.ts";
import { hear } from "../common/read-answer.ts";
import { snapshot } from "./snapshot.ts";
import type { CallDecision, Given, GuardOptions, GuardQuestion } from "./types.ts";

// What a command does while it runs under supervision, as decisions and questions of the guard that let it run.

/** A call that a run has judged, as a decision of the guard. */
export function decisionInRun(
  { action, verdict, program }: JudgedInRun,
  { call }: RunningCall,
  { principal }: Pick<GuardPlaceInCode, "principal">,
): CallDecision {
  const said = `${visible(program)}: ${brief(sayAction(action), LONGEST)}: ${visible(verdict.reason)}`;
  const { rule, builtin } = verdict;
  return {
    id: randomUUID(),
    verdict: verdict.decision === "deny" ? "deny" : "ask",
    confined: true,
    shadow: false,
    ...(principal === undefined ? {} : { principal }),
    calls: snapshot([call]),
    actions: [action],
    ...(rule === undefined && builtin !== undefined ? { reason: builtin } : {}),
    forPerson: said,
    forModel: said,
    ...(rule === undefined ? {} : { rule: placeOfRule(rule) }),
    verdicts: [{ ...verdict, actions: [{ action, verdict }], unknowns: [] }],
    milliseconds: 0,
    warnings: [],
  };
}

/** What is told of a call that a run refused: nobody was asked about it. */
export const refusedInRun = (judged: JudgedInRun, about: RunningCall, place: Pick<GuardPlaceInCode, "principal">): CallDecision => {
  const decision = decisionInRun(judged, about, place);
  return decision.verdict === "ask" ? { ...decision, answer: "nobody" } : decision;
};

/** Tells what runs refuse that others start. */
export function heardBy<P extends Principal>(onDecision: GuardOptions<P>["onDecision"]): GuardRoot["heard"] {
  if (onDecision === undefined) return undefined;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the principal is the guard's own
  return (judged, about, principal) => tell(refusedInRun(judged, about, { principal }) as CallDecision<P>, { onDecision, warn });
}

const LONGEST = 400;

/** Puts a question of a run to whoever answers for the guard. INVARIANT: what is not surely a plain yes is a no. */
export async function askInRun<P extends Principal>(
  question: Question,
  about: RunningCall,
  place: GuardPlaceInCode,
  { onAsk, tell }: Given<Pick<GuardOptions<P>, "onAsk">> & { readonly tell: (decision: CallDecision) => void },
  signal: AbortSignal,
): Promise<Omit<RunAnswer, "seq">> {
  const { action, process, proposals } = question;
  const verdict = verdictOfQuestion(question);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the principal is the guard's own
  const decision = decisionInRun({ action, verdict, program: process.name }, about, place) as CallDecision<P>;
  const { principal, forPerson: text, calls } = decision;
  const asked: GuardQuestion<P> = {
    text,
    agentSays: visible(about.reason),
    rules: proposals.map((proposal) => visible(proposal.rule)),
    calls: snapshot(calls),
    ...(principal === undefined ? {} : { principal }),
    decision,
  };
  const read = await hear(() => onAsk?.(asked, { signal }), readAnswer);
  // A call that runs cannot be another one, and does not wait.
  const allow = isPlainYes(read) && !signal.aborted;
  tell({ ...decision, answer: allow ? "allowed" : read.is === "no" ? "refused" : read.is === "failed" ? "failed" : "nobody" });
  const note = read.is === "no" && read.note !== "" ? { note: visible(read.note).slice(0, LONGEST) } : {};
  return { allow, lasts: read.is === "yes" && read.scope.is !== "once", ...note };
}
