import type { Action, Argument, ExecAction } from "../../action/index.ts";
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
  ok,
  overlaps,
  type Segment,
  shellGlob,
  type Steps,
  walk,
} from "../../pattern/index.ts";
import {
  type FlagPattern,
  guess,
  hasFlag,
  isPlainWord,
  isProgram,
  matchWords,
  spellingsOf,
  wordMatches,
  wordsOf,
  type ExecWords,
  type WordOption,
} from "../match/exec-words.ts";
import type { MatchContext, Side } from "../match/match-context.ts";
import type { Matcher } from "./index.ts";
import { commandKeys, FRESH, type JudgingKind, none, nothing, type Sides } from "./kind.ts";
import {
  ANY_COMMAND,
  anyProgramDoubt,
  combineWords,
  COMMAND_EXAMPLE,
  commandExample,
  everythingDoubt,
  type ParsedText,
  plainWord,
  programsIn,
  type ReadingKind,
  type Refusal,
  type Trial,
} from "./reading.ts";
import type { ShellMatcher } from "./shell.ts";

/** One element of a `Bash(...)` rule: literal text, `*` (one argument) or `**` (any number). */
export type BashToken = { readonly is: "text"; readonly text: string } | { readonly is: "one" } | { readonly is: "any" };

export interface BashMatcher {
  readonly kind: "bash";
  readonly tokens: readonly BashToken[];
  /** The trailing `:*`. */
  readonly open: boolean;
}

/** `Bash(git push:*)`. */
export const bash: JudgingKind<BashMatcher> = {
  ofCommands: true,
  match: matchBash,
  keys: commandKeys(({ tokens: [first] }) => (first?.is === "text" ? [first.text] : "any"), neededWords),
  pathScope: nothing,
  isEveryCommand: ({ tokens, open }) => open && tokens.length === 0,
  covers: bashCovers,
  names: {
    literal: ({ tokens }) => tokens[0]?.is === "text",
    isWholeCommand: ({ tokens, open }) => !open && tokens.every((token) => token.is === "text"),
    paths: none,
    host: nothing,
  },
  samples: bashSamples,
};

export const bashReading: ReadingKind<BashMatcher> = {
  written: {
    scope: { isName: (name) => name === "Bash", freeText: true, parse: (_, scope = "") => ok(parseBash(scope)) },
    line: nothing,
    object: undefined,
    block: nothing,
  },
  exampleActions: commandExample,
  exampleHelp: COMMAND_EXAMPLE,
  fileActions: none,
  whyNever,
  isEverything,
  doubtWide: (matcher) => (isEverything(matcher) ? everythingDoubt() : isOfAnyProgram(matcher) ? anyProgramDoubt() : undefined),
  prefixes,
  programs: (matcher) => programsIn(bashSamples(matcher)),
  spelledPrograms: ({ tokens: [first] }) => (first?.is === "text" ? [first.text] : []),
  coverGroup: ({ tokens: [first] }) => (first?.is === "text" ? `command ${first.text}` : ANY_COMMAND),
  refusals,
};

/**
 * `Bash(tokens:*)` and `Bash(tokens)`. An allow rule matches the arguments as they stand.
 * A deny or ask rule also matches every other spelling and order of the same command.
 */
function matchBash(matcher: BashMatcher, action: Action, side: Side, context: MatchContext): Answer {
  if (action.kind !== "exec") return "no";
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
  return both(program, either(literal, matchMeaning(rest, matcher.open, action, context)));
}

const ONE: Element = {
  gap: false,
  test: (argument) => (argument.known || !argument.many || argument.glob !== undefined ? "yes" : "maybe"),
};

function elementsOf(tokens: readonly BashToken[], context: MatchContext): readonly Element[] {
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
function matchMeaning(tokens: readonly BashToken[], open: boolean, action: ExecAction, context: MatchContext): Answer {
  const words = wordsOf(action);
  const { flags, operands, globbed } = readRule(tokens, words, context);
  let answer: Answer = "yes";
  for (const flag of flags) {
    answer = both(answer, hasFlag(flag, words));
    if (answer === "no") return "no";
  }
  // `rm -rf /*` stands for as many operands as the shell makes of it; otherwise a rule without `:*` names them all.
  const front = open || globbed ? undefined : inFront(tokens, action);
  const isMeant = (option: WordOption): boolean =>
    flags.some((flag) => hasFlag(flag, { ...words, options: [option], also: [], hidden: false }) !== "no" || inCluster(flag, option.names));
  if (
    front !== undefined &&
    !words.options.every((option) => isMeant(option) || hasFlag({ need: "required", names: option.names }, front) !== "no")
  )
    return "no";
  return both(answer, matchWords(operands, open || globbed, words));
}

/** What stands in front of the last word of a subcommand is an option of the program: `terraform -chdir=x destroy` is that, too. */
function inFront(tokens: readonly BashToken[], { argv }: ExecAction): ExecWords {
  const words = textsOf(tokens).filter((text) => !text.startsWith("-"));
  const end = words.findIndex((text) => !isPlainWord(text));
  const last = words[(end === -1 ? words.length : end) - 1];
  return guess(argv.slice(0, argv.findLastIndex((argument) => argument.known && argument.text === last) + 1));
}

function inCluster(flag: FlagPattern, names: readonly string[]): boolean {
  return flag.names.some((name) => !name.startsWith("--") && names.some((used) => used.length === 2 && name.includes(used.charAt(1))));
}

function readRule(tokens: readonly BashToken[], words: ExecWords, context: MatchContext) {
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

/** As `isText`, with wildcards in the rule's word, which cross slashes, and detours in the argument's path seen through. */
function meansText(text: string, argument: Argument, context: MatchContext): Answer {
  const spelled = homeSpelling(text, context) ?? text;
  // Of several words only the first begins so: how many there are the walk over them knows.
  const given: readonly Argument[] = argument.known
    ? spellingsOf(argument.text).map((one) => ({ known: true, text: one }))
    : [argument.glob === undefined ? { ...argument, many: false } : argument];
  const literal = given.reduce<Answer>((found, one) => either(found, wordMatches(spelled, one)), isText(text, argument, context));
  if (literal === "yes") return "yes";
  const pattern = segmentPattern(spelled);
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

/** A plain word that is no option's value: what follows an option may be one, and an abbreviation of the option hides which. */
function neededWords({ tokens }: BashMatcher): readonly string[] | undefined {
  const word = tokens.find((token, at) => at > 0 && token.is === "text" && isPlainWord(token.text) && !isOption(tokens[at - 1]));
  return word?.is === "text" ? [word.text] : undefined;
}

const isOption = (token: BashToken | undefined): boolean => token?.is === "text" && token.text.startsWith("-");

function bashCovers(outer: BashMatcher, inner: Matcher, sides: Sides): boolean {
  if (inner.kind === "shell") return bashCoversShell(outer, inner, sides);
  if (inner.kind !== "bash") return false;
  // The many spellings that a wide rule sees are compared only where one rule begins as the other does.
  if (sides.inner === "wide") return outer.open && isPrefix(outer.tokens, inner.tokens);
  // An open first word means programs that are known, a written path means one that need not be.
  if (sides.outer === "narrow" && outer.tokens[0]?.is !== "text" && !sameToken(outer.tokens[0], inner.tokens[0])) return false;
  return walk(withTail(outer), withTail(inner), TOKENS);
}

const ANY: BashToken = { is: "any" };
const withTail = ({ tokens, open }: BashMatcher): readonly BashToken[] => (open ? [...tokens, ANY] : tokens);

function sameToken(a: BashToken | undefined, b: BashToken | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  return a.is === "text" ? b.is === "text" && a.text === b.text : a.is === b.is;
}

function isPrefix(start: readonly BashToken[], whole: readonly BashToken[]): boolean {
  return start.length <= whole.length && start.every((token, at) => sameToken(token, whole[at]));
}

/** As `covers` for words: what is open in `inner` must meet something as open in `outer`. */
const TOKENS: Steps<BashToken, BashToken> = {
  isRun: (own) => own.is === "any",
  accepts: (own, token) => token.is !== "any" && (own.is === "one" || sameToken(own, token)),
};

/** A wide `Bash(git push:*)` sees every order of options, so it covers `Shell(git push --force ...)`. */
function bashCoversShell(outer: BashMatcher, inner: ShellMatcher, sides: Sides): boolean {
  if (sides.outer !== "wide" || !outer.open) return false;
  const words = [inner.program, ...inner.operands];
  return outer.tokens.every((token, at) => {
    const word = words[at];
    if (token.is !== "text" || /^[-/~.]|[/*?[]/.test(token.text) || word === undefined || (at > 0 && inner.gaps[at - 1] === true))
      return false;
    return !word.negated && word.alternatives.every((one) => one === token.text);
  });
}

function bashSamples({ tokens, open }: BashMatcher): readonly (readonly string[])[] {
  if (tokens[0]?.is !== "text") return [];
  const argv = tokens.flatMap((token) => (token.is === "text" ? [token.text] : token.is === "one" ? [FRESH] : []));
  return open || tokens.some((token) => token.is === "any") ? [argv, [...argv, FRESH]] : [argv];
}

/** `Bash(tokens)` and `Bash(tokens:*)`. `Bash`, `Bash()`, `Bash(*)` and `Bash(:*)` mean every command. */
function parseBash(scope: string): ParsedText<BashMatcher> {
  const warning = doubtOf(scope);
  const matcher = readTokens(scope.trim());
  return warning === undefined ? { matcher } : { matcher, warning };
}

function readTokens(written: string): BashMatcher {
  let text = written;
  if (text === "" || text === "*" || text === ":*" || text === "**" || text === "**:*" || text === "*:*")
    return { kind: "bash", tokens: [], open: true };
  const open = text.endsWith(":*");
  if (open) text = text.slice(0, -2).trimEnd();
  const tokens = text.split(/\s+/).map(readToken);
  return { kind: "bash", tokens: mergeGaps(tokens), open };
}

function readToken(text: string): BashToken {
  if (text === "*") return { is: "one" };
  if (text === "**") return { is: "any" };
  return { is: "text", text };
}

/** Several `**` in a row are one. */
function mergeGaps(tokens: readonly BashToken[]): readonly BashToken[] {
  return tokens.filter((token, i) => token.is !== "any" || tokens[i - 1]?.is !== "any");
}

/** agentperm takes these as they stand, so they load, but they never match what their writer had in mind. */
function doubtOf(inner: string): string | undefined {
  if (/(?:^|\s)(?:&&|\|\||[;|&])|;(?:\s|$)/.test(inner))
    return "each command of a line is judged by itself, so a rule with `;`, `&&` or `|` matches nothing";
  if (/(?:^|\s)["']|["'](?:\s|$)/.test(inner)) return "quotes are literal in `Bash(...)`; write `Shell(...)` with `\\ ` for a blank";
  if (/\S\*|\*\S/.test(inner.replace(/:\*$/, "").replace(/(?:^|\s)\*\*(?=\s|$)/g, " ")))
    return "a `*` inside a word of `Bash(...)` is that character for an allow rule, and any text for a deny or ask rule; write `Shell(...)` for a pattern";
  return undefined;
}

/** A rule's own words, as a command line, must give a command that it matches. */
function whyNever(matcher: BashMatcher, trial: Trial): string | undefined {
  const [sample] = bashSamples(matcher);
  if (sample === undefined) return undefined;
  const words = textsOf(matcher.tokens);
  const read = trial.line(sample.join(" "));
  if (read === "speaks") return undefined;
  if (words.some((word) => /^["']|["']$/.test(word)))
    return "quotes are characters like any other here, and the shell takes them off before a rule is asked";
  if (read === "no command") return undefined;
  if (words.some((word) => /^(?:&&|\|\||[|&;]|;;|\|&)$|;$/.test(word)) || words.some((word) => /[;|]|&&/.test(word)))
    return "each command of a line is judged by itself, so a rule with an operator matches none";
  if (words.some((word) => /^\d*(?:>>?|<)/.test(word)))
    return "a redirect is not a part of the command: it is judged as the file it writes or reads";
  if (/^[A-Za-z_]\w*=/.test(words[0] ?? "")) return "assignments in front are not part of the command";
  if (words.some((word) => /[$`]/.test(word))) return "what the shell replaces is compared by its value, never by its name";
  return trial.words(sample) ? undefined : "no command looks like this once the shell has read it";
}

/** The program and all else is open; a command has a word of its own. */
function isEverything({ tokens, open }: BashMatcher): boolean {
  return (
    (open || tokens.some(({ is }) => is === "any")) &&
    tokens.every(({ is }) => is !== "text") &&
    tokens.filter(({ is }) => is === "one").length <= 1
  );
}

function isOfAnyProgram({ tokens, open }: BashMatcher): boolean {
  return tokens[0]?.is !== "text" && (open || tokens.some(({ is }) => is === "any"));
}

function prefixes({ tokens, open }: BashMatcher): readonly (readonly string[])[] {
  const stop = tokens.findIndex(({ is }) => is !== "text");
  if (stop === -1 && !open) return [];
  const words = textsOf(stop === -1 ? tokens : tokens.slice(0, stop));
  return words.length === 0 ? [] : [words];
}

const textsOf = (tokens: readonly BashToken[]): readonly string[] => tokens.flatMap((token) => (token.is === "text" ? [token.text] : []));

function refusals({ tokens, open }: BashMatcher): readonly Refusal[] | { readonly why: string } {
  if (tokens.length === 0) return [{ is: "shell" }];
  if (tokens.every((token) => token.is === "text")) return [{ is: "words", words: textsOf(tokens), exact: !open }];
  // A star of a host is any number of words.
  if (tokens.some((token) => token.is === "one")) return { why: "exactly one word" };
  let lists: readonly (readonly string[])[] = [[]];
  for (const token of tokens) {
    // `**` is nothing, or words: two patterns.
    const more = combineWords(lists, token.is === "text" ? [[plainWord(token.text)]] : [[], ["*"]]);
    if (more === undefined) return { why: "too many patterns" };
    lists = more;
  }
  return lists.filter((list) => list.length > 0).flatMap((list) => patternsOf(list, open));
}

const patternsOf = (words: readonly string[], open: boolean): readonly Refusal[] => [
  { is: "text", glob: words.join(" ") },
  ...(open ? [{ is: "text", glob: [...words, "*"].join(" ") } as const] : []),
];
