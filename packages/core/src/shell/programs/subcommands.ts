// Which subcommand of a table the words of a command name.
import { grammarOf, type Grammar, type Subcommand, type Subcommands } from "../knowledge/entries.ts";
import { type GivenOption, readArguments } from "./options.ts";
import { prefixOf, textOf, type Value } from "../words/value.ts";

/** Nobody knows whether the next word is its value. */
export const isOpen = ({ option, value }: GivenOption): boolean => option === undefined && value === undefined;

interface ApartWords {
  readonly found: Subcommand;
  readonly options: readonly GivenOption[];
  readonly words: readonly Value[];
  readonly tail: readonly Value[];
}

/** `docker compose -p x down`: options between the words of a subcommand, those of its group if that has an entry. */
export function findApart(grammar: Grammar, first: Value, rest: readonly Value[]): ApartWords | undefined {
  if (!rest.some((value) => prefixOf(value).startsWith("-"))) return undefined;
  const keys = candidatesFor(grammar, textOf(first) ?? "");
  const group = keys.find(({ words }) => words.length === 1);
  const own = group === undefined ? grammar : grammarOf(group.spec, grammar);
  const options: GivenOption[] = [];
  const words = [first];
  let tail = rest;
  for (;;) {
    const args = readArguments(tail, own, { stopAtOperand: true, mayBeOption: () => false });
    const last = args.options.at(-1);
    const fits = (next: Value | undefined): boolean =>
      next !== undefined &&
      keys.some((key) => key.words.length > words.length && [...words, next].every((one, at) => isWord(key.words[at], one)));
    // Behind an option that is not listed the word may be its value.
    const at = fits(args.operands[0]) ? 0 : last !== undefined && isOpen(last) && fits(args.operands[1]) ? 1 : -1;
    const next = args.operands[at];
    if (next === undefined) break;
    options.push(...args.options);
    words.push(next);
    tail = args.operands.slice(at + 1);
  }
  const found = findSubcommand(grammar, textOf(first) ?? "", words.slice(1));
  return found === undefined || found === "unknown" || found.words.length !== words.length ? undefined : { found, options, words, tail };
}

const isWord = (wanted: string | undefined, value: Value): boolean => {
  const text = textOf(value);
  return wanted !== undefined && text !== undefined && (text === wanted || matchesVerb(wanted, text));
};

/** The one subcommand that begins with `word`; where there are several, which one is meant is not ours to say. */
export function findAbbreviated(grammar: Grammar, word: string, rest: readonly Value[]): Subcommand | "unknown" | undefined {
  const names = [...(grammar.subcommands?.named.keys() ?? [])].filter((name) => name.startsWith(word));
  const found = names.map((name) => findSubcommand(grammar, name, rest));
  const [first] = found;
  if (found.length === 0) return undefined;
  return found.every((one) => one !== undefined && one !== "unknown" && first !== "unknown" && one.spec === first?.spec)
    ? first
    : "unknown";
}

/** The entry with the most words that fits; an exact first word comes before a verb pattern. */
export function findSubcommand({ subcommands }: Grammar, word: string, rest: readonly Value[]): Subcommand | "unknown" | undefined {
  if (subcommands?.kinds === true && /[,/]/.test(word)) return findKinds(subcommands, word, rest);
  let best: Subcommand | undefined;
  let hidden = false;
  for (const candidate of candidatesFor({ subcommands }, word)) {
    // What follows `run` is its own: `run ls` is no `* ls`.
    if (best !== undefined && best.words[0] === word && candidate.words[0] !== word) break;
    const fits = candidate.words.slice(1).every((wanted, i) => {
      const value = rest[i];
      const text = value === undefined ? undefined : textOf(value);
      if (value !== undefined && text === undefined && (prefixOf(value) === "" || wanted.startsWith(prefixOf(value)))) hidden = true;
      return text !== undefined && (text === wanted || matchesVerb(wanted, text));
    });
    if (fits && (best === undefined || candidate.words.length > best.words.length)) best = candidate;
  }
  return hidden && (best === undefined || best.words.length === 1) ? "unknown" : best;
}

const candidatesFor = ({ subcommands }: Pick<Grammar, "subcommands">, word: string): readonly Subcommand[] => [
  ...(subcommands?.named.get(word) ?? []),
  ...(subcommands?.verbs.filter(({ words }) => matchesVerb(words[0] ?? "", word)) ?? []),
];

/** `pods,services` and `pod/web`: one entry that lists every kind. */
function findKinds({ named }: Subcommands, word: string, rest: readonly Value[]): Subcommand | undefined {
  const slash = word.indexOf("/");
  // Other words could name objects of other kinds.
  if (slash >= 0 && (word.includes(",") || rest.some((value) => textOf(value)?.includes("/") !== false))) return undefined;
  const [first, ...others] = (slash < 0 ? word.split(",") : [word.slice(0, slash)]).map((kind) => named.get(kind)?.[0]);
  return first !== undefined && others.every((other) => other?.spec === first.spec) ? first : undefined;
}

/** `describe-*` in a table: a verb with anything after it. */
const matchesVerb = (pattern: string, word: string): boolean =>
  pattern.endsWith("*") && word.startsWith(pattern.slice(0, -1)) && (pattern.startsWith("-") || !word.startsWith("-"));
