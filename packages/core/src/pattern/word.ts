import { BoundedMap, mistake, ok, type Mistake, type Result } from "./result.ts";
import { type Meter, positionsAfter, type Steps, walk } from "./walk.ts";

/**
 * Patterns over one word: a path segment, an argument, a field.
 * `*` is any run of characters, `?` one character, `[a-z]`, `[!a]`, `[^a]` one of (or none of) a set; `\` quotes.
 */
export type Unit =
  | { readonly is: "char"; readonly code: number }
  | { readonly is: "one" }
  /** `deep` when written `**`: path patterns let that cross `/`. */
  | { readonly is: "run"; readonly deep: boolean }
  | { readonly is: "set"; readonly negated: boolean; readonly ranges: readonly (readonly [number, number])[] };

export interface WordGlob {
  /** As written; a pattern with a set also matches the equal text (`[slug]`). */
  readonly raw: string;
  /** What to match where `literal` is undefined. */
  readonly units: readonly Unit[];
  /** The only text it matches, when it has no wildcard. */
  readonly literal: string | undefined;
  /** Literal text before the first and after the last wildcard: most words fail on these. */
  readonly start: string;
  readonly end: string;
  /** Nothing but `start`, one run, `end`. */
  readonly simple: boolean;
  readonly hasSet: boolean;
}

/** Of a set that is looked at for mistakes. */
const LONGEST_SET = 64;

const RUN: Unit = { is: "run", deep: false };
const ONE: Unit = { is: "one" };

/** In a rule a quoted letter or digit is a mistake (`\d`); in a shell word any character may be quoted. */
export type Escapes = "rule" | "shell";

/** Nothing but ranges: who writes this means a set. `[user-id]` is a name of a folder. */
const RANGES = /^\[[!^]?(?:[^\]-]-[^\]-])+\]/;

/**
 * The units of a word pattern. An unclosed `[`, and a set with a reversed range that can be a name, are literal text; a
 * reversed range that can be nothing else is a mistake in a rule.
 */
export function parseUnits(text: string, escapes: Escapes = "rule"): Result<readonly Unit[]> {
  const units: Unit[] = [];
  // Without this a row of unclosed brackets would be read to the end once for each.
  const lastClose = text.lastIndexOf("]");
  let i = 0;
  while (i < text.length) {
    const char = text.charAt(i);
    if (char === "*") {
      const from = i;
      while (text.charAt(i) === "*") i++;
      const last = units.at(-1);
      if (last?.is !== "run") units.push(i - from > 1 ? { is: "run", deep: true } : RUN);
      continue;
    }
    if (char === "?") {
      units.push(ONE);
      i++;
      continue;
    }
    if (char === "[" && i < lastClose) {
      const set = escapes === "shell" ? parseShellSet(text, i) : parseSet(text, i);
      // Which characters are left for what follows is not certain, either.
      if (set === "open") {
        if (units.at(-1)?.is !== "run") units.push(RUN);
        break;
      }
      if (set !== undefined) {
        units.push(set.unit);
        i = set.end;
        continue;
      }
      const [ranges] = escapes === "rule" ? (RANGES.exec(text.slice(i, i + LONGEST_SET)) ?? []) : [];
      if (ranges !== undefined)
        return mistake(`the range in \`${ranges}\` runs backwards`, "write the smaller character first; for the text itself, `\\\\[`");
    }
    if (char === "\\") {
      const wrong = escapes === "rule" ? checkEscape(text, i) : undefined;
      if (wrong !== undefined) return wrong;
      if (i + 1 < text.length) i++;
    }
    const code = text.codePointAt(i) ?? 0;
    units.push({ is: "char", code });
    i += code > 0xffff ? 2 : 1;
  }
  return ok(units);
}

/** The mistake in the escape that starts at `at`, if any. */
export function checkEscape(text: string, at: number): Mistake | undefined {
  const next = text.charAt(at + 1);
  if (next === "") return mistake("the pattern ends in a lone `\\`", "write `\\\\` for a backslash");
  if (/[\p{L}\p{N}/]/u.test(next)) return mistake(`unknown escape \`\\${next}\``, `write \`${next}\`, or \`\\\\\` for a backslash`);
  return undefined;
}

/** The classes that all shells know (wctype(3)). */
const CLASS = /^\[:(?:alnum|alpha|blank|cntrl|digit|graph|lower|print|punct|space|upper|xdigit):\]/;
const LONGEST_CLASS = 10;

interface BracketSet {
  readonly unit: Unit;
  readonly end: number;
}

/** A set that takes any character: more than any shell makes of it. */
const ANY: Unit = { is: "set", negated: true, ranges: [] };

/**
 * What a shell reads as a set, as wide as one of them reads it: with a class, a range that runs backwards (which bash and zsh
 * leave out) or `^` (a character in dash) it is any character. "open" where they differ on its end: `[[=a=]]`, `[[.a.]]`, `[!]`.
 */
function parseShellSet(text: string, open: number): BracketSet | "open" | undefined {
  let i = open + 1;
  let strange = text.charAt(i) === "^";
  const negated = strange || text.charAt(i) === "!";
  if (negated) i++;
  const ranges: (readonly [number, number])[] = [];
  if (text.charAt(i) === "]") return "open";
  while (i < text.length) {
    if (text.charAt(i) === "]") return { unit: strange ? ANY : { is: "set", negated, ranges }, end: i + 1 };
    if (/^\[[:=.]/.test(text.slice(i, i + 2))) {
      const [named] = CLASS.exec(text.slice(i, i + LONGEST_CLASS)) ?? [];
      if (named === undefined) return "open";
      strange = true;
      i += named.length;
      continue;
    }
    const low = member(text, i);
    i = low.next;
    if (text.charAt(i) !== "-" || i + 1 >= text.length || text.charAt(i + 1) === "]") {
      ranges.push([low.code, low.code]);
      continue;
    }
    if (text.charAt(i + 1) === "[") return "open";
    const high = member(text, i + 1);
    if (high.code < low.code) strange = true;
    else ranges.push([low.code, high.code], ...(negated ? [] : inOtherCase(low.code, high.code)));
    i = high.next;
  }
  return strange ? "open" : undefined;
}

/** Older shells take a range of letters in the order of the language, where upper and lower case lie side by side. */
function inOtherCase(low: number, high: number): readonly (readonly [number, number])[] {
  const range = String.fromCodePoint(low, high);
  if (/^[a-z]+$/.test(range)) return [[low - 32, high - 32]];
  return /^[A-Z]+$/.test(range) ? [[low + 32, high + 32]] : [];
}

/** Undefined when the bracket does not close or holds a reversed range: then it is literal text, as `[user-id]` is. */
function parseSet(text: string, open: number): BracketSet | undefined {
  let i = open + 1;
  const negated = text.charAt(i) === "!" || text.charAt(i) === "^";
  if (negated) i++;
  const ranges: (readonly [number, number])[] = [];
  let first = true;
  while (i < text.length) {
    if (text.charAt(i) === "]" && !first) return { unit: { is: "set", negated, ranges }, end: i + 1 };
    first = false;
    const low = member(text, i);
    i = low.next;
    const dash = text.charAt(i) === "-" && i + 1 < text.length && text.charAt(i + 1) !== "]";
    if (!dash) {
      ranges.push([low.code, low.code]);
      continue;
    }
    const high = member(text, i + 1);
    if (high.code < low.code) return undefined;
    ranges.push([low.code, high.code]);
    i = high.next;
  }
  return undefined;
}

function member(text: string, at: number): { readonly code: number; readonly next: number } {
  const from = text.charAt(at) === "\\" && at + 1 < text.length ? at + 1 : at;
  const code = text.codePointAt(from) ?? 0;
  return { code, next: from + (code > 0xffff ? 2 : 1) };
}

export function wordOf(units: readonly Unit[], raw: string): WordGlob {
  const firstWild = units.findIndex((unit) => unit.is !== "char");
  const lastWild = units.findLastIndex((unit) => unit.is !== "char");
  const literal = firstWild === -1 ? textOf(units) : undefined;
  return {
    raw,
    units,
    literal,
    start: literal ?? textOf(units.slice(0, firstWild)),
    end: literal === undefined ? textOf(units.slice(lastWild + 1)) : "",
    simple: firstWild !== -1 && firstWild === lastWild && units[firstWild]?.is === "run",
    hasSet: units.some((unit) => unit.is === "set"),
  };
}

function textOf(units: readonly Unit[]): string {
  let text = "";
  for (const unit of units) if (unit.is === "char") text += String.fromCodePoint(unit.code);
  return text;
}

/** A word that matches exactly this text. Paths are made of these by the dozen, so the units, which `literal` makes needless, are left out. */
export function literalWord(text: string): WordGlob {
  return { raw: text, units: NONE, literal: text, start: text, end: "", simple: false, hasSet: false };
}

const NONE: readonly Unit[] = [];

function accepts(unit: Unit, code: number): boolean {
  switch (unit.is) {
    case "char":
      return unit.code === code;
    case "one":
    case "run":
      return true;
    case "set":
      for (const [low, high] of unit.ranges) if (code >= low && code <= high) return !unit.negated;
      return unit.negated;
  }
}

/** Whether the whole text matches. */
export function matchesWord(word: WordGlob, text: string, meter?: Meter): boolean {
  if (meter !== undefined) meter.steps++;
  if (word.literal !== undefined) return word.literal === text;
  const fits = text.length >= word.start.length + word.end.length && text.startsWith(word.start) && text.endsWith(word.end);
  if (word.simple) return fits;
  if (fits && walk(word.units, codesOf(text), CHARACTERS, meter)) return true;
  return word.hasSet && word.raw === text;
}

const isRun = (unit: Unit): boolean => unit.is === "run";
const CHARACTERS: Steps<Unit, number> = { isRun, accepts };

/** Rules are asked one after the other about the same word. */
let lastText = "";
let lastCodes: readonly number[] = [];

function codesOf(text: string): readonly number[] {
  if (text === lastText) return lastCodes;
  const codes: number[] = [];
  for (let i = 0; i < text.length; i++) {
    const code = text.codePointAt(i) ?? 0;
    if (code > 0xffff) i++;
    codes.push(code);
  }
  lastText = text;
  return (lastCodes = codes);
}

const words = new BoundedMap<string, WordGlob>(4096);
const shellWords = new BoundedMap<string, WordGlob>(4096);

/** The compiled form of a pattern that was checked when its rule was read; a wrong one matches only itself. */
export function wordGlob(pattern: string): WordGlob {
  return words.get(pattern, (text) => compile(text, "rule"));
}

/** What a shell would expand this word to. */
export function shellGlob(pattern: string): WordGlob {
  return shellWords.get(pattern, (text) => compile(text, "shell"));
}

function compile(text: string, escapes: Escapes): WordGlob {
  const units = parseUnits(text, escapes);
  return units.ok ? wordOf(units.value, text) : literalWord(text);
}

/** Whether a checked word pattern matches the whole text; `*` matches anything, `/` too. */
export function matchesText(pattern: string, text: string, meter?: Meter): boolean {
  return matchesWord(wordGlob(pattern), text, meter);
}

/** True only when everything `inner` matches, `outer` matches: a unit of `inner` is taken as a character that only an equal or wider unit accepts. */
export function covers(outer: WordGlob, inner: WordGlob): boolean {
  if (inner.literal !== undefined) return matchesWord(outer, inner.literal);
  if (outer.literal !== undefined) return false;
  return outer.raw === inner.raw || walk(outer.units, inner.units, WIDER);
}

const WIDER: Steps<Unit, Unit> = { isRun, accepts: unitCovers };

function unitCovers(outer: Unit, inner: Unit): boolean {
  if (inner.is === "run") return false;
  if (outer.is === "one") return true;
  if (inner.is === "char") return accepts(outer, inner.code);
  if (inner.is === "one" || outer.is !== "set" || outer.negated !== inner.negated) return false;
  const [narrow, wide] = inner.negated ? [outer, inner] : [inner, outer];
  return narrow.ranges.every(([low, high]) => wide.ranges.some(([from, to]) => from <= low && high <= to));
}

/** Beyond this many pairs of units two patterns are taken to overlap: the safe answer for every caller. */
const MOST_PAIRS = 1_000_000;

/** False only when no text matches both. */
export function overlaps(a: WordGlob, b: WordGlob): boolean {
  if (a.literal !== undefined) return matchesWord(b, a.literal);
  if (b.literal !== undefined) return matchesWord(a, b.literal);
  if ((a.hasSet && matchesWord(b, a.raw)) || (b.hasSet && matchesWord(a, b.raw))) return true;
  if (a.units.length * b.units.length > MOST_PAIRS) return true;
  return positionsAfter(b.units, a.units, MEETING).has(b.units.length);
}

const MEETING = { isRun, accepts: unitsMeet, spreads: (unit: Unit): 0 | undefined => (unit.is === "run" ? 0 : undefined) };

function unitsMeet(a: Unit, b: Unit): boolean {
  if (a.is === "char") return accepts(b, a.code);
  if (b.is === "char") return accepts(a, b.code);
  if (a.is === "set" && b.is === "set" && !a.negated && !b.negated)
    return a.ranges.some(([low, high]) => b.ranges.some(([from, to]) => low <= to && from <= high));
  return true;
}

/** A word pattern that matches this text alone. */
export function escapeWord(text: string): string {
  return text.replace(/[\\*?[\]]/g, "\\$&");
}
