import { joinPath } from "../../path/index.ts";
import { escapeSegment, segmentPattern } from "./names.ts";
import type { FileRule, SeenPath } from "./observations.ts";
import { mayStandForAll, type LearnPlaces } from "./places.ts";

/** A rule for paths, with what it was made from. */
export interface PathRule {
  readonly rule: FileRule;
  readonly pattern: string;
  readonly count: number;
  readonly seen: readonly SeenPath[];
}

/** So many things in one folder stand for the folder. */
const SIBLINGS = 4;

interface Node {
  readonly children: Map<string, Node>;
  /** As it is on disk, for asking what kind of place it is; of names with a random part the first one seen. */
  readonly path: string;
  readonly pattern: string;
  readonly seen: SeenPath[];
  /** A path of this pattern was refused or stays a question. */
  guarded: boolean;
  /** The same of something in it. */
  guards: boolean;
  /** It or something in it was seen. */
  used: boolean;
}

/**
 * Rules that cover every path that was seen: folders with much in them as a whole, everything else by name.
 * INVARIANT: none covers a guarded path.
 */
export function pathRules(seen: readonly SeenPath[], places: LearnPlaces, guarded: ReadonlySet<string>): readonly PathRule[] {
  const groups = [seen.filter(isChange), ...(["Read", "List", "Exec"] as const).map((rule) => seen.filter((one) => one.rule === rule))];
  return groups.flatMap((group) => {
    if (group.length === 0) return [];
    const root = node("/", "");
    for (const one of group) if (one.action.target.kind === "path") insert(root, one.action.target.path, one, places);
    for (const path of guarded) insert(root, path, undefined, places);
    return rulesOf(root, places);
  });
}

const isChange = ({ rule }: SeenPath): boolean => rule === "Edit" || rule === "Delete" || rule === "Write";

const node = (path: string, pattern: string): Node => ({
  children: new Map(),
  path,
  pattern,
  seen: [],
  guarded: false,
  guards: false,
  used: false,
});

/** `one` is undefined for a guarded path. */
function insert(root: Node, full: string, one: SeenPath | undefined, places: LearnPlaces): void {
  const mark = (at: Node): void => {
    if (one === undefined) at.guards = true;
    else at.used = true;
  };
  let at = root;
  mark(at);
  for (const name of full.split("/")) {
    if (name === "") continue;
    const path = joinPath(at.path, name);
    const segment = isFixed(path, places) ? escapeSegment(name) : segmentPattern(name, mayStandForAll(at.path, places));
    let child = at.children.get(segment);
    if (child === undefined) {
      child = node(path, `${at.pattern}/${segment}`);
      at.children.set(segment, child);
    }
    at = child;
    mark(at);
  }
  if (one === undefined) at.guarded = true;
  else at.seen.push(one);
}

/** Home, project and temp folders are named as they are, whatever they look like; so is configuration. */
function isFixed(path: string, { home, project, temp }: LearnPlaces): boolean {
  return [home, project, ...temp].some((place) => place === path || place.startsWith(`${path}/`)) || path.startsWith(`${home}/.config/`);
}

function rulesOf(at: Node, places: LearnPlaces): readonly PathRule[] {
  if (!at.used) return [];
  const used = [...at.children.values()].filter((child) => child.used);
  if (used.length >= SIBLINGS && !at.guards && mayStandForAll(at.path, places)) return [ruleOf(`${at.pattern}/**`, below(at), places)];
  return [...ownRules(at, places), ...used.flatMap((child) => rulesOf(child, places))];
}

function ownRules({ seen, guarded, pattern }: Node, places: LearnPlaces): readonly PathRule[] {
  if (seen.length === 0) return [];
  const rule = ruleOf(pattern === "" ? "/" : pattern, seen, places);
  return guarded ? apart(rule, places) : [rule];
}

/** The same by name, where a pattern would match a guarded path too. */
export function apart({ seen }: PathRule, places: LearnPlaces): readonly PathRule[] {
  return seen.map((one) => ruleOf(literal(one), [one], places));
}

const literal = ({ action: { target } }: SeenPath): string => (target.kind === "path" ? escapePath(target.path) : "");
const escapePath = (path: string): string => path.split("/").map(escapeSegment).join("/");

function below(at: Node): readonly SeenPath[] {
  return [...at.seen, ...[...at.children.values()].flatMap(below)];
}

function ruleOf(pattern: string, seen: readonly SeenPath[], { home }: LearnPlaces): PathRule {
  const rules = new Set(seen.map(({ rule }) => rule));
  const [only = "Write"] = rules;
  const count = seen.reduce((sum, one) => sum + one.count, 0);
  const base = home === "/" ? undefined : escapePath(home);
  const short = base !== undefined && pattern.startsWith(`${base}/`) ? `~${pattern.slice(base.length)}` : pattern;
  return { rule: rules.size === 1 ? only : "Write", pattern: short, count, seen };
}
