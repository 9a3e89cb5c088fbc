import type { Action, FileAction } from "../action/index.ts";
import type { Verdict } from "./match/verdict.ts";
import type { Protection } from "./protections.ts";

/**
 * A supervised run's own steps in the order of judgement. It stops each call, so it knows what lies at a path, whose it is and who asks:
 * what the presets can only guess by names.
 */
export interface RunSteps {
  /** 1. What nobody in a run reads, whatever is written. */
  readonly floor: (action: FileAction) => Verdict | undefined;
  /** 5. A protection, or the question that takes its place; undefined: it means nothing here. */
  readonly protect: (met: Protection, action: Action) => Verdict | undefined;
  /** 9. In place of what a mode or the preset says. */
  readonly byDefault: (action: Action, otherwise: Verdict | undefined) => Verdict | undefined;
  /** 10. What is asked, or protected, belongs to the program that calls. */
  readonly own: (verdict: Verdict, action: Action) => Verdict | undefined;
}
