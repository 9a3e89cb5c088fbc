import type { Verdict } from "../../policy/index.ts";
import { messageOf } from "../../state/index.ts";
import type { Answer } from "../../approve/index.ts";
import type { Caller } from "../judge/index.ts";
import { ERRNO, must, sys, SYSCALLS } from "../kernel/index.ts";
import { Asked } from "./asked.ts";
import { Consent } from "./consent.ts";
import { handlerTable } from "./handlers.ts";
import { Lineage } from "./lineage.ts";
import { Listener, SEEN, Trap } from "./listener.ts";
import { Memory } from "./memory.ts";
import { AGAIN, type Bench, type Handler, LATER, type Operation, PASS } from "./operation.ts";
import type { DoorOptions } from "./options.ts";
import { connectInner, isOuter } from "./outer.ts";
import type { Outside } from "./outside.ts";
import { Paths } from "./paths.ts";
import { Waiting } from "./pending.ts";
import { letGo, Performer } from "./perform.ts";
import { Recorder } from "./record.ts";
import { Rights } from "./rights.ts";
import { Starts } from "./starts.ts";
import { type Task, Tasks } from "./tasks.ts";
import { NO_STATUS, reapTree } from "./tree.ts";
import { type Next, Turns } from "./turns.ts";

const MOST_TRIES = 8;
const TICK_ASKED = 200;
const TICK_WAITING = 2;
const SWEEP_AFTER = 50;
/** Calls. */
const TICK_AFTER = 256;
/** Whoever has called mostly calls again: so long the next call is waited for before others have their turn. */
const LINGER = 1;
/** Calls that could not be judged and are said: whoever finds a way to make them does not fill the terminal. */
const MOST_UNJUDGED = 5;
/** So many calls are answered at a stretch: questions and signals wait no longer. */
const STRETCH = 64;

/**
 * The door: every trapped call of the tree comes here, is decoded over pinned objects, judged, and answered.
 *
 * 1. `receive`: which task, which call; 2. a handler decodes it (`open.ts`, `names.ts`, `metadata.ts`, `exec.ts`, net);
 * 3. the judge; 4. deny: an errno; ask: a question, the call waits; allow: what would be lost is kept, then the call is
 * done on the task's behalf, or passed where the wall bounds it.
 *
 * INVARIANT: whatever goes wrong in here, the call is refused.
 */
export class Door {
  readonly #options: DoorOptions;
  readonly #listener: Listener;
  readonly #bench: Bench;
  readonly #handlers: ReadonlyMap<number, Handler>;
  readonly #lineage: Lineage;
  readonly #trap = new Trap();
  readonly #pending = new Waiting();
  readonly #consent: Consent;
  readonly #performer: Performer;
  readonly #starts: Starts;
  readonly #record: Recorder;
  readonly #rights = new Rights();
  readonly #turns = new Turns(() => this.#work(() => this.#serve()));
  readonly #root: number;
  readonly #pidfd: number;
  readonly #asked: Asked;
  #served = 0;
  #unjudged = 0;
  #rootEnded = false;
  /** Nothing of the tree is left. */
  #empty = false;
  #over = false;

  constructor(options: DoorOptions) {
    this.#options = options;
    this.#lineage = new Lineage();
    this.#consent = new Consent(this.#lineage, options);
    this.#listener = new Listener(options.listener);
    this.#record = new Recorder(options.tellsAll, options.tally, (events) => this.#tell((run) => run.events(events)), options.exceeds);
    const memory = new Memory();
    const tasks = new Tasks();
    this.#bench = { listener: this.#listener, memory, tasks, paths: new Paths(memory, tasks), walled: options.walled };
    this.#performer = new Performer({
      options,
      listener: this.#listener,
      consent: this.#consent,
      record: this.#record,
      ask: (trap, task, operation, verdict, anyway) => this.#asked.ask(trap, task, operation, verdict, anyway),
      wait: (pending) => this.#pending.add(pending),
    });
    this.#starts = new Starts({
      options,
      bench: this.#bench,
      lineage: this.#lineage,
      consent: this.#consent,
      record: this.#record,
      ask: (trap, task, exec, verdict) => void this.#asked.ask(trap, task, exec, verdict, false),
      refuse: (trap, task, exec, verdict, answer) => void this.#performer.refuse(trap, task, exec, verdict, answer),
      notice: (text) => this.#tell((run) => run.notice(text)),
      begun: () => this.#tell((run) => run.started()),
      refused: (why) => this.#tell((run) => run.refused(why)),
      gone: (tid, status) => {
        if (tid === this.#root) this.#rootGone(status);
      },
    });
    this.#asked = new Asked({
      options,
      bench: this.#bench,
      pending: this.#pending,
      consent: this.#consent,
      lineage: this.#lineage,
      performer: this.#performer,
      starts: () => this.#starts,
      verdict: (operation, caller) => this.#verdict(operation, caller),
      anew: (trap) => this.#guarded(trap),
      tell: (say) => this.#tell(say),
    });
    this.#handlers = handlerTable(options.net);
    this.#root = options.program;
    this.#pidfd = must("pidfd_open", options.program, 0);
    this.#listener.watch(this.#pidfd);
  }

  /** Serves until nothing of the tree is left. */
  serve(): void {
    this.#turns.watch(this.#options.listener);
    this.#turns.watch(this.#pidfd);
    this.#turns.soon();
  }

  /** Serves no longer: what calls from now on fails. */
  stop(): void {
    if (this.#over) return;
    this.#over = true;
    this.#turns.end();
    if (!this.#empty) this.#listener.close();
    sys(SYSCALLS.close, this.#pidfd);
    this.#bench.tasks.close();
  }

  /** INVARIANT: what goes wrong beside a call ends the run. */
  #work<T>(work: () => T): T | undefined {
    try {
      return this.#rights.program(work);
    } catch (error) {
      this.stop();
      this.#options.outside.failed(error);
      return undefined;
    }
  }

  /** Answers calls as long as they come, and it is not the turn of others. */
  #serve(): Next | undefined {
    const end = this.#served + STRETCH;
    for (let seen = this.#listener.wait(0); ; seen = this.#listener.wait(LINGER)) {
      const called = (seen & SEEN.call) !== 0;
      if (called && this.#listener.receive(this.#trap)) this.#guarded(this.#trap);
      // Whoever waits is looked after, however many others call.
      if (!called || ++this.#served % TICK_AFTER === 0) {
        this.#record.flush();
        this.#tick();
      }
      if ((seen & SEEN.ended) !== 0) this.#reap();
      if (this.#over) return undefined;
      if ((seen & (SEEN.closed | SEEN.call)) === SEEN.closed) this.#leave();
      if (this.#empty && this.#rootEnded) break;
      if (!called) return this.#patience();
      if (this.#served >= end) return "again";
    }
    this.#record.flush();
    this.stop();
    this.#tell((run) => run.closed());
    return undefined;
  }

  /** No task is left that could call. */
  #leave(): void {
    this.#empty = true;
    this.#turns.unwatch(this.#options.listener);
    this.#listener.close();
  }

  /** How long the next call may be waited for, in milliseconds; -1: for ever. */
  #patience(): number {
    if (this.#pending.any) return this.#pending.anyUnasked ? TICK_WAITING : TICK_ASKED;
    if (this.#record.waits || this.#bench.tasks.unswept) return SWEEP_AFTER;
    return this.#rootEnded ? 1000 : -1;
  }

  /** INVARIANT: what cannot be judged is refused. */
  #guarded(trap: Trap): void {
    try {
      this.#handle(trap);
    } catch (error) {
      this.#listener.answer(trap, -ERRNO.EACCES);
      const why = messageOf(error);
      if (++this.#unjudged <= MOST_UNJUDGED) this.#tell((run) => run.notice(`a call was refused, for Assent failed to judge it: ${why}`));
    }
  }

  #handle(trap: Trap): void {
    const task = this.#bench.tasks.get(trap.tid);
    if (task === undefined) return void this.#listener.answer(trap, -ERRNO.ESRCH);
    if (trap.nr === SYSCALLS.execve || trap.nr === SYSCALLS.execveat) return this.#starts.judge(trap, task);
    if (trap.nr === SYSCALLS.openat && isOuter(trap, this.#bench)) {
      const { fd, cwd } = connectInner(trap, task, this.#bench);
      const leaveAlone = this.#lineage.leavingAlone(task.tgid);
      if (fd >= 0) this.#tell((run) => run.inner(fd, { cwd: cwd ?? this.#options.cwd, leaveAlone }));
      return;
    }
    const handler = this.#handlers.get(trap.nr);
    if (handler === undefined) return void this.#listener.answer(trap, -ERRNO.EPERM);
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const decoded = handler(trap, task, this.#bench);
      if (decoded === PASS) return void this.#listener.pass(trap);
      if (typeof decoded === "number") return void this.#listener.answer(trap, decoded);
      if (!this.#listener.valid(trap)) return letGo(decoded.pinned);
      if (this.#judge(trap, task, decoded) !== AGAIN) return;
    }
    this.#listener.answer(trap, -ERRNO.EACCES);
  }

  #verdict({ actions, about, judge }: Operation, caller: Caller): Verdict {
    return judge?.(caller) ?? this.#options.judge.call(actions, caller, about);
  }

  /** AGAIN, where the objects changed between looking and doing. */
  #judge(trap: Trap, task: Task, operation: Operation): number {
    let verdict = this.#verdict(operation, this.#lineage.caller(task));
    if (verdict.decision === "allow" && !this.#options.judge.take()) verdict = this.#verdict(operation, this.#lineage.caller(task));
    if (verdict.decision === "allow" || this.#options.observes) return this.#performer.perform(trap, task, operation, verdict, false);
    if (verdict.decision !== "deny" && operation.quiet !== true) {
      if (this.#consent.waives(task, operation.actions[0], operation.call, verdict))
        return this.#performer.perform(trap, task, operation, { ...verdict, decision: "allow" }, false);
      if (this.#consent.asks(task)) return this.#asked.ask(trap, task, operation, verdict, false);
    }
    return this.#performer.refuse(trap, task, operation, verdict, undefined);
  }

  /** What was said to a question. */
  answer(seq: number, answer: Answer, grant: string | undefined): void {
    this.#outsider(() => this.#asked.answered(seq, answer, grant));
  }

  /** A rule was written to the profile. */
  reload(): void {
    this.#outsider(() => {
      this.#options.judge.reload();
      this.#asked.rejudge();
    });
  }

  /** Work that others ask for, between turns. */
  #outsider(work: () => void): void {
    if (this.#over) return;
    this.#work(work);
    if (!this.#over) this.#turns.soon();
  }

  /** Tries again what could not be done yet, and drops what nobody waits for any more. */
  #tick(): void {
    if (this.#pending.anyAsked && this.#options.judge.hasNews) this.#asked.rejudge();
    for (const pending of this.#pending.all) {
      if (!this.#listener.valid(pending.trap)) {
        this.#pending.remove(pending);
        letGo(pending.work.pinned);
        if (pending.seq !== undefined) this.#asked.drop(pending.seq);
        continue;
      }
      if (pending.seq !== undefined || "chain" in pending.work) continue;
      const result = pending.work.perform();
      if (result === LATER) continue;
      this.#pending.remove(pending);
      this.#performer.finish(pending.trap, pending.task, pending.work, pending.verdict, result, pending.answer);
    }
    this.#reap();
    if (this.#bench.tasks.unswept) this.#bench.tasks.sweep();
  }

  #rootGone(status: number): void {
    if (this.#rootEnded) return;
    this.#rootEnded = true;
    this.#listener.watch(-1);
    this.#turns.unwatch(this.#pidfd);
    this.#record.flush();
    this.#tell((run) => run.ended(status));
  }

  /** Ended children; the program itself may be among them. */
  #reap(): void {
    const status = reapTree(this.#root);
    if (status !== undefined) this.#rootGone(status);
    else if (!this.#rootEnded && sys(SYSCALLS.kill, this.#root, 0) === -ERRNO.ESRCH) this.#rootGone(NO_STATUS);
  }

  /** Others do what they do with Assent's own rights. */
  #tell(say: (run: Outside) => void): void {
    this.#rights.assent(() => say(this.#options.outside));
  }
}
