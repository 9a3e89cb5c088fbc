import { printAction, printCall } from "@assent/core/action";
import type { Principal, Verdict } from "@assent/core/policy";
import { appendAll, auditLine, type Decided, givenFields, KEEP, type Keep } from "@assent/guard/audit";
import type { Machine } from "@assent/guard/state";
import type { AllowedTally } from "./trap/record.ts";
import type { RunEvent } from "./types.ts";

/** Records are written together, at the latest so long after the first of them: no call waits for the log. Milliseconds. */
const LATEST = 500;
/** What is allowed is counted, and the counts are written so often, and at the end. */
const COUNTED_EVERY = 10 * 60_000;
const MOST_WAITING = 200;
/** Refusals alike: the first is a record of its own, the others are counted. */
const MOST_ALIKE = 5000;

interface RunAuditOptions {
  readonly machine: Machine;
  readonly run: string;
  readonly cwd: string;
  readonly mode: string;
  readonly tally: Pick<AllowedTally, "take">;
  /** For whom it runs. */
  readonly principal?: Principal | undefined;
  /** False: nothing is written. */
  readonly logs?: boolean | undefined;
  readonly onProblem: (problem: string) => void;
}

/**
 * A run's decisions in the audit log: what was refused or asked, one by one; what was allowed, counted by program and rule.
 * INVARIANT: nothing here holds a call up, and a supervisor that is killed loses what waits here, at most `LATEST` of
 * refusals and `COUNTED_EVERY` of counts.
 */
export class RunAudit {
  readonly #options: RunAuditOptions;
  #waiting: string[] = [];
  readonly #alike = new Map<string, { readonly decided: Decided; more: number }>();
  #timer: NodeJS.Timeout | undefined;
  readonly #counter: NodeJS.Timeout;
  #problem: string | undefined;
  /** As the policy says, once it is read. */
  keep: Keep = KEEP;

  constructor(options: RunAuditOptions) {
    this.#options = options;
    this.#counter = setInterval(() => this.#count(), COUNTED_EVERY);
    this.#counter.unref();
  }

  event(event: RunEvent): void {
    const { verdict, outcome, answer } = event;
    if (verdict.decision === "allow" && outcome !== "refused" && answer === undefined) return;
    const decided = this.#decided(event);
    // A question that was put is told each time.
    if (answer !== undefined) return this.#write(decided);
    const kind = `${event.process.name}\0${verdict.rule?.text ?? verdict.builtin ?? verdict.basis}\0${decided.answer}`;
    const what = this.#alike.size < MOST_ALIKE ? printAction(event.action) : "";
    const known = this.#alike.get(`${kind}\0${what}`);
    if (known !== undefined) known.more += 1;
    else {
      this.#alike.set(`${kind}\0${what}`, { decided, more: 0 });
      this.#write(decided);
    }
  }

  /** The run is over. */
  end(): void {
    clearInterval(this.#counter);
    clearTimeout(this.#timer);
    this.#count();
    this.#flush();
  }

  #decided({ time, process, call, action, verdict, outcome, answer, answeredBy, note, parents = [] }: RunEvent): Decided {
    // An answer has taken the place of what was asked.
    const asked: Verdict = answer !== undefined && verdict.decision === "allow" ? { ...verdict, decision: "ask" } : verdict;
    return {
      ...this.#common(time),
      tool: call.name,
      subagent: process.name,
      input: { call: printCall(call) },
      verdict: { ...asked, actions: [{ action, verdict: asked }], unknowns: [] },
      answer: outcome === "refused" ? "deny" : "allow",
      person: givenFields({ answered: answer, answeredBy, note }),
      process: { pid: process.pid, program: process.name, parents },
    };
  }

  #common(time: number): Pick<Decided, "time" | "point" | "agent" | "session" | "mode" | "principal" | "cwd" | "milliseconds"> {
    const { run, cwd, mode, principal } = this.#options;
    return { time, point: "run", agent: "run", session: run, mode, principal, cwd, milliseconds: 0 };
  }

  #count(): void {
    const now = Date.now();
    for (const { program, action, verdict, count } of this.#options.tally.take()) {
      this.#write({
        ...this.#common(now),
        tool: action.kind,
        subagent: program,
        input: { call: count === 1 ? printAction(action) : `${printAction(action)} and alike` },
        verdict: { ...verdict, actions: [{ action, verdict }], unknowns: [] },
        answer: "allow",
        process: { pid: 0, program, parents: [] },
        count,
      });
    }
    for (const one of this.#alike.values()) {
      if (one.more > 0) this.#write({ ...one.decided, time: now, count: one.more });
      one.more = 0;
    }
  }

  #write(decided: Decided): void {
    if (this.#options.logs === false) return;
    this.#waiting.push(auditLine(decided));
    if (this.#waiting.length >= MOST_WAITING) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), LATEST).unref();
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#waiting.length === 0) return;
    const problem = appendAll(this.#options.machine, this.#waiting, this.keep);
    this.#waiting = [];
    if (problem !== undefined) this.#failed(problem);
  }

  /** Said once. */
  #failed(problem: string): void {
    if (this.#problem === undefined) this.#options.onProblem(`not logged: ${problem}`);
    this.#problem = problem;
  }
}
