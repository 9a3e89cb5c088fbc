import { type CommandSpec, type SubcommandSpec, TABLES } from "../../shell/knowledge/index.ts";
import type { CorpusLine } from "../types.ts";

/** An entry or a subcommand of one, with the words that lead to it. */
export interface Level {
  readonly family: string;
  readonly words: readonly string[];
  readonly spec: CommandSpec | SubcommandSpec;
  /** The program has a name that stands before this one. */
  readonly isAlias: boolean;
  /** Those it inherits from. */
  readonly parents: readonly (CommandSpec | SubcommandSpec)[];
}

/** Subcommands by the first of their names, or by every one. */
type Naming = "first name" | "every name";

function* below(level: Level, naming: Naming): Generator<Level> {
  yield level;
  for (const [key, spec] of Object.entries(level.spec.subcommands ?? {})) {
    const names = key.split("|").map((name) => name.trim());
    for (const name of naming === "every name" ? names.filter((one) => !one.includes("*")) : names.slice(0, 1))
      yield* below({ ...level, words: [...level.words, ...name.split(" ")], spec, parents: [...level.parents, level.spec] }, naming);
  }
}

/** Every level of every table, once for each name of the program. */
export function levels(naming: Naming = "first name"): readonly Level[] {
  return Object.entries(TABLES).flatMap(([family, specs]) =>
    specs.flatMap((spec) =>
      spec.names.split(" ").flatMap((name, at) => [...below({ family, words: [name], spec, isAlias: at > 0, parents: [] }, naming)]),
    ),
  );
}

/** The tables' own examples of what is allowed without a question. */
export function exampleLines(): readonly CorpusLine[] {
  const lines = levels().flatMap(({ family, spec }) => (spec.examples?.allow ?? []).map((line) => [line, { line, family }] as const));
  return [...new Map(lines).values()];
}
