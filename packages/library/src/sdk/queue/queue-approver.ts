import { type Answer, isSaid } from "@assent/guard/approve";
import { visible } from "@assent/core/action";
import { compareDecisions, type Principal, type RequestVerdict } from "@assent/core/policy";
import { thisMachine, type Machine } from "@assent/guard/state";
import { type AskQuestion, NobodyThereError, type OnAsk } from "../common/ask.ts";
import type { GuardAnswer, GuardQuestion } from "../create-guard/types.ts";
import { outcomeOf } from "../common/outcomes.ts";
import { checkOptions, type Options } from "../common/options.ts";
import { answerInQueue, askQueue, requestQuestion } from "./ask-queue.ts";

/** Whose questions they are, and how long they wait. */
export interface QueueApproverOptions {
  /** Name of the agent, for whoever answers; by default `library`. */
  readonly agent?: string;
  /** Session of the agent: with it an answer can hold for the session. By default that of a guard's principal. */
  readonly session?: string;
  /** So long a question waits, in milliseconds; by default as long as somebody is there. */
  readonly patience?: number;
  /**
   * Who is asked where nobody is there, or nobody answered in time; by default that is a refusal, `approval required`, or with `createGuard`
   * a question that waits in its store.
   */
  readonly otherwise?: OnAsk;
  /** For tests: another home, other environment variables. */
  readonly machine?: Machine;
}

/** An `onAsk` of `openGuard`, adapters and backends, and one of `createGuard`. */
export interface QueueOnAsk {
  (question: AskQuestion): Promise<boolean>;
  (question: GuardQuestion, options: { readonly signal: AbortSignal }): Promise<GuardAnswer>;
}

const OPTIONS = {
  agent: "string",
  session: "string",
  patience: "number",
  otherwise: "function",
  machine: "object",
} satisfies Options<QueueApproverOptions>;

/**
 * Answers questions where `assent approvals` and the page show them: the answer of whoever is first counts, and holds as
 * far as the person says. For `onAsk`, wherever there is one.
 *
 * ```ts
 * const guard = createGuard({ cwd: "/repo", onAsk: queueApprover({ agent: "mine" }) });
 * await guard.check({ write: "/etc/hosts" }); // waits for a person with `assent approvals` open
 * ```
 *
 * What holds for longer is kept where the question came from: by the machine for `openGuard`, by the guard, for its principal and no longer than
 * the process, for `createGuard`.
 */
export function queueApprover(options: QueueApproverOptions = {}): QueueOnAsk {
  checkOptions("queueApprover", options, OPTIONS, "how long a question waits is `patience`");
  const { agent = "library", session, patience, otherwise, machine = thisMachine() } = options;
  const about = (verdict: RequestVerdict) => {
    const outcome = outcomeOf(verdict);
    const cwd = outcome?.request.cwd ?? process.cwd();
    return { machine, point: "library", who: agent, session, patience, verdict, outcome, cwd } as const;
  };

  async function ofGuard(question: GuardQuestion, signal: AbortSignal): Promise<GuardAnswer> {
    const { principal, rules } = question;
    const verdict = deciding(question);
    const own = about(verdict);
    const asked = { ...own, session: session ?? principal?.session, what: `${whatIn(question)}${forWhom(principal)}` };
    const plain = requestQuestion(asked);
    const [only] = rules.length === 1 ? rules : [];
    const proposals = only === undefined ? [] : [{ rule: only, covers: plain.proposals[0]?.covers ?? "this" }];
    const answer = await answerInQueue(asked, { ...plain, proposals }, signal);
    if (isSaid(answer)) return answerOf(answer);
    return otherwise === undefined ? "later" : await otherwise(asAsked(question, verdict));
  }

  function approver(question: AskQuestion): Promise<boolean>;
  function approver(question: GuardQuestion, told: { readonly signal: AbortSignal }): Promise<GuardAnswer>;
  async function approver(question: AskQuestion | GuardQuestion, told?: { readonly signal: AbortSignal }): Promise<GuardAnswer> {
    const signal = told?.signal ?? new AbortController().signal;
    if ("decision" in question) return await ofGuard(question, signal);
    const reply = await askQueue({ ...about(question.verdict), what: whatOf(question) }, signal);
    if (isSaid(reply)) return reply.answer === "allow";
    if (otherwise !== undefined) return await otherwise(question);
    throw new NobodyThereError();
  }
  return approver;
}

const whatOf = ({ operation, target }: Pick<AskQuestion, "operation" | "target">): string =>
  operation === "execute" ? `run ${target}` : `${operation} ${target}`;

const NOTHING: RequestVerdict = { decision: "ask", basis: "default", reason: "", actions: [], unknowns: [] };

/** Of several calls the one that makes it a question. */
const deciding = ({ decision: { verdicts } }: GuardQuestion): RequestVerdict =>
  verdicts.toSorted((a, b) => compareDecisions(b.decision, a.decision))[0] ?? NOTHING;

/** What would be done: the question without its reason. */
function whatIn({ text, decision: { forPerson } }: GuardQuestion): string {
  const reason = `? ${forPerson}`;
  const what = forPerson !== "" && text.endsWith(reason) ? text.slice(0, -reason.length) : text;
  return what.startsWith("execute ") ? `run ${what.slice("execute ".length)}` : what;
}

/** Nobody shall answer for somebody else than they think. */
function forWhom(principal: Principal | undefined): string {
  const known = [principal?.user, principal?.role, principal?.tenant].filter((name) => name !== undefined);
  return known.length === 0 ? "" : `, for ${known.map((name) => visible(String(name)).slice(0, 100)).join(", ")}`;
}

function asAsked({ text, agentSays, tool }: GuardQuestion, verdict: RequestVerdict): AskQuestion {
  return { operation: visible(tool?.name ?? "call"), target: text, reason: agentSays, question: text, verdict };
}

/** INVARIANT: only an allow is a yes. */
function answerOf(answer: Answer): GuardAnswer {
  if (answer.answer !== "allow") return { no: answer.answer === "deny" ? (answer.note ?? "") : "" };
  switch (answer.scope) {
    case "session":
      return { yes: "session" };
    case "time":
      return { yes: { for: 60_000 * answer.minutes } };
    case "always":
      return { yes: { rule: answer.rule } };
    case "once":
    case "tree":
      return { yes: "once" };
  }
}
