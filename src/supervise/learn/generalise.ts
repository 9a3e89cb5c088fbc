import { type Action, type ExecAction, type NetAction, printAction, printCall, type World } from "../../action/index.ts";
import { commandRules } from "../../engine/index.ts";
import { callMatcher, matchMatcher, parseRule } from "../../policy/index.ts";
import type { Aside, Observations, SeenAction } from "./observations.ts";
import { apart, type PathRule, pathRules } from "./paths.ts";
import type { LearnPlaces } from "./places.ts";

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

interface Candidate {
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
  const files = pathRules(seen.paths(), places, guarded).flatMap((made) => (meets(made, guarded, world) ? apart(made, places) : [made]));
  const candidates = [...files.map(candidate), ...netRules(seen.net()), ...execRules(seen.execs())];
  const rules: LearntRule[] = [];
  const aside: Aside[] = [...seen.aside()];
  for (const { rule, count, needs } of candidates) {
    const missed = needs.filter((action) => !covers(rule, action, world));
    for (const action of missed) aside.push({ what: printAction(action), why: "no rule can name it", count: 1 });
    if (missed.length === needs.length) continue;
    if (rules.length === MOST_RULES) aside.push({ what: rule, why: `more than ${MOST_RULES} rules`, count });
    else rules.push({ rule, count, reason: reasonOf(count, needs.length) });
  }
  return { rules, refused: seen.refused(), aside, incomplete: seen.dropped > 0 };
}

const candidate = ({ rule, pattern, count, seen }: PathRule): Candidate => ({
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

/** What the supervisor sees is canonical already. */
function worldOf({ home, project, temp }: LearnPlaces): World {
  return {
    cwd: project,
    home,
    projectRoot: project,
    temp,
    foldsCase: false,
    env: () => undefined,
    canonical: (path) => path,
    kind: () => "missing",
    lookup: () => ({ path: undefined, trusted: true }),
    trustedProgram: () => true,
    find: () => ({ found: undefined, complete: true }),
    tracked: () => undefined,
    names: () => undefined,
  };
}

function netRules(seen: readonly SeenAction<NetAction>[]): readonly Candidate[] {
  const byHost = new Map<string, SeenAction<NetAction>[]>();
  for (const one of seen) {
    const host = one.action.host ?? "";
    byHost.set(host, [...(byHost.get(host) ?? []), one]);
  }
  return [...byHost].flatMap(([host, all]): readonly Candidate[] => {
    const name = host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
    const sum = all.reduce((total, { count }) => total + count, 0);
    if (all.length >= PORTS && isLoopback(host)) return [{ rule: `Net(${name}:*)`, count: sum, needs: all.map(({ action }) => action) }];
    return all.map(({ action, count }) => ({ rule: `Net(${name}:${action.port ?? 0})`, count, needs: [action] }));
  });
}

/** Only there do ports change from run to run; elsewhere each is a service of its own. */
const isLoopback = (host: string): boolean => host === "localhost" || host === "[::1]" || host.startsWith("127.");

function execRules(seen: readonly SeenAction<ExecAction>[]): readonly Candidate[] {
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
