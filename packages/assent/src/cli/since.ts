import { visible } from "@assent/core/action";

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** A point in time as people write it: `2h`, `30m`, `7d`, `2026-11-01`, or a whole ISO time. Milliseconds since 1970. */
export function readSince(text: string, now: number): number | { readonly wrong: string } {
  const [, count, unit = ""] = /^(\d{1,6})\s*([smhdw])$/.exec(text.trim()) ?? [];
  const milliseconds = UNITS[unit];
  if (count !== undefined && milliseconds !== undefined) return now - Number(count) * milliseconds;
  const time = /^\d{4}-\d{2}-\d{2}/.test(text.trim()) ? Date.parse(text.trim()) : Number.NaN;
  return Number.isNaN(time) ? { wrong: `\`${visible(text)}\` is not a time: write 30m, 2h, 7d, or 2026-11-01` } : time;
}

/** How long something holds: `30m`, `2h`, `3d`. Milliseconds, more than none. */
export function readLength(text: string): number | { readonly wrong: string } {
  const ago = /^\s*\d+\s*[a-z]\s*$/.test(text) ? readSince(text, 0) : undefined;
  return typeof ago === "number" && ago < 0 ? -ago : { wrong: `\`${visible(text)}\` is not a length of time: write 10m, 2h or 3d` };
}
