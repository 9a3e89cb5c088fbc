import type { QueuePoint } from "@assent/core/data";
import type { Question, QueueEnd } from "../types.ts";

export type { QueuePoint };

/** What one asker waits for, as everybody sees it who may answer. All texts come from an attacker: print them through `printable`. */
export interface QueuedQuestion {
  /** Eight letters and digits, as a person can type them. */
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly asked: number;
  /** When the asker gives up; absent: it waits as long as somebody is there. */
  readonly until?: number;
  readonly point: QueuePoint;
  /** The host agent. */
  readonly agent?: string;
  /** The host's id of its session. */
  readonly session?: string;
  readonly question: Question;
  /** How many questions one answer serves, this one among them. */
  readonly alike: number;
  /** The first of the others that one answer serves. */
  readonly others: readonly Question[];
}

/** What became of an answer. `late`: somebody was faster, or the asker gave up. `gone`: there is no such question. */
export type AnswerOutcome = { readonly is: "taken" } | { readonly is: "late"; readonly end: QueueEnd } | { readonly is: "gone" };
