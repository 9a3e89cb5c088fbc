import type { Action } from "../../action/index.ts";
import type { PatternBase, Result } from "../../pattern/index.ts";
import type { Example } from "../match/examples.ts";
import type { OperationName } from "../match/types.ts";

/**
 * The other half of a kind: it reads what people wrote and tells them about it, as policy files are read, in `assent lint`,
 * `assent rules` and `assent export`. No hook loads it while the policy is in the cache.
 */
export interface ReadingKind<M> {
  readonly written: WrittenForms<M>;
  /** What an example of a rule stands for (`match`, `notMatch`); undefined where it is none of this kind. */
  exampleActions(matcher: M, example: Example, lower: (command: string) => readonly Action[]): readonly Action[] | undefined;
  /** What an example is, with one. */
  readonly exampleHelp: string;
  /** The actions on files it describes when its wildcards stand for nothing in particular. */
  fileActions(matcher: M, base: PatternBase): readonly Action[];
  /** Why it never matches, whatever the machine; undefined where it can, or where that cannot be told. */
  whyNever(matcher: M, trial: Trial): string | undefined;
  /** It limits nothing. */
  isEverything(matcher: M): boolean;
  /** What is doubtful about an allow rule that says no place, host or program. */
  doubtWide(matcher: M, base: PatternBase): Doubt | undefined;
  /** The words a command begins with where it leaves open what follows; several for alternatives. */
  prefixes(matcher: M): readonly (readonly string[])[];
  /** The programs it names. */
  programs(matcher: M): readonly string[];
  /** Names and paths of programs that it spells out: under supervision a copy of one is still that program. */
  spelledPrograms(matcher: M): readonly string[];
  /** Rules of different groups never cover each other; those about commands are also held against `ANY_COMMAND`. */
  coverGroup(matcher: M): string;
  /** What of a deny rule other programs can be told, or why nothing. */
  refusals(matcher: M): readonly Refusal[] | { readonly why: string };
}

/** How rules of a kind are written; undefined: not so. */
export interface WrittenForms<M> {
  /** `Name(scope)`, `Name`. */
  readonly scope: ScopeForm<M> | undefined;
  /** A text that is read as a whole; undefined where it is none of these. */
  line(text: string): Result<ParsedText<M>> | undefined;
  /** An object without `rule`. */
  readonly object: ((input: { readonly [key: string]: unknown }) => Result<ObjectRule<M>>) | undefined;
  /** The pattern of an entry in the block of an operation. */
  block(operation: OperationName): BlockForm<M> | undefined;
}

export interface ScopeForm<M> {
  /** Rules of this name are of this kind. */
  isName(name: string): boolean;
  /** The scope may hold a lone parenthesis. */
  readonly freeText: boolean;
  /** `scope` is undefined where there are no parentheses; `text` is the whole rule. */
  parse(name: string, scope: string | undefined, text: string): Result<ParsedText<M>>;
}

export interface BlockForm<M> {
  check(pattern: string): Result<unknown>;
  matcher(pattern: string): M;
}

export interface ParsedText<M> {
  readonly matcher: M;
  /** Nothing is wrong, but the rule may not mean what its writer thinks. */
  readonly warning?: string;
}

export interface ObjectRule<M> {
  readonly matcher: M;
  /** As it would stand in a file. */
  readonly text: string;
  readonly reason?: string;
}

/** Holds a rule against commands on a machine where nothing is special. */
export interface Trial {
  /** A line as a shell reads it: the rule speaks about a command of it, or does not, or it holds none. */
  line(text: string): "speaks" | "silent" | "no command";
  /** The words as one command, with quotes where they need them. */
  words(argv: readonly string[]): boolean;
  /** The words as one command of a program of which nothing is known. */
  command(argv: readonly string[]): boolean;
}

/** What `assent lint` says of an allow rule without limit: of all its kind, or in all places. */
export interface Doubt {
  readonly of: "everything" | "everywhere";
  readonly message: string;
  readonly help: string;
}

/** A refusal of ours in words that hosts have. None of them means more than the rule it comes from. */
export type Refusal =
  /** Every command. */
  | { readonly is: "shell" }
  /** A command that begins with these words; `exact`: that has no others. */
  | { readonly is: "words"; readonly words: readonly string[]; readonly exact: boolean }
  /** A pattern over the text of one command, in which only `*` is a wildcard. */
  | { readonly is: "text"; readonly glob: string }
  | {
      readonly is: "path";
      readonly access: "read" | "edit";
      readonly anchor: "root" | "home" | "project" | "anywhere";
      readonly pattern: string;
    }
  | { readonly is: "fetch"; readonly host: string; readonly below: boolean; readonly itself: boolean }
  | { readonly is: "mcp"; readonly server: string; readonly tool: string };

/** The group of rules that may be about any command. */
export const ANY_COMMAND = "command *";

/** More patterns than these are not written for one rule. */
const MOST_PATTERNS = 16;

/** Each list with each of the endings; undefined where that is too many. */
export function combineWords(
  lists: readonly (readonly string[])[],
  endings: readonly (readonly string[])[],
): readonly (readonly string[])[] | undefined {
  const all = lists.flatMap((list) => endings.map((ending) => [...list, ...ending]));
  return all.length > MOST_PATTERNS ? undefined : all;
}

/** A word in which a star is a star. */
export const plainWord = (word: string): string => word.replaceAll("*", "\\*");

/** An option right behind the words, or anywhere further on, as a word of its own. */
export function withOption(words: readonly string[], option: string): readonly Refusal[] {
  const start = words.map(plainWord).join(" ");
  return [
    { is: "words", words: [...words, option], exact: false },
    { is: "text", glob: `${start} * ${plainWord(option)}` },
    { is: "text", glob: `${start} * ${plainWord(option)} *` },
  ];
}

export const isLiteralWord = (word: string): boolean => !/[*?[\]\\]/.test(word);

/** The programs that sample commands begin with. */
export function programsIn(samples: readonly (readonly string[])[]): readonly string[] {
  return [...new Set(samples.flatMap(([program]) => program ?? []))].filter(isLiteralWord);
}

export function everythingDoubt(): Doubt {
  return {
    of: "everything",
    message: "allows everything that no rule or protection speaks against",
    help: 'name the programs: "Bash(npm test:*)"; "preset": "permissive" allows what no protection speaks against',
  };
}

/** `Bash(* --version:*)`, `Shell(!rm)`: something is said, but not of which program. */
export function anyProgramDoubt(): Doubt {
  return { ...everythingDoubt(), message: "names no program: allows this for every program, those that run other programs included" };
}

/** For the kinds about commands. */
export const COMMAND_EXAMPLE = 'an example of this rule is a command: "git push origin"';
export const commandExample = (
  _: unknown,
  example: Example,
  lower: (command: string) => readonly Action[],
): readonly Action[] | undefined => (typeof example === "string" ? lower(example) : undefined);
