import { covers, hostCovers, matchesWord, patternCovers, type PatternBase, type Steps, walk, wordGlob } from "../pattern/index.ts";
import { sideOf, type Side } from "./match-context.ts";
import type { CallPattern, Matcher, Rule, Token, WordPattern } from "./types.ts";

/**
 * Whether one rule speaks about everything that another speaks about. True only where that is proved from the
 * patterns; false means nothing. Deny and ask rules match more spellings than allow rules do, so the sides count.
 */
export function ruleCovers(outer: Rule, inner: Rule, base: PatternBase): boolean {
  const sides = { outer: sideOf(outer.effect), inner: sideOf(inner.effect) };
  if (sides.outer === "narrow" && sides.inner === "wide") return false;
  // A trusted project's own allow rules end with the project.
  if (sides.outer === "narrow" && outer.root !== undefined && outer.root !== inner.root) return false;
  return matcherCovers(outer.matcher, inner.matcher, sides, base);
}

interface Sides {
  readonly outer: Side;
  readonly inner: Side;
}
type Of<Kind extends Matcher["kind"]> = Extract<Matcher, { readonly kind: Kind }>;

function matcherCovers(outer: Matcher, inner: Matcher, sides: Sides, base: PatternBase): boolean {
  if (sides.outer === sides.inner && same(outer, inner)) return true;
  if (sides.outer === "wide" && same(outer, inner)) return true;
  switch (outer.kind) {
    case "bash":
      return bashCovers(outer, inner, sides);
    case "shell":
      return (sides.outer === "wide" || outer.program.alternatives.every((word) => !/[*?[]/.test(word))) && shellCovers(outer, inner);
    case "option":
      return (
        inner.kind === "option" &&
        inner.commands.every((command) => outer.commands.includes(command)) &&
        inner.options.every((option) => outer.options.includes(option))
      );
    case "command":
      return inner.kind === "command" && covers(wordGlob(outer.pattern), wordGlob(inner.pattern));
    case "path":
      return inner.kind === "path" && pathCovers(outer, inner, base);
    case "net":
      return inner.kind === "net" && netCovers(outer, inner);
    case "tool":
      return inner.kind === "tool" && toolCovers(outer, inner);
    case "call":
      return inner.kind === "call" && inner.name === outer.name && listCovers(outer.args, outer.open, inner.args, inner.open);
  }
}

/** Argument by argument; what is open in `inner` must be open in `outer`. */
function listCovers(outer: readonly CallPattern[], open: boolean, inner: readonly CallPattern[], innerOpen: boolean): boolean {
  if (open ? inner.length < outer.length : innerOpen || inner.length !== outer.length) return false;
  return outer.every((pattern, at) => {
    const other = inner[at];
    if (other === undefined) return false;
    if (pattern.is === "any") return true;
    if (pattern.is === "list" && other.is === "list") return listCovers(pattern.items, pattern.open, other.items, other.open);
    return JSON.stringify(pattern) === JSON.stringify(other);
  });
}

/** Matchers are plain data, made by one parser: equal ones have equal text. */
export function same(a: Matcher, b: Matcher): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

const isCommand = ({ kind }: Matcher): boolean => kind === "bash" || kind === "shell" || kind === "option" || kind === "command";

function bashCovers(outer: Of<"bash">, inner: Matcher, sides: Sides): boolean {
  if (outer.open && outer.tokens.length === 0) return isCommand(inner);
  if (inner.kind === "shell") return bashCoversShell(outer, inner, sides);
  if (inner.kind !== "bash") return false;
  // The many spellings that a wide rule sees are compared only where one rule begins as the other does.
  if (sides.inner === "wide") return outer.open && isPrefix(outer.tokens, inner.tokens);
  // An open first word means programs that are known, a written path means one that need not be.
  if (sides.outer === "narrow" && outer.tokens[0]?.is !== "text" && !sameToken(outer.tokens[0], inner.tokens[0])) return false;
  return walk(withTail(outer), withTail(inner), TOKENS);
}

const ANY: Token = { is: "any" };
const withTail = ({ tokens, open }: Of<"bash">): readonly Token[] => (open ? [...tokens, ANY] : tokens);

function sameToken(a: Token | undefined, b: Token | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  return a.is === "text" ? b.is === "text" && a.text === b.text : a.is === b.is;
}

function isPrefix(start: readonly Token[], whole: readonly Token[]): boolean {
  return start.length <= whole.length && start.every((token, at) => sameToken(token, whole[at]));
}

/** As `covers` for words: what is open in `inner` must meet something as open in `outer`. */
const TOKENS: Steps<Token, Token> = {
  isRun: (own) => own.is === "any",
  accepts: (own, token) => token.is !== "any" && (own.is === "one" || sameToken(own, token)),
};

/** A wide `Bash(git push:*)` sees every order of options, so it covers `Shell(git push --force ...)`. */
function bashCoversShell(outer: Of<"bash">, inner: Of<"shell">, sides: Sides): boolean {
  if (sides.outer !== "wide" || !outer.open) return false;
  const words = [inner.program, ...inner.operands];
  return outer.tokens.every((token, at) => {
    const word = words[at];
    if (token.is !== "text" || /^[-/~.]|[/*?[]/.test(token.text) || word === undefined || (at > 0 && inner.gaps[at - 1] === true))
      return false;
    return !word.negated && word.alternatives.every((one) => one === token.text);
  });
}

function shellCovers(outer: Of<"shell">, inner: Matcher): boolean {
  if (saysNothing(outer)) return isCommand(inner);
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

function saysNothing({ program, operands, flags, closed, closedFlags }: Of<"shell">): boolean {
  const any = !program.negated && program.alternatives.includes("*");
  return any && operands.length === 0 && flags.length === 0 && !closed && !closedFlags;
}

function wordCovers(outer: WordPattern, inner: WordPattern): boolean {
  if (outer.negated || inner.negated)
    return outer.negated === inner.negated && outer.alternatives.every((one) => inner.alternatives.includes(one));
  return inner.alternatives.every((one) => outer.alternatives.some((other) => covers(wordGlob(other), wordGlob(one))));
}

/** The plain words a `Bash(...)` rule begins with are operands in that order; what follows is open in `Shell(...)` anyway. */
function shellCoversBash(outer: Of<"shell">, inner: Of<"bash">): boolean {
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
      return word !== undefined && !pattern.negated && pattern.alternatives.some((one) => matchesWord(wordGlob(one), word));
    })
  );
}

function pathCovers(outer: Of<"path">, inner: Of<"path">, base: PatternBase): boolean {
  if (!inner.operations.every((operation) => outer.operations.includes(operation))) return false;
  // A tool that nobody described is reached by the rule of its name alone.
  if (inner.tool !== undefined && inner.tool !== outer.tool) return false;
  if (outer.pattern === undefined) return true;
  return inner.pattern !== undefined && patternCovers(outer.pattern, inner.pattern, base);
}

function netCovers(outer: Of<"net">, inner: Of<"net">): boolean {
  // `WebFetch` speaks of fetching alone, and of the tool of that name.
  if (inner.tool !== outer.tool) return false;
  if (outer.port !== undefined && outer.port !== inner.port) return false;
  return hostCovers(outer, inner);
}

function toolCovers(outer: Of<"tool">, inner: Of<"tool">): boolean {
  if (outer.where !== undefined && JSON.stringify(outer.where) !== JSON.stringify(inner.where)) return false;
  return (
    outer.name === inner.name ||
    covers(wordGlob(outer.name.replace(/[\\?[\]]/g, "\\$&")), wordGlob(inner.name.replace(/[\\?[\]]/g, "\\$&")))
  );
}
