/** So many at once, and then one more in every so many milliseconds, for each key. In memory: each process has its own. */
export class RateLimit {
  readonly #most: number;
  readonly #each: number;
  readonly #now: () => number;
  readonly #used = new Map<string, { tokens: number; at: number }>();

  constructor(most: number, eachMs: number, now: () => number) {
    this.#most = most;
    this.#each = eachMs;
    this.#now = now;
  }

  /** Whether one more is allowed now. */
  take(key: string): boolean {
    const now = this.#now();
    const known = this.#used.get(key);
    const tokens = known === undefined ? this.#most : Math.min(this.#most, known.tokens + Math.max(0, now - known.at) / this.#each);
    this.#used.delete(key);
    // The ones that have not been heard of for longest are forgotten: they have mostly filled up again.
    if (this.#used.size >= MOST_KEYS) for (const oldest of this.#used.keys()) if (this.#used.delete(oldest)) break;
    const allowed = tokens >= 1;
    this.#used.set(key, { tokens: allowed ? tokens - 1 : tokens, at: now });
    return allowed;
  }
}

const MOST_KEYS = 10_000;
