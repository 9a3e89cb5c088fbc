import type { Verdict } from "../../action/index.ts";
import type { Exec } from "./exec.ts";
import type { Trap } from "./listener.ts";
import type { Operation } from "./operation.ts";
import type { Task } from "./tasks.ts";

/** A call whose answer takes time: a question is open, or the other side is not there yet. */
export interface Pending {
  readonly trap: Trap;
  readonly task: Task;
  readonly work: Operation | Exec;
  readonly group: string;
  verdict: Verdict;
  /** What was kept for undo already, and whether a person said to go on without. */
  anyway: boolean;
  /** Undefined: no question is open, it only waits. */
  readonly seq: number | undefined;
  /** What a person said. */
  readonly answer: string | undefined;
}
