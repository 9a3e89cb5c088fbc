/**
 * What to do next, in two voices: a person who reads it can allow it, a model can only do it another way or ask the person.
 * One text: right for both.
 */
export type Advice = string | { readonly person: string; readonly model: string };

/** What a person is told. */
export const adviceForPerson = (advice: Advice): string => (typeof advice === "string" ? advice : advice.person);

/** What a model is told. */
export const adviceForModel = (advice: Advice): string => (typeof advice === "string" ? advice : advice.model);
