/** What one statement looks up at most. */
const MOST = 500;

interface Waiting<T> {
  readonly found: Promise<T | undefined>;
  readonly resolve: (found: T | undefined) => void;
  readonly reject: (why: unknown) => void;
}

/**
 * Looks up together what is asked for while another look-up is under way: a thousand machines that come at once cost a few statements.
 * INVARIANT: what is found was looked up after it was asked for, so that what was taken back before is not found.
 */
export class JointLookup<T> {
  readonly #look: (keys: readonly string[]) => Promise<ReadonlyMap<string, T>>;
  readonly #waiting = new Map<string, Waiting<T>>();
  #isLooking = false;

  constructor(look: (keys: readonly string[]) => Promise<ReadonlyMap<string, T>>) {
    this.#look = look;
  }

  get(key: string): Promise<T | undefined> {
    const known = this.#waiting.get(key);
    if (known !== undefined) return known.found;
    let [resolve, reject]: [Waiting<T>["resolve"], Waiting<T>["reject"]] = [() => undefined, () => undefined];
    const found = new Promise<T | undefined>((done, failed) => ([resolve, reject] = [done, failed]));
    this.#waiting.set(key, { found, resolve, reject });
    if (!this.#isLooking) void this.#work();
    return found;
  }

  async #work(): Promise<void> {
    this.#isLooking = true;
    while (this.#waiting.size > 0) {
      // What comes in the same turn goes with it.
      await new Promise(setImmediate);
      const some = [...this.#waiting].slice(0, MOST);
      for (const [key] of some) this.#waiting.delete(key);
      try {
        const found = await this.#look(some.map(([key]) => key));
        for (const [key, { resolve }] of some) resolve(found.get(key));
      } catch (error) {
        for (const [, { reject }] of some) reject(error);
      }
    }
    this.#isLooking = false;
  }
}
