import { readAwk } from "./awk.ts";
import type { Finding } from "./finding.ts";
import { readSed } from "./sed.ts";

export type { Finding } from "./finding.ts";

/** Reads source text; an empty list is a proof that running it is harmless. */
export type LanguageReader = (source: string) => Finding[];

/** Every language we read, by the name that knowledge uses for it. */
export const LANGUAGES: Readonly<Record<string, LanguageReader>> = {
  sed: (source) => readSed(source),
  awk: readAwk,
};
