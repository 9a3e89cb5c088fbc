import type { DangerId } from "../../action/index.ts";

export const STYLES = ["gnu", "posix", "bsd", "words", "none"] as const;
export const OUTPUTS = ["paths", "input", "operands", "number", "numbers", "pieces", "nothing"] as const;

/**
 * The form in which Assent knows a command: a block of `packages/core/knowledge/*.table`, with what it shares written out. packages/core/knowledge/README.md
 * explains the fields and the little notations in them, which `read-spec.ts` reads. Whatever an entry does not list is unknown,
 * never safe.
 */
export interface CommandSpec {
  /** Basenames, separated by spaces: `"grep egrep fgrep"`. */
  readonly names: string;
  /** One line for `explain` and the docs. */
  readonly summary?: string;
  /** How arguments are told apart. */
  readonly style?: (typeof STYLES)[number];
  /** A row for each option: `NAMES[=KIND | [=KIND]] [-> CONSEQUENCE, …]`. */
  readonly options?: string;
  /** Slots in order: `[NAME:]KIND[?|*|+][=DEFAULT]`. Absent: no operand is understood. `""`: none is allowed. */
  readonly operands?: string;
  /**
   * No option of any implementation does more than read and print, listed or not: text that may turn out to be an option can do no
   * harm. What is read may be another thing then: names of a folder are looked at all the same.
   */
  readonly closed?: true;
  /**
   * The danger class of whatever the entry does not list: an option, an operand, a subcommand. For programs that change the
   * machine: what nobody understands of them is no less than what is understood.
   */
  readonly otherwise?: DangerId;
  /** The danger of a subcommand that the entry does not list, also in its groups: another version, a plugin, an alias. */
  readonly stranger?: DangerId;
  /**
   * Without operands it only looks, whatever its options: what stands behind them is theirs in every program of the name.
   * Else a program that changes things and has no operand left, with a word taken by an option, is not understood.
   * (A slot that must be filled, `KIND` or `KIND+`, and is not, makes the command unknown in any case.)
   */
  readonly idle?: true;
  /** What always happens, separated by commas. */
  readonly effects?: string;
  /** By keys of one or more words, alternatives separated by `|`: `"log|shortlog"`. An unlisted subcommand has no opinion. */
  readonly subcommands?: Readonly<Record<string, SubcommandSpec>>;
  /** The subcommands are kinds of objects: `KIND,KIND` and a lone `KIND/NAME` name them, too (kubectl get). */
  readonly kinds?: true;
  /** A subcommand may be written as any beginning that no other has (npm). */
  readonly abbreviates?: true;
  /** An option row of words that only print help where one of them is the only word behind a subcommand. `""` ends what is inherited. */
  readonly helps?: string;
  /** What the programs of BSD and macOS that have these names do instead: another reading of the same words. */
  readonly bsd?: BsdSpec;
  /** Code for what a table cannot say: the name of an analyser in `shell/programs/analyse/`. It runs after the table. */
  readonly analyse?: string;
  /** An analyser that runs first, even when only help or a version is asked for: what the name itself may start. */
  readonly before?: string;
  /** What it prints, for the next command in a pipe or a substitution. Absent: unknown text. */
  readonly output?: (typeof OUTPUTS)[number];
  /**
   * Options with which it only says what it would do: `NAMES [unless NAMES]`, a name as `-n` or `--dry-run=client`. What it would change
   * or send is then looked at; code that it runs (scripts, hooks) runs all the same.
   */
  readonly dry?: string;
  /**
   * Words behind which a command stands that runs in another place (a container, another machine), `*`: behind its own name. Rules that
   * deny or ask speak about that command.
   */
  readonly elsewhere?: string;
  /** Words in front of a subcommand that mean the same one, of another version: `beta`. */
  readonly tracks?: string;
  /** Of a builtin: the options that every `sh` takes as bash does, as letters: `-LP`, `none`, `any`. Absent: some `sh` has no such builtin. */
  readonly portable?: string;
  /** Of a builtin that bash does not have: the shells that do. No program has the name. */
  readonly only?: string;
  /** Packages, modules and images of another name that start it: `PACKAGE`, or `PACKAGE=NAME` where the entry has several names. */
  readonly package?: string;
  /** Words behind its name, whoever starts it, and the danger that they mean: rows `WORD… -> DANGER`. */
  readonly dangers?: string;
  /**
   * Files of the project that make it do more than its arguments say, rows
   * `[always] [here|below] NAME… [if /WORDS/ | unless /LINES/] [beside NAME…] [without OPTION…]`. Subcommands inherit them.
   */
  readonly obeys?: string;
  /** What the files are called that its walks through folders open: `"*.py *.pyi"`. */
  readonly walks?: string;
  /**
   * How the patterns by which its walks keep and leave out names are read (`shell/programs/walk-filter.ts`): `STYLE [unless NAMES]`, options with
   * which nothing is certain.
   */
  readonly filters?: string;
  /**
   * What it needs that it cannot have in a supervised run: `NEED` or, for some of its names, `NEED: NAME NAME`, and
   * `unless WORD` or `if WORD`; `works` ends what is inherited.
   */
  readonly confined?: string;
  /** Environment variables, one row each: `NAMES=WHAT`. Subcommands add to the rows of their parent. */
  readonly reads?: string;
  /** What it does for itself without being asked: `OP PATH` each. */
  readonly upkeep?: readonly string[];
  /** Command lines with the verdict they must get from the default preset in the test project. They are tests. */
  readonly examples?: Examples;
}

/** Whatever the block of BSD does not say itself is as in the entry, but for options and style (`posix`). */
export interface BsdSpec {
  /** Of the names of the entry, separated by spaces. */
  readonly names: string;
  readonly spec: SubcommandSpec;
}

/** A subcommand inherits the style and options of its parent unless it gives its own style; its options add to them. */
export type SubcommandSpec = Omit<CommandSpec, "names">;

export interface Examples {
  readonly allow?: readonly string[];
  /** No opinion: a host decides. */
  readonly none?: readonly string[];
  /** Asked because of a danger class or because it is not analysable, or asked by default. */
  readonly ask?: readonly string[];
  readonly deny?: readonly string[];
}
