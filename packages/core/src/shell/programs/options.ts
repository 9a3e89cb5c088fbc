import type { Grammar } from "../knowledge/entries.ts";
import { INERT_KINDS, type Option, type Slot } from "../knowledge/read-spec.ts";
import { holeOf, isHole, literal, prefixOf, textOf, withoutNames, type Value } from "../words/value.ts";

export interface GivenOption {
  /** Which of the words it stands in. */
  readonly at: number;
  /** As written, value excluded: `-o`, `--outp`. */
  readonly written: string;
  /** Undefined: the entry does not list it. */
  readonly option: Option | undefined;
  readonly value?: Value;
  readonly second?: Value;
  /** The value was the next word. */
  readonly tookWord?: boolean;
  /** An operand stands in front of it: BSD's getopt has stopped there and takes it for an operand. */
  readonly afterOperand?: boolean;
}

export interface Arguments {
  readonly options: readonly GivenOption[];
  readonly operands: readonly Value[];
  /** Index of the first operand in the input, to cut off what a subcommand or wrapped command gets. */
  readonly firstOperand: number;
  /** What follows an option that takes all the rest. */
  readonly rest: readonly Value[];
  /** Reasons why some words could not be told to be options or operands. */
  readonly doubts: readonly string[];
}

export interface ReadingOptions {
  /** Options end at the first operand: wrappers, and everything before a subcommand. */
  readonly stopAtOperand?: boolean;
  /** Whether a word that is only known at run time may begin with `-`, and what it would do as an option matters. */
  readonly mayBeOption: (value: Value) => boolean;
  /** Whether a value in a word of its own may become several, and so take the place of the words behind it. */
  readonly mayBeSeveral?: (value: Value) => boolean;
}

/** Tells options from operands the way the program's own parser does (getopt_long(3), getopt(3)). */
export function readArguments(words: readonly Value[], grammar: Grammar, reading: ReadingOptions): Arguments {
  const options: GivenOption[] = [];
  const operands: Value[] = [];
  const doubts: string[] = [];
  let firstOperand = words.length;
  let ended = grammar.style === "none";
  const stop = reading.stopAtOperand === true || grammar.style === "posix";
  for (let i = 0; i < words.length; i++) {
    const word = words[i];
    if (word === undefined) break;
    const prefix = prefixOf(word);
    const isOption =
      !ended &&
      (prefix.startsWith("-") || (prefix.startsWith("+") && hasPlus(grammar, prefix))) &&
      (prefix.length > 1 || word.atoms.length > 1 || grammar.options.has(prefix));
    if (!isOption) {
      if (!ended && textOf(word) === undefined && (prefix === "" || withoutNames(word) !== undefined) && reading.mayBeOption(word)) {
        doubts.push(`${describe(word)} may turn out to be an option`);
      }
      if (operands.length === 0) firstOperand = i;
      if (stop) {
        operands.push(...words.slice(i));
        return { options, operands, firstOperand, rest: [], doubts };
      }
      operands.push(word);
      continue;
    }
    if (prefix === "--" && word.atoms.length === 1 && !word.many) {
      ended = true;
      if (stop) {
        operands.push(...words.slice(i + 1));
        return { options, operands, firstOperand: i + 1, rest: [], doubts };
      }
      continue;
    }
    const at = i;
    const taken = takeOption(word, words[i + 1], grammar, reading.mayBeSeveral ?? (({ many }) => many));
    if (taken.usedNext) i++;
    const [only] = taken.options;
    const second = only?.option?.second === undefined ? undefined : words[++i];
    if (second?.many === true) doubts.push("the second value of an option may become several words");
    options.push(
      ...taken.options.map((given) => ({
        ...given,
        at,
        ...(operands.length > 0 ? { afterOperand: true } : {}),
        ...(second === undefined ? {} : { second }),
      })),
    );
    doubts.push(...taken.doubts);
    if (taken.options.some(({ option }) => option?.consequences.some((c) => c.then === "rest") === true))
      return { options, operands, firstOperand, rest: words.slice(i + 1), doubts };
  }
  return { options, operands, firstOperand, rest: [], doubts };
}

const describe = (value: Value): string => {
  const hole = holeOf(value);
  return hole === undefined ? "a name that a pattern matches" : hole.why;
};

const hasPlus = (grammar: Grammar, word: string): boolean => grammar.options.has(word) || grammar.options.has(word.slice(0, 2));

interface Taken {
  readonly options: readonly Omit<GivenOption, "at">[];
  readonly doubts: readonly string[];
  readonly usedNext: boolean;
}

type IsSeveral = (value: Value) => boolean;

function takeOption(word: Value, next: Value | undefined, grammar: Grammar, isSeveral: IsSeveral): Taken {
  const prefix = prefixOf(word);
  if (prefix.startsWith("--") || grammar.style === "words") return takeLong(word, next, grammar, isSeveral);
  return takeCluster(word, next, grammar, isSeveral);
}

function takeLong(word: Value, next: Value | undefined, grammar: Grammar, isSeveral: IsSeveral): Taken {
  const prefix = prefixOf(word);
  const equals = prefix.indexOf("=");
  if (equals < 0 && textOf(word) === undefined) {
    return {
      options: [{ written: prefix, option: undefined }],
      doubts: [`the option \`${prefix}…\` is only known at run time`],
      usedNext: false,
    };
  }
  const written = equals < 0 ? prefix : prefix.slice(0, equals);
  const attached = equals < 0 ? undefined : dropPrefix(word, equals + 1);
  const option = findLong(written, grammar);
  if (option === undefined && grammar.style === "words" && !prefix.startsWith("--") && grammar.options.has(prefix.slice(0, 2)))
    return takeCluster(word, next, grammar, isSeveral);
  if (attached !== undefined) {
    const wanted = option?.argument === "none" ? undefined : option;
    return { options: [{ written, option: wanted, value: attached }], doubts: severalBehind(attached, written), usedNext: false };
  }
  // Of an option that is not written out another program of the name knows nothing, and the word behind it is an operand to that; what ends
  // one (`du --v`) may be another option of another.
  const isShort = grammar.style !== "words" && !grammar.options.has(written);
  const ends = option?.consequences.some(({ then }) => then === "stop") === true;
  if (isShort && (ends || (option?.argument === "required" && INERT_KINDS.has(option.kind.is))))
    return { options: [{ written, option: undefined }], doubts: [], usedNext: false };
  if (option?.argument === "required") {
    const value = next === undefined ? undefined : next;
    return {
      options: [{ written, option, ...(value === undefined ? {} : { value, tookWord: true }) }],
      doubts: next !== undefined && isSeveral(next) ? [several(written)] : [],
      usedNext: next !== undefined,
    };
  }
  return { options: [{ written, option }], doubts: [], usedNext: false };
}

/**
 * Exact name, or an unambiguous beginning where the program's parser takes one. Behind a subcommand that parser is the subcommand's: the
 * beginning of an option of the command above is none (`git ls-remote --exec`, which is no `--exec-path`).
 */
function findLong(written: string, grammar: Grammar): Option | undefined {
  const exact =
    grammar.options.get(written) ??
    (grammar.style === "words" ? (grammar.options.get(`-${written}`) ?? grammar.options.get(written.slice(1))) : undefined);
  if (exact !== undefined) return exact;
  if (grammar.style !== "gnu" && grammar.style !== "posix") return undefined;
  if (written.length < 3) return undefined;
  let found: Option | undefined;
  for (const [name, option] of grammar.options.own()) {
    if (!name.startsWith("--") || !name.startsWith(written)) continue;
    if (found !== undefined && found !== option) return undefined;
    found = option;
  }
  return found;
}

function takeCluster(word: Value, next: Value | undefined, grammar: Grammar, isSeveral: IsSeveral): Taken {
  const options: Omit<GivenOption, "at">[] = [];
  const prefix = prefixOf(word);
  const sign = prefix.charAt(0);
  const whole = grammar.options.get(prefix);
  // `-name`, `-exec`: single-dash words that an entry lists as such come before clusters.
  if (whole !== undefined && prefix.length > 2 && textOf(word) !== undefined) {
    if (whole.argument === "required")
      return {
        options: [{ written: prefix, option: whole, ...(next === undefined ? {} : { value: next, tookWord: true }) }],
        doubts: [],
        usedNext: next !== undefined,
      };
    return { options: [{ written: prefix, option: whole }], doubts: [], usedNext: false };
  }
  if (prefix === sign && whole !== undefined) return { options: [{ written: prefix, option: whole }], doubts: [], usedNext: false };
  for (let at = 1; at < prefix.length; at++) {
    const letter = prefix.charAt(at);
    if (grammar.digits && letter >= "0" && letter <= "9") continue;
    const written = sign + letter;
    const option = grammar.options.get(written);
    if (option === undefined) {
      options.push({ written, option: undefined });
      // `-name=value` of an entry without that option: the rest cannot be told apart.
      return { options, doubts: [], usedNext: false };
    }
    // Parsers of Go, Rust and Python take `-o=FILE` for `-o FILE`; getopt(3) keeps the sign.
    const rest = dropPrefix(word, at + (grammar.style === "bsd" && prefix.charAt(at + 1) === "=" ? 2 : 1));
    const hasRest = rest.atoms.length > 0;
    if (option.argument === "required") {
      const value = hasRest ? rest : next;
      options.push({ written, option, ...(value === undefined ? {} : { value, ...(hasRest ? {} : { tookWord: true }) }) });
      return {
        options,
        doubts: hasRest ? severalBehind(rest, written) : value !== undefined && isSeveral(value) ? [several(written)] : [],
        usedNext: !hasRest && next !== undefined,
      };
    }
    if (option.argument === "optional" && option.kind.is === "number") {
      // Only digits belong to it: `-0777ne`, `-lane`.
      const digits = /^\d*/.exec(prefix.slice(at + 1))?.[0].length ?? 0;
      options.push({ written, option });
      at += digits;
      continue;
    }
    if (option.argument === "optional" && hasRest) {
      options.push({ written, option, value: rest });
      return { options, doubts: severalBehind(rest, written), usedNext: false };
    }
    options.push({ written, option });
  }
  const doubts = textOf(word) === undefined ? [`the options after \`${prefix}\` are only known at run time`] : [];
  return { options, doubts, usedNext: false };
}

const several = (written: string): string => `the value of ${written} may become several words`;

/**
 * A text without quotes ends the value at its first blank: what is behind are words of their own. Names that a pattern matches all begin as
 * the pattern does, and whoever started the shell chose its variables.
 */
const severalBehind = (value: Value, written: string): readonly string[] =>
  value.many && value.atoms.some((atom) => isHole(atom) && atom.number !== true && atom.ambient !== true) ? [several(written)] : [];

/** The value without its first `count` characters, which are literal. */
export function dropPrefix(value: Value, count: number): Value {
  const [first, ...rest] = value.atoms;
  if (typeof first !== "string") return value;
  const kept = first.slice(count);
  if (rest.length === 0 && !value.many) return literal(kept);
  return { atoms: kept === "" ? rest : [kept, ...rest], many: value.many };
}

export interface Filled {
  readonly slot: Slot;
  readonly values: readonly Value[];
}

/** Gives each slot its operands: in order, those after a repeated slot from the end. */
export function fillSlots(slots: readonly Slot[], operands: readonly Value[]): readonly Filled[] {
  const argv = slots.findIndex((slot) => slot.kind.is === "argv");
  const repeated = slots.findIndex((slot) => slot.count === "any" || slot.count === "some");
  // NAME=VALUE words come in front of a wrapped command; env(1) and sudo(8) take every word with a `=` for one.
  if (argv >= 0 && repeated >= 0 && repeated < argv && slots[repeated]?.kind.is === "env") {
    const head = fillInOrder(slots.slice(0, repeated), operands);
    const rest = operands.slice(head.used);
    const end = rest.findIndex((value) => !prefixOf(value).includes("="));
    const count = end < 0 ? rest.length : end;
    const slot = slots[repeated];
    const tail = slots[argv];
    return [
      ...head.filled,
      ...(slot === undefined ? [] : [{ slot, values: rest.slice(0, count) }]),
      ...(tail === undefined ? [] : [{ slot: tail, values: rest.slice(count) }]),
    ];
  }
  if (argv >= 0) {
    const head = fillInOrder(slots.slice(0, argv), operands);
    const tail = slots[argv];
    return [...head.filled, ...(tail === undefined ? [] : [{ slot: tail, values: operands.slice(head.used) }])];
  }
  if (repeated < 0) return fillInOrder(slots, operands).filled;
  const tailSlots = slots.slice(repeated + 1);
  const head = fillInOrder(slots.slice(0, repeated), operands, tailSlots.length);
  const rest = operands.slice(head.used);
  const tailCount = Math.min(tailSlots.length, Math.max(0, rest.length - (slots[repeated]?.count === "some" ? 1 : 0)));
  const middle = slots[repeated];
  return [
    ...head.filled,
    ...(middle === undefined ? [] : [{ slot: middle, values: rest.slice(0, rest.length - tailCount) }]),
    ...tailSlots.map((slot, i) => ({ slot, values: rest.slice(rest.length - tailCount + i, rest.length - tailCount + i + 1) })),
  ];
}

function fillInOrder(
  slots: readonly Slot[],
  operands: readonly Value[],
  reserved = 0,
): { readonly filled: readonly Filled[]; readonly used: number } {
  let used = 0;
  const filled = slots.map((slot, i) => {
    const needed = slots.slice(i + 1).filter((later) => later.count === "one").length + reserved;
    const take = used < operands.length && (slot.count !== "optional" || operands.length - used > needed);
    return { slot, values: take ? operands.slice(used, ++used) : [] };
  });
  return { filled, used };
}
