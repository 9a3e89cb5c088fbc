import type { Action, Advice, InTwo, Unknown } from "../../action/index.ts";
import { type FixedReasonId, type Reason, type ReasonId, REASONS } from "./reasons.ts";

export type Decision = "allow" | "ask" | "deny" | "none";

/**
 * What kind of statement the verdict rests on.
 * Hosts are told of an `ask` unless it rests on a `default` and they have an approval flow of their own.
 */
export type Basis = "floor" | "rule" | "grant" | "protection" | "knowledge" | "mode" | "default";

/** The rule behind a verdict, as written, with its place. */
export interface RuleSource {
  readonly text: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** The remembered answer behind a verdict. */
export interface GrantSource {
  readonly id: string;
  /** The rule it was given as. */
  readonly rule: string;
  /** Uses it had left, this one among them; absent: any number. */
  readonly left?: number;
}

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
  readonly help?: Advice;
  /** The reason comes from an untrusted project's file: for people, never for the model. */
  readonly untrusted?: boolean;
  /**
   * INVARIANT: no mode that skips questions skips one that is `false`: where nobody is asked it is a denial. `by-host`: the
   * host's own mode does, a bypass of Assent's does not.
   */
  readonly waivable?: false | "by-host";
  /** A rule that may match, of a kind that a supervised run holds what happens against: it finds out, and refuses then. */
  readonly settledInRun?: true;
  /** The rule that allows it lifts the sandbox, too: it is not confined. */
  readonly bare?: true;
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
  /**
   * With an allow: it goes ahead under a supervised run only, which holds it to the policy and keeps what it changes for undo.
   * What it would be where nothing confines: INVARIANT: whoever starts it in any other way, or not at all, takes that.
   */
  readonly confined?: Verdict;
  /** Then, where a part of the line would fail there and only looks: that one first, as it is, and the rest confined. */
  readonly inTwo?: InTwo;
}

/** It goes ahead under a supervised run only. */
export const isConfined = ({ decision, confined }: RequestVerdict): boolean => decision === "allow" && confined !== undefined;

/** The verdict where nothing confines. */
export function unconfined(verdict: RequestVerdict): RequestVerdict {
  const { confined, actions, unknowns } = verdict;
  return confined === undefined ? verdict : { ...confined, actions, unknowns };
}

const STRICTNESS: Record<Decision, number> = { allow: 0, none: 1, ask: 2, deny: 3 };

/** The one order of strictness: positive when `a` is stricter than `b`. */
export function compareDecisions(a: Decision, b: Decision): number {
  return STRICTNESS[a] - STRICTNESS[b];
}

/** Positive when `a` is stricter than `b`; an ask that rests on more than a default is stricter than one that does not. */
export function compareStrictness(a: Verdict, b: Verdict): number {
  const byDecision = compareDecisions(a.decision, b.decision);
  if (byDecision !== 0) return byDecision;
  return Number(a.basis !== "default") - Number(b.basis !== "default");
}

/** The stricter of two; the first of equals. */
export function stricterOf<V extends Verdict>(a: V, b: V): V {
  return compareStrictness(b, a) > 0 ? b : a;
}

/** A question that somebody wants put: more than nobody having said anything. */
export function isMeantQuestion({ decision, basis }: Pick<Verdict, "decision" | "basis">): boolean {
  return decision === "ask" && basis !== "default";
}

/** What differs from verdict to verdict with the same built-in reason. */
export interface Particulars {
  /** Absent: the reason's title. */
  readonly reason?: string;
  /** Absent: what the reason's help says. */
  readonly help?: Advice;
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
