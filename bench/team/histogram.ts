/** Of each power of two: values are off by less than a thousandth. */
const PARTS = 1024;

/** Counts of values, as HdrHistogram keeps them: small, and every quantile to three digits, however many values there are. */
export class Histogram {
  readonly #counts = new Map<number, number>();
  count = 0;
  most = 0;

  /** Microseconds, or any other whole number. */
  add(value: number): void {
    const whole = Math.max(0, Math.round(value));
    const key = keyOf(whole);
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    this.count += 1;
    this.most = Math.max(this.most, whole);
  }

  /** The value that so large a share of all is not above; NaN of none. */
  at(share: number): number {
    let left = Math.ceil(this.count * share);
    for (const [key, count] of [...this.#counts].toSorted(([a], [b]) => a - b)) {
      left -= count;
      if (left <= 0) return Math.min(valueOf(key), this.most);
    }
    return Number.NaN;
  }
}

function keyOf(value: number): number {
  if (value < 2 * PARTS) return value;
  const shift = Math.floor(Math.log2(value)) - Math.log2(PARTS);
  return shift * PARTS + Math.floor(value / 2 ** shift);
}

/** The largest that has this key. */
function valueOf(key: number): number {
  if (key < 2 * PARTS) return key;
  const shift = Math.floor(key / PARTS) - 1;
  return (key - shift * PARTS + 1) * 2 ** shift - 1;
}

/** What a table shows: milliseconds. */
export interface Quantiles {
  readonly count: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly p999: number;
  readonly most: number;
}

export const quantilesOf = (all: Histogram): Quantiles => ({
  count: all.count,
  p50: all.at(0.5) / 1000,
  p90: all.at(0.9) / 1000,
  p99: all.at(0.99) / 1000,
  p999: all.at(0.999) / 1000,
  most: all.most / 1000,
});
