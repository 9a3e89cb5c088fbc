import { expect, it } from "vitest";
import { proseLiterals } from "./literals.ts";
import { faultsOf } from "./prose.ts";

it("no text of the source has a word of the code's own, or a sentence over 30 words", () => {
  const literals = proseLiterals();
  expect(literals.length).toBeGreaterThan(2000);
  const faults = literals.flatMap(({ place, text }) => faultsOf(text).map(({ fault }) => `${place}  ${fault}  «${text}»`));
  expect(faults).toEqual([]);
});
