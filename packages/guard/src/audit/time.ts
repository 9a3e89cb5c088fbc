const two = (value: number): string => String(value).padStart(2, "0");

/**
 * `2026-01-02T03:04:05.678Z` for milliseconds since 1970, as `Date.prototype.toISOString`. The first Date a process
 * formats makes V8 find the local time zone, which costs a fresh hook more than a millisecond.
 */
export function isoTime(milliseconds: number): string {
  const days = Math.floor(milliseconds / 86_400_000);
  const rest = milliseconds - days * 86_400_000;
  // Days to a date of the proleptic Gregorian calendar, in years that begin in March (Hinnant, "chrono-compatible date algorithms").
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const day = shifted - era * 146_097;
  const year = Math.floor((day - Math.floor(day / 1460) + Math.floor(day / 36_524) - Math.floor(day / 146_096)) / 365);
  const ofYear = day - (365 * year + Math.floor(year / 4) - Math.floor(year / 100));
  const month = Math.floor((5 * ofYear + 2) / 153);
  const date = `${year + era * 400 + (month >= 10 ? 1 : 0)}-${two(month + (month >= 10 ? -9 : 3))}-${two(ofYear - Math.floor((153 * month + 2) / 5) + 1)}`;
  const time = `${two(Math.floor(rest / 3_600_000))}:${two(Math.floor(rest / 60_000) % 60)}:${two(Math.floor(rest / 1000) % 60)}`;
  return `${date}T${time}.${String(rest % 1000).padStart(3, "0")}Z`;
}
