/**
 * Calls back when a person has had `ms` milliseconds to see something, and everything typed until then was read.
 * INVARIANT: a clock alone would not do. When this process was held up, keys from before wait in the kernel; a timer's
 * callback comes before they are read, an immediate's after (the event loop's phases: timers, poll, check).
 */
export class Sight {
  readonly #cancels = new Set<() => void>();

  after(ms: number, work: () => void): () => void {
    let immediate: NodeJS.Immediate | undefined;
    const timer = setTimeout(() => {
      immediate = setImmediate(() => {
        this.#cancels.delete(cancel);
        work();
      });
    }, ms);
    const cancel = (): void => {
      clearTimeout(timer);
      clearImmediate(immediate);
      this.#cancels.delete(cancel);
    };
    this.#cancels.add(cancel);
    return cancel;
  }

  clear(): void {
    for (const cancel of this.#cancels) cancel();
  }
}
