import type { Question } from "@assent/guard/approve";
import type { GivenPolicies } from "@assent/guard/engine/given";
import type { Principal } from "@assent/core/policy";
import type { JudgedInRun, RunAnswer } from "@assent/supervisor/supervise/control-channel";
import type { GuardCall, RunningCall } from "./call.ts";
import { GuardFlow } from "./flow.ts";
import { GuardWorld } from "./guard-world.ts";
import { askInRun, refusedInRun } from "./in-run.ts";
import { askerOf, givenTo, type GuardPlaceInCode, type GuardRoot, judgeCalls, type JudgedCalls, type JudgingWay } from "./judging.ts";
import type { CallDecision, CallOutcome, GuardCallOptions } from "./types.ts";

/** What those need that do the work themselves. */
export interface GuardInside {
  readonly root: GuardRoot;
  readonly place: GuardPlaceInCode;
  readonly shadow: boolean;
  /** Whether anybody answers at once. */
  readonly asks: boolean;
  /** Judges; asks and tells nobody. */
  judge(calls: readonly GuardCall[], options: GuardCallOptions, way: JudgingWay): JudgedCalls;
  /** What becomes of what was judged: asks where it has to, `ask` or whoever answers, and tells who listens. */
  conclude(judged: JudgedCalls, options: GuardCallOptions, ask?: () => unknown): Promise<CallOutcome>;
  /** What its runs go by. */
  given(): GivenPolicies;
  /** A question of a command that runs, put to whoever answers at once. */
  askInRun(question: Question, about: RunningCall, signal: AbortSignal): Promise<Omit<RunAnswer, "seq">>;
  /** Tells who listens what a command that runs was refused without a question. */
  tellInRun(judged: JudgedInRun, about: RunningCall): void;
  /** Tells who listens. */
  tell(decision: CallDecision): void;
}

/** A guard as those take it that do the work themselves. */
export function insideOf<P extends Principal>(world: GuardWorld<P>): GuardInside {
  const { place, shadow } = world;
  const { root, options } = world.shared;
  const flow = new GuardFlow(world);
  const tell: GuardInside["tell"] = (decision) => void flow.told(decision);
  return {
    root,
    place,
    shadow,
    asks: options.onAsk !== undefined,
    judge: (calls, asked, way) => judgeCalls(calls, root, place, asked, way),
    conclude: async (judged, asked, ask) =>
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the principal is the guard's own
      await flow.conclude(judged, { cwd: place.cwd, ...asked } as GuardCallOptions<P>, undefined, ask),
    tell,
    given: () => givenTo(root, place, askerOf(place)),
    askInRun: async (question, about, signal) => await askInRun<P>(question, about, place, { onAsk: options.onAsk, tell }, signal),
    tellInRun: (judged, about) => tell(refusedInRun(judged, about, place)),
  };
}

/** The guard of a machine, by its policy files and by nothing in code: what `openGuard`, rulesets and `canAutoApprove` are judged by. */
export function machineGuard(root: Pick<GuardRoot, "machine" | "own"> & Partial<GuardRoot>, cwd: string): GuardInside {
  const whole = { policy: undefined, files: "all", confine: false, audit: false, shell: "any", ...root } as const;
  const options = { onAsk: undefined, approvals: undefined, onDecision: undefined, shadow: undefined };
  const secret = async (): Promise<Uint8Array> => await Promise.resolve(new Uint8Array());
  return insideOf(new GuardWorld({ root: whole, options, secret, waits: 0 }, { principal: undefined, cwd, stricter: [] }));
}
