import type { Answer } from "@assent/guard/approve";
import { ERRNO, must, sys, SYSCALLS } from "../kernel/index.ts";
import { Calls } from "./calls.ts";
import { Listener, SEEN, SeccompTrap } from "./listener.ts";
import { Memory } from "./memory.ts";
import type { TaskAccess } from "./operation.ts";
import type { TrapOptions, Outside } from "./options.ts";
import { Paths } from "./paths.ts";
import { NO_STATUS, reapTree } from "./processes.ts";
import { Recorder } from "./record.ts";
import { Rights } from "./rights.ts";
import { Tasks } from "./tasks.ts";
import { type NextTurn, Turns } from "./turns.ts";

const TICK_ASKED = 200;
const TICK_WAITING = 2;
const SWEEP_AFTER = 50;
/** Calls. */
const TICK_AFTER = 256;
/** Whoever has called mostly calls again: so long the next call is waited for before others have their turn. */
const LINGER = 1;
/** So many calls are answered at a stretch: questions and signals wait no longer. */
const STRETCH = 64;

/**
 * The trap handler: every trapped call of the tree comes here. It serves them in turns of node's event loop, with the program's rights;
 * what becomes of a call is told in calls.ts, of the start of a program in starts.ts.
 */
export class TrapHandler {
  readonly #options: TrapOptions;
  readonly #listener: Listener;
  readonly #access: TaskAccess;
  readonly #calls: Calls;
  readonly #trap = new SeccompTrap();
  readonly #record: Recorder;
  readonly #rights = new Rights();
  readonly #turns = new Turns(() => this.#work(() => this.#serve()));
  readonly #root: number;
  readonly #pidfd: number;
  #served = 0;
  #rootEnded = false;
  /** Nothing of the tree is left. */
  #empty = false;
  #over = false;

  constructor(options: TrapOptions) {
    this.#options = options;
    this.#listener = new Listener(options.listener);
    const tell = (say: (run: Outside) => void): void => this.#tell(say);
    this.#record = new Recorder(options.tellsAll, options.tally, (events) => tell((run) => run.events(events)), options.exceeds);
    const memory = new Memory();
    const tasks = new Tasks();
    const { sandboxed, undo } = options;
    this.#access = { listener: this.#listener, memory, tasks, paths: new Paths(memory, tasks, options.tried), sandboxed, undo };
    this.#calls = new Calls(options, this.#access, this.#record, tell, (tid, status) => {
      if (tid === this.#root) this.#rootGone(status);
    });
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
    this.#access.tasks.close();
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
  #serve(): NextTurn | undefined {
    const end = this.#served + STRETCH;
    for (let seen = this.#listener.wait(0); ; seen = this.#listener.wait(LINGER)) {
      const called = (seen & SEEN.call) !== 0;
      if (called && this.#listener.receive(this.#trap)) this.#calls.receive(this.#trap);
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
    this.#calls.close();
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
    const { waitsFor } = this.#calls;
    if (waitsFor !== undefined) return waitsFor === "the other side" ? TICK_WAITING : TICK_ASKED;
    if (this.#record.waits || this.#access.tasks.unswept) return SWEEP_AFTER;
    return this.#rootEnded ? 1000 : -1;
  }

  /** What was said to a question. */
  answer(seq: number, answer: Answer, grant: string | undefined): void {
    this.#outsider(() => this.#calls.answer(seq, answer, grant));
  }

  /** A person has said yes to a host, by its name. */
  consentToHost(host: string, lasts: number): void {
    this.#outsider(() => this.#calls.consentToHost(host, lasts));
  }

  /** A rule was written to the profile. */
  reload(): void {
    this.#outsider(() => {
      this.#options.judge.reload();
      this.#calls.rejudge();
    });
  }

  /** Work that others ask for, between turns. */
  #outsider(work: () => void): void {
    if (this.#over) return;
    this.#work(work);
    if (!this.#over) this.#turns.soon();
  }

  #tick(): void {
    this.#calls.tick();
    this.#reap();
    if (this.#access.tasks.unswept) this.#access.tasks.sweep();
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
