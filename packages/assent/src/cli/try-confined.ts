import { leavesJobs } from "@assent/core/shell";
import { HeldTry, NotTried, type OfTry, tryRun, type TryOptions } from "@assent/supervisor/supervise/try";
import { settleTried, type TriedCommand } from "./try-settle.ts";

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
  if (!(held instanceof HeldTry)) return { id: "", status: held.status, refused: [], said: [held.why] };
  const isInTime = !isInterrupted();
  if (!isInTime || held.hasTalked || !held.isUntouched) return settleTried(held, of, isInTime);
  held.discard();
  return { id: held.meta.id, status: held.status, refused: [], said: [] };
}
