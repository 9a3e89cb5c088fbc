import type { Action, Call } from "@assent/core/action";
import { grantsHere, type HeldGrant } from "@assent/guard/engine";
import { byGrant, type Grant, isQuestion, type Verdict } from "@assent/core/policy";
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
    if (!isQuestion(verdict) || about.moves !== undefined || this.#now().length === 0) return verdict;
    let granted: Verdict | undefined;
    for (const action of actions) {
      const own = super.call([action], caller, about, this.#open(caller));
      if (own.decision !== "allow") {
        this.#taking.clear();
        return verdict;
      }
      if (own.grant !== undefined) granted = this.#taken(own);
    }
    return granted ?? verdict;
  }

  override judgeOne(action: Action): Verdict {
    const verdict = super.judgeOne(action);
    return isQuestion(verdict) ? this.#taken(super.judgeOne(action, this.#open())) : verdict;
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
    const uncounted = this.#open(caller).filter(({ left }) => left === undefined);
    const { decision, basis } = super.call([action], caller, {}, uncounted);
    return decision === "allow" && (basis === "rule" || basis === "grant");
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

  /** The answer counts once it is acted on. */
  #taken(verdict: Verdict): Verdict {
    const grant = this.#held.find(({ id }) => id === verdict.grant?.id);
    if (grant !== undefined) this.#taking.set(grant, (this.#taking.get(grant) ?? 0) + 1);
    return verdict;
  }

  /** Answers that this program may still use: the rest of a grant's conditions is the judge's. */
  #open(caller?: Caller): readonly Grant[] {
    return this.#now()
      .filter(({ program }) => program === undefined || caller?.programs().includes(program) === true)
      .filter((grant) => grant.left === undefined || (this.#taking.get(grant) ?? 0) < grant.left)
      .map((grant) => ({ ...grant, program: undefined }));
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
