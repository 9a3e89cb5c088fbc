import type { ResidentAnswer, ResidentCall } from "./wire.ts";

/** Judges a call; undefined: the caller is to find out by itself. */
export type JudgeCall = (call: ResidentCall) => ResidentAnswer | undefined;

export const HUNG_SECONDS = 5;

/** How callers find a judge that stays, and what the system offers for that: a socket file, or a port of this machine alone. */
export interface Way {
  /** What the judge last said of itself. */
  readonly life: string;
  /** From now on calls are taken. False: another one takes them. */
  readonly listen: (judge: JudgeCall) => Promise<boolean>;
  /** Callers would still come to us. */
  readonly isFound: () => boolean;
  /** The caller sees the files and programs that we see, and may do what we may. */
  readonly standsAlike: (call: ResidentCall) => boolean;
  /** A call is being judged. One that hangs serves nobody, and cannot be ended from within: `HUNG_SECONDS` later the process ends. */
  readonly begin: () => void;
  readonly end: () => void;
  /** No more calls, and nobody finds us; `over` once the last has its answer. */
  readonly close: (over: () => void) => void;
}
