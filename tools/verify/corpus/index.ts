import type { CorpusLine } from "../types.ts";
import { exampleLines, optionLines } from "./examples.ts";
import { shellLines } from "./programs.ts";

export { everyOptionLines, type OptionLevel, optionLevels, tellsOptions, toldOf } from "./examples.ts";
export { everyVariableLines, type VariableLine, withVariables } from "./every-variable.ts";
export { exampleLines };

const PROGRAMS = 1200;
const SEED = 20_260;

/** Everything there is to run, each line once: examples first. */
export function wholeCorpus(more: readonly CorpusLine[] = []): readonly CorpusLine[] {
  const all = [...exampleLines(), ...more, ...shellLines(PROGRAMS, SEED), ...optionLines()];
  const byLine = new Map<string, CorpusLine>();
  for (const one of all) if (!byLine.has(one.line)) byLine.set(one.line, one);
  return [...byLine.values()];
}
