import type { Action, FileAction } from "../action/index.ts";
import type { Policy } from "./match/types.ts";
import type { Verdict } from "./match/verdict.ts";
import type { Protection } from "./protections.ts";

/**
 * A supervised run's own steps in the order of judgement. It stops each call, so it knows what lies at a path, whose it is and who asks:
 * what the presets can only guess by names.
 */
export interface RunSteps {
  /** 1. What nobody in a run may do, whatever is written. */
  readonly floor: (action: FileAction) => Verdict | undefined;
  /** 5. A protection, or the question that takes its place; undefined: it means nothing here. */
  readonly protect: (met: Protection, action: FileAction) => Verdict | undefined;
  /** 9. In place of what a mode or the preset says. */
  readonly byDefault: (action: FileAction, otherwise: Verdict | undefined) => Verdict;
  /** 10. What is asked, or protected, belongs to the program that calls. */
  readonly own?: ((verdict: Verdict, action: FileAction) => Verdict | undefined) | undefined;
}

/** The steps that allow more than a preset: a stricter one is left as it is, and what a broken file denies is not known. */
export const relaxing = (steps: RunSteps | undefined, { broken, settings: { preset } }: Policy): RunSteps | undefined =>
  broken !== undefined || preset === "strict" || preset === "readonly" ? undefined : steps;

/** 9 in a run: its own defaults, unless a block of the policy has one. */
export function inRun(run: RunSteps | undefined, action: Action, otherwise: Verdict | undefined): Verdict | undefined {
  if (run === undefined || action.kind !== "file" || otherwise?.basis === "rule" || otherwise?.decision === "deny") return otherwise;
  return run.byDefault(action, otherwise);
}
