import type { Verdict } from "../../policy/index.ts";
import { errorName } from "../kernel/index.ts";
import type { Consent } from "./consent.ts";
import { decodeExec, type Exec } from "./exec.ts";
import { hintFor } from "./hints.ts";
import { isHelper, wordsOf } from "../judge/index.ts";
import type { Lineage } from "./lineage.ts";
import type { Trap } from "./listener.ts";
import type { Bench } from "./operation.ts";
import type { DoorOptions } from "./options.ts";
import { letGo } from "./perform.ts";
import type { Recorder } from "./record.ts";
import type { Task } from "./tasks.ts";
import { holdExec, TAMPERED, UNVERIFIED, verifyExec } from "./verify.ts";

/** What starting programs needs of the door. */
export interface Threshold {
  readonly options: DoorOptions;
  readonly bench: Bench;
  readonly lineage: Lineage;
  readonly consent: Consent;
  readonly record: Recorder;
  readonly ask: (trap: Trap, task: Task, exec: Exec, verdict: Verdict) => void;
  readonly refuse: (trap: Trap, task: Task, exec: Exec, verdict: Verdict, answer: string | undefined) => void;
  readonly notice: (text: string) => void;
  /** The program itself runs. */
  readonly begun: () => void;
  /** The program itself is not started. */
  readonly refused: (why: string) => void;
  /** A task has ended. wait(2) status. */
  readonly gone: (tid: number, status: number) => void;
}

/** A program that tries it again and again does not fill the terminal. */
const MOST_SAID = 3;
const MORE = " (the next ones are only in the receipt)";

/** Starts of programs: judged before, done by the kernel, verified after. */
export class Starts {
  readonly #at: Threshold;
  /** The program's own exec has come by. */
  #begun = false;
  /** Some program runs. */
  #started = false;
  #killed = 0;
  readonly #hinted = new Set<string>();

  constructor(at: Threshold) {
    this.#at = at;
  }

  judge(trap: Trap, task: Task): void {
    const { bench, consent, lineage, options, ask, refuse, refused } = this.#at;
    const exec = decodeExec(trap, task, bench);
    if (typeof exec === "number") return void bench.listener.answer(trap, exec);
    if (!bench.listener.valid(trap)) return letGo(exec.pinned);
    const chain = exec.loads === undefined ? exec.chain : [...exec.chain, exec.loads];
    let found = options.judge.exec(chain, exec.call, lineage.caller(task));
    if (found.verdict.decision === "allow" && !options.judge.take()) found = options.judge.exec(chain, exec.call, lineage.caller(task));
    const { verdict, action, programs } = found;
    const before = lineage.program(task.tgid);
    // The command itself, or one that it says it starts, started by it and by nobody else.
    const [first] = exec.chain;
    const isTyped = options.typed && (!this.#begun || before.says.includes(wordsOf(first.argv)));
    const helps = before.programs.some((client) => isHelper(client, first.path, first.argv));
    const errand = helps ? { ...found.errand, hosts: [...found.errand.hosts, ...before.errand.hosts] } : found.errand;
    const named = [...(isTyped ? found.named : []), ...(helps ? before.named : [])];
    const judged: Exec = { ...exec, action, errand, programs, named, says: isTyped ? found.says : [] };
    // What a person types is not asked about again; where nobody could be asked, it sets nothing that outlasts the run.
    const typed =
      options.typed && !this.#begun && verdict.decision === "ask" && verdict.basis !== "floor" && (options.asks || !found.lasts);
    this.#begun = true;
    if (verdict.decision === "allow" || typed || options.observes) return this.start(trap, task, judged, verdict, undefined);
    if (verdict.decision !== "deny") {
      if (consent.waives(task, action, exec.call, verdict)) return this.start(trap, task, judged, verdict, undefined);
      if (consent.asks(task)) return ask(trap, task, judged, verdict);
    }
    if (!this.#started) refused(`${exec.chain[0].path} may not be started: ${verdict.reason}`);
    refuse(trap, task, judged, verdict, undefined);
  }

  /** Once for each program. */
  #hint({ chain: [{ path, argv }] }: Exec): void {
    const text = hintFor(path, argv);
    if (text === undefined || this.#hinted.has(text)) return;
    this.#hinted.add(text);
    this.#at.notice(text);
  }

  /** Lets the kernel start the program, and looks at what it started before that runs. */
  start(trap: Trap, task: Task, exec: Exec, verdict: Verdict, answer: string | undefined): void {
    const { bench, lineage, options, record, refuse, refused, notice, begun, gone } = this.#at;
    const held = holdExec(trap.tid);
    if (held < 0) {
      // It was killed meanwhile.
      if (!bench.listener.valid(trap)) return letGo(exec.pinned);
      const why = UNVERIFIED(errorName(-held));
      if (!this.#started) refused(`${exec.chain[0].path} is not started: ${why.reason}`);
      return refuse(trap, task, exec, why, answer);
    }
    bench.listener.pass(trap);
    const end = verifyExec(exec, task, options.env, gone);
    letGo(exec.pinned);
    if (end.is === "started") {
      const first = !this.#started;
      this.#started = true;
      const { programs = [], errand = { writes: [], hosts: [] }, named = [], says = [] } = exec;
      // Told by its environment to load other code, it is trusted with nothing but what is its own to write.
      lineage.started(
        end.pid,
        end.steered ? { programs: [], errand: { ...errand, hosts: [] }, named: [], says: [] } : { programs, errand, named, says },
      );
      record.note(task, exec, verdict, "passed", undefined, answer);
      if (first) begun();
      this.#hint(exec);
    } else if (end.is === "tampered") {
      const why = TAMPERED(end.what);
      record.note(task, exec, why, "refused", "EACCES", answer);
      if (++this.#killed <= MOST_SAID) notice(`killed ${exec.chain[0].path}: ${why.reason}${this.#killed < MOST_SAID ? "" : MORE}`);
      gone(end.pid, end.status);
    } else {
      record.note(task, exec, verdict, "failed", undefined, answer);
      if (end.is === "gone") gone(trap.tid, end.status);
    }
  }
}
