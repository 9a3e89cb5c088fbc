import type { Verdict } from "../../policy/index.ts";
import type { Answer } from "../../approve/index.ts";
import type { Caller } from "../judge/index.ts";
import type { Consent } from "./consent.ts";
import type { Exec } from "./exec.ts";
import type { Lineage } from "./lineage.ts";
import type { Trap } from "./listener.ts";
import { AGAIN, type Bench, type Operation } from "./operation.ts";
import type { DoorOptions } from "./options.ts";
import type { Outside } from "./outside.ts";
import type { Pending, Waiting } from "./pending.ts";
import { letGo, type Performer } from "./perform.ts";
import { questionOf } from "./question.ts";
import { actionOf } from "./record.ts";
import type { Starts } from "./starts.ts";
import type { Task } from "./tasks.ts";
import { killTree } from "./tree.ts";

/** What questions need of the door. */
export interface Desk {
  readonly options: DoorOptions;
  readonly bench: Bench;
  readonly pending: Waiting;
  readonly consent: Consent;
  readonly lineage: Lineage;
  readonly performer: Performer;
  readonly starts: () => Starts;
  readonly verdict: (operation: Operation, caller: Caller) => Verdict;
  /** Decodes and judges a call anew. */
  readonly anew: (trap: Trap) => void;
  readonly tell: (say: (run: Outside) => void) => void;
}

/** Calls that wait for a person, and what the answers make of them. */
export class Asked {
  readonly #at: Desk;
  #seq = 0;
  /** A person has ended the run. */
  #quits = false;

  constructor(at: Desk) {
    this.#at = at;
  }

  ask(trap: Trap, task: Task, work: Operation | Exec, verdict: Verdict, anyway: boolean): number {
    const { options, bench, pending, tell } = this.#at;
    const { run, profile, home, cwd } = options;
    const seq = ++this.#seq;
    const note = "note" in work ? work.note : undefined;
    const where = bench.paths.workingFolder(task) ?? cwd;
    const about = { pid: task.tgid, cwd: where, call: work.call, action: actionOf(work), note, verdict };
    const question = questionOf({ seq, run, profile, home, ...about });
    pending.add({ trap: trap.copy(), task, work, group: question.group, verdict, anyway, seq, answer: undefined });
    tell((outside) => outside.ask(question));
    return 0;
  }

  answered(seq: number, answer: Answer, grant: string | undefined): void {
    const { consent } = this.#at;
    const pending = this.#at.pending.question(seq);
    if (answer.answer === "quit") {
      if (!this.#quits) killTree();
      this.#quits = true;
      return;
    }
    if (pending === undefined) return;
    if (answer.answer === "allow" && answer.scope === "session") consent.allow(pending.group, grant);
    if (answer.answer === "allow" && answer.scope === "tree") consent.trust(pending.task.tgid, grant);
    this.#settle(pending, answer.answer === "allow", `${answer.answer} (${answer.scope})`);
    if (answer.answer === "allow" && answer.scope !== "once") this.rejudge();
  }

  /** A remembered answer may settle other open questions. */
  rejudge(): void {
    const { consent, lineage, options, verdict: judge } = this.#at;
    for (const pending of this.#at.pending.all) {
      if (pending.seq === undefined || pending.anyway || "chain" in pending.work) continue;
      const verdict = judge(pending.work, lineage.caller(pending.task));
      if (verdict.decision === "allow" && !options.judge.take()) continue;
      const waived = verdict.decision === "ask" && consent.waives(pending.task, actionOf(pending.work), pending.work.call, verdict);
      if (verdict.decision !== "allow" && verdict.decision !== "deny" && !waived) continue;
      this.drop(pending.seq);
      this.#settle(pending, verdict.decision !== "deny", "settled by another answer");
    }
  }

  /** Nobody waits for the answer any more. */
  drop(seq: number): void {
    this.#at.tell((outside) => outside.drop(seq));
  }

  #settle(pending: Pending, allowed: boolean, answer: string): void {
    const { bench, performer, starts, anew } = this.#at;
    this.#at.pending.remove(pending);
    const { trap, task, work } = pending;
    const verdict: Verdict = { ...pending.verdict, decision: allowed ? "allow" : "deny", basis: allowed ? "grant" : pending.verdict.basis };
    if (!bench.listener.valid(trap)) return letGo(work.pinned);
    if (!allowed) return void performer.refuse(trap, task, work, pending.verdict, answer);
    if ("chain" in work) return starts().start(trap, task, work, verdict, answer);
    // What was asked about is not there any more: what is there now was not asked about.
    if (performer.perform(trap, task, work, verdict, pending.anyway, answer) === AGAIN) anew(trap);
  }
}
