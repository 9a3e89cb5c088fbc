import type { Action, CallName, FileOperation } from "../../action/index.ts";
import type { Answer, PatternBase } from "../../pattern/index.ts";
import type { MatchContext, Side } from "../match/match-context.ts";
import type { Matcher } from "./index.ts";

/**
 * What a rule of one kind holds is plain data (`{ kind: "path", … }`), because compiled policies are kept as JSON; what can
 * be done with it stands in the module of its kind. This half of a kind is what judging needs, and all that a hook loads.
 */
export interface JudgingKind<M> {
  /** Its rules are about commands. */
  readonly ofCommands: boolean;
  /** Whether the rule matches. Allow rules are `narrow` and want certainty, deny and ask rules are `wide`. */
  match(matcher: M, action: Action, side: Side, context: MatchContext): Answer;
  readonly keys: RuleKeys<M>;
  /** The paths the rule is about, where that is all it says: whether a folder holds one of them can be looked up. */
  pathScope(matcher: M): PathScope | undefined;
  /** It means every command there is. */
  isEveryCommand(matcher: M, side: Side): boolean;
  /** Whether it speaks about everything that another rule speaks about. True only where that is proved. */
  covers(outer: M, inner: Matcher, sides: Sides, base: PatternBase): boolean;
  readonly names: RuleNaming<M>;
  /**
   * The commands it describes when nothing is put into its open places but neutral names (`FRESH`), as argv lists.
   * Empty where it names no program.
   */
  samples(matcher: M): readonly (readonly string[])[];
}

/**
 * What an action must have for a rule to speak about it: by this an index finds the rule.
 * INVARIANT: what has none of it, the rule does not match.
 */
export interface RuleKeys<M> {
  /**
   * The programs, one of which a command must be; `any` program; a program whose `file` is at a path of its path scope;
   * undefined: it never speaks about commands.
   */
  programs(matcher: M): readonly string[] | "any" | "file" | undefined;
  /** The words, one of which must stand among a command's, whole or as an option's value; undefined where none must. */
  words(matcher: M): readonly string[] | undefined;
  /** The operations on files; `any`; undefined: it never speaks about files. Where it has a path scope, the paths are those. */
  files(matcher: M): readonly FileOperation[] | "any" | undefined;
  /** The host of a connection, `*.host` for those below it, `*` for any; undefined: it never speaks about connections. */
  host(matcher: M): string | undefined;
  /** A glob over the name of a tool; undefined: it never speaks about tools that nobody described. */
  tool(matcher: M): string | undefined;
  /** It may speak about actions that are none of these. */
  others(matcher: M): boolean;
  /** The system call; it may then speak about every action that such a call makes. */
  call(matcher: M): CallName | undefined;
}

export interface PathScope {
  readonly operations: readonly FileOperation[];
  /** Undefined: every path. */
  readonly pattern?: string;
}

export interface Sides {
  readonly outer: Side;
  readonly inner: Side;
}

/** What the literal part of a rule says: a written allow opens what is protected only where it names it. */
export interface RuleNaming<M> {
  /** It means something in particular. */
  literal(matcher: M): boolean;
  /** Nothing is left open: it is one command line. */
  isWholeCommand(matcher: M): boolean;
  /** The path patterns it is made of. */
  paths(matcher: M): readonly (string | undefined)[];
  /** The one host, with those below it, that it is about. */
  host(matcher: M): { readonly host: string; readonly subdomains: boolean } | undefined;
}

/** What stands where a rule leaves a word open: a name nobody knows. */
export const FRESH = "zqx1";
export const MOST_SAMPLES = 64;

/** Parts that a kind does not have. */
export const never = (): false => false;
export const nothing = (): undefined => undefined;
export const none = (): readonly never[] => [];

/** The keys of a kind that is about commands alone. */
export function commandKeys<M>(programs: RuleKeys<M>["programs"], words: RuleKeys<M>["words"] = nothing): RuleKeys<M> {
  return { programs, words, files: nothing, host: nothing, tool: nothing, others: never, call: nothing };
}
