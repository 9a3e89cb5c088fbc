import type { Input, Outcome, Request, ToolFacts } from "../guard/index.ts";

/** What a hook was called with. */
export interface Call {
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

/** One agent host: its envelope in, its envelope out. One file per host; nothing else knows its names. */
export interface Agent {
  readonly id: string;
  /** As people know it. */
  readonly name: string;
  /** What its tools do. Absent ones are judged by name and fields. */
  readonly tools: Readonly<Record<string, ToolFacts>>;
  /** Whether a payload of unknown origin is this host's (`--agent auto`). */
  recognises(payload: Input, event: string | undefined): boolean;
  read(call: Call): Reading;
  /** The answer in the host's words. Only keys that the host documents. */
  write(outcome: Outcome): Envelope;
  /** The safe answer when there is no request to judge: a question, or a denial where the host has none. */
  refuse(why: string, event: string | undefined): Envelope;
}
