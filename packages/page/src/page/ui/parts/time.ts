const two = (value: number): string => String(value).padStart(2, "0");

const day = (date: Date): string => `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;

/** `2026-11-26 14:03:05` where the browser is; what is no time stays as it is. */
export function localTime(time: string | number): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return String(time);
  return `${day(date)} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/** The value of an `<input type="datetime-local">` for milliseconds since 1970; empty for anything else. */
export function inputTime(milliseconds: string | undefined): string {
  const date = new Date(milliseconds === undefined ? Number.NaN : Number(milliseconds));
  return Number.isNaN(date.getTime()) ? "" : `${day(date)}T${two(date.getHours())}:${two(date.getMinutes())}`;
}
