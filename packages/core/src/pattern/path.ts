import { spend } from "../action/index.ts";
import { foldCase } from "../path/index.ts";
import { expandBraces } from "./brace.ts";
import { BoundedMap, mistake, ok, type Result } from "./result.ts";
import { type Meter, type Steps, walk } from "./walk.ts";
import { literalWord, matchesWord, parseUnits, wordOf, type Unit, type WordGlob } from "./word.ts";

/**
 * Path patterns: `*` inside a segment, `**` across segments, `?`, `[a-z]`, `[!a]`, `{a,b}`, `\` quotes.
 * `/…` is absolute, `~/…` means home, `**…` starts at `/`, everything else is relative to the project root.
 * A pattern that ends in `/**` also matches the folder itself, and every pattern matches the path that is spelled like it.
 */
export const DEEP = "**";
export type Segment = WordGlob | typeof DEEP;

interface Alternative {
  readonly anchor: "root" | "home" | "project";
  /** Leading `..`. */
  readonly up: number;
  readonly segments: readonly Segment[];
}

export interface PathPattern {
  readonly text: string;
  readonly alternatives: readonly Alternative[];
  /** The path that is spelled like the pattern, where reading it as a pattern lost that. */
  readonly spelled: Alternative | undefined;
}

/** What the anchors of a pattern stand for. */
export interface PatternBase {
  readonly project: string;
  readonly home: string;
  /** Compare as a case-folding file system does; paths must be folded too. */
  readonly fold: boolean;
}

/** A pattern whose anchors are filled in: plain lists of segments from `/`. */
export interface BoundPattern {
  readonly alternatives: readonly (readonly Segment[])[];
  /** How many of the alternatives come from the pattern; one more is its own spelling. */
  readonly real: number;
}

const LONGEST = 4096;
const MOST_ALTERNATIVES = 256;

const parsed = new BoundedMap<string, Result<PathPattern>>(4096);

/** Reads a path pattern; the same text is read only once. */
export function pathPattern(text: string): Result<PathPattern> {
  return parsed.get(text, parse);
}

function parse(text: string): Result<PathPattern> {
  if (text === "") return mistake("empty pattern", "write `**` for every path");
  if (text.length > LONGEST) return mistake(`the pattern is longer than ${LONGEST} characters`);
  if (text.includes("\0")) return mistake("the pattern has a NUL character, which no path can have");
  const texts = expandBraces(text);
  if (!texts.ok) return texts;
  spend(texts.value.length * (1 + (text.length >> 5)));
  const alternatives: Alternative[] = [];
  for (const alternative of texts.value) {
    const read = parseAlternative(alternative);
    if (!read.ok) return read;
    alternatives.push(...read.value);
    if (alternatives.length > MOST_ALTERNATIVES)
      return mistake(`the pattern stands for more than ${MOST_ALTERNATIVES} patterns`, "write several rules");
  }
  return ok({ text, alternatives, spelled: /[{\\]/.test(text) ? spelling(text) : undefined });
}

function spelling(text: string): Alternative {
  const { anchor, rest } = anchorOf(text);
  const names = rest.split("/").filter((name) => name !== "" && name !== ".");
  return { anchor, up: 0, segments: names.map(literalWord) };
}

function anchorOf(text: string): { readonly anchor: Alternative["anchor"]; readonly rest: string } {
  if (text === "~" || text.startsWith("~/")) return { anchor: "home", rest: text.slice(1) };
  return { anchor: text.startsWith("/") || text.startsWith("**") ? "root" : "project", rest: text };
}

/** One brace alternative; several when `**` stands inside a segment. */
function parseAlternative(text: string): Result<readonly Alternative[]> {
  const home = /^\$(?:HOME\b|\{HOME\})/.exec(text);
  if (home !== null) return mistake(`\`${home[0]}\` is not expanded in patterns`, `write \`~${text.slice(home[0].length)}\``);
  if (/^~[^/]/.test(text)) return mistake("`~` stands only for your own home folder", "write `~/…`, an absolute path, or `./~…`");
  const { anchor, rest } = anchorOf(text);
  // A trailing slash names a folder: what is in it is meant as well.
  const names = (rest.endsWith("/") && rest !== "/" ? `${rest}**` : rest).split("/");
  let up = 0;
  let lists: readonly (readonly Segment[])[] = [[]];
  for (const name of names) {
    if (name === "" || name === ".") continue;
    if (name === "..") {
      if (lists.some((list) => list.includes(DEEP))) return mistake("`..` after `**` has no meaning", "write the path without `..`");
      if (lists[0]?.length === 0) up++;
      lists = lists.map((list) => list.slice(0, -1));
      continue;
    }
    const units = parseUnits(name);
    if (!units.ok) return units;
    const deep = units.value.length === 1 ? 0 : units.value.filter((unit) => unit.is === "run" && unit.deep).length;
    if (lists.length * 2 ** deep > MOST_ALTERNATIVES)
      return mistake(`the pattern stands for more than ${MOST_ALTERNATIVES} patterns`, "write `**` as a segment of its own");
    const choices = segmentChoices(units.value, name);
    lists = lists.flatMap((list) => choices.map((choice) => append(list, choice)));
  }
  return ok(lists.map((segments) => ({ anchor, up, segments })));
}

function append(list: readonly Segment[], more: readonly Segment[]): readonly Segment[] {
  return list.at(-1) === DEEP && more[0] === DEEP ? [...list, ...more.slice(1)] : [...list, ...more];
}

/** `a**b` is `a*b` when nothing between has a slash, else `a*`, any folders, `*b`. */
function segmentChoices(units: readonly Unit[], raw: string): readonly (readonly Segment[])[] {
  const at = units.findIndex((unit) => unit.is === "run" && unit.deep);
  if (at === -1) return [[wordOf(units, raw)]];
  if (units.length === 1) return [[DEEP]];
  const run: Unit = { is: "run", deep: false };
  const before = [...units.slice(0, at), run];
  const after = [run, ...units.slice(at + 1)];
  const whole = [...before, ...units.slice(at + 1)];
  const split = segmentChoices(after, raw).map((rest): readonly Segment[] => [wordOf(before, raw), DEEP, ...rest]);
  return [...segmentChoices(whole, raw), ...split];
}

const bound = new WeakMap<PathPattern, { readonly base: PatternBase; readonly bound: BoundPattern }[]>();

/** Fills in the anchors. The last few bases are remembered per pattern, so this is free in the long run. */
export function bindPattern(pattern: PathPattern, base: PatternBase): BoundPattern {
  const known = bound.get(pattern) ?? [];
  for (const entry of known)
    if (entry.base === base || (entry.base.fold === base.fold && entry.base.project === base.project && entry.base.home === base.home))
      return entry.bound;
  const made = bind(pattern, base);
  if (known.length >= 4) known.length = 0;
  known.push({ base, bound: made });
  bound.set(pattern, known);
  return made;
}

function bind(pattern: PathPattern, base: PatternBase): BoundPattern {
  const all = pattern.spelled === undefined ? pattern.alternatives : [...pattern.alternatives, pattern.spelled];
  return { alternatives: all.map((alternative) => bindAlternative(alternative, base)), real: pattern.alternatives.length };
}

function bindAlternative(alternative: Alternative, base: PatternBase): readonly Segment[] {
  const anchor = alternative.anchor === "root" ? "" : alternative.anchor === "home" ? base.home : base.project;
  const folders = anchor.split("/").filter((name) => name !== "");
  const kept = folders.slice(0, Math.max(0, folders.length - alternative.up));
  const segments: Segment[] = [...kept.map(literalWord), ...alternative.segments];
  return base.fold ? segments.map(foldSegment) : segments;
}

/** The segment as it compares against case-folded text. */
export function foldSegment(segment: Segment): Segment {
  if (segment === DEEP) return DEEP;
  if (segment.literal !== undefined) return literalWord(foldCase(segment.literal));
  const units: Unit[] = [];
  for (const unit of segment.units) {
    if (unit.is === "char")
      for (const char of foldCase(String.fromCodePoint(unit.code))) units.push({ is: "char", code: char.codePointAt(0) ?? 0 });
    else if (unit.is === "set") units.push({ ...unit, ranges: unit.ranges.flatMap(withLowerCase) });
    else units.push(unit);
  }
  return wordOf(units, foldCase(segment.raw));
}

function withLowerCase(range: readonly [number, number]): readonly (readonly [number, number])[] {
  const low = Math.max(range[0], 0x41);
  const high = Math.min(range[1], 0x5a);
  return low <= high ? [range, [low + 0x20, high + 0x20]] : [range];
}

/** Whether the path, given as its segments, matches. */
export function matchesSegments(pattern: BoundPattern, path: readonly string[], meter?: Meter): boolean {
  spend(pattern.alternatives.length);
  for (const alternative of pattern.alternatives) if (matchesAlternative(alternative, path, meter)) return true;
  return false;
}

export function matchesAlternative(pattern: readonly Segment[], path: readonly string[], meter?: Meter): boolean {
  const last = pattern.at(-1);
  const name = path.at(-1);
  // Most patterns end in a name, and most paths in another one.
  if (last !== undefined && last !== DEEP && (name === undefined || !matchesWord(last, name, meter))) return false;
  return walk(pattern, path, NAMES, meter);
}

const NAMES: Steps<Segment, string> = {
  isRun: (segment) => segment === DEEP,
  accepts: (segment, name, meter) => segment !== DEEP && matchesWord(segment, name, meter),
};

/** The pattern that matches exactly this name. A blank at its end, which a rule would lose, stands in brackets. */
export function escapeSegment(name: string): string {
  return name.replace(/[\\*?[\]{}(),!]/g, "\\$&").replace(/\s$/, "[$&]");
}

/** A path pattern that matches this path alone, but for a `~` in front. */
export function escapePath(text: string): string {
  return text.replace(/[\\*?[\]{}]/g, "\\$&");
}
