import type { Action } from "../../action/index.ts";
import type { RequestVerdict } from "../../policy/index.ts";
import { respond, wait, type Question } from "../../approve/index.ts";
import { ask, type OnAsk } from "../ask.ts";

const LOOK_EVERY_MS = 20;
/** How long a supervisor may take to come up. */
const PATIENCE_MS = 30_000;

/**
 * Puts the questions of a supervised command, which come through a folder, to `onAsk`, one after the other; each waits for
 * its answer, other calls of the command do not. Gives back how to stop.
 */
export function answerQuestions(folder: string, onAsk: OnAsk): () => void {
  const state = { over: false };
  const answer = async (): Promise<void> => {
    const options = { pollMs: LOOK_EVERY_MS, patienceMs: PATIENCE_MS, over: (): boolean => state.over };
    for (let event = await wait(folder, options); event.is === "pending" && !state.over;) {
      const { question } = event.pending;
      const seq = event.pending["seq"];
      if (typeof seq !== "number") return;
      const said = isQuestion(question) ? await ask(onAsk, askedOf(question)) : "refused";
      event = await respond(folder, seq, said === "approved" ? "approve" : "deny", undefined, options);
    }
  };
  // A folder that cannot be read answers nothing, and what is not answered is refused.
  void answer().catch(() => undefined);
  return () => void (state.over = true);
}

/** The supervisor's own words: it wrote the folder. */
function isQuestion(value: unknown): value is Question {
  return typeof value === "object" && value !== null && "what" in value && "action" in value && "process" in value && "reason" in value;
}

function askedOf({ action, what, reason, process: { name }, basis = "default", rule, help }: Question): Parameters<typeof ask>[1] {
  const verdict: RequestVerdict = {
    decision: "ask",
    basis,
    reason,
    ...(rule === undefined ? {} : { rule }),
    ...(help === undefined ? {} : { help }),
    actions: [],
    unknowns: [],
  };
  return {
    operation: operationOf(action),
    target: `${name}: ${what}`,
    reason: "",
    verdict: { ...verdict, actions: [{ action, verdict }] },
  };
}

const operationOf = (action: Action): string =>
  action.kind === "file" ? action.operation : action.kind === "exec" ? "execute" : action.kind;
