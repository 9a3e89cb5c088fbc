/** The word by which the supervisor knows that somebody waits for it on descriptor 3 (`run-front.ts`). */
export const BESIDE = "--beside";
/** The word behind it where there is no command yet (`spare.ts`). */
export const SPARE = "--spare";
