import { type Choice, queueChoices } from "../prompt.ts";
import type { QueuedQuestion } from "./types.ts";

/** What a question offers, whoever shows it. */
export function choicesOf({ point, session, agent, question }: QueuedQuestion): readonly Choice[] {
  const supervised = point === "run" || point === "confined";
  return queueChoices({
    ...(session !== undefined ? { session: "session" } : point === "run" ? { session: "run" } : {}),
    tree: supervised,
    quit: point === "run",
    // Where a person started the run, nobody but that person reads it.
    word: point !== "run" || agent !== undefined,
    once: question.difference !== undefined,
  });
}
