import { receiveMessageOnPort } from "node:worker_threads";
import type { Verdict } from "../../action/index.ts";
import type { Answer } from "../../guard/approve/index.ts";
import type { Caller } from "../judge/index.ts";
import { addressOf, alloc, ERRNO, sys, SYSCALLS } from "../kernel/index.ts";
import { Consent } from "./consent.ts";
import type { Exec } from "./exec.ts";
import { handlerTable } from "./handlers.ts";
import { Lineage } from "./lineage.ts";
import { Listener, SEEN, Trap } from "./listener.ts";
import { Memory } from "./memory.ts";
import type { FromDoor, ToDoor } from "./messages.ts";
import { AGAIN, type Bench, type Handler, LATER, type Operation, PASS } from "./operation.ts";
import type { DoorOptions } from "./options.ts";
import { connectInner, isOuter } from "./outer.ts";
import { Paths } from "./paths.ts";
import { type Pending, Waiting } from "./pending.ts";
import { letGo, Performer } from "./perform.ts";
import { questionOf } from "./question.ts";
import { actionOf, Recorder } from "./record.ts";
import { Starts } from "./starts.ts";
import { type Task, Tasks } from "./tasks.ts";
import { killTree, NO_STATUS, reapTree } from "./tree.ts";

const MOST_TRIES = 8;
const TICK_ASKED = 200;
const TICK_WAITING = 2;
const SWEEP_AFTER = 50;
/** Calls. */
const TICK_AFTER = 256;

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
  #seq = 0;
  #served = 0;
  #root = 0;
  #rootEnded = false;
  #open = true;
  /** Nothing of the tree is left. */
  #empty = false;
  /** A person has ended the run. */
  #quits = false;

  constructor(options: DoorOptions) {
    this.#options = options;
    this.#lineage = new Lineage(options.typed);
    this.#consent = new Consent(this.#lineage);
    this.#listener = new Listener(options.listener, options.wake);
    this.#record = new Recorder(options.tellsAll, (events) => this.#tell({ kind: "events", events }));
    const memory = new Memory();
    const tasks = new Tasks();
    this.#bench = { listener: this.#listener, memory, tasks, paths: new Paths(memory, tasks) };
    this.#performer = new Performer({
      options,
      listener: this.#listener,
      consent: this.#consent,
      record: this.#record,
      ask: (trap, task, operation, verdict, anyway) => this.#ask(trap, task, operation, verdict, anyway),
      wait: (pending) => this.#pending.add(pending),
    });
    this.#starts = new Starts({
      options,
      bench: this.#bench,
      lineage: this.#lineage,
      consent: this.#consent,
      record: this.#record,
      caller: (task) => this.#caller(task),
      ask: (trap, task, exec, verdict) => void this.#ask(trap, task, exec, verdict, false),
      refuse: (trap, task, exec, verdict, answer) => void this.#performer.refuse(trap, task, exec, verdict, answer),
      notice: (text) => this.#tell({ kind: "notice", text }),
      refused: (why) => this.#tell({ kind: "refused", why }),
      gone: (tid, status) => {
        if (tid === this.#root) this.#rootGone(status);
      },
    });
    this.#handlers = handlerTable(options.net);
  }

  /** Serves until nothing of the tree is left. */
  serve(): void {
    while (this.#open) {
      const seen = this.#listener.wait(this.#timeout());
      if ((seen & SEEN.message) !== 0) this.#messages();
      if ((seen & SEEN.call) !== 0 && this.#listener.receive(this.#trap)) this.#guarded(this.#trap);
      // Whoever waits is looked after, however many others call.
      if ((seen & SEEN.call) === 0 || ++this.#served % TICK_AFTER === 0) {
        this.#record.flush();
        this.#tick();
      }
      if ((seen & SEEN.ended) !== 0) this.#reap();
      if ((seen & (SEEN.closed | SEEN.call)) === SEEN.closed) {
        this.#listener.leave();
        this.#empty = true;
      }
      // A short program may be over before we are told that it was started.
      if (this.#empty && this.#rootEnded) this.#open = false;
    }
    this.#record.flush();
    this.#bench.tasks.close();
  }

  /** How long to wait for the next call, in milliseconds; -1: for ever. */
  #timeout(): number {
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
      const why = error instanceof Error ? error.message : String(error);
      this.#tell({ kind: "notice", text: `a call was refused, for Assent failed to judge it: ${why}` });
    }
  }

  #handle(trap: Trap): void {
    if (trap.nr === SYSCALLS.umask) {
      this.#bench.tasks.umaskChanges(trap.tid);
      return void this.#listener.pass(trap);
    }
    const task = this.#bench.tasks.get(trap.tid);
    if (task === undefined) return void this.#listener.answer(trap, -ERRNO.ESRCH);
    // The launcher's thread, before it starts the program.
    if (task.tgid === process.pid) return void this.#listener.pass(trap);
    if (trap.nr === SYSCALLS.execve || trap.nr === SYSCALLS.execveat) return this.#starts.judge(trap, task);
    if (trap.nr === SYSCALLS.openat && isOuter(trap, this.#bench)) {
      const { fd, cwd } = connectInner(trap, task, this.#bench);
      if (fd >= 0) this.#tell({ kind: "inner", fd, cwd: cwd ?? this.#options.cwd });
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

  #caller(task: Task): Caller {
    return {
      programs: () => this.#lineage.programs(task.tgid),
      errands: () => this.#lineage.errands(task.tgid),
      typed: () => this.#options.typed,
    };
  }

  #verdict({ actions, about, judge }: Operation, caller: Caller): Verdict {
    return judge?.(caller) ?? this.#options.judge.call(actions, caller, about);
  }

  /** AGAIN, where the objects changed between looking and doing. */
  #judge(trap: Trap, task: Task, operation: Operation): number {
    const verdict = this.#verdict(operation, this.#caller(task));
    if (verdict.decision === "allow" || this.#options.observes) return this.#performer.perform(trap, task, operation, verdict, false);
    if (verdict.decision !== "deny" && operation.quiet !== true) {
      if (this.#consent.waives(task, operation.actions[0], operation.call, verdict))
        return this.#performer.perform(trap, task, operation, { ...verdict, decision: "allow" }, false);
      if (this.#options.asks) return this.#ask(trap, task, operation, verdict, false);
    }
    return this.#performer.refuse(trap, task, operation, verdict, undefined);
  }

  #ask(trap: Trap, task: Task, work: Operation | Exec, verdict: Verdict, anyway: boolean): number {
    const { run, profile, home, cwd } = this.#options;
    const seq = ++this.#seq;
    const note = "note" in work ? work.note : undefined;
    const where = this.#bench.paths.workingFolder(task) ?? cwd;
    const about = { pid: task.tgid, cwd: where, call: work.call, action: actionOf(work), note, verdict };
    const question = questionOf({ seq, run, profile, home, ...about });
    this.#pending.add({ trap: trap.copy(), task, work, group: question.group, verdict, anyway, seq, answer: undefined });
    this.#tell({ kind: "ask", question });
    return 0;
  }

  /** Answers from the main thread. */
  #messages(): void {
    const counter = alloc(8);
    sys(SYSCALLS.read, this.#options.wake, addressOf(counter), 8);
    for (let got = receiveMessageOnPort(this.#options.port); got !== undefined; got = receiveMessageOnPort(this.#options.port)) {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the other end of the port is the same program
      const message = got.message as ToDoor;
      if (message.kind === "program") this.#begins(message.pid);
      else if (message.kind === "answer") this.#answered(message.seq, message.answer);
      else if (message.kind === "reload") this.#reload();
      else if (message.kind === "stop") this.#open = false;
    }
  }

  /** The program was started: its first exec has been answered already. */
  #begins(pid: number): void {
    this.#root = pid;
    const pidfd = sys(SYSCALLS.pidfd_open, pid, 0);
    this.#listener.watch(pidfd);
    if (pidfd < 0) this.#rootGone(NO_STATUS);
  }

  #answered(seq: number, answer: Answer): void {
    const pending = this.#pending.question(seq);
    if (answer.answer === "quit" && this.#quits) return;
    if (answer.answer === "quit") this.#quits = true;
    if (answer.answer === "quit") return killTree();
    if (pending === undefined) return;
    if (answer.answer === "allow" && answer.scope === "session") this.#consent.allow(pending.group);
    if (answer.answer === "allow" && answer.scope === "tree") this.#lineage.trust(pending.task.tgid);
    this.#settle(pending, answer.answer === "allow", `${answer.answer} (${answer.scope})`);
    if (answer.answer === "allow" && answer.scope !== "once") this.#rejudge();
  }

  #reload(): void {
    this.#options.judge.reload();
    this.#rejudge();
  }

  /** A remembered answer may settle other open questions. */
  #rejudge(): void {
    for (const pending of this.#pending.all) {
      if (pending.seq === undefined || pending.anyway || "chain" in pending.work) continue;
      const verdict = this.#verdict(pending.work, this.#caller(pending.task));
      const waived = verdict.decision === "ask" && this.#consent.waives(pending.task, actionOf(pending.work), pending.work.call, verdict);
      if (verdict.decision !== "allow" && verdict.decision !== "deny" && !waived) continue;
      this.#tell({ kind: "void", seq: pending.seq });
      this.#settle(pending, verdict.decision !== "deny", "settled by another answer");
    }
  }

  #settle(pending: Pending, allowed: boolean, answer: string): void {
    this.#pending.remove(pending);
    const { trap, task, work } = pending;
    const verdict: Verdict = { ...pending.verdict, decision: allowed ? "allow" : "deny", basis: allowed ? "grant" : pending.verdict.basis };
    if (!this.#listener.valid(trap)) return letGo(work.pinned);
    if (!allowed) return void this.#performer.refuse(trap, task, work, pending.verdict, answer);
    if ("chain" in work) return this.#starts.start(trap, task, work, verdict, answer);
    // What was asked about is not there any more: what is there now was not asked about.
    if (this.#performer.perform(trap, task, work, verdict, pending.anyway, answer) === AGAIN) this.#guarded(trap);
  }

  /** Tries again what could not be done yet, and drops what nobody waits for any more. */
  #tick(): void {
    for (const pending of this.#pending.all) {
      if (!this.#listener.valid(pending.trap)) {
        this.#pending.remove(pending);
        letGo(pending.work.pinned);
        if (pending.seq !== undefined) this.#tell({ kind: "void", seq: pending.seq });
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
    this.#record.flush();
    this.#tell({ kind: "ended", status });
  }

  /** Ended children; the program itself may be among them. */
  #reap(): void {
    const status = reapTree(this.#root);
    if (status !== undefined) this.#rootGone(status);
    else if (this.#root > 0 && !this.#rootEnded && sys(SYSCALLS.kill, this.#root, 0) === -ERRNO.ESRCH) this.#rootGone(NO_STATUS);
  }

  readonly #tell = (message: FromDoor): void => this.#options.port.postMessage(message);
}
