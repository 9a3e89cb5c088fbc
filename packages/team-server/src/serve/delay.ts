import { monitorEventLoopDelay } from "node:perf_hooks";

const EACH_MS = 20;
const LOOK_MS = 1000;

/** How long what is due in this process waited at most in the last second or two: what it has to do beyond what it can. */
export class LoopDelay {
  readonly #delay = monitorEventLoopDelay({ resolution: EACH_MS });
  readonly #timer: NodeJS.Timeout;
  #before = 0;

  constructor() {
    this.#delay.enable();
    this.#timer = setInterval(() => {
      this.#before = this.#now;
      this.#delay.reset();
    }, LOOK_MS);
    this.#timer.unref();
  }

  get #now(): number {
    // Nanoseconds, with what it waits for itself.
    return this.#delay.count === 0 ? 0 : Math.max(0, this.#delay.max / 1e6 - EACH_MS);
  }

  /** Milliseconds. */
  get most(): number {
    return Math.max(this.#before, this.#now);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#delay.disable();
  }
}
