import { leavesJobs } from "@assent/core/shell";
import { messageOf } from "@assent/guard/state";
import {
  applyTry,
  blockOf,
  eventsOf,
  HeldTry,
  NotTried,
  type OfTry,
  readTry,
  tryRun,
  type TryOptions,
} from "@assent/supervisor/supervise/try";
import type { RunEvent } from "@assent/supervisor/supervise";
import { KEPT, shortId, statusOf } from "./try.ts";

/** A sandboxed command that was tried first. `said`: what became of it, where that is not what a command leaves that was held. */
export interface TriedCommand {
  readonly id: string;
  readonly status: number;
  /** What kept it from being applied, or was refused meanwhile. */
  readonly refused: readonly RunEvent[];
  readonly said: readonly string[];
}

interface ConfinedTry extends OfTry, Required<Pick<TryOptions, "cwd" | "env">> {
  readonly shell: TryOptions["argv"];
  readonly confined: NonNullable<TryOptions["confined"]>;
  /** Somebody wanted it to end. */
  readonly isInterrupted: () => boolean;
}

/**
 * Runs it on a view of its own, and applies what it did where the policy allows all of it; else that is kept for the person. Undefined: it
 * cannot be tried, and nothing was started.
 */
export async function tryConfined({ shell, confined, isInterrupted, ...of }: ConfinedTry): Promise<TriedCommand | undefined> {
  // What is left behind ends with a tried command.
  if (leavesJobs(confined.command) || shell.some((word) => leavesJobs(word))) return undefined;
  let held: Awaited<ReturnType<typeof tryRun>>;
  try {
    held = await tryRun({ ...of, argv: shell, word: shell[0], policyFiles: [], confined });
  } catch (error) {
    if (error instanceof NotTried) return undefined;
    throw error;
  }
  return held instanceof HeldTry ? settle(held, of, isInterrupted()) : { id: "", status: held.status, refused: [], said: [held.why] };
}

function settle(held: HeldTry, of: OfTry, isInterrupted: boolean): TriedCommand {
  const { id, refused = [] } = held.meta;
  const status = statusOf(held.meta);
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
  if (isInterrupted) return keep("it was stopped before its end");
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
