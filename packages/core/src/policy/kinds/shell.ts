import type { Action, Argument, ExecAction } from "../../action/index.ts";
import { baseName, foldCase } from "../../path/index.ts";
import {
  type Answer,
  both,
  covers,
  either,
  type Element,
  GAP,
  genericWord,
  matchesText,
  matchSequence,
  ok,
  shellGlob,
  wordGlob,
} from "../../pattern/index.ts";
import {
  type FlagPattern,
  clusterLetters,
  hasFlag,
  isPlainWord,
  isProgram,
  matchWords,
  spellingsOf,
  wordMatches,
  wordsOf,
  type ExecWords,
} from "../match/exec-words.ts";
import type { MatchContext, Side } from "../match/match-context.ts";
import type { BashMatcher } from "./bash.ts";
import type { Matcher } from "./index.ts";
import { commandKeys, FRESH, type JudgingKind, MOST_SAMPLES, never, none, nothing } from "./kind.ts";
import {
  ANY_COMMAND,
  anyProgramDoubt,
  combineWords,
  COMMAND_EXAMPLE,
  commandExample,
  everythingDoubt,
  isLiteralWord,
  programsIn,
  type ReadingKind,
  type Refusal,
  type Trial,
  withOption,
} from "./reading.ts";
import { parseShell } from "./shell-text.ts";

/** A word pattern: alternatives (`{a,b}`), perhaps negated (`!{a,b}`); each a glob (`*`, `?`, `[...]`). */
export interface WordPattern {
  readonly negated: boolean;
  readonly alternatives: readonly string[];
}

export interface ShellMatcher {
  readonly kind: "shell";
  readonly program: WordPattern;
  readonly operands: readonly WordPattern[];
  /** `gaps[i]`: `...` stands before operand i. */
  readonly gaps: readonly boolean[];
  /** `!...` */
  readonly closed: boolean;
  readonly flags: readonly FlagPattern[];
  /** `!-*` */
  readonly closedFlags: boolean;
}

/** `Shell(git push --force ...)`. */
export const shell: JudgingKind<ShellMatcher> = {
  ofCommands: true,
  match: matchShell,
  keys: commandKeys(
    ({ program: { negated, alternatives } }) => (negated || alternatives.some((word) => /[*?[\]\\]/.test(word)) ? "any" : alternatives),
    ({ operands }) => operands.find(({ negated, alternatives }) => !negated && alternatives.every(isPlainWord))?.alternatives,
  ),
  pathScope: nothing,
  isEveryCommand: (matcher, side) => side === "wide" && isAnyCommand(matcher),
  covers: (outer, inner, sides) =>
    (sides.outer === "wide" || outer.program.alternatives.every((word) => !/[*?[]/.test(word))) && shellCovers(outer, inner),
  names: {
    literal: ({ program }) => !program.negated && program.alternatives.some((word) => /[^*?]/.test(word)),
    isWholeCommand: never,
    paths: none,
    host: nothing,
  },
  samples: shellSamples,
};

export const shellReading: ReadingKind<ShellMatcher> = {
  written: {
    scope: {
      isName: (name) => name === "Shell",
      freeText: true,
      parse: (_, scope = "") => {
        const matcher = parseShell(scope);
        return matcher.ok ? ok({ matcher: matcher.value }) : matcher;
      },
    },
    line: nothing,
    object: undefined,
    block: nothing,
  },
  exampleActions: commandExample,
  exampleHelp: COMMAND_EXAMPLE,
  fileActions: none,
  whyNever,
  isEverything: isAnyCommand,
  doubtWide: (matcher) => (isAnyCommand(matcher) ? everythingDoubt() : isOfAnyProgram(matcher) ? anyProgramDoubt() : undefined),
  prefixes,
  programs: (matcher) => programsIn(shellSamples(matcher)),
  spelledPrograms: ({ program: { negated, alternatives } }) => (negated ? [] : alternatives.filter((word) => !/[*?[\]{}\\]/.test(word))),
  coverGroup: ({ program: { negated, alternatives } }) => {
    const [only, ...more] = alternatives;
    return only !== undefined && more.length === 0 && !negated && !/[*?[]/.test(only) ? `command ${only}` : ANY_COMMAND;
  },
  refusals,
};

/** `Shell(...)`: operands in order, flags anywhere, in any spelling knowledge has for them. */
function matchShell(matcher: ShellMatcher, action: Action, side: Side, context: MatchContext): Answer {
  if (action.kind !== "exec") return "no";
  let answer = matchProgram(matcher.program, action, side, context);
  if (answer === "no") return "no";
  const words = wordsOf(action);
  for (const flag of matcher.flags) {
    answer = both(answer, matchFlag(flag, words));
    if (answer === "no") return "no";
  }
  if (matcher.closedFlags) answer = both(answer, onlyThese(matcher.flags, words));
  if (answer === "no") return "no";
  answer = both(answer, matchOperands(matcher, words, side, context));
  // Without knowledge of the program, the word after an option may be its value and the subcommand another one.
  return side === "narrow" && isDoubtful(matcher, words) ? both(answer, "maybe") : answer;
}

function matchProgram(pattern: WordPattern, action: ExecAction, side: Side, context: MatchContext): Answer {
  let answer: Answer = "no";
  for (const alternative of pattern.alternatives) answer = either(answer, isOneProgram(alternative, action, side, context));
  if (!pattern.negated) return answer;
  if (answer === "maybe") return "maybe";
  return answer === "yes" || (side === "narrow" && !action.trusted) ? "no" : "yes";
}

function isOneProgram(pattern: string, action: ExecAction, side: Side, context: MatchContext): Answer {
  const { literal } = wordGlob(pattern);
  if (literal !== undefined) return isProgram(literal, action, side, context);
  if (pattern === "*") return side === "wide" || action.trusted ? "yes" : "no";
  const [word] = action.argv;
  if (word !== undefined && !word.known) return "maybe";
  const text = word?.text ?? action.program;
  if (side === "narrow") return action.trusted && matchesText(pattern, pattern.includes("/") ? text : baseName(text)) ? "yes" : "no";
  const folded = foldCase(pattern);
  return [text, baseName(text), action.program, action.resolved ?? ""].some((used) => matchesText(folded, foldCase(used))) ? "yes" : "no";
}

function matchFlag(flag: FlagPattern, words: ExecWords): Answer {
  switch (flag.need) {
    case "required":
      return hasFlag(flag, words);
    case "permitted":
      return "yes";
    case "forbidden": {
      const present = presence(flag, words);
      if (present !== "no") return present === "yes" ? "no" : "maybe";
      // An option nobody knows could be another spelling.
      return words.complete || words.guessed ? "yes" : "maybe";
    }
  }
}

/** A forbidden cluster forbids each of its letters. */
function presence(flag: FlagPattern, words: ExecWords): Answer {
  let answer = hasFlag(flag, words);
  for (const name of flag.names)
    for (const letter of clusterLetters(name) ?? []) {
      const { value: _, ...plain } = flag;
      answer = either(answer, hasFlag({ ...plain, names: [letter] }, words));
    }
  return answer;
}

/** `!-*`: no option but the listed ones. */
function onlyThese(flags: readonly FlagPattern[], words: ExecWords): Answer {
  const listed = flags.filter((flag) => flag.need !== "forbidden");
  for (const option of words.options) {
    const fits = listed.some((flag) => {
      if (hasFlag(flag, { ...words, options: [option], also: [], hidden: false }) === "yes") return true;
      return flag.names.some((name) => clusterLetters(name)?.some((letter) => option.names.includes(letter)));
    });
    if (!fits) return "no";
  }
  return words.hidden ? "maybe" : "yes";
}

function matchOperands(matcher: ShellMatcher, words: ExecWords, side: Side, context: MatchContext): Answer {
  const elements = elementsOf(matcher, side, context);
  if (words.doubtful.size + words.stray.size === 0) return matchSequence(elements, !matcher.closed, words.operands);
  const without = (isValue: (option: string) => boolean): Answer => {
    const operands = words.operands.filter((operand) => {
      const option = words.doubtful.get(operand);
      return option === undefined || !isValue(option);
    });
    return matchSequence(elements, !matcher.closed, operands);
  };
  // Its writer says which options of an unknown program take a value: `--network=none` is `--network none`, too.
  const said = without((option) => matcher.flags.some((flag) => flag.value !== undefined && flag.names.includes(option)));
  if (side === "narrow") return said;
  return either(said, matchWords(elements, !matcher.closed, words));
}

function elementsOf(matcher: ShellMatcher, side: Side, context: MatchContext): readonly Element[] {
  const elements: Element[] = [];
  for (const [i, pattern] of matcher.operands.entries()) {
    if (matcher.gaps[i] === true) elements.push(GAP);
    elements.push({ gap: false, test: (argument) => matchesPattern(pattern, argument, side, context) });
  }
  if (matcher.gaps[matcher.operands.length] === true) elements.push(GAP);
  return elements;
}

function matchesPattern(pattern: WordPattern, argument: Argument, side: Side, context: MatchContext): Answer {
  let answer: Answer = "no";
  for (const alternative of pattern.alternatives) answer = either(answer, matchesOne(alternative, argument, side, context));
  if (!pattern.negated) return answer;
  if (answer === "maybe") return "maybe";
  if (!argument.known && argument.many && argument.glob === undefined) return "maybe";
  return answer === "yes" ? "no" : "yes";
}

function matchesOne(pattern: string, argument: Argument, side: Side, { world }: MatchContext): Answer {
  const texts = pattern === "~" || pattern.startsWith("~/") ? [pattern, world.home + pattern.slice(1)] : [pattern];
  const given: readonly Argument[] =
    argument.known && side === "wide" ? spellingsOf(argument.text).map((text) => ({ known: true, text })) : [argument];
  let answer: Answer = "no";
  for (const text of texts) for (const spelling of given) answer = either(answer, wordMatches(text, spelling));
  return answer;
}

function isDoubtful(matcher: ShellMatcher, words: ExecWords): boolean {
  if (words.doubtful.size === 0 || (matcher.operands.length === 0 && !matcher.closed)) return false;
  return [...words.doubtful.values()].some(
    (option) => !matcher.flags.some((flag) => flag.need !== "forbidden" && flag.names.includes(option)),
  );
}

function shellCovers(outer: ShellMatcher, inner: Matcher): boolean {
  if (outer.closed || outer.closedFlags) return false;
  if (inner.kind === "bash") return shellCoversBash(outer, inner);
  if (inner.kind !== "shell" || !wordCovers(outer.program, inner.program)) return false;
  const operands = outer.operands.every((word, at) => {
    const other = inner.operands[at];
    return (
      other !== undefined && (outer.gaps[at] === true || inner.gaps[at] !== true) && outer.gaps[at] !== true && wordCovers(word, other)
    );
  });
  return (
    operands &&
    outer.flags.every(
      (flag) =>
        flag.need === "permitted" ||
        inner.flags.some(
          (other) =>
            other.need === flag.need &&
            (flag.value === undefined ? flag.need === "required" || other.value === undefined : other.value === flag.value) &&
            (flag.need === "required"
              ? other.names.every((name) => flag.names.includes(name))
              : flag.names.every((name) => other.names.includes(name))),
        ),
    )
  );
}

function isAnyCommand({ program, operands, flags, closed, closedFlags }: ShellMatcher): boolean {
  const any = !program.negated && program.alternatives.includes("*");
  return any && operands.length === 0 && flags.length === 0 && !closed && !closedFlags;
}

function wordCovers(outer: WordPattern, inner: WordPattern): boolean {
  if (outer.negated || inner.negated)
    return outer.negated === inner.negated && outer.alternatives.every((one) => inner.alternatives.includes(one));
  return inner.alternatives.every((one) => outer.alternatives.some((other) => covers(wordGlob(other), wordGlob(one))));
}

/** The plain words a `Bash(...)` rule begins with are operands in that order; what follows is open in `Shell(...)` anyway. */
function shellCoversBash(outer: ShellMatcher, inner: BashMatcher): boolean {
  if (outer.flags.some(({ need }) => need !== "permitted")) return false;
  const words: string[] = [];
  for (const token of inner.tokens) {
    if (token.is !== "text" || token.text.startsWith("-")) break;
    words.push(token.text);
  }
  const patterns = [outer.program, ...outer.operands];
  return (
    outer.gaps.every((gap) => !gap) &&
    patterns.every((pattern, at) => {
      const word = words[at];
      return word !== undefined && !pattern.negated && pattern.alternatives.some((one) => covers(wordGlob(one), shellGlob(word)));
    })
  );
}

function shellSamples(matcher: ShellMatcher): readonly (readonly string[])[] {
  const programs = instancesOf(matcher.program).filter(
    (program) => !/[*?[]/.test(matcher.program.alternatives.join("")) && program !== FRESH,
  );
  let samples: readonly (readonly string[])[] = programs.map((program) => [program]);
  // Subcommands first, then flags, then the rest: programs read their own options after the subcommand.
  const [first, ...rest] = matcher.operands;
  if (first !== undefined)
    samples = extend(
      samples,
      instancesOf(first).map((word) => [word]),
    );
  for (const flag of matcher.flags) if (flag.need !== "forbidden") samples = extend(samples, flagWords(flag));
  for (const operand of rest)
    samples = extend(
      samples,
      instancesOf(operand).map((word) => [word]),
    );
  return matcher.closed ? samples : samples.flatMap((argv) => [argv, [...argv, FRESH]]).slice(0, 2 * MOST_SAMPLES);
}

function instancesOf(pattern: WordPattern): readonly string[] {
  return pattern.negated ? [FRESH] : pattern.alternatives.map(sampleWord);
}

/** Of a set of characters the first. */
const sampleWord = (word: string): string => genericWord(word.replaceAll(/\[([^\]!^])[^\]]*\]/g, "$1"));

function flagWords(flag: FlagPattern): readonly (readonly string[])[] {
  const { value } = flag;
  const words = flag.names.map((name) => {
    if (value === undefined) return [name];
    return name.startsWith("--") ? [`${name}=${sampleWord(value)}`] : [name, sampleWord(value)];
  });
  return flag.need === "permitted" ? [[], ...words] : words;
}

function extend(samples: readonly (readonly string[])[], endings: readonly (readonly string[])[]): readonly (readonly string[])[] {
  return samples.flatMap((argv) => endings.map((ending) => [...argv, ...ending])).slice(0, MOST_SAMPLES);
}

/** Contradictions: an option that must and must not be there. */
function whyNever(matcher: ShellMatcher, trial: Trial): string | undefined {
  const samples = shellSamples(matcher);
  if (samples.length === 0 || samples.some((argv) => trial.command(argv) || trial.words(argv))) return undefined;
  return "what it asks for contradicts itself";
}

function isOfAnyProgram({ program }: ShellMatcher): boolean {
  return program.negated || program.alternatives.includes("*");
}

const MOST_PREFIXES = 16;

function prefixes({ program, operands, gaps, closed }: ShellMatcher): readonly (readonly string[])[] {
  if (program.negated || !program.alternatives.every(isLiteralWord)) return [];
  let found: readonly (readonly string[])[] = program.alternatives.map((name) => [name]);
  for (const [at, { negated, alternatives }] of operands.entries()) {
    if (negated || gaps[at] === true || !alternatives.every(isLiteralWord)) return found;
    found = found.flatMap((prefix) => alternatives.map((word) => [...prefix, word])).slice(0, MOST_PREFIXES);
  }
  return closed ? [] : found;
}

function refusals({ program, operands, gaps, closed, flags, closedFlags }: ShellMatcher): readonly Refusal[] | { readonly why: string } {
  const words = [program, ...operands];
  if (closed || closedFlags || gaps.some(Boolean) || words.some(({ negated }) => negated))
    return { why: "gaps, and what must not be there" };
  const needed = flags.filter(({ need }) => need !== "permitted");
  if (needed.length > 1 || needed.some(({ need, value }) => need !== "required" || value !== undefined))
    return { why: "several options, or their values" };
  let lists: readonly (readonly string[])[] = [[]];
  for (const { alternatives } of words) {
    if (alternatives.some((one) => /[*?[\\\s]/.test(one))) return { why: "wildcards in a word" };
    const more = combineWords(
      lists,
      alternatives.map((one) => [one]),
    );
    if (more === undefined) return { why: "too many patterns" };
    lists = more;
  }
  const [flag] = needed;
  if (flag === undefined) return lists.map((list) => ({ is: "words", words: list, exact: false }));
  return lists.flatMap((list) => flag.names.flatMap((name) => withOption(list, name)));
}
