import type { Argument, ExecAction } from "../../action/index.ts";
import { baseName, foldCase, resolvePath } from "../../path/index.ts";
import {
  type Answer,
  both,
  covers,
  either,
  type Element,
  escapeWord,
  matchSequence,
  matchesText,
  overlaps,
  shellGlob,
  wordGlob,
} from "../../pattern/index.ts";
import type { MatchContext, Side } from "./match-context.ts";

/** What a rule says of an option. */
export interface FlagPattern {
  readonly need: "required" | "forbidden" | "permitted";
  /** Spellings, any of which answers: `{--force,-f}`. */
  readonly names: readonly string[];
  /** Glob over the value: `--flag=glob`. */
  readonly value?: string;
}

/** One option of a command, in every spelling known for it. */
export interface WordOption {
  readonly names: readonly string[];
  readonly value?: Argument;
  /** The word that followed, when nobody knows whether it is this option's value. */
  readonly next?: Argument;
  /** The whole word it was written in: `-rf` for `-r`. */
  readonly cluster?: string;
}

/** A command line with options and operands told apart: by knowledge where there is some, else by their looks. */
export interface ExecWords {
  readonly options: readonly WordOption[];
  /** What else looks like an option, where knowledge could not place every word. */
  readonly also: readonly WordOption[];
  readonly operands: readonly Argument[];
  /** Operands that may be the value of the option before them. */
  readonly doubtful: ReadonlyMap<Argument, string>;
  /** Options among the operands that nobody could place. */
  readonly stray: ReadonlySet<Argument>;
  /** Where a missing option is certainly missing, spellings included. */
  readonly complete: boolean;
  /** Told apart by looks only. */
  readonly guessed: boolean;
  /** An argument only known at run time could be an option. */
  readonly hidden: boolean;
}

/** Of the decision at hand, and now and then of those before it. */
const remembered = new Map<ExecAction, ExecWords>();
const MOST_REMEMBERED = 500;

export function wordsOf(action: ExecAction): ExecWords {
  let words = remembered.get(action);
  if (words === undefined) {
    words = read(action);
    if (remembered.size >= MOST_REMEMBERED) remembered.clear();
    remembered.set(action, words);
  }
  return words;
}

function read(action: ExecAction): ExecWords {
  const { shape, argv } = action;
  // An incomplete shape without knowledge behind it is a guess, and ours keeps values and clusters.
  if (shape === undefined || (!shape.complete && (action.knowledge === undefined || action.builtin === true))) return guess(argv);
  const unknownOperand = shape.operands.some((operand) => !operand.known);
  const spilling = shape.options.some(({ value }) => value !== undefined && !value.known && value.many);
  const hidden = spilling || (unknownOperand && argumentsBeforeEnd(argv).some(couldBeOption));
  const { operands, complete } = shape;
  const options = [...shape.options, ...optionLike(operands, argv)];
  if (complete) {
    const known = new Set(options.map(({ names: [name] }) => name));
    const strays = operands.flatMap((operand, at) =>
      operand.known && known.has(operand.text) ? [[operand, operands[at + 1]] as const] : [],
    );
    const doubtful = new Map(strays.flatMap(([{ text }, next]) => (next === undefined ? [] : [[next, text] as const])));
    return { options, also: [], operands, doubtful, stray: new Set(strays.map(([one]) => one)), complete, guessed: false, hidden };
  }
  const { options: also, doubtful, stray, hidden: mayHide } = guess(argv);
  return { options, also, operands, doubtful, stray, complete, guessed: false, hidden: hidden || mayHide };
}

/** As `matchSequence`, for rules that widen: what may be the value of an option that nobody knows may match, as a value and as a word. */
export function matchWords(elements: readonly Element[], open: boolean, { operands, doubtful, stray }: ExecWords): Answer {
  const plain = matchSequence(elements, open, operands, stray);
  if (plain === "yes" || doubtful.size === 0) return plain;
  return either(plain, both("maybe", matchSequence(elements, open, operands, new Set([...stray, ...doubtful.keys()]))));
}

const MOST_SPELLINGS = 32;

/** The command with options taken out of its beginning, up to each of its operands: `git -C x push --force` as `git push --force`. */
export function withoutOptions(action: ExecAction): readonly (readonly Argument[])[] {
  const { argv } = action;
  const { operands, doubtful, stray } = wordsOf(action);
  const spellings: Argument[][] = [];
  let starts: Argument[][] = [argv.slice(0, 1)];
  for (const operand of operands.slice(0, MOST_SPELLINGS)) {
    const given = starts.map((start) => [...start, operand]);
    starts = doubtful.has(operand) || stray.has(operand) ? [...starts, ...given].slice(0, MOST_SPELLINGS) : given;
    const at = argv.indexOf(operand);
    if (at > 0) spellings.push(...starts.map((start) => [...start, ...argv.slice(at + 1)]));
  }
  return spellings;
}

/** `find . -delete`: what knowledge reads as part of an expression is an option to the writer of a rule. */
function optionLike(operands: readonly Argument[], argv: readonly Argument[]): readonly WordOption[] {
  const found: WordOption[] = [];
  for (const [i, operand] of operands.entries()) {
    if (!operand.known || operand.text.length < 2 || !operand.text.startsWith("-")) continue;
    const written = argumentsBeforeEnd(argv).some((argument) => argument.known && argument.text === operand.text);
    if (written) found.push({ names: [operand.text], ...nextOf(operands[i + 1]) });
  }
  return found;
}

function argumentsBeforeEnd(argv: readonly Argument[]): readonly Argument[] {
  const end = argv.findIndex((argument) => argument.known && argument.text === "--");
  return argv.slice(1, end === -1 ? undefined : end);
}

/** A glob is taken to yield file names: that one of them starts with a dash is for knowledge to find out. */
export function couldBeOption(argument: Argument): boolean {
  return !argument.known && argument.glob === undefined && (argument.prefix === "" || argument.prefix.startsWith("-"));
}

/** Options and operands told apart by their looks. */
export function guess(argv: readonly Argument[]): ExecWords {
  const options: WordOption[] = [];
  const operands: Argument[] = [];
  const doubtful = new Map<Argument, string>();
  const before = argumentsBeforeEnd(argv);
  const stray = new Set(argv.slice(before.length + 1, before.length + 2));
  for (const [i, argument] of before.entries()) {
    if (!argument.known || !argument.text.startsWith("-") || argument.text.length < 2) {
      const previous = before[i - 1];
      if (previous?.known === true && /^-[^=]+$/.test(previous.text)) doubtful.set(argument, previous.text);
      operands.push(argument);
      continue;
    }
    stray.add(argument);
    options.push(...readOption(argument.text, before[i + 1]));
  }
  operands.push(...argv.slice(before.length + 2));
  return { options, also: [], operands, doubtful, stray, complete: false, guessed: true, hidden: before.some(couldBeOption) };
}

function readOption(text: string, following: Argument | undefined): readonly WordOption[] {
  const equals = text.indexOf("=");
  if (text.startsWith("--")) {
    if (equals !== -1) return [{ names: [text.slice(0, equals)], value: { known: true, text: text.slice(equals + 1) } }];
    return [{ names: [text], ...nextOf(following) }];
  }
  if (text.length === 2) return [{ names: [text], ...nextOf(following) }];
  const letters = Array.from(text.slice(1)).filter((letter) => /[A-Za-z0-9]/.test(letter));
  const joined: WordOption = { names: [text.slice(0, 2)], cluster: text, value: { known: true, text: text.slice(2) } };
  return [joined, ...[...new Set(letters.slice(1))].map((letter) => ({ names: [`-${letter}`], cluster: text }))];
}

function nextOf(following: Argument | undefined): { readonly next?: Argument } {
  return following === undefined || (following.known && following.text.startsWith("-")) ? {} : { next: following };
}

/** Letters of `-rf`; undefined for `-r`, `--force` and anything else that is one option. */
export function clusterLetters(name: string): readonly string[] | undefined {
  if (name.length < 3 || !name.startsWith("-") || name.startsWith("--")) return undefined;
  return Array.from(name.slice(1), (letter) => `-${letter}`);
}

/** Whether a command has an option, under any of its names. */
export function hasFlag(flag: FlagPattern, words: ExecWords): Answer {
  let found = findFlag(flag, words.options);
  if (found === "no" && words.also.length > 0) found = both("maybe", findFlag(flag, words.also));
  if (found === "no" && !words.complete && [...words.options, ...words.also].some((option) => mayAbbreviate(option, flag))) found = "maybe";
  return found === "no" && words.hidden ? "maybe" : found;
}

function findFlag(flag: FlagPattern, options: readonly WordOption[]): Answer {
  let found: Answer = "no";
  for (const name of flag.names) {
    const whole = options.filter((option) => option.names.includes(name) || option.cluster === name);
    for (const option of whole) found = either(found, flag.value === undefined ? "yes" : valueMatches(flag.value, option));
    if (whole.length > 0) continue;
    const letters = clusterLetters(name);
    if (letters === undefined || !letters.every((letter) => options.some((option) => option.names.includes(letter)))) continue;
    found = either(found, flag.value === undefined ? "yes" : "maybe");
  }
  return found;
}

function mayAbbreviate(option: WordOption, flag: FlagPattern): boolean {
  return option.names.some((used) => flag.names.some((name) => name.startsWith("--") && abbreviates(used, name)));
}

function abbreviates(used: string, name: string): boolean {
  return used.length > 2 && used.startsWith("--") && used !== name && name.startsWith(used);
}

function valueMatches(pattern: string, option: WordOption): Answer {
  const value = option.value ?? option.next;
  return value === undefined ? "no" : wordMatches(pattern, value);
}

/** Whether an argument matches one word pattern. */
export function wordMatches(pattern: string, argument: Argument): Answer {
  if (argument.known) return matchesText(pattern, argument.text) ? "yes" : "no";
  if (argument.many && argument.glob === undefined) return "maybe";
  const compiled = wordGlob(pattern);
  if (argument.glob !== undefined) {
    const glob = shellGlob(argument.glob);
    // A rule may spell the very pattern (`Bash(ls *.txt)`).
    if (pattern === argument.glob || covers(compiled, glob)) return "yes";
    return overlaps(compiled, glob) ? "maybe" : "no";
  }
  const open = shellGlob(`${escapeWord(argument.prefix)}*`);
  if (covers(compiled, open)) return "yes";
  return overlaps(compiled, open) ? "maybe" : "no";
}

/** The texts an argument may be meant by: as it is, and its path without detours. */
export function spellingsOf(text: string): readonly string[] {
  if (!text.includes("/")) return [text];
  const tidy = text.startsWith("/") ? resolvePath("/", text) : resolvePath("/", text).slice(1);
  return tidy === text || tidy === "" ? [text] : [text, tidy];
}

/** bash(1), "Shell Builtin Commands": one builtin, two names. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  [".", "source"],
  ["source", "."],
  ["declare", "typeset"],
  ["typeset", "declare"],
  ["mapfile", "readarray"],
  ["readarray", "mapfile"],
]);
export const otherName = (name: string): string | undefined => OTHER_NAMES.get(name);

/**
 * Whether a command is the program a rule names literally.
 * `narrow`: a bare name only where the program is trusted, a name with a slash only as spelled.
 * `wide`: any path, any case.
 */
export function isProgram(name: string, action: ExecAction, side: Side, context: MatchContext): Answer {
  const [word] = action.argv;
  if (word !== undefined && !word.known) return "maybe";
  const text = word?.text ?? action.program;
  if (action.builtin === true && otherName(text) === name) return "yes";
  return side === "narrow" ? isNamed(name, text, action, context) : mayBe(name, text, action, context);
}

function isNamed(name: string, text: string, action: ExecAction, { world }: MatchContext): Answer {
  if (!name.includes("/")) return (action.trusted || action.ownTool === true) && baseName(text) === name ? "yes" : "no";
  const path = resolvePath(world.cwd, name.startsWith("~/") ? world.home + name.slice(1) : name);
  if (text === name || text === path) {
    // The same spelling after `cd` elsewhere is another program.
    const same = action.resolved === undefined || action.resolved === path || action.resolved === world.canonical(path);
    return same ? "yes" : "no";
  }
  return action.trusted && action.resolved === name ? "yes" : "no";
}

function mayBe(name: string, text: string, action: ExecAction, { world }: MatchContext): Answer {
  const base = foldCase(baseName(name));
  const sameBase = [text, action.program, action.resolved].some((used) => used !== undefined && foldCase(baseName(used)) === base);
  if (!sameBase) return "no";
  if (!name.includes("/") || text === name) return "yes";
  const paths = [resolvePath(world.cwd, name), resolvePath(world.projectRoot, name)].map(foldCase);
  const used = action.resolved ?? (text.includes("/") ? resolvePath(world.cwd, text) : undefined);
  if (used === undefined) return "maybe";
  return paths.includes(foldCase(used)) || paths.some((path) => foldCase(world.canonical(path)) === foldCase(used)) ? "yes" : "no";
}

/** No option, no path and no pattern: a word of a rule that means what it spells. */
export function isPlainWord(text: string): boolean {
  return /^[\w@][\w.:@+-]*$/.test(text);
}
