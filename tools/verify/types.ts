import type { Lowered } from "@assent/core/action";
import type { Decision } from "@assent/core/policy";
import type { Machine } from "@assent/guard/state";

/** What the judge says about one command line, for an agent without any policy file. */
export interface LineJudgement {
  readonly decision: Decision;
  readonly reason: string;
  readonly lowered: Lowered;
}

/** Judges a line as the hook would. The command line passes it in: hosts and their tools are nothing this folder knows. */
export type JudgeLine = (line: string, cwd: string, machine: Machine) => LineJudgement;

/** Something that happened while a command ran. */
export interface ObservedEffect {
  /** `exec git log`, `write /home/dev/project/a.txt`. */
  readonly text: string;
  /** The program that did it. */
  readonly program: string;
  /** What said that it would: a prediction, or an entry of `known.ts`. Undefined: nothing did. */
  readonly expected: string | undefined;
}

/** A line of the corpus, and where it comes from. */
export interface CorpusLine {
  readonly line: string;
  /** The command family of the tables, or the name of a corpus. */
  readonly family: string;
}

/**
 * What became of one line.
 * - `run`: it ran; `unpredicted` says whether it did more than was predicted.
 * - `refused`: the judge does not allow it by itself, so it was not run.
 * - `absent`: a program it names is not installed.
 * - `broken`: it could not be observed.
 * - `said`: it was only asked what it prints.
 */
export type LineOutcome =
  | {
      readonly is: "run";
      readonly decision: Decision;
      readonly predictions: readonly string[];
      readonly effects: readonly ObservedEffect[];
      /** Predicted, and not seen. */
      readonly slack: readonly string[];
      readonly ended: string;
    }
  | { readonly is: "refused"; readonly decision: Decision; readonly why: string }
  | { readonly is: "absent"; readonly programs: readonly string[] }
  | { readonly is: "broken"; readonly why: string }
  | { readonly is: "said"; readonly text: string };

export interface LineResult extends CorpusLine {
  readonly outcome: LineOutcome;
}

export const unpredicted = (outcome: LineOutcome): readonly ObservedEffect[] =>
  outcome.is === "run" ? outcome.effects.filter(({ expected }) => expected === undefined) : [];
