import type { Action, Call, Verdict } from "../../action/index.ts";
import type { Lineage } from "./lineage.ts";
import { groupOf } from "./question.ts";
import type { Task } from "./tasks.ts";

/** What a person has said about this run as a whole. */
export class Consent {
  readonly #lineage: Lineage;
  readonly #groups = new Set<string>();

  constructor(lineage: Lineage) {
    this.#lineage = lineage;
  }

  /** Questions alike need not be asked again. */
  allow(group: string): void {
    this.#groups.add(group);
  }

  /** It is looked at only where nothing denies; what the floor asks is asked each time. */
  waives(task: Task, action: Action | undefined, call: Call, verdict: Verdict): boolean {
    if (verdict.basis === "floor" || action === undefined) return false;
    return this.#lineage.isTrusted(task.tgid) || this.waivesAlike(task, action, call, verdict);
  }

  /** Only a question of the same kind will do: trusting a program says nothing about it. */
  waivesAlike({ tgid }: Task, action: Action | undefined, call: Call, verdict: Verdict): boolean {
    return this.#groups.size > 0 && action !== undefined && this.#groups.has(groupOf(tgid, action, call, verdict));
  }
}
