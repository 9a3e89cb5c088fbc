import type { Context } from "../words/context.ts";
import { entryFor } from "../knowledge/entries.ts";
import { readConfined } from "../knowledge/read-spec.ts";
import { textOf, type Value } from "../words/value.ts";

/** What a command needs that it cannot have in a supervised run: `CommandSpec.confined`. `looks`: it only does, which takes no rights. */
export function noteNeeds(
  cx: Context,
  exec: number,
  confined: string | undefined,
  name: string,
  words: readonly Value[],
  looks = false,
): void {
  if (confined === undefined) return;
  const given = (word: string): boolean => words.some((value) => textOf(value) === word);
  for (const need of readConfined(confined, name, given)) if (!looks || need !== "rights") cx.addNeed(exec, need);
}

/** A package that a runner starts, by the name of its program: `playwright@1.50`, `npm:cypress`. */
export function noteNeedsOfPackage(cx: Context, exec: number, written: string, words: readonly Value[]): void {
  const name = written.replace(/^npm:/, "").replace(/(?<=.)@.*$/, "");
  noteNeeds(cx, exec, entryFor(name)?.confined, name, words);
}
