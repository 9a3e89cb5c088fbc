/** What a mistake in a pattern or a rule says: what is wrong, and what to write instead. */
export interface Mistake {
  readonly ok: false;
  readonly message: string;
  readonly help?: string;
}

export type Result<T> = { readonly ok: true; readonly value: T } | Mistake;

export function ok<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value };
}

export function mistake(message: string, help?: string): Mistake {
  return help === undefined ? { ok: false, message } : { ok: false, message, help };
}

/** How far a rule answers an action: `maybe` depends on what is only known when it runs. */
export type Answer = "yes" | "maybe" | "no";

const WEIGHT: Record<Answer, number> = { no: 0, maybe: 1, yes: 2 };

/** Both must hold. */
export function both(a: Answer, b: Answer): Answer {
  return WEIGHT[a] <= WEIGHT[b] ? a : b;
}

/** One of them is enough. */
export function either(a: Answer, b: Answer): Answer {
  return WEIGHT[a] >= WEIGHT[b] ? a : b;
}

/**
 * A map that forgets everything when it is full. Patterns come from files and requests of unknown size,
 * and a long-lived process must not grow with them.
 */
export class BoundedMap<K, V> {
  readonly #entries = new Map<K, V>();
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The stored value, or what `make` gives, which is then stored. */
  get(key: K, make: (key: K) => V): V {
    const stored = this.#entries.get(key);
    if (stored !== undefined) return stored;
    const made = make(key);
    if (this.#entries.size >= this.#limit) this.#entries.clear();
    this.#entries.set(key, made);
    return made;
  }
}
