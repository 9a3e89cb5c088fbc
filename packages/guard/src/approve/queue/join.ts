import { type Answer, AnsweredElsewhere, type Approver, type Channel } from "../types.ts";
import type { QueueApprover } from "./approver.ts";

/**
 * Somebody who is asked directly, and the queue: whoever is faster answers, and the other learns of it. `by`: who answers
 * there, for the log.
 */
export function joinApprovers(direct: Approver, by: Channel, queue: QueueApprover): Approver {
  return {
    ...(direct.atTerminal === undefined ? {} : { atTerminal: direct.atTerminal }),
    ask: async (question, signal) => {
      const here = new AbortController();
      const there = new AbortController();
      const isVoid = (): void => {
        here.abort(signal.reason);
        there.abort(signal.reason);
      };
      signal.addEventListener("abort", isVoid);
      try {
        if (signal.aborted) isVoid();
        const asked = direct.ask(question, here.signal);
        const queued = queue.tryAsk(question, there.signal, false);
        const answers: readonly Promise<Answer>[] = [
          asked.then((answer): Answer => ({ ...answer, by: answer.by ?? by })),
          // Nobody there says nothing: whoever is asked directly still may.
          queued.then((answer) => answer ?? asked),
        ];
        const answer = await Promise.race(answers);
        const elsewhere = new AnsweredElsewhere(answer, answer.by ?? by);
        here.abort(elsewhere);
        there.abort(elsewhere);
        return answer;
      } catch (error) {
        isVoid();
        throw error;
      } finally {
        signal.removeEventListener("abort", isVoid);
      }
    },
    close: async (exit) => {
      await Promise.all([direct.close(exit), queue.close(exit)]);
    },
  };
}
