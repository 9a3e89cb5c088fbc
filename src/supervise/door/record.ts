import type { Action } from "../../action/index.ts";
import type { Verdict } from "../../policy/index.ts";
import type { ProcessInfo } from "../../approve/index.ts";
import type { RunEvent } from "../types.ts";
import type { Exec } from "./exec.ts";
import type { Operation } from "./operation.ts";
import { ancestryOf, describe } from "./processes.ts";
import type { Tally } from "./tally.ts";
import type { Task } from "./tasks.ts";

const FLUSH_AT = 64;
const REMEMBERED = 256;

/** What became of calls, told to the main thread by the dozen. */
export class Recorder {
  readonly #tellsAll: boolean;
  readonly #tally: Tally;
  readonly #tell: (events: readonly RunEvent[]) => void;
  readonly #events: RunEvent[] = [];
  /** The last processes seen, by number: one may have ended by the time its call is noted. */
  readonly #seen = new Map<number, ProcessInfo>();

  readonly #exceeds: () => void;

  /** `tellsAll`: every judged call, not only what a receipt needs. `exceeds`: it did what the policy by itself does not allow. */
  constructor(tellsAll: boolean, tally: Tally, tell: (events: readonly RunEvent[]) => void, exceeds: () => void) {
    this.#exceeds = exceeds;
    this.#tellsAll = tellsAll;
    this.#tally = tally;
    this.#tell = tell;
  }

  get waits(): boolean {
    return this.#events.length > 0;
  }

  note(task: Task, work: Operation | Exec, verdict: Verdict, outcome: RunEvent["outcome"], errno?: string, answer?: string): void {
    if (outcome !== "refused" && !isOfPolicy(verdict)) this.#exceeds();
    const told = outcome === "refused" || answer !== undefined;
    if (!told && verdict.decision === "allow") this.#tally.add(task.tgid, work, verdict);
    const notable = this.#tellsAll || outcome === "refused" || answer !== undefined || "chain" in work || work.actions[0]?.kind === "net";
    if (!notable) return;
    this.#events.push({
      time: Date.now(),
      process: this.#described(task.tgid),
      call: work.call,
      action: actionOf(work),
      ...("chain" in work || work.actions.length < 2 ? {} : { more: work.actions.slice(1) }),
      verdict,
      outcome,
      ...(this.#tellsAll && "chain" in work ? { ancestry: ancestryOf(task.tgid) } : {}),
      ...(errno === undefined ? {} : { errno }),
      ...(answer === undefined ? {} : { answer }),
      ...(told ? { parents: ancestryOf(task.tgid).map(({ name }) => name) } : {}),
    });
    if (this.#events.length >= FLUSH_AT) this.flush();
  }

  #described(pid: number): ProcessInfo {
    const now = describe(pid);
    const known = now.argv.length === 0 ? (this.#seen.get(pid) ?? now) : now;
    this.#seen.delete(pid);
    this.#seen.set(pid, known);
    for (const [oldest] of this.#seen) {
      if (this.#seen.size <= REMEMBERED) break;
      this.#seen.delete(oldest);
    }
    return known;
  }

  flush(): void {
    if (this.#events.length > 0) this.#tell(this.#events.splice(0));
  }
}

/** Nobody's answer, no grant, and no word that a person typed. */
const isOfPolicy = ({ decision, basis, builtin }: Verdict): boolean => decision === "allow" && basis !== "grant" && builtin !== "run.typed";

/** What stands for a call in questions and records. */
export function actionOf(work: Operation | Exec): Action {
  const action = "chain" in work ? work.action : work.actions[0];
  return action ?? { kind: "process", operation: "trace", target: work.call.name, origin: { by: "tool" }, call: work.call };
}
