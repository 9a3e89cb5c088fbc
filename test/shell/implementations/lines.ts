import { aboutEntry, entryFor, type Grammar, grammarOf, type Option } from "@assent/core/shell/knowledge";
import type { Generator } from "../fuzz/generate.ts";

/** Lines of one program: its table's own examples, and each of its options in every spelling, alone and beside another. */

const VALUES: readonly string[] = ["1", "a.txt", ".env", "x"];
const WORDS: readonly string[] = ["", "a.txt", "a.txt b.txt", ". a.txt", "-", "x y", "src"];

/** Examples that hold this program alone, under this name. */
function examplesOf(name: string): readonly string[] {
  const entry = entryFor(name);
  const own = entry?.names.split(" ") ?? [];
  return (entry === undefined ? [] : (aboutEntry(entry).examples?.allow ?? [])).flatMap((line) => {
    const [first = "", ...rest] = line.split(" ");
    return own.includes(first) && !/[;&|<>$`(]/.test(line) ? [[name, ...rest].join(" ")] : [];
  });
}

function spelled(name: string, { argument, kind }: Option, { style, options }: Grammar, values: readonly string[]): readonly string[] {
  const names = [name];
  if (style === "gnu" && name.startsWith("--")) {
    const others = [...options.keys()];
    const short = name
      .split("")
      .map((_, at) => name.slice(0, at))
      .find((cut) => cut.length > 2 && others.filter((one) => one.startsWith(cut)).length === 1);
    if (short !== undefined) names.push(short);
  }
  if (argument === "none") return names;
  const all = kind.is === "awk" || kind.is === "sed" || kind.is === "jq" ? ["1", "p", "."] : values;
  const joint = name.startsWith("--") ? "=" : "";
  const attached = names.flatMap((one) => all.map((value) => `${one}${joint}${value}`));
  return [...attached, ...(argument === "optional" ? names : names.flatMap((one) => all.map((value) => `${one} ${value}`)))];
}

export function linesOfProgram(name: string, from: Generator, pairs: number): readonly string[] {
  const entry = entryFor(name);
  if (entry === undefined) return [];
  const grammar = grammarOf(entry);
  const options = [...grammar.options].filter(([one]) => one.startsWith("-"));
  const examples = examplesOf(name);
  const words = [...examples.map((line) => line.slice(name.length)), ...WORDS.map((rest) => ` ${rest}`)];
  const alone = options.flatMap(([one, option]) => spelled(one, option, grammar, VALUES));
  const letters = [...options].filter(([one]) => /^-\w$/.test(one));
  const lines = new Set(examples);
  const put = (given: string): void => {
    const rest = from.pick(words);
    lines.add(`${name} ${given}${rest}`.trim());
    if (from.upTo(3) === 0) lines.add(`${name}${from.pick(words)} ${given}`.trim());
  };
  for (const given of alone) {
    put(given);
    put(given);
  }
  for (const letter of "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") put(`-${letter}`);
  for (let at = 0; at < pairs && alone.length > 0; at++) {
    if (from.upTo(2) === 0 || letters.length < 2) put(`${from.pick(alone)} ${from.pick(alone)}`);
    else {
      const [first] = from.pick(letters);
      const [second, option] = from.pick(letters);
      put(from.pick(spelled(second, option, grammar, VALUES)).replace(/^-/, first));
    }
  }
  return [...lines];
}
