import type { Action } from "@assent/core/action";
import { type AnswerableRemote, answerableParts, isOpenQuestion, stricterOf, type Verdict } from "@assent/core/policy";
import type { RunJudge } from "./run-judge.ts";
import type { CallSubject, Caller } from "./types.ts";

/** What only who sits at the machine can know: what lies there, or where a name leads. */
const STAYS = new Set<string | undefined>(["run.programs", "run.large-move", "run.lends-rights", "undo.too-large"]);
const stays = ({ builtin }: Verdict): boolean => STAYS.has(builtin) || builtin?.endsWith("-address") === true;

/**
 * Whether people of the team may answer what a call of a run asks. INVARIANT: all that it asks is what its actions ask by themselves, and
 * the policy names each of these: what rests on another name of a file, on what is moved along or on who listens somewhere stays here.
 */
export function answerableCall(
  judge: RunJudge,
  {
    actions,
    about = {},
    verdict,
    caller,
  }: { actions: readonly Action[]; about?: CallSubject | undefined; verdict: Verdict; caller: Caller },
): AnswerableRemote | undefined {
  const { policy } = judge;
  if (!mayLeave(judge, verdict) || about.moves !== undefined) return undefined;
  if (about.object !== undefined && judge.isKept(about.object.path, about.object.identity)) return undefined;
  const own = actions.map((action) => ({ action, verdict: judge.call([action], caller) }));
  const asks = own.filter(({ verdict: { decision } }) => decision !== "allow");
  const [first] = asks;
  if (first === undefined || asks.some((one) => stays(one.verdict) || !isOpenQuestion(one.verdict))) return undefined;
  if (!isSame(asks.map((one) => one.verdict).reduce(stricterOf, first.verdict), verdict)) return undefined;
  return answerableParts({ asked: asks.map(({ action }) => [action]), actions, isUnknown: false }, policy, judge.matching);
}

/** The same of a program that is to start. `isAlone`: no interpreter or loader starts with it. */
export function answerableStart(
  judge: RunJudge,
  { action, verdict, isAlone }: { readonly action: Action | undefined; readonly verdict: Verdict; readonly isAlone: boolean },
): AnswerableRemote | undefined {
  if (action?.kind !== "exec" || action.argv.length === 0 || !mayLeave(judge, verdict)) return undefined;
  return answerableParts({ asked: [[action]], actions: [action], isUnknown: !isAlone }, judge.policy, judge.matching);
}

/** The same of a name that is to be looked up, and of the connections to it. */
export function answerableName(judge: RunJudge, action: Action): AnswerableRemote | undefined {
  const verdict = judge.judgeOne(action);
  return mayLeave(judge, verdict)
    ? answerableParts({ asked: [[action]], actions: [action], isUnknown: false }, judge.policy, judge.matching)
    : undefined;
}

const mayLeave = ({ policy }: RunJudge, verdict: Verdict): boolean =>
  policy.settings.team !== undefined && isOpenQuestion(verdict) && !stays(verdict);

const isSame = (a: Verdict, b: Verdict): boolean =>
  a.decision === b.decision && a.basis === b.basis && a.builtin === b.builtin && a.reason === b.reason && a.rule?.text === b.rule?.text;
