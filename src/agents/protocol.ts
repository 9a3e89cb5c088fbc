import type { Input, Outcome, Request, ToolFacts } from "../engine/index.ts";

/** What a hook was called with. */
export interface HookCall {
  readonly payload: Input;
  /** `--event`; undefined for `auto`. */
  readonly event: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Folder the hook runs in, for hosts that leave it out. */
  readonly folder: string;
}

/**
 * What an agent's file makes of a call.
 * - `request`: something to judge.
 * - `nothing`: an event on which there is nothing to decide.
 * - `problem`: it cannot be told what is asked; the answer is the safe one.
 */
export type Reading =
  | { readonly is: "request"; readonly request: Request }
  | { readonly is: "nothing"; readonly why: string }
  | { readonly is: "problem"; readonly why: string };

/** A value that prints as JSON. */
export type Envelope = Readonly<Record<string, unknown>>;

/** What the host gets: one JSON document, or nothing; words on stderr; an exit code. */
export interface Reply {
  readonly envelope?: Envelope;
  readonly stderr?: string;
  readonly exit: number;
}

/**
 * The part of an agent that `assent check` needs: its envelope in, its envelope out. Each is a part of the hook of its
 * own (`dist/agent-NAME.cjs`), loaded when that agent calls.
 */
export interface Protocol {
  readonly id: string;
  /** What its tools do. Absent ones are judged by name and fields. */
  readonly tools: Readonly<Record<string, ToolFacts>>;
  read(call: HookCall): Reading;
  /** The answer in the host's words. Only keys that the host documents. */
  write(outcome: Outcome): Reply;
  /** The safe answer when there is no request to judge: a question, or a denial where the host has none. */
  refuse(why: string, event: string | undefined): Reply;
  /** When there is nothing to decide. */
  readonly silence: Reply;
}

/** An answer by JSON alone. */
export const reply = (envelope: Envelope): Reply => ({ envelope, exit: 0 });
