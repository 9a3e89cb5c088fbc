import type { Command, Option } from "commander";
import { describe, expect, it } from "vitest";
import { program } from "../../packages/assent/src/cli/program.ts";
import { assent, scratch } from "../scratch.ts";

/** Arguments and options that have choices: what is none of them is told in our own words, whichever command it is. */

interface Choice {
  readonly words: readonly string[];
  readonly says: string;
}

function choicesOf(command: Command, words: readonly string[] = []): readonly Choice[] {
  const says = (option: string, choices: readonly string[]): string =>
    `assent ${words.join(" ")}: ${option}\`n\\u{1b}ope\` is not ${choices.slice(0, -1).join(", ")} or ${choices.at(-1) ?? ""}\n`;
  const needed = command.registeredArguments.filter(({ required, argChoices }) => required && argChoices === undefined).map(() => "x");
  const ofArguments = command.registeredArguments.flatMap(({ argChoices }) =>
    argChoices === undefined ? [] : [{ words: [...words, "n\u{1b}ope"], says: says("", argChoices) }],
  );
  const ofOptions = command.options.flatMap(({ long, argChoices }: Option) =>
    argChoices === undefined ? [] : [{ words: [...words, long ?? "", "n\u{1b}ope", ...needed], says: says(`${long ?? ""} `, argChoices) }],
  );
  return [...ofArguments, ...ofOptions, ...command.commands.flatMap((sub) => choicesOf(sub, [...words, sub.name()]))];
}

describe("what is none of the choices", () => {
  const all = choicesOf(program());

  it("is looked for everywhere", () => {
    expect(all.map(({ words }) => words.join(" "))).toEqual(expect.arrayContaining(["team level n\u{1b}ope", "completion n\u{1b}ope"]));
    expect(all.length).toBeGreaterThan(5);
  });

  it.each(all)("$words", ({ words, says }) => {
    const { status, stdout, stderr } = assent(scratch(), words);
    expect({ status, stdout, stderr }).toEqual({ status: 2, stdout: "", stderr: says });
  });
});
