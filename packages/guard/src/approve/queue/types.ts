import type { Answer, Channel, Question } from "../types.ts";

/** Where a question came up. */
export const POINTS = ["run", "confined", "gateway", "library", "hook"] as const;
export type QueuePoint = (typeof POINTS)[number];

export const CHANNELS = ["terminal", "page", "popup", "notification", "folder", "host", "team"] as const satisfies readonly Channel[];

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

/**
 * As `Answer`. `session` is the agent's session where the asker belongs to one, else the run. `time` holds for calls alike,
 * wherever they come from, for so many minutes.
 */
export type QueueAnswer = Answer;

/** How a question came off the queue. */
export type QueueEnd =
  | { readonly is: "answered"; readonly answer: QueueAnswer; readonly by: Channel; readonly at: number }
  /** Whoever asked needs no answer any more, or is gone (`withdrawn`); waited in vain (`expired`). */
  | { readonly is: "withdrawn" | "expired"; readonly at: number };

/** A question that has just come off the queue. */
export interface EndedQuestion {
  readonly queued: QueuedQuestion;
  readonly end: QueueEnd;
}

/** What became of an answer. `late`: somebody was faster, or the asker gave up. `gone`: there is no such question. */
export type AnswerOutcome = { readonly is: "taken" } | { readonly is: "late"; readonly end: QueueEnd } | { readonly is: "gone" };
