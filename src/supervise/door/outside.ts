import type { Question } from "../../approve/index.ts";
import type { RunEvent } from "../types.ts";

/** A process of the tree that has a question. */
export interface Inner {
  /** Where it works, as the kernel says. */
  readonly cwd: string;
  /** From now on nobody is asked for it and what it starts. */
  readonly leaveAlone: () => void;
}

/** What the door says to the rest of the run. */
export interface Outside {
  readonly ask: (question: Question) => void;
  /** The question is void: the process is gone, or another answer settled it. */
  readonly drop: (seq: number) => void;
  readonly events: (events: readonly RunEvent[]) => void;
  /** A program of the tree has a question for the supervisor: our end of its socket. */
  readonly inner: (fd: number, from: Inner) => void;
  readonly notice: (text: string) => void;
  /** The program itself runs. */
  readonly started: () => void;
  /** The program itself is not started. */
  readonly refused: (why: string) => void;
  /** The program itself has ended; others of its tree may go on. wait(2) status. */
  readonly ended: (status: number) => void;
  /** Nothing of the tree is left. */
  readonly closed: () => void;
  readonly failed: (error: unknown) => void;
}
