import type { Action, Call } from "@assent/core/action";
import { grantsHere, type HeldGrant } from "@assent/guard/engine";
import { byGrant, isQuestion, questionOf, type Verdict } from "@assent/core/policy";
import { grantsStamp, useGrant } from "@assent/guard/state";
import { RunJudge, type RunJudgeOptions } from "./run-judge.ts";
import type { CallSubject, Caller, JudgedExec, Started } from "./types.ts";

/**
 * The judge of a run, and the answers given in advance (`assent grants add`): what it would ask, or protect, is allowed
 * where a grant answers it. They are read again when one is made, used or taken back, anywhere.
 * Grants of an agent are not a run's; those of a session are, where the run is a command of it.
 */
export class GrantingJudge extends RunJudge {
  readonly #options: RunJudgeOptions;
  #held: readonly HeldGrant[] = [];
  #stamp: string | undefined;
  /** What the verdict given last takes, once it is acted on. */
  readonly #taking = new Map<HeldGrant, number>();

  constructor(options: RunJudgeOptions) {
    super(options);
    this.#options = options;
  }

  /** The grants have changed since they were looked at: open questions may be answered. */
  get hasNews(): boolean {
    return this.#options.policies === undefined && grantsStamp(this.#options.machine) !== this.#stamp;
  }

  override call(actions: readonly Action[], caller: Caller, about: CallSubject = {}): Verdict {
    this.#taking.clear();
    const verdict = super.call(actions, caller, about);
    if (!isQuestion(verdict) || about.moves !== undefined) return verdict;
    const held = this.#now();
    if (held.length === 0) return verdict;
    this.#taking.clear();
    let granted: Verdict | undefined;
    for (const action of actions) {
      const own = super.call([action], caller, about);
      if (own.decision === "allow") continue;
      const answer = this.#answer(action, own, held, caller);
      if (answer === undefined) return this.#ask(verdict);
      granted = answer;
    }
    return granted ?? verdict;
  }

  override judgeOne(action: Action): Verdict {
    const verdict = super.judgeOne(action);
    return isQuestion(verdict) ? (this.#answer(action, verdict, this.#now(), undefined) ?? verdict) : verdict;
  }

  override exec(chain: readonly Started[], call: Call, caller: Caller): JudgedExec {
    this.#taking.clear();
    const judged = super.exec(chain, call, caller);
    if (!isQuestion(judged.verdict)) return judged;
    for (const grant of this.#now()) {
      const under = super.exec(chain, call, caller, [grant]);
      if (under.verdict.decision !== "allow") continue;
      this.#taking.set(grant, 1);
      return { ...under, verdict: { ...under.verdict, ...byGrant(grant) } };
    }
    return judged;
  }

  /** By a rule, or by an answer given in advance that is not counted. */
  isRuled(action: Action, caller: Caller): boolean {
    const own = super.call([action], caller);
    if (own.decision === "allow") return own.basis === "rule";
    if (!isQuestion(own)) return false;
    const uncounted = this.#now().filter(({ left }) => left === undefined);
    const answered = this.#answer(action, own, uncounted, caller) !== undefined;
    this.#taking.clear();
    return answered;
  }

  /** What is allowed is about to be done. False: a grant behind it was used up meanwhile, so it is to be judged again. */
  take(): boolean {
    if (this.#taking.size === 0) return true;
    const taken = [...this.#taking].every(
      ([grant, times]) =>
        grant.stored.until > Date.now() && (grant.left === undefined || useGrant(this.#options.machine, grant.stored, times) === undefined),
    );
    this.#taking.clear();
    return taken;
  }

  #ask(verdict: Verdict): Verdict {
    this.#taking.clear();
    return verdict;
  }

  #answer(action: Action, asks: Verdict, held: readonly HeldGrant[], caller: Caller | undefined): Verdict | undefined {
    if (held.length === 0) return undefined;
    const question = questionOf(asks);
    // A question that only a run puts rests on what the rules do not know of.
    if (asks.basis !== "default" && questionOf(this.under(action, undefined)) !== question) return undefined;
    for (const grant of held) {
      if (grant.answered !== undefined && grant.answered !== question) continue;
      if (grant.program !== undefined && caller?.programs().includes(grant.program) !== true) continue;
      const times = (this.#taking.get(grant) ?? 0) + 1;
      if (grant.left !== undefined && times > grant.left) continue;
      const verdict = this.under(action, [{ ...grant, answered: undefined, program: undefined }]);
      if (verdict.decision !== "allow" || verdict.basis !== "grant") continue;
      this.#taking.set(grant, times);
      return verdict;
    }
    return undefined;
  }

  #now(): readonly HeldGrant[] {
    // What was granted on this machine was granted to others.
    if (this.#options.policies !== undefined) return [];
    const stamp = grantsStamp(this.#options.machine);
    if (stamp !== this.#stamp) {
      this.#stamp = stamp;
      this.#held =
        stamp === undefined
          ? []
          : grantsHere(this.#options.machine, { session: this.#options.session, agent: undefined }, this.#options.reader);
    }
    const now = Date.now();
    return this.#held.filter(({ stored }) => stored.until > now);
  }
}
