import type { Action } from "@assent/core/action";
import type { Question } from "@assent/guard/approve";
import type { GivenPolicies } from "@assent/guard/engine/given";
import type { Verdict } from "@assent/core/policy";
import type { ConfinedCommand, Exit } from "../types.ts";

/**
 * How a program that is no shell has something supervised: it starts a supervisor beside itself, with a channel of lines of
 * JSON on descriptor 3. The first line is the order; reports come back; when the channel is closed all of the run ends.
 */
export interface RunOrder {
  /** Found as execvp(3) does. */
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** What the judge goes by: `HOME`, `PATH`, where state and policy lie. Never what the program gets. */
  readonly judge: Readonly<Record<string, string>>;
  readonly policyFiles: readonly string[];
  /** The policies of a guard in the program that orders it, in the place of the machine's. */
  readonly policies?: GivenPolicies;
  /** Whoever orders it answers its questions (`RunAnswer`); else nobody is asked. */
  readonly asks?: boolean;
  readonly profile: string;
  readonly confined: ConfinedCommand;
}

/** Something that a run refused. All texts are free of control characters. */
export interface RefusedCall {
  /** The program that wanted it. */
  readonly program: string;
  /** One line: `write /home/me/.bashrc`. */
  readonly what: string;
  readonly path?: string;
  /** `host:port`. */
  readonly host?: string;
  /** Why, for a person. */
  readonly reason: string;
  /** What to do about it. */
  readonly help?: string;
  /** One line for the model: what, why, and what it may do instead; of what the program chose only the object, quoted. */
  readonly forModel: string;
}

/** What is told of a run, as it happens. */
export type RunReport =
  /** `judged`: where nobody was asked about it, what was judged, for a run by policies of its own. */
  | { readonly is: "refused"; readonly refused: RefusedCall; readonly judged?: JudgedInRun }
  /** Somebody is to answer; `void`: not any more. */
  | { readonly is: "asks"; readonly question: Question }
  | { readonly is: "void"; readonly seq: number }
  | { readonly is: "notice"; readonly text: string }
  /** The program itself has ended; `left` goes on under the same rules. */
  | {
      readonly is: "ended";
      readonly run: string;
      readonly exit: Exit;
      readonly left: readonly { readonly pid: number; readonly name: string }[];
    }
  /** `started`: the program had been started, and was ended. */
  | { readonly is: "failed"; readonly why: string; readonly started: boolean };

/** A call that a run has judged. */
export interface JudgedInRun {
  readonly action: Action;
  readonly verdict: Verdict;
  readonly program: string;
}

/** What was said to a question of the run. */
export interface RunAnswer {
  readonly seq: number;
  readonly allow: boolean;
  /** For what is like it as well, until the run ends. */
  readonly lasts: boolean;
  readonly note?: string;
}

/** What whoever gave the order may still say. */
export interface RunSignal {
  readonly signal: NodeJS.Signals;
}

/** The word that starts such a supervisor: `assent` takes no order without a channel. */
export const ORDERED = "--ordered";
/** The descriptor of the channel. */
export const ORDER_CHANNEL = 3;
