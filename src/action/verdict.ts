import type { Action, Unknown } from "./action.ts";

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
  /** Id of the built-in entry: a danger class, a preset default, a knowledge entry. */
  readonly builtin?: string;
  /** With the basis `grant`: which. */
  readonly grant?: GrantSource;
  /** What to do next. */
  readonly help?: string;
  /** The reason comes from an untrusted project's file: for people, never for the model. */
  readonly untrusted?: boolean;
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
