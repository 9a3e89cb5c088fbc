import type { Action, Unknown } from "../action/index.ts";
import type { Basis, Decision, GrantSource, RuleSource } from "./basis.ts";
import { type FixedReasonId, type ReasonId, type Reason, REASONS } from "./reasons.ts";

/** The verdict for one action or unknown, with what produced it. */
export interface Verdict {
  readonly decision: Decision;
  readonly basis: Basis;
  /** One line for a person: what and why. No control characters. */
  readonly reason: string;
  readonly rule?: RuleSource;
  /** Why, where no rule that anybody wrote decided. */
  readonly builtin?: ReasonId;
  /** With the basis `grant`: which. */
  readonly grant?: GrantSource;
  /** What to do next. */
  readonly help?: string;
  /** The reason comes from an untrusted project's file: for people, never for the model. */
  readonly untrusted?: boolean;
  /**
   * INVARIANT: no mode that waives questions waives one that is `false`: where nobody is asked it is a denial. `by-host`: the
   * host's own mode does, a bypass of Assent's does not.
   */
  readonly waivable?: false | "by-host";
}

export interface JudgedAction {
  readonly action: Action;
  readonly verdict: Verdict;
}

export interface JudgedUnknown {
  readonly unknown: Unknown;
  readonly verdict: Verdict;
}

/** The verdict for a whole request: the strictest of its parts, with every part kept. */
export interface RequestVerdict extends Verdict {
  readonly actions: readonly JudgedAction[];
  readonly unknowns: readonly JudgedUnknown[];
}

const STRICTNESS: Record<Decision, number> = { allow: 0, none: 1, ask: 2, deny: 3 };

/** Positive when `a` is stricter than `b`; an ask that rests on more than a default is stricter than one that does not. */
export function compareStrictness(a: Verdict, b: Verdict): number {
  const byDecision = STRICTNESS[a.decision] - STRICTNESS[b.decision];
  if (byDecision !== 0) return byDecision;
  return Number(a.basis !== "default") - Number(b.basis !== "default");
}

/** What differs from verdict to verdict with the same built-in reason. */
export interface Particulars {
  /** Absent: the reason's title. */
  readonly reason?: string;
  /** Absent: what the reason's help says. */
  readonly help?: string;
}

/** A verdict that rests on a built-in reason. */
export function verdictOf(decision: Decision, id: FixedReasonId, { reason, help }: Particulars = {}): Verdict {
  const { basis, title, help: always, waivable }: Reason = REASONS[id];
  const next = help ?? always;
  return {
    decision,
    basis,
    builtin: id,
    reason: reason ?? title,
    ...(next === undefined ? {} : { help: next }),
    ...(waivable === undefined ? {} : { waivable }),
  };
}
