import type { Argument, ExecAction } from "../action/index.ts";
import {
  type Answer,
  both,
  DEEP,
  either,
  type Element,
  escapeWord,
  GAP,
  matchesAlternative,
  matchSequence,
  overlaps,
  type Segment,
  shellGlob,
} from "../pattern/index.ts";
import { hasFlag, isProgram, spellingsOf, wordsOf, type ExecWords } from "./exec-words.ts";
import type { MatchContext, Side } from "./match-context.ts";
import type { FlagPattern, Matcher, Token } from "./types.ts";

type BashMatcher = Extract<Matcher, { readonly kind: "bash" }>;

/**
 * `Bash(tokens:*)` and `Bash(tokens)`. An allow rule matches the arguments as they stand.
 * A deny or ask rule also matches every other spelling and order of the same command.
 */
export function matchBash(matcher: BashMatcher, action: ExecAction, side: Side, context: MatchContext): Answer {
  const [first] = matcher.tokens;
  if (first === undefined) return matcher.open ? "yes" : "no";
  if (first.is !== "text") {
    // Basename logic is off, but a program nobody knows is still not what an allow rule means.
    if (side === "narrow" && !action.trusted) return "no";
    return matchSequence(elementsOf(matcher.tokens, context), matcher.open, action.argv);
  }
  const program = isProgram(first.text, action, side, context);
  if (program === "no") return "no";
  const rest = matcher.tokens.slice(1);
  const literal = rest.length === 0 && matcher.open ? "yes" : matchSequence(elementsOf(rest, context), matcher.open, action.argv.slice(1));
  if (side === "narrow" || literal === "yes") return both(program, literal);
  return both(program, either(literal, matchMeaning(rest, matcher.open, wordsOf(action), context)));
}

const ONE: Element = {
  gap: false,
  test: (argument) => (argument.known || !argument.many || argument.glob !== undefined ? "yes" : "maybe"),
};

function elementsOf(tokens: readonly Token[], context: MatchContext): readonly Element[] {
  return tokens.map((token) => {
    if (token.is === "any") return GAP;
    if (token.is === "one") return ONE;
    return { gap: false, test: (argument) => isText(token.text, argument, context) };
  });
}

/** Whether an argument is this text, `~` in it meaning home as the shell has it. */
function isText(text: string, argument: Argument, context: MatchContext): Answer {
  const home = homeSpelling(text, context);
  if (argument.known) return argument.text === text || argument.text === home ? "yes" : "no";
  if (argument.glob !== undefined)
    return argument.glob === text ? "yes" : overlaps(shellGlob(argument.glob), shellGlob(escapeWord(text))) ? "maybe" : "no";
  return text.startsWith(argument.prefix) || home?.startsWith(argument.prefix) === true ? "maybe" : "no";
}

function homeSpelling(text: string, { world }: MatchContext): string | undefined {
  return text === "~" || text.startsWith("~/") ? world.home + text.slice(1) : undefined;
}

/** The rule read as a command: its options anywhere and however spelled, its operands in order. */
function matchMeaning(tokens: readonly Token[], open: boolean, words: ExecWords, context: MatchContext): Answer {
  const { flags, operands, globbed } = readRule(tokens, words, context);
  let answer: Answer = "yes";
  for (const flag of flags) {
    answer = both(answer, hasFlag(flag, words));
    if (answer === "no") return "no";
  }
  // `rm -rf /*` stands for as many operands as the shell makes of it; otherwise a rule without `:*` names them all.
  if (
    !open &&
    !globbed &&
    !words.options.every((option) =>
      flags.some(
        (flag) => hasFlag(flag, { ...words, options: [option], also: [], hidden: false }) !== "no" || inCluster(flag, option.names),
      ),
    )
  )
    return "no";
  return both(answer, matchSequence(operands, open || globbed, words.operands));
}

function inCluster(flag: FlagPattern, names: readonly string[]): boolean {
  return flag.names.some((name) => !name.startsWith("--") && names.some((used) => used.length === 2 && name.includes(used.charAt(1))));
}

function readRule(tokens: readonly Token[], words: ExecWords, context: MatchContext) {
  const flags: FlagPattern[] = [];
  const operands: Element[] = [];
  let globbed = false;
  let ended = false;
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i];
    if (token === undefined || token.is === "any") operands.push(GAP);
    else if (token.is === "one") operands.push(ONE);
    else if (!ended && token.text === "--") ended = true;
    else if (!ended && token.text.startsWith("-") && token.text.length > 1) {
      const equals = token.text.startsWith("--") ? token.text.indexOf("=") : -1;
      const name = equals === -1 ? token.text : token.text.slice(0, equals);
      const next = tokens[i + 1];
      const separate =
        equals === -1 &&
        next !== undefined &&
        words.options.some((option) => option.value !== undefined && option.cluster === undefined && option.names.includes(name));
      if (separate) i++;
      const value = equals === -1 ? (separate && next.is === "text" ? next.text : undefined) : token.text.slice(equals + 1);
      flags.push({ need: "required", names: [name], ...(value === undefined ? {} : { value: escapeWord(value).replace(/\\\*/g, "*") }) });
    } else {
      const path = /^[/~.]|\//.test(token.text);
      if (/[*?[]/.test(token.text)) globbed = true;
      // A path may stand anywhere among the operands; a plain word is a subcommand and stands where it is written.
      if (path) operands.push(GAP);
      operands.push({ gap: false, test: (argument) => meansText(token.text, argument, context) });
    }
  }
  return { flags, operands, globbed };
}

/** As `isText`, with wildcards in the rule's word and detours in the argument's path seen through. */
function meansText(text: string, argument: Argument, context: MatchContext): Answer {
  const literal = isText(text, argument, context);
  if (literal === "yes") return "yes";
  const pattern = segmentPattern(homeSpelling(text, context) ?? text);
  if (!argument.known) return literal === "maybe" || (argument.glob !== undefined && couldMeet(pattern, argument.glob)) ? "maybe" : literal;
  const hit = spellingsOf(argument.text).some(
    (spelling) => matchesAlternative(pattern, names(spelling)) && spelling.startsWith("/") === text.replace(/^~/, "/").startsWith("/"),
  );
  return hit ? "yes" : "no";
}

function couldMeet(pattern: readonly Segment[], glob: string): boolean {
  const others = names(glob);
  return (
    others.length === pattern.length && pattern.every((segment, i) => segment === DEEP || overlaps(segment, shellGlob(others[i] ?? "")))
  );
}

function segmentPattern(text: string): readonly Segment[] {
  return names(text).map((name) => (name === "**" ? DEEP : shellGlob(name)));
}

function names(text: string): readonly string[] {
  return text.split("/").filter((name) => name !== "");
}
