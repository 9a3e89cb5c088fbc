import type { Argument, ExecAction } from "../action/index.ts";
import { baseName, foldCase } from "../path/index.ts";
import { both, either, GAP, matchesText, matchSequence, type Answer, type Element, wordGlob } from "../pattern/index.ts";
import { clusterLetters, hasFlag, isProgram, spellingsOf, wordMatches, wordsOf, type ExecWords } from "./exec-words.ts";
import type { MatchContext, Side } from "./match-context.ts";
import type { FlagPattern, Matcher, WordPattern } from "./types.ts";

type ShellMatcher = Extract<Matcher, { readonly kind: "shell" }>;

/** `Shell(...)`: operands in order, flags anywhere, in any spelling knowledge has for them. */
export function matchShell(matcher: ShellMatcher, action: ExecAction, side: Side, context: MatchContext): Answer {
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
  if (words.doubtful.size === 0) return matchSequence(elements, !matcher.closed, words.operands);
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
  return either(
    either(
      said,
      without(() => false),
    ),
    both(
      "maybe",
      without(() => true),
    ),
  );
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
