/**
 * What to do next, in two voices: a person who reads it can allow it, a model can only do it another way or ask the person.
 * One text: right for both. `without` is what is left where no rule is offered.
 */
export type Advice =
  | string
  | { readonly person: string; readonly model: string; readonly without?: { readonly person: string; readonly model: string } };

/** What a person is told. */
export const adviceForPerson = (advice: Advice): string => (typeof advice === "string" ? advice : advice.person);

/** What a model is told. */
export const adviceForModel = (advice: Advice): string => (typeof advice === "string" ? advice : advice.model);

/** The advice with the command that was tried and lets it go ahead; where none does, what is left without. */
export function withCommand(advice: Advice, command: string | undefined): Advice {
  if (typeof advice === "string" || advice.without === undefined) return advice;
  const { without } = advice;
  if (command === undefined) return without;
  const [person, model] = without.person === "run it yourself" ? ["", ""] : [`${without.person}; `, `${without.model}, or `];
  return { person: `${person}if you want this, allow it: ${command}`, model: `${model}ask the user to allow it: ${command}`, without };
}

/** What a person's no leaves of a text for the model: how to lift it is no word of theirs. */
export const withoutAdvice = (text: string, help: Advice | undefined): string =>
  help === undefined ? text : text.replace(` (${adviceForModel(help)})`, "").replace(` (${adviceForPerson(help)})`, "");
