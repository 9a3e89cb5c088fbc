import { type Answer, NOBODYS, scopeText } from "../approve/index.ts";
import type { GivenAnswer } from "./types.ts";

/** For the record. */
export function givenAnswer(answer: Exclude<Answer, { readonly answer: "quit" }>): GivenAnswer {
  const { by } = answer;
  const note = answer.answer === "deny" ? answer.note : undefined;
  const isNobodys = answer.answer === "deny" && answer.scope === "once" && answer.nobody === true;
  return {
    text: isNobodys ? NOBODYS : `${answer.answer} (${scopeText(answer)})`,
    ...(by === undefined ? {} : { by }),
    ...(note === undefined ? {} : { note }),
  };
}
