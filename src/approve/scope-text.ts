import type { Answer } from "./types.ts";

/** How far an answer reaches, for records: `once`, `15 minutes`. */
export const scopeText = (answer: Exclude<Answer, { readonly answer: "quit" }>): string =>
  answer.scope === "time" ? minutesText(answer.minutes) : answer.scope;

/** `90` is `1 hour 30 minutes`. */
export function minutesText(minutes: number): string {
  const parts = [
    [Math.floor(minutes / 1440), "day"],
    [Math.floor((minutes % 1440) / 60), "hour"],
    [minutes % 60, "minute"],
  ] as const;
  return parts.flatMap(([count, unit]) => (count === 0 ? [] : [`${count} ${unit}${count === 1 ? "" : "s"}`])).join(" ");
}
