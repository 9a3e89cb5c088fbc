import { bindPattern, DEEP, matchesAlternative, pathPattern, type BoundPattern, type PatternBase, type Segment } from "./path.ts";
import type { Answer } from "./result.ts";
import { type Meter, positionsAfter, type Steps } from "./walk.ts";
import { covers, literalWord, overlaps, parseUnits, shellGlob, wordGlob, type WordGlob } from "./word.ts";

/**
 * What an action reaches, as segments from `/`: exactly this path, or with `below` everything under it too.
 * `segments` that are patterns stand for the paths a shell would make of them.
 */
export interface Region {
  readonly segments: readonly Segment[];
  /** The path, when it has no wildcard. */
  readonly path?: readonly string[];
  readonly below: boolean;
  /** The path itself is certainly reached; false where only "somewhere inside" is known. */
  readonly certain: boolean;
}

export function pathRegion(path: readonly string[], below: boolean, certain = true): Region {
  return { segments: path.map(literalWord), path, below, certain };
}

/** The region of a shell pattern; a whole segment `**` crosses folders, as it does where `globstar` is set and in zsh. */
export function globRegion(pattern: readonly string[], below: boolean): Region {
  return { segments: pattern.map((name) => (name === "**" ? DEEP : shellGlob(name))), below, certain: true };
}

export interface RegionReach {
  /** Everything in the region matches: yes. Something in it could: maybe. */
  readonly all: Answer;
  /** The region's own path certainly matches and is certainly reached. */
  readonly touched: boolean;
}

const NOTHING: RegionReach = { all: "no", touched: false };

/** How a pattern and a region relate. Polynomial: all positions in the pattern are walked along the region's segments at once. */
export function reachOf(pattern: BoundPattern, region: Region, meter?: Meter): RegionReach {
  if (region.path !== undefined && !region.below) {
    for (const alternative of pattern.alternatives)
      if (matchesAlternative(alternative, region.path, meter)) return { all: "yes", touched: region.certain };
    return NOTHING;
  }
  let all: Answer = "no";
  let touched = false;
  for (const alternative of pattern.alternatives) {
    const could = positionsAfter(alternative, region.segments, COULD, meter);
    if (could.size === 0) continue;
    const must = region.path === undefined ? positionsAfter(alternative, region.segments, MUST, meter) : could;
    const end = alternative.length;
    if (must.has(end)) touched ||= region.certain;
    if (region.below ? coversBelow(alternative, must) : must.has(end)) return { all: "yes", touched };
    if (region.below || could.has(end)) all = "maybe";
  }
  return { all, touched };
}

/** A `**` of the region crosses any number of folders: the pattern could be anywhere further on, and nothing is certain. */
const COULD = {
  isRun: isDeep,
  accepts: (own: Segment, other: Segment): boolean => own !== DEEP && other !== DEEP && overlaps(own, other),
  spreads: (other: Segment): 0 | undefined => (other === DEEP ? 0 : undefined),
};
const MUST: Steps<Segment, Segment> = { isRun: isDeep, accepts: (own, other) => own !== DEEP && other !== DEEP && covers(own, other) };

function isDeep(segment: Segment): boolean {
  return segment === DEEP;
}

/** Whether the path itself and whatever lies below it is matched. */
function coversBelow(pattern: readonly Segment[], states: ReadonlySet<number>): boolean {
  if (!states.has(pattern.length)) return false;
  for (const state of states) {
    if (pattern[state] !== DEEP) continue;
    const rest = pattern.slice(state).filter((segment) => segment !== DEEP);
    if (rest.length === 0 || (rest.length === 1 && isAnyName(rest[0]))) return true;
  }
  return false;
}

function isAnyName(segment: Segment | undefined): boolean {
  return segment !== undefined && segment !== DEEP && segment.simple && segment.start === "" && segment.end === "";
}

/** Whether every path that `inner` matches, `outer` matches. */
export function patternCovers(outer: string, inner: string, base: PatternBase): boolean {
  const [wide, narrow] = [pathPattern(outer), pathPattern(inner)];
  if (!wide.ok || !narrow.ok) return false;
  const pattern = bindPattern(wide.value, base);
  return bindPattern(narrow.value, base).alternatives.every((segments) => {
    // `[a]` also means the name that is spelled so, each set on its own: any name stands in for it.
    const form = segments.map((segment) => (hasSet(segment) ? wordGlob("*") : segment));
    return outer === inner || reachOf(pattern, { segments: form, below: false, certain: true }).all === "yes";
  });
}

const hasSet = (segment: Segment): boolean => segment !== DEEP && segment.hasSet;

/** A name no rule, list or file is likely to know. */
const FRESH = "zqx";

/**
 * The paths a pattern describes when nothing is put into its wildcards but neutral names: what the pattern says
 * by its literal part alone. `~/.ssh/**` gives a path in `.ssh`, `**` gives one nobody protects.
 */
export function genericInstances(pattern: string, base: PatternBase): readonly string[] {
  const read = pathPattern(pattern);
  if (!read.ok) return [];
  const bound = bindPattern(read.value, base);
  return [...new Set(bound.alternatives.slice(0, bound.real).map((segments) => `/${segments.map(genericName).join("/")}`))];
}

function genericName(segment: Segment): string {
  return segment === DEEP ? `${FRESH}0` : (segment.literal ?? genericOf(segment));
}

/** The text a word pattern without braces describes when its wildcards hold nothing but neutral text. */
export function genericWord(pattern: string): string {
  const units = parseUnits(pattern);
  return units.ok ? genericOf(units.value) : pattern;
}

function genericOf(word: WordGlob | WordGlob["units"]): string {
  let text = "";
  for (const unit of "units" in word ? word.units : word) {
    if (unit.is === "char") text += String.fromCodePoint(unit.code);
    else if (unit.is === "run") text += `${FRESH}1`;
    else if (unit.is === "one") text += "q";
    else {
      const [only] = unit.ranges;
      // `[.]env` names `.env`; a set of several characters names none of them.
      text += !unit.negated && unit.ranges.length === 1 && only !== undefined && only[0] === only[1] ? String.fromCodePoint(only[0]) : "q";
    }
  }
  return text;
}
