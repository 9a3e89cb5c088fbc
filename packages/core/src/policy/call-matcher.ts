import { CALL_ARGUMENTS, type Call, type CallArgument, type CallArgumentKind, type CallName, type World } from "../action/index.ts";
import { segmentsOf } from "../path/index.ts";
import {
  ANY,
  BoundedMap,
  type BoundPattern,
  compileRegex,
  type LinearMatcher,
  literalRegex,
  matchesSegments,
  parseRegex,
  pathPattern,
  type Regex,
} from "../pattern/index.ts";
import { type CallMatcher, type CallPattern, pathTextOf } from "./kinds/call.ts";
import { type MatchCall, patternForms, sideOf, type Side } from "./match/match-context.ts";
import type { Rule } from "./match/types.ts";

type Test = (value: CallArgument) => boolean;
type Tests = readonly Test[];

/**
 * Compares system calls with the call patterns of `rules`. What `~`, the project and the links in a pattern stand for is
 * found out here, once: INVARIANT: a link that a supervised program makes later moves no rule. A pattern that is not among
 * `rules` is prepared when it is first asked about.
 *
 * A path is compared with the pattern as written and with the links in its literal start resolved, so that `/bin/rm`
 * means `/usr/bin/rm` where that is where it leads. Links in the project and in temporary folders move no allow rule.
 */
export function callMatcher(world: World, rules: Iterable<Rule> = []): MatchCall {
  const prepared: Record<Side, WeakMap<CallMatcher, Tests>> = { narrow: new WeakMap(), wide: new WeakMap() };
  const testsFor = (matcher: CallMatcher, side: Side): Tests => {
    let tests = prepared[side].get(matcher);
    if (tests === undefined) {
      tests = matcher.args.map((pattern, at) =>
        testOf(pattern, CALL_ARGUMENTS[matcher.name][at]?.kind ?? "text", matcher.name, world, side),
      );
      prepared[side].set(matcher, tests);
    }
    return tests;
  };
  for (const { matcher, effect } of rules) if (matcher.kind === "call") testsFor(matcher, sideOf(effect));
  return (matcher, call, side) => matcher.name === call.name && matchesAll(testsFor(matcher, side), matcher.open, call.args);
}

function matchesAll(tests: Tests, open: boolean, args: Call["args"]): boolean {
  if (open ? args.length < tests.length : args.length !== tests.length) return false;
  return tests.every((test, at) => {
    const value = args[at];
    return value !== undefined && test(value);
  });
}

const ALWAYS: Test = () => true;

function testOf(pattern: CallPattern, kind: CallArgumentKind, name: CallName, world: World, side: Side): Test {
  if (pattern.is === "any") return ALWAYS;
  if (pattern.is === "list") {
    const tests = pattern.items.map((item) => testOf(item, "text", name, world, side));
    return (value) => typeof value !== "string" && matchesAll(tests, pattern.open, value);
  }
  const test = pattern.is !== "regex" && isPath(pattern, kind) ? pathTest(pattern, name, world, side) : textTest(pattern);
  return (value) => typeof value === "string" && test(value);
}

/** A literal path is one only when it is absolute: what else is in quotes is text. */
function isPath(pattern: Extract<CallPattern, { is: "text" | "glob" }>, kind: CallArgumentKind): boolean {
  if (kind !== "path" && kind !== "place") return false;
  if (pattern.is === "text") return pattern.text.startsWith("/");
  const [first] = pattern.parts;
  return kind === "path" || pattern.home === true || (typeof first === "string" && first.startsWith("/"));
}

/** Calls that act on a link itself, or make what is not there yet. */
const ON_THE_LINK: ReadonlySet<CallName> = new Set(["delete", "rmdir", "mkdir", "rename", "link", "symlink", "mknod"]);

function pathTest(
  pattern: Extract<CallPattern, { is: "text" | "glob" }>,
  name: CallName,
  world: World,
  side: Side,
): (path: string) => boolean {
  const read = pathPattern(pathTextOf(pattern) ?? "");
  // Too long for a pattern: a literal path still means itself.
  if (!read.ok) return pattern.is === "text" ? (path) => path === pattern.text : never;
  // Quoting made the text of this pattern; a path spelled like that is not meant.
  const own = { ...read.value, spelled: undefined };
  const follow = patternForms(own, world, side, !ON_THE_LINK.has(name));
  const forms = side === "narrow" ? follow : union(follow, patternForms(own, world, side, ON_THE_LINK.has(name)));
  const literal = pattern.is === "text" ? pattern.text : undefined;
  return (path) => {
    if (path === literal) return true;
    if (!path.startsWith("/")) return false;
    const segments = segmentsOf(path);
    return forms.some((form) => matchesSegments(form, segments));
  };
}

const never = (): boolean => false;

function union(a: readonly BoundPattern[], b: readonly BoundPattern[]): readonly BoundPattern[] {
  return [...new Set([...a, ...b])];
}

function textTest(pattern: Extract<CallPattern, { is: "text" | "glob" | "regex" }>): (text: string) => boolean {
  if (pattern.is === "text") return (text) => text === pattern.text;
  const matcher = pattern.is === "regex" ? regexMatcher(pattern.source) : globMatcher(pattern.parts);
  // A policy with a wrong pattern does not load, so this is one that nobody checked.
  return matcher === undefined ? never : (text) => matcher.test(text);
}

const regexes = new BoundedMap<string, LinearMatcher | null>(1024);

function regexMatcher(source: string): LinearMatcher | undefined {
  const known = regexes.get(source, () => {
    const parsed = parseRegex(source);
    return parsed.ok ? compiled(parsed.value) : null;
  });
  return known ?? undefined;
}

function compiled(regex: Regex): LinearMatcher | null {
  const made = compileRegex(regex);
  return made.ok ? made.value : null;
}

const SLASH = 0x2f;
const NO_SLASH: Regex = { is: "set", negated: true, ranges: [[SLASH, SLASH]], fold: false };
const many = (part: Regex): Regex => ({ is: "repeat", part, min: 0, max: Infinity });
const maybe = (...parts: readonly Regex[]): Regex => ({ is: "repeat", part: { is: "all", parts }, min: 0, max: 1 });

/** A slash, `**` and a slash are also a single slash; a last slash and `**` also nothing; a first `**` and slash also nothing. */
function globMatcher(parts: readonly (string | 1 | 2)[]): LinearMatcher | undefined {
  const tokens = parts.flatMap((part): readonly (string | 1 | 2)[] => (typeof part === "string" ? [...part] : [part]));
  const out: Regex[] = [];
  for (let i = 0; i < tokens.length;) {
    const token = tokens[i];
    const [next, after] = [tokens[i + 1], tokens[i + 2]];
    if (token === "/" && next === 2 && after === undefined) {
      out.push(maybe(literalRegex("/"), many(ANY)));
      i += 2;
    } else if ((token === "/" && next === 2 && after === "/") || (i === 0 && token === 2 && next === "/")) {
      if (token === "/") out.push(literalRegex("/"));
      out.push(maybe(many(ANY), literalRegex("/")));
      i += token === "/" ? 3 : 2;
      while (tokens[i] === 2 && tokens[i + 1] === "/") i += 2;
    } else {
      out.push(token === 1 ? many(NO_SLASH) : token === 2 ? many(ANY) : literalRegex(token ?? ""));
      i++;
    }
  }
  return compiled({ is: "all", parts: out }) ?? undefined;
}
