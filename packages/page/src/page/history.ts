import { readPastRequests } from "../preview/index.ts";
import type { Machine } from "@assent/guard/state";
import type { History } from "@assent/guard/suggest";
import { inTurns } from "./turns.ts";

export interface ReadingLine {
  readonly is: "reading";
  /** Records of the log so far. */
  readonly done: number;
}

const MOST_DAYS = 365;
const DAYS = 7;

/** How far back a page wants to look: what it says, within reason. */
export const daysOf = (wanted: unknown): number =>
  typeof wanted === "number" && Number.isFinite(wanted) ? Math.min(MOST_DAYS, Math.max(1, Math.round(wanted))) : DAYS;

/** The requests of the last days, read while others have their turn; undefined: nobody waits for them any more. */
export async function* readHistory(machine: Machine, days: number, signal: AbortSignal): AsyncGenerator<ReadingLine, History | undefined> {
  const reading = inTurns(counted(readPastRequests(machine, days)), signal);
  for (;;) {
    const step = await reading.next();
    if (step.done === true) return step.value;
    yield { is: "reading", done: step.value };
  }
}

function* counted<T>(steps: Generator<unknown, T>): Generator<number, T> {
  for (let done = 1; ; done++) {
    const step = steps.next();
    if (step.done === true) return step.value;
    yield done;
  }
}
