import { POINTS } from "@assent/core/data";
import { withTilde } from "@assent/core/path";
import { type Choice, choicesFor } from "../prompt.ts";
import type { QueuedQuestion } from "./types.ts";

/** What a question offers, whoever shows it. */
export function choicesOf({ point, session, agent, question }: QueuedQuestion): readonly Choice[] {
  const { ofPrograms = false, ofRun = false } = POINTS[point];
  return choicesFor({
    session: session !== undefined ? "session" : ofRun ? "run" : undefined,
    time: true,
    tree: ofPrograms,
    quit: ofRun,
    // Where a person started the run, nobody but that person reads it.
    word: !ofRun || agent !== undefined,
    once: question.difference !== undefined,
  });
}

/** Who asks, from where: `claude, sandboxed, in ~/project`. Not free of control characters yet. */
export const askerText = ({ agent, point, question: { cwd } }: QueuedQuestion, home: string): string =>
  `${agent === undefined ? "" : `${agent}, `}${POINTS[point].says}, in ${withTilde(cwd, home)}`;
