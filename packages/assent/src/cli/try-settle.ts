import { messageOf } from "@assent/guard/state";
import { applyTry, blockOf, eventsOf, type HeldTry, type OfTry, readTry } from "@assent/supervisor/supervise/try";
import type { RunEvent } from "@assent/supervisor/supervise";
import { KEPT, shortId } from "./try-end.ts";

/** A sandboxed command that was tried first. `said`: what became of it, where that is not what a command leaves that was held. */
export interface TriedCommand {
  readonly id: string;
  readonly status: number;
  /** What kept it from being applied. */
  readonly refused: readonly RunEvent[];
  readonly said: readonly string[];
}

/** What it did is applied where the policy allows all of it; else it is kept for the person. `isInTime`: nobody ended it. */
export function settleTried(held: HeldTry, of: OfTry, isInTime: boolean): TriedCommand {
  const { status } = held;
  const { id, refused = [] } = held.meta;
  const told = refused.map((line) => `refused: ${line}`);
  const keep = (why: string, events: readonly RunEvent[] = []): TriedCommand => ({
    id,
    status: status === 0 ? KEPT : status,
    refused: events,
    said: [
      `${why}, so nothing that it did to files counts. Way out: ask the user to look at it: assent try apply ${shortId(held.meta)}`,
      ...told,
    ],
  });
  if (!isInTime) return keep("it was stopped before its end");
  try {
    const read = readTry(held, of);
    if (read.changes.length === 0) {
      held.discard();
      return { id, status, refused: [], said: told };
    }
    const problem = read.changes.flatMap(({ change }) => (change.problem === undefined ? [] : [`${change.path} ${change.problem}`]))[0];
    if (problem !== undefined) return keep(problem);
    if (refused.length > 0) return keep("some of it was refused");
    const { applied, result } = applyTry(held, of, { consent: false, read });
    if (applied) return { id, status, refused: [], said: [] };
    const why = result.changes.some((one) => blockOf(one) !== undefined)
      ? "the policy does not allow all of it"
      : "the policy asks about some of it";
    return keep(why, eventsOf(result.changes, "refused"));
  } catch (error) {
    return keep(held.meta.state === "applying" ? `it came to a stop in the middle: ${messageOf(error)}` : messageOf(error));
  }
}
