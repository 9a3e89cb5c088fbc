import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { sourceFiles } from "../sources.ts";
import { proseLiterals } from "./literals.ts";
import { faultsOf } from "./prose.ts";

it("no text of the source has a word of the code's own, or a sentence over 30 words", () => {
  const literals = proseLiterals();
  expect(literals.length).toBeGreaterThan(2000);
  const faults = literals.flatMap(({ place, text }) => faultsOf(text).map(({ fault }) => `${place}  ${fault}  «${text}»`));
  expect(faults).toEqual([]);
});

/** Words that only we knew, and what the field says. They stand in no name of a file, a type or a value, and in no comment. */
const OLD: readonly (readonly [word: RegExp, instead: string])[] = [
  [/\bthe door\b|\bDoor/, "trap handler"],
  [/\bwall(?:ed|s)?\b(?![ -]clock)|Wall(?![a-z])/, "sandbox"],
  [/steer/i, "control"],
  [/errand/i, "tool service"],
  [/resident(?!Key)/i, "daemon"],
  [/lineage/i, "process tree"],
  [/Afar|\bfrom afar\b/, "remote, remotely"],
  [/springing/i, "pending traps"],
  [/waives?\b/i, "skip"],
];

/** What stands in logs, in JSON, in tables or on disk keeps its name: the files of an older version are read by it. */
const KEPT =
  /(?:protect\.|kiro\/)steering|run\.errand|#knowledge\/steered|\(`steered`\)|\bSTEERED\b|\basideRows\b|has\("steers"\)|get\("steers"\)|^\s+steer(?:s|ed): |[`"]\/?resident[`"]|\/resident[`"]/;

it("no name and no comment of the source has a word that only we know", () => {
  const files = sourceFiles().filter(({ name }) => /\.tsx?$/.test(name));
  const faults = files.flatMap(({ name, path }) =>
    [name, ...readFileSync(path, "utf8").split("\n")].flatMap((line, at) =>
      OLD.filter(([word]) => word.test(line) && !KEPT.test(line)).map(([, instead]) => `${name}:${at}: say ${instead}: ${line.trim()}`),
    ),
  );
  expect(files.length).toBeGreaterThan(900);
  expect(faults).toEqual([]);
});
