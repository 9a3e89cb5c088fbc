import type { RunResult } from "../supervise/index.ts";

/** What `assent run` exits with besides the program's own status. */
export const STATUS = {
  /** No command: the help was printed. */
  noCommand: 1,
  wrongUsage: 2,
  /** A question would have blocked. */
  noBlock: 3,
  /** Assent itself cannot start the run, as `timeout`, `env` and `nice` use it. */
  cannotSupervise: 125,
  cannotExecute: 126,
  quit: 130,
} as const;

/** The status as a shell would give it: the program's own, 128 + n where signal n ended it. */
export function statusOf({ exit, ended }: RunResult): number {
  if (ended === "quit") return STATUS.quit;
  if (ended === "no-block") return STATUS.noBlock;
  return exit.by === "exit" ? exit.code : 128 + exit.signal;
}
