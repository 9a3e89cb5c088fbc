import type { Action, Call } from "../../action/index.ts";
import type { Verdict } from "../../policy/index.ts";
import type { Lineage } from "./lineage.ts";
import type { DoorOptions } from "./options.ts";
import { groupOf } from "./question.ts";
import type { Task } from "./tasks.ts";

/** What a person has said about this run as a whole. */
export class RunConsent {
  readonly #lineage: Lineage;
  /** Where each is remembered for others to see, and to take back. */
  readonly #groups = new Map<string, string | undefined>();
  readonly #trees = new Map<string, number>();
  readonly #holds: (grant: string) => boolean;
  /** Somebody answers questions. */
  readonly #asks: boolean;

  constructor(lineage: Lineage, { holds, asks }: Pick<DoorOptions, "holds" | "asks">) {
    this.#lineage = lineage;
    this.#holds = holds;
    this.#asks = asks;
  }

  /** A person may be asked for this task. */
  asks({ tgid }: Task): boolean {
    return this.#asks && !this.#lineage.isAlone(tgid);
  }

  /** Questions alike need not be asked again. */
  allow(group: string, grant: string | undefined): void {
    this.#groups.set(group, grant);
  }

  /** Nor those of this process and what it starts. */
  trust(pid: number, grant: string | undefined): void {
    this.#lineage.trust(pid);
    if (grant !== undefined) this.#trees.set(grant, pid);
  }

  /** What was taken back holds no longer. */
  #review(group: string): void {
    for (const [grant, pid] of this.#trees) {
      if (this.#holds(grant)) continue;
      this.#trees.delete(grant);
      this.#lineage.distrust(pid);
    }
    const grant = this.#groups.get(group);
    if (grant !== undefined && !this.#holds(grant)) this.#groups.delete(group);
  }

  /** It is looked at only where nothing denies; what the floor asks is asked each time. */
  waives(task: Task, action: Action | undefined, call: Call, verdict: Verdict): boolean {
    if (verdict.basis === "floor" || action === undefined) return false;
    if (this.#trees.size > 0) this.#review("");
    return this.#lineage.isTrusted(task.tgid) || this.waivesAlike(task, action, call, verdict);
  }

  /** Only a question of the same kind will do: trusting a program says nothing about it. */
  waivesAlike({ tgid }: Task, action: Action | undefined, call: Call, verdict: Verdict): boolean {
    if (this.#groups.size === 0 || action === undefined) return false;
    const group = groupOf(tgid, action, call, verdict);
    this.#review(group);
    return this.#groups.has(group);
  }
}
