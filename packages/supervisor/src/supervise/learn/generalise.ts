import { type Action, type ExecAction, type NetAction, printAction, printCall, sayAction, type World } from "@assent/core/action";
import { realWorld } from "@assent/guard/engine";
import type { Machine } from "@assent/guard/state";
import { commandRules } from "@assent/guard/suggest";
import { isBelow, joinPath, relativePath } from "@assent/core/path";
import { escapeSegment } from "@assent/core/pattern";
import { segmentPattern } from "../services/working.ts";
import { callMatcher, EXAMPLE_WORLD, isInAgentFolder, isPersistence, isSecret, matchMatcher, parseRule } from "@assent/core/policy";
import type { Aside, FileRule, Observations, SeenAction, SeenPath } from "./observations.ts";

/** The folders that decide how far a rule may reach; absolute and canonical. */
export interface LearnPlaces {
  readonly home: string;
  readonly project: string;
  readonly temp: readonly string[];
}

/** The places of a run that worked in `cwd`. */
export function learnPlaces(machine: Machine, cwd: string): LearnPlaces {
  const world = realWorld(machine, cwd, undefined);
  return {
    home: world.canonical(machine.home),
    project: world.projectRoot,
    temp: machine.temp.map((folder) => world.canonical(folder)),
  };
}

/** Below home, folders that hold something of everybody's: each program's own folder lies this much deeper. */
const SHARED = [".local/share", ".local/state", ".local/lib", "Library", "Documents", "Desktop", "Downloads"];
/** Configuration and programs: every file there is named. */
const LITERAL = [".config", ".local/bin", "bin", "Library/Preferences", "Library/LaunchAgents"];
/** The kernel's, and the system's own configuration. */
const SYSTEM = ["/proc", "/sys", "/dev", "/etc", "/boot", "/run"];

/**
 * True for a folder that `folder/**` may be written for: something narrow, and nothing that is known to hold what is
 * protected. A broad rule beats no protection anyway; this keeps it from looking as if.
 */
export function mayStandForAll(folder: string, { home, project, temp }: LearnPlaces): boolean {
  if (depth(folder) < 2 || [home, project, ...temp].some((place) => folder === place || isBelow(place, folder))) return false;
  if (isSecret(`${folder}/x`) || isPersistence(`${folder}/x`, { home: [home], project: [project], temp })) return false;
  // The repository's own: hooks and configuration lie in it.
  if (/\/\.git$/i.test(folder)) return false;
  // Dot files of a project configure its tools.
  if (isBelow(folder, project)) return !/\/\.(?:vscode|idea|github|husky)(?:\/|$)/.test(folder) && !isInAgentFolder(folder);
  if (temp.some((place) => isBelow(folder, place))) return true;
  if (isBelow(folder, home)) {
    const relative = relativePath(home, folder);
    if (LITERAL.some((place) => relative === place || isBelow(relative, place))) return false;
    return depth(relative) >= (SHARED.some((place) => relative === place || isBelow(relative, place)) ? 3 : 2);
  }
  return depth(folder) >= 3 && !SYSTEM.some((place) => isBelow(folder, place));
}

/** Number of segments. */
function depth(path: string): number {
  return path.split("/").filter((segment) => segment !== "").length;
}

/** A rule for paths, with what it was made from. */
interface PathRule {
  readonly rule: FileRule;
  readonly pattern: string;
  readonly count: number;
  readonly seen: readonly SeenPath[];
}

/** So many things in one folder stand for the folder. */
const SIBLINGS = 4;

interface FolderNode {
  readonly children: Map<string, FolderNode>;
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
function pathRules(seen: readonly SeenPath[], places: LearnPlaces, guarded: ReadonlySet<string>): readonly PathRule[] {
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

const node = (path: string, pattern: string): FolderNode => ({
  children: new Map(),
  path,
  pattern,
  seen: [],
  guarded: false,
  guards: false,
  used: false,
});

/** `one` is undefined for a guarded path. */
function insert(root: FolderNode, full: string, one: SeenPath | undefined, places: LearnPlaces): void {
  const mark = (at: FolderNode): void => {
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

function rulesOf(at: FolderNode, places: LearnPlaces): readonly PathRule[] {
  if (!at.used) return [];
  const used = [...at.children.values()].filter((child) => child.used);
  if (used.length >= SIBLINGS && !at.guards && mayStandForAll(at.path, places)) return [ruleOf(`${at.pattern}/**`, below(at), places)];
  return [...ownRules(at, places), ...used.flatMap((child) => rulesOf(child, places))];
}

function ownRules({ seen, guarded, pattern }: FolderNode, places: LearnPlaces): readonly PathRule[] {
  if (seen.length === 0) return [];
  const rule = ruleOf(pattern === "" ? "/" : pattern, seen, places);
  return guarded ? apart(rule, places) : [rule];
}

/** The same by name, where a pattern would match a guarded path too. */
function apart({ seen }: PathRule, places: LearnPlaces): readonly PathRule[] {
  return seen.map((one) => ruleOf(literal(one), [one], places));
}

const literal = ({ action: { target } }: SeenPath): string => (target.kind === "path" ? escapePath(target.path) : "");
const escapePath = (path: string): string => path.split("/").map(escapeSegment).join("/");

function below(at: FolderNode): readonly SeenPath[] {
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

/** For a folder with all that is in it. */
export const ruleForAll = (folder: string, places: LearnPlaces): string =>
  `Write(${ruleOf(`${escapePath(folder)}/**`, [], places).pattern})`;

export interface LearntRule {
  /** As it stands in `permissions.allow`. */
  readonly rule: string;
  /** How often it was needed, and for how many different things. */
  readonly reason: string;
  readonly count: number;
}

/** What a run taught. */
export interface Learnt {
  readonly rules: readonly LearntRule[];
  /** Refused: no rule is proposed. */
  readonly refused: readonly Aside[];
  /** Needed, and no rule is proposed. */
  readonly aside: readonly Aside[];
  /** More happened than was kept. */
  readonly incomplete: boolean;
}

/** More rules than this nobody reviews. */
const MOST_RULES = 500;
/** So many ports of one host stand for all. */
const PORTS = 4;

interface CandidateRule {
  readonly rule: string;
  readonly count: number;
  readonly needs: readonly Action[];
}

/**
 * Rules that would have answered every question of the run. INVARIANT: each is parsed and tried on what it was made
 * from, by the code that judges; what it does not cover is listed, never silently lost.
 */
export function generalise(seen: Observations, places: LearnPlaces): Learnt {
  const world = worldOf(places);
  const guarded = seen.protectedPaths();
  const made = pathRules(seen.paths(), places, guarded).flatMap((one) => (meets(one, guarded, world) ? apart(one, places) : [one]));
  const files = made.filter((one) => !isInRoot(one));
  const candidates = [...files.map(candidate), ...netRules(seen.net()), ...execRules(seen.execs())];
  const ofRoot = made.filter(isInRoot).flatMap((one) => one.seen);
  const aside: Aside[] = [
    ...seen.aside(),
    ...ofRoot.map(({ action, count }) => ({ what: sayAction(action), why: "it would change the root folder", count })),
  ];
  const rules: LearntRule[] = [];
  for (const { rule, extent, count } of seen.said()) {
    const holdsGuarded = extent.some(({ path, below }) => below === true && [...guarded].some((one) => isBelow(one, path)));
    if (holdsGuarded || rules.length === MOST_RULES)
      aside.push({
        what: rule,
        why: holdsGuarded ? "something in it stays refused or a question" : `more than ${MOST_RULES} rules`,
        count,
      });
    else rules.push({ rule, count, reason: reasonOf(count, 1) });
  }
  for (const { rule, count, needs } of candidates) {
    const missed = needs.filter((action) => !covers(rule, action, world));
    for (const action of missed) aside.push({ what: sayAction(action), why: "no rule can name it", count: 1 });
    if (missed.length === needs.length) continue;
    if (rules.length === MOST_RULES) aside.push({ what: rule, why: `more than ${MOST_RULES} rules`, count });
    else rules.push({ rule, count, reason: reasonOf(count, needs.length) });
  }
  return { rules, refused: seen.refused(), aside, incomplete: seen.dropped > 0 };
}

/** What changes the root folder itself: a program that tries it looks for a place (pnpm, for its store), and has another one. */
const isInRoot = ({ rule, pattern }: PathRule): boolean =>
  rule !== "Read" && rule !== "List" && rule !== "Exec" && /^\/[^/]*$/.test(pattern);

const candidate = ({ rule, pattern, count, seen }: PathRule): CandidateRule => ({
  rule: `${rule}(${pattern})`,
  count,
  needs: seen.map(({ action }) => action),
});

/** True when a pattern also matches what was refused: a random part stands for any name. */
function meets({ rule, pattern, seen }: PathRule, guarded: ReadonlySet<string>, world: World): boolean {
  const [first] = seen;
  if (first === undefined || !pattern.includes("*")) return false;
  const text = `${rule}(${pattern})`;
  // What comes before the first random part is literal.
  const start = (pattern.startsWith("~") ? `${world.home}${pattern.slice(1)}` : pattern).replace(/[\\*].*$/s, "");
  for (const path of guarded)
    if (path.startsWith(start) && covers(text, { ...first.action, target: { kind: "path", path } }, world)) return true;
  return false;
}

function reasonOf(count: number, different: number): string {
  const times = count === 1 ? "once" : `${count} times`;
  return different > 1 ? `learnt: needed ${times}, for ${different} different things` : `learnt: needed ${times}`;
}

function covers(rule: string, action: Action, world: World): boolean {
  const parsed = parseRule(rule);
  return parsed.ok && matchMatcher(parsed.matcher, action, "narrow", { world, matchCall: callMatcher(world) }) === "yes";
}

/** For rules about what a supervisor saw, which is canonical already. */
export function worldOf({ home, project, temp }: LearnPlaces): World {
  return { ...EXAMPLE_WORLD, cwd: project, home, projectRoot: project, temp, tracked: () => undefined, names: () => undefined };
}

function netRules(seen: readonly SeenAction<NetAction>[]): readonly CandidateRule[] {
  const byHost = new Map<string, SeenAction<NetAction>[]>();
  for (const one of seen) {
    const host = one.action.host ?? "";
    byHost.set(host, [...(byHost.get(host) ?? []), one]);
  }
  return [...byHost].flatMap(([host, all]): readonly CandidateRule[] => {
    const name = host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
    const sum = all.reduce((total, { count }) => total + count, 0);
    if (all.length >= PORTS && isLoopback(host)) return [{ rule: `Net(${name}:*)`, count: sum, needs: all.map(({ action }) => action) }];
    return all.map(({ action, count }) => ({ rule: `Net(${name}:${action.port ?? 0})`, count, needs: [action] }));
  });
}

/** Only there do ports change from run to run; elsewhere each is a service of its own. */
const isLoopback = (host: string): boolean => host === "localhost" || host === "[::1]" || host.startsWith("127.");

function execRules(seen: readonly SeenAction<ExecAction>[]): readonly CandidateRule[] {
  const merged = new Map<string, { count: number; needs: Action[] }>();
  for (const { action, count } of seen) {
    // The first is the most sensible; a later one is narrower. What runs any code is named word by word, or not at all.
    const [rule] = commandRules(action);
    const key = rule ?? (action.call === undefined ? printAction(action) : printCall(action.call));
    const entry = merged.get(key) ?? { count: 0, needs: [] };
    entry.count += count;
    entry.needs.push(action);
    merged.set(key, entry);
  }
  return [...merged].map(([rule, entry]) => ({ rule, ...entry }));
}
