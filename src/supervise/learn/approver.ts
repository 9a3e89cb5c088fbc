import type { Answer, Approver } from "../../approve/index.ts";
import type { Observations } from "./observations.ts";

/**
 * Answers while learning: what is only not allowed yet goes ahead, once each, and is learnt. What a rule, a protection or
 * the floor asks is put to `person`, and denied where there is none. Denies hold without being asked.
 */
export function learningApprover(person: Approver | undefined, seen: Observations): Approver {
  return {
    ask: async (question, signal): Promise<Answer> => {
      const { action, reason, basis = "default" } = question;
      const verdict = { decision: "ask", basis, reason } as const;
      if (basis !== "rule" && basis !== "protection" && basis !== "floor") {
        seen.add({ action, verdict, outcome: "done" });
        return { answer: "allow", scope: "once" };
      }
      const answer: Answer = person === undefined ? { answer: "deny", scope: "once" } : await person.ask(question, signal);
      // A refusal is an event of its own.
      if (answer.answer === "allow") seen.add({ action, verdict, outcome: "done" });
      return answer;
    },
    close: async (exit) => person?.close(exit),
  };
}
