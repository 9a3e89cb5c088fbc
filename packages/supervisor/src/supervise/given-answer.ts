import { type Answer, answererText, NOBODYS, scopeText, WAITS } from "@assent/guard/approve";
import type { GivenAnswer } from "./types.ts";

/** For the record. */
export function givenAnswer(answer: Exclude<Answer, { readonly answer: "quit" }>): GivenAnswer {
  const by = answererText(answer);
  const note = answer.answer === "deny" ? answer.note : undefined;
  return {
    text: unansweredText(answer) ?? `${answer.answer} (${scopeText(answer)})`,
    ...(by === undefined ? {} : { by }),
    ...(answer.person === undefined ? {} : { person: answer.person }),
    ...(note === undefined ? {} : { note }),
  };
}

function unansweredText(answer: Answer): string | undefined {
  if (answer.answer !== "deny" || answer.scope !== "once") return undefined;
  if (answer.waits === true) return WAITS;
  return answer.nobody === true ? NOBODYS : undefined;
}
