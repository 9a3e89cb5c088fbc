import { unanswered } from "./answer.ts";
import { printable } from "./printable.ts";
import { type Answer, CHANNELS, type QueueEnd } from "./types.ts";

/** Answers in words, for records and for who was asked. */

/** What was answered, for the line that stays on the terminal and for records. */
export function said(answer: Answer): string {
  if (answer.answer === "quit") return "you ended the run";
  if (unanswered(answer) !== undefined) return "nobody answered, so no";
  if (answer.scope === "always") return `${answer.answer === "allow" ? "yes, always" : "no, never"}, by the rule ${printable(answer.rule)}`;
  if (answer.answer === "deny") return "no";
  switch (answer.scope) {
    case "once":
      return "yes, once";
    case "session":
      return "yes, for this run, and what is like it";
    case "tree":
      return "yes, to this program and what it starts, for this run";
    case "time":
      return `yes, for ${minutesText(answer.minutes)}, and what is like it`;
  }
}

/** What a person has to say about a no. */
export const noteOf = (answer: Answer): string | undefined =>
  answer.answer === "deny" && answer.note !== undefined ? printable(answer.note, 500) : undefined;

/** What stands in records where a question was put in vain. */
export const NOBODYS = "nobody answered";
/** Where people of the team have not answered yet. */
export const WAITS = "asked, waiting: people of the team have not answered yet, try again later";

/** By which way it was answered, and by whom, for records. */
export const answererText = ({ by, person }: Answer): string | undefined =>
  person === undefined ? by : `${by ?? "team"}: ${printable(person, 300)}`;

/** Who of the team answered. INVARIANT: the name, which is whatever their account or who runs the team wrote, ends where its quotes do. */
export const ofTeam = (person: string): string => `"${printable(person.replaceAll(/["\\]/g, "'"), 100)}" of the team`;

/** Why a question needs no answer any more, for whoever was asked, too. */
export function endText(end: QueueEnd): string {
  if (end.is === "answered") return `${said(end.answer)} (answered ${CHANNELS[end.by]})`;
  return end.is === "expired" ? "nobody answered in time" : "it needs no answer any more";
}

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
