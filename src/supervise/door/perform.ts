import { type Verdict, verdictOf } from "../../policy/index.ts";
import { ERRNO, errorName, sys, SYSCALLS } from "../kernel/index.ts";
import type { RunEvent } from "../types.ts";
import type { Kept } from "../undo/index.ts";
import type { Consent } from "./consent.ts";
import type { Exec } from "./exec.ts";
import type { Listener, Trap } from "./listener.ts";
import { AGAIN, LATER, type Operation, RESTART } from "./operation.ts";
import type { DoorOptions } from "./options.ts";
import type { Pending } from "./pending.ts";
import type { Recorder } from "./record.ts";
import type { Task } from "./tasks.ts";

/** linux/errno.h, of the kernel's own. */
const ERESTARTSYS = 512;
/** A program is told so as without supervision: it, or who reads its message, is to make room. */
const FULL: ReadonlySet<number> = new Set([ERRNO.ENOSPC, ERRNO.EDQUOT]);
/** Refusals for want of a way back that are said at once; the receipt has them all. */
const MOST_SAID = 5;

/** What doing calls needs of the door. */
export interface Workplace {
  readonly options: DoorOptions;
  readonly listener: Listener;
  readonly consent: Consent;
  readonly record: Recorder;
  readonly ask: (trap: Trap, task: Task, operation: Operation, verdict: Verdict, anyway: boolean) => number;
  readonly wait: (pending: Pending) => void;
}

/** Does what was allowed on the task's behalf, after keeping what would be lost; and refuses the rest. */
export class Performer {
  readonly #at: Workplace;
  readonly #said = new Set<string>();

  constructor(at: Workplace) {
    this.#at = at;
  }

  /** AGAIN, where the objects changed between looking and doing. */
  perform(trap: Trap, task: Task, operation: Operation, verdict: Verdict, anyway: boolean, answer?: string): number {
    const { undo } = this.#at.options;
    let kept: Kept | undefined;
    if (undo !== undefined && operation.save !== undefined) {
      kept = operation.save(undo, anyway);
      if (!kept.kept) return this.#unkept(trap, task, operation, verdict, kept);
    }
    const result = operation.perform();
    if (result < 0 && kept !== undefined) undo?.cancel(kept);
    if (result === AGAIN) {
      letGo(operation.pinned);
      return AGAIN;
    }
    if (result === LATER) {
      this.#at.wait({ trap: trap.copy(), task, work: operation, group: "", verdict, anyway: true, seq: undefined, answer });
      return 0;
    }
    return this.finish(trap, task, operation, verdict, result, answer);
  }

  finish(trap: Trap, task: Task, operation: Operation, verdict: Verdict, result: number, answer?: string): number {
    if (result >= 0 && this.#at.options.undo !== undefined) operation.done?.(this.#at.options.undo, result);
    let outcome: RunEvent["outcome"] = result < 0 && result !== -ERRNO.EINPROGRESS ? "failed" : "done";
    if (result >= 0 && operation.gives !== undefined) {
      const installed = this.#at.listener.give(trap, result, operation.gives.closeOnExec);
      sys(SYSCALLS.close, result);
      if (installed < 0 && installed !== -ERRNO.ENOENT) {
        outcome = "failed";
        this.#at.listener.answer(trap, installed);
      }
    } else this.#at.listener.answer(trap, result === RESTART ? -ERESTARTSYS : result);
    // One that is made again is noted then.
    if (result !== RESTART) this.#at.record.note(task, operation, verdict, outcome, result < 0 ? errorName(-result) : undefined, answer);
    letGo(operation.pinned);
    return 0;
  }

  /** What the call destroys could not be kept: a person may say to go on all the same. */
  #unkept(trap: Trap, task: Task, operation: Operation, verdict: Verdict, kept: Exclude<Kept, { kept: true }>): number {
    const why = kept.ask
      ? verdictOf("ask", "undo.too-large", { reason: `this cannot be undone: ${kept.why}` })
      : verdictOf("deny", "undo.failed", { reason: kept.why });
    if (kept.ask && (this.#at.options.observes || this.#at.consent.waivesAlike(task, operation.actions[0], operation.call, why)))
      return this.perform(trap, task, operation, verdict, true);
    if (kept.ask && this.#at.consent.asks(task)) return this.#at.ask(trap, task, operation, why, true);
    this.#say(operation, kept);
    return this.refuse(trap, task, operation, why, undefined, !kept.ask && FULL.has(kept.errno) ? kept.errno : undefined);
  }

  /** All that the program is told is an error number. */
  #say({ call, actions }: Operation, { why, ask }: Exclude<Kept, { kept: true }>): void {
    const [action] = actions;
    const path = action?.kind === "file" && action.target.kind === "path" ? action.target.path : undefined;
    const what = `${call.name === "open" ? "write to" : call.name} ${path ?? "a file"}`;
    if (this.#said.has(what) || this.#said.size >= MOST_SAID) return;
    this.#said.add(what);
    this.#at.options.outside.notice(
      `refused to ${what}${ask ? ", which could not be undone" : ""}: ${why}${ask ? "; with `assent run --no-undo` it goes on without a way back" : ""}`,
    );
  }

  refuse(
    trap: Trap,
    task: Task,
    work: Operation | Exec,
    verdict: Verdict,
    answer: string | undefined,
    errno: number = ERRNO.EACCES,
  ): number {
    this.#at.listener.answer(trap, -errno);
    if (!("quiet" in work && work.quiet)) this.#at.record.note(task, work, verdict, "refused", errorName(errno), answer);
    letGo(work.pinned);
    return 0;
  }
}

export function letGo(pinned: readonly number[]): void {
  for (const fd of pinned) sys(SYSCALLS.close, fd);
}
