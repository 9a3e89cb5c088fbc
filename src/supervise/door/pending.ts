import type { Verdict } from "../../policy/index.ts";
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

/** All calls whose answer takes time. */
export class Waiting {
  readonly #all = new Set<Pending>();
  #unasked = 0;

  add(pending: Pending): void {
    pending.task.waiting += 1;
    if (pending.seq === undefined) this.#unasked += 1;
    this.#all.add(pending);
  }

  remove(pending: Pending): void {
    if (!this.#all.delete(pending)) return;
    pending.task.waiting -= 1;
    if (pending.seq === undefined) this.#unasked -= 1;
  }

  get any(): boolean {
    return this.#all.size > 0;
  }

  /** One that waits for something else than a person. */
  get anyUnasked(): boolean {
    return this.#unasked > 0;
  }

  /** One that waits for a person. */
  get anyAsked(): boolean {
    return this.#all.size > this.#unasked;
  }

  question(seq: number): Pending | undefined {
    return this.all.find((one) => one.seq === seq);
  }

  get all(): readonly Pending[] {
    return [...this.#all];
  }
}
