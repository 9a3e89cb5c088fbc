import { availableParallelism } from "node:os";

/** How often the other way is tried, and how often the usual one is measured, in handings over. */
const TRIES = 64;
const MEASURES = 16;
/** Milliseconds: whoever took longer had to wait for the processor. */
const MOST = 0.2;
/** Of what was measured before. */
const KEEPS = 0.75;
/** So much better the other way must be. */
const BETTER = 0.9;

/**
 * Whether a program is kept on the door's processor while it is handed a descriptor. Where another processor sleeps, waking it takes
 * longer than all the rest; where none does, it is only so many calls more. Which of both it is shows in the time it takes: each way is
 * tried now and then, and the quicker one kept.
 */
export class Nearness {
  readonly #single: boolean;
  #near: boolean;
  #times = 0;
  /** Milliseconds, apart and near; undefined: not tried yet. */
  readonly #took: [number | undefined, number | undefined] = [undefined, undefined];

  constructor(processors = availableParallelism()) {
    this.#single = processors === 1;
    this.#near = !this.#single;
  }

  /** The way for the next one, and whether to measure it. */
  next(): { readonly near: boolean; readonly measured: boolean } {
    if (this.#single) return APART;
    const at = ++this.#times;
    if (at % TRIES === 0) return this.#near ? APART_MEASURED : NEAR_MEASURED;
    if (at % MEASURES === 1) return this.#near ? NEAR_MEASURED : APART_MEASURED;
    return this.#near ? NEAR : APART;
  }

  /** How long one took, in milliseconds. */
  took(near: boolean, time: number): void {
    const at = near ? 1 : 0;
    const before = this.#took[at];
    const now = Math.min(time, MOST);
    this.#took[at] = before === undefined ? now : KEEPS * before + (1 - KEEPS) * now;
    const [apart, kept] = this.#took;
    if (apart === undefined || kept === undefined) return;
    this.#near = this.#near ? apart > BETTER * kept : kept < BETTER * apart;
  }
}

const NEAR = { near: true, measured: false } as const;
const NEAR_MEASURED = { near: true, measured: true } as const;
const APART = { near: false, measured: false } as const;
const APART_MEASURED = { near: false, measured: true } as const;
