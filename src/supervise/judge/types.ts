import type { Action, Verdict } from "../../action/index.ts";
import type { Identity } from "./objects.ts";
import type { Errand } from "./services.ts";

/** Who makes a call, as far as judging needs it. */
export interface Caller {
  /** Trusted names of the program and of the script it runs, for credentials that belong to it. */
  readonly programs: () => readonly string[];
  /** What it and the programs that started it were started for. */
  readonly errands: () => readonly Errand[];
  /** What the command as it was typed says it does. */
  readonly typed: () => Errand;
}

/** What a call is about, beyond the paths of its actions. */
export interface About {
  /** The pinned object that stands at `path`, which may have other names. */
  readonly object?: { readonly path: string; readonly identity: Identity } | undefined;
  /** What is moved, with all that is in it. */
  readonly moves?: readonly (readonly [from: string, to: string])[] | undefined;
}

/** A start of a program, judged. */
export interface JudgedExec {
  readonly verdict: Verdict;
  readonly action: Action;
  readonly errand: Errand;
  /** Trusted names it goes by. */
  readonly programs: readonly string[];
}
