import { describe } from "../../programs/invocation.ts";
import type { Grammar, KnowledgeEntry } from "../../knowledge/entries.ts";
import { readArguments, type GivenOption } from "../../programs/options.ts";
import { mayBegin } from "../../words/paths.ts";
import { holeOf, literal, prefixOf, textOf, type Value } from "../../words/value.ts";
import type { BuiltinCall } from "./index.ts";

/** The words of a builtin, as its entry in `packages/core/knowledge/builtins.table` tells options from operands. */
export interface GivenOptions {
  readonly options: readonly GivenOption[];
  /** In order. */
  readonly letters: string;
  /** The last value of each that takes one. */
  readonly values: ReadonlyMap<string, Value>;
  readonly rest: readonly Value[];
  /** Why it is not certain what they are; the word that makes it so is the first of the rest. */
  readonly doubt?: string;
  /** That word came with the environment: whoever started the shell chose it. */
  readonly ambient?: boolean;
}

type Called = Pick<BuiltinCall, "cx" | "state" | "name" | "words">;

/** Without `closed` text that may be an option is a doubt; with it, no option does more than print. */
export function readOptions({ cx, state, name, words }: Called, entry: KnowledgeEntry, grammar: Grammar): GivenOptions {
  const none = { options: [], letters: "", values: NO_VALUES };
  if (grammar.style === "none" || words.length === 0) return { ...none, rest: words };
  // Most calls: the first word is an operand, and ends the options.
  const [head = NONE] = words;
  if (grammar.style === "posix" && /^[^-+]/.test(textOf(head) ?? "")) return { ...none, rest: words };
  if (words.length === 1 && textOf(words[0] ?? NONE) === "--help") return { ...none, rest: [] };
  const signs = grammar.digits || grammar.options.has("+a") ? "-+" : "-";
  const args = readArguments(words, grammar, {
    // Of wait zsh has none, and in bash they are numbers.
    mayBeOption: (word) =>
      entry.closed !== true && !(name === "wait" && holeOf(word)?.jobs === true) && mayBegin({ cx, places: state.places }, word, signs),
    mayBeSeveral: (value) => value.many && holeOf(value)?.ambient !== true && holeOf(value)?.number !== true,
  });
  const letters = args.options.map(({ written }) => written.slice(1)).join("");
  const values = new Map(args.options.flatMap(({ written, value }) => (value === undefined ? [] : [[written.slice(1), value] as const])));
  const given = { options: args.options, letters, values };
  const odd = args.options.find((one) => one.option === undefined || words[one.at]?.many === true);
  const [first = NONE] = args.operands;
  // Words of which there may be none leave their place to the next.
  const next = first.many ? args.operands.find(({ many }) => !many) : undefined;
  if (odd !== undefined) {
    const doubt =
      odd.option === undefined
        ? `${name} has no known option \`${odd.written}\``
        : `the options after \`${odd.written}\` are only known at run time`;
    return { ...given, rest: words.slice(odd.at), doubt };
  }
  const ended = textOf(words[args.firstOperand - 1] ?? NONE) === "--";
  if (
    !ended &&
    entry.closed !== true &&
    next !== undefined &&
    /^[-+]./.test(prefixOf(next)) &&
    signs.includes(prefixOf(next).charAt(0)) &&
    textOf(next) !== "--"
  )
    return { ...given, rest: args.operands, doubt: `${describe(first)} may be no word at all, and what follows it an option of ${name}` };
  const [doubt] = args.doubts;
  if (doubt === undefined) return { ...given, rest: args.operands };
  return {
    ...given,
    rest: args.operands,
    doubt: doubt.endsWith("an option") ? `${doubt} of ${name}` : doubt,
    ambient: holeOf(first)?.ambient === true,
  };
}

const NONE: Value = literal("");
const NO_VALUES: ReadonlyMap<string, Value> = new Map();
