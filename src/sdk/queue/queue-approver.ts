import { thisMachine, type Machine } from "../../state/index.ts";
import { type AskQuestion, NobodyThereError, type OnAsk } from "../ask.ts";
import { outcomeOf } from "../guard/outcomes.ts";
import { checkOptions, type Options } from "../options.ts";
import { askQueue } from "./ask-queue.ts";

/** Whose questions they are, and how long they wait. */
export interface QueueApproverOptions {
  /** Name of the agent, for whoever answers; by default `library`. */
  readonly agent?: string;
  /** Session of the agent: with it an answer can hold for the session. */
  readonly session?: string;
  /** So long a question waits, in milliseconds; by default as long as somebody is there. */
  readonly patience?: number;
  /** Who is asked where nobody is there, or nobody answered in time; by default that is a refusal, `approval required`. */
  readonly otherwise?: OnAsk;
  /** For tests: another home, other environment variables. */
  readonly machine?: Machine;
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
 * const guard = openGuard({ cwd: "/repo", onAsk: queueApprover({ agent: "mine" }) });
 * await guard.check({ operation: "write", path: "/etc/hosts" }); // waits for a person with `assent approvals` open
 * ```
 */
export function queueApprover(options: QueueApproverOptions = {}): OnAsk {
  checkOptions("queueApprover", options, OPTIONS, "how long a question waits is `patience`");
  const { agent = "library", session, patience, otherwise, machine = thisMachine() } = options;
  return async (question) => {
    const { verdict } = question;
    const outcome = outcomeOf(verdict);
    const asked = { machine, point: "library", who: agent, session, patience, verdict, outcome } as const;
    const cwd = outcome?.request.cwd ?? process.cwd();
    const reply = await askQueue({ ...asked, cwd, what: whatOf(question) }, new AbortController().signal);
    if (reply.is !== "nobody") return reply.is === "yes";
    if (otherwise !== undefined) return await otherwise(question);
    throw new NobodyThereError();
  };
}

const whatOf = ({ operation, target }: AskQuestion): string => (operation === "execute" ? `run ${target}` : `${operation} ${target}`);
