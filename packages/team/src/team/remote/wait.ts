const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000 };
const LONGEST_WAIT_MS = 24 * 3_600_000;

/** Milliseconds of `90s`, `5m`, `1h`; what is no time is none. */
export function readWait(text: string): number {
  const [, count, unit = ""] = /^(\d{1,6})([smh])$/.exec(text) ?? [];
  return count === undefined ? 0 : Math.min(LONGEST_WAIT_MS, Number(count) * (UNITS[unit] ?? 0));
}
