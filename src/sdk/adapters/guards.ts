import type { GuardCall } from "../create-guard/call.ts";
import type { ToolEffects } from "../create-guard/effects.ts";
import type { GuardPlaceInCode, GuardRoot, JudgedCalls, JudgingWay } from "../create-guard/judging.ts";
import type { CallDecision, CallOutcome, GuardCallOptions } from "../create-guard/types.ts";
import type { OnToolAsk } from "../ask.ts";
import type { OpenedGuard } from "../guard/open-guard.ts";
import type { AdapterOptions } from "./judge.ts";

/** A guard of `createGuard`, as adapters take it: the same from whichever copy of this package. */
export const OPENED: unique symbol = Symbol.for("assent.guard");

/** The inside of such a guard, for what does the work itself: backends, sandboxes, the gate of patches. */
export const INSIDE: unique symbol = Symbol.for("assent.guard.inside");

/** What those need that do the work themselves. */
export interface GuardInside {
  readonly root: GuardRoot;
  readonly place: GuardPlaceInCode;
  readonly shadow: boolean;
  /** Whether anybody answers at once. */
  readonly asks: boolean;
  /** Judges; asks and tells nobody. */
  judge(calls: readonly GuardCall[], options: GuardCallOptions, way: JudgingWay): JudgedCalls;
  /** What becomes of what was judged: asks where it has to, and tells who listens. */
  conclude(judged: JudgedCalls, options: GuardCallOptions): Promise<CallOutcome>;
  /** Tells who listens. */
  tell(decision: CallDecision): void;
}

/** A guard that is made in code, as a backend takes it. */
export interface InsideGuard {
  [INSIDE](change?: { readonly cwd?: string }): GuardInside;
}

/** What an adapter needs of a guard that is made in code. */
export interface GuardInCode {
  [OPENED](effects?: ToolEffects): { readonly guard: OpenedGuard; readonly onAsk: OnToolAsk | undefined };
}

/** A guard of `createGuard`, or one of `openGuard`. */
export type AnyGuard = OpenedGuard | GuardInCode;

/** The two kinds of guards as one. A guard that is made in code answers its own questions, unless the adapter is told who does. */
export function adapted<Told extends Pick<AdapterOptions, "effects">>(
  guard: AnyGuard,
  options: Told & { readonly onAsk?: unknown },
): { readonly guard: OpenedGuard; readonly options: Told } {
  if (!(OPENED in guard)) return { guard, options };
  const { guard: opened, onAsk } = guard[OPENED](options.effects);
  return { guard: opened, options: options.onAsk !== undefined || onAsk === undefined ? options : { ...options, onAsk } };
}
