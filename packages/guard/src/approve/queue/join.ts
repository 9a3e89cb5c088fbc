import { askFirst, NOBODY } from "../answer.ts";
import type { Approver, Channel } from "../types.ts";
import type { QueueApprover } from "./approver.ts";

/**
 * Somebody who is asked directly, and the queue: whoever is faster answers, and the other learns of it. `by`: who answers
 * there, for the log.
 */
export function joinApprovers(direct: Approver, by: Channel, queue: QueueApprover): Approver {
  const queued = { ask: queue.tryAsk };
  return {
    ...(direct.atTerminal === undefined ? {} : { atTerminal: direct.atTerminal }),
    ask: async (question, signal) =>
      (await askFirst(question, signal, [{ by, ask: async (...asked) => await direct.ask(...asked) }, queued])) ?? NOBODY,
    close: async (exit) => {
      await Promise.all([direct.close(exit), queue.close(exit)]);
    },
  };
}
