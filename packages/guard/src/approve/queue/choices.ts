import { withTilde } from "@assent/core/path";
import { type Choice, choicesFor } from "../prompt.ts";
import { POINTS, type QueuedQuestion } from "./types.ts";

/** What a question offers, whoever shows it. */
export function choicesOf({ point, session, agent, question }: QueuedQuestion): readonly Choice[] {
  const supervised = point === "run" || point === "confined";
  return choicesFor({
    session: session !== undefined ? "session" : point === "run" ? "run" : undefined,
    time: true,
    tree: supervised,
    quit: point === "run",
    // Where a person started the run, nobody but that person reads it.
    word: point !== "run" || agent !== undefined,
    once: question.difference !== undefined,
  });
}

/** Who asks, from where: `claude, sandboxed, in ~/project`. Not free of control characters yet. */
export const askerText = ({ agent, point, question: { cwd } }: QueuedQuestion, home: string): string =>
  `${agent === undefined ? "" : `${agent}, `}${POINTS[point]}, in ${withTilde(cwd, home)}`;
