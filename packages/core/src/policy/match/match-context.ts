import { isWithin } from "../../path/index.ts";
import {
  bindPattern,
  foldSegment,
  literalWord,
  type BoundPattern,
  type PathPattern,
  type PatternBase,
  type Segment,
} from "../../pattern/index.ts";
import type { CallMatcher } from "../kinds/call.ts";
import type { Effect } from "./types.ts";
import type { Call, World } from "../../action/index.ts";
import { placesOf, perWorld } from "./location.ts";

/** What matching needs to know besides the action. Keep one object per decision: what it costs to find is remembered with it. */
export interface MatchContext {
  readonly world: World;
  /** Compares system calls with call patterns; only supervision has both (`callMatcher`). */
  readonly matchCall?: MatchCall | undefined;
}

export type MatchCall = (matcher: CallMatcher, call: Call, side: Side) => boolean;

/** Allow narrows and wants certainty; deny and ask widen. */
export type Side = "narrow" | "wide";

export function sideOf(effect: Effect): Side {
  return effect === "allow" ? "narrow" : "wide";
}

/** The forms of one pattern to compare with, for operations that follow a link and for those that act on it. */
interface Forms {
  readonly follow: readonly BoundPattern[];
  readonly keep: readonly BoundPattern[];
}

interface Bases {
  readonly exact: PatternBase;
  readonly folded: PatternBase;
  readonly forms: Map<PathPattern, Record<Side, Forms>>;
}

const basesOf = perWorld((world): Bases => {
  const exact = { project: world.projectRoot, home: world.home, fold: false };
  return { exact, folded: { ...exact, fold: world.foldsCase }, forms: new Map() };
});

/** What the anchors of patterns stand for in this world; `wide` compares as the file system does. */
export function patternBase(world: World, side: Side): PatternBase {
  const bases = basesOf(world);
  return side === "narrow" ? bases.exact : bases.folded;
}

/**
 * The forms of a pattern to compare with: as written, and with symlinks in its literal start resolved, when that differs.
 * `follow` is false for operations that act on a link itself.
 */
export function patternForms(pattern: PathPattern, world: World, side: Side, follow: boolean): readonly BoundPattern[] {
  const bases = basesOf(world);
  let forms = bases.forms.get(pattern);
  if (forms === undefined) {
    forms = findForms(pattern, bases, world);
    bases.forms.set(pattern, forms);
  }
  return follow ? forms[side].follow : forms[side].keep;
}

/** Resolves the links in a pattern now, for whoever asks later in the same world. */
export function settlePattern(pattern: PathPattern, world: World): void {
  patternForms(pattern, world, "wide", true);
}

function findForms(pattern: PathPattern, { exact, folded: base }: Bases, world: World): Record<Side, Forms> {
  const bound = bindPattern(pattern, exact);
  const wide = bindPattern(pattern, base);
  const follow = rebase(bound, world, true);
  const keep = rebase(bound, world, false);
  return {
    narrow: { follow: listOf(bound, follow), keep: listOf(bound, keep) },
    wide: { follow: listOf(wide, base.fold ? folded(follow) : follow), keep: listOf(wide, base.fold ? folded(keep) : keep) },
  };
}

function listOf(written: BoundPattern, resolved: BoundPattern | undefined): readonly BoundPattern[] {
  return resolved === undefined ? [written] : [written, resolved];
}

function folded(pattern: BoundPattern | undefined): BoundPattern | undefined {
  if (pattern === undefined) return undefined;
  return { alternatives: pattern.alternatives.map((segments) => segments.map(foldSegment)), real: pattern.real };
}

/** The pattern with the symlinks of its literal start resolved; undefined when there are none. */
function rebase(pattern: BoundPattern, world: World, follow: boolean): BoundPattern | undefined {
  let changed = false;
  const alternatives = pattern.alternatives.map((segments) => {
    const names: string[] = [];
    for (const segment of segments) {
      const name = typeof segment === "string" ? undefined : segment.literal;
      if (name === undefined) break;
      names.push(name);
    }
    const whole = names.length === segments.length;
    if (whole && !follow) names.pop();
    if (names.length === 0) return segments;
    const written = `/${names.join("/")}`;
    const resolved = resolvePrefix(written, world);
    if (resolved === written) return segments;
    changed = true;
    const start: Segment[] = resolved
      .split("/")
      .filter((name) => name !== "")
      .map(literalWord);
    return [...start, ...segments.slice(names.length)];
  });
  return changed ? { alternatives, real: pattern.real } : undefined;
}

/**
 * INVARIANT: a symlink inside the project or a temporary folder never moves an allow rule, because whoever may write
 * there could make one: `ln -s /etc src` must not turn `Edit(src/**)` into a rule about `/etc`.
 */
function resolvePrefix(path: string, world: World): string {
  for (const folder of [world.projectRoot, ...world.temp])
    if (isWithin(path, folder)) return `${world.canonical(folder)}${path.slice(folder.length)}`.replace(/\/{2,}/g, "/");
  const { project, temp } = placesOf(world);
  for (const folder of [...project, ...temp]) if (isWithin(path, folder)) return path;
  return world.canonical(path);
}
