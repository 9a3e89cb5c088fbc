import { type Answer, answererText, NOBODYS, scopeText, unanswered, WAITS } from "@assent/guard/approve";
import type { GivenAnswer, RunEvent } from "./types.ts";

const UNANSWERED = { nobody: NOBODYS, waits: WAITS } as const;

/** For the record. */
export function givenAnswer(answer: Exclude<Answer, { readonly answer: "quit" }>): GivenAnswer {
  const by = answererText(answer);
  const note = answer.answer === "deny" ? answer.note : undefined;
  const nobodys = unanswered(answer);
  return {
    text: nobodys === undefined ? `${answer.answer} (${scopeText(answer)})` : UNANSWERED[nobodys],
    ...(by === undefined ? {} : { by }),
    ...(answer.person === undefined ? {} : { person: answer.person }),
    ...(note === undefined ? {} : { note }),
  };
}

/** As an event has it. */
export const answeredFields = ({ text, by, person, note }: GivenAnswer): Partial<RunEvent> => ({
  answer: text,
  ...(by === undefined ? {} : { answeredBy: by }),
  ...(person === undefined ? {} : { answeredPerson: person }),
  ...(note === undefined ? {} : { note }),
});
