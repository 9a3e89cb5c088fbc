import type { ExecAction, FileAction, Target } from "../../action/index.ts";
import { foldCase, joinPath, resolvePath, segmentsOf } from "../../path/index.ts";
import {
  type Answer,
  both,
  DEEP,
  either,
  escapeWord,
  globRegion,
  matchesSegments,
  overlaps,
  pathPattern,
  type PathPattern,
  pathRegion,
  reachOf,
  type Region,
  shellGlob,
} from "../../pattern/index.ts";
import { comparable, forms, linkAt, withinAny } from "./location.ts";
import { patternForms, type MatchContext, type Side } from "./match-context.ts";

/** A target in the spellings that count for one side; worked out once per action and decision. */
interface Spellings {
  /** Undefined where nothing is known of the place. */
  readonly regions: readonly Region[] | undefined;
  readonly follow: boolean;
}

/** What was worked out for the context last asked about, that is, for a decision. */
interface PreparedTargets extends Readonly<Record<Side, Map<object, Spellings>>> {
  readonly context: MatchContext;
  readonly programs: Map<ExecAction, Target>;
}

let prepared: PreparedTargets | undefined;

function preparedFor(context: MatchContext): PreparedTargets {
  if (prepared?.context !== context) prepared = { context, narrow: new Map(), wide: new Map(), programs: new Map() };
  return prepared;
}

interface Last {
  readonly side: Side;
  readonly context: MatchContext;
  readonly key: object;
  readonly spellings: Spellings;
}

/** Rules are asked one after the other about the same target. */
let last: Last | undefined;

function remembered(side: Side, context: MatchContext, key: object, make: () => Spellings): Spellings {
  if (last !== undefined && last.key === key && last.side === side && last.context === context) return last.spellings;
  const known = preparedFor(context)[side];
  let spellings = known.get(key);
  if (spellings === undefined) {
    spellings = make();
    known.set(key, spellings);
  }
  last = { side, context, key, spellings };
  return spellings;
}

/**
 * Whether a path pattern matches what a target reaches. `narrow` (allow): every canonical form, and everything
 * reached, must match. `wide` (deny, ask): one form suffices, and touching one matching path is a match.
 */
export function matchTarget(pattern: string, target: Target, side: Side, context: MatchContext): Answer {
  return matchSpellings(
    pattern,
    remembered(side, context, target, () => spell({ target }, side, context)),
    side,
    context,
  );
}

/** As `matchTarget`, for a file action: deleting and renaming act on a link itself, and reach what is below a folder. */
export function matchFile(pattern: string, action: FileAction, side: Side, context: MatchContext): Answer {
  const answer = matchSpellings(
    pattern,
    remembered(side, context, action, () => spell(action, side, context)),
    side,
    context,
  );
  if (answer === "maybe" && side === "wide" && namesNone(pattern, action, context)) return "no";
  if (answer !== "no" || side === "narrow" || !movesFolder(action, context)) return answer;
  const below: Target = { kind: "tree", path: action.target.path };
  return both("maybe", matchSpellings(pattern, spell({ ...action, target: below }, side, context), side, context));
}

/** What is written below a folder has names of which the pattern means none: `**\/.env`, and what Python compiles to `*.pyc`. */
function namesNone(pattern: string, { operation, target }: FileAction, { world }: MatchContext): boolean {
  if (target.kind !== "tree" || (operation !== "write" && operation !== "edit")) return false;
  const { only, follows } = target.filter ?? {};
  const read = pathPattern(pattern);
  if (only === undefined || follows === true || !read.ok) return false;
  const fold = (text: string): string => (world.foldsCase ? foldCase(text) : text);
  const written = only.map((glob) => shellGlob(fold(glob)));
  return read.value.alternatives.every(({ segments }) => {
    const last = segments.at(-1);
    const named = last === undefined || last === DEEP ? undefined : shellGlob(fold(last.raw));
    return named !== undefined && !written.some((glob) => overlaps(glob, named));
  });
}

/** The places a file action reaches, in every spelling that counts for a rule that narrows; undefined where nothing is known. */
export function targetRegions(action: FileAction, context: MatchContext): readonly Region[] | undefined {
  return remembered("wide", context, action, () => spell(action, "wide", context)).regions;
}

/** Likewise for the file of a program; undefined where a name was not found. */
export function programRegions(action: ExecAction, context: MatchContext): readonly Region[] | undefined {
  const [word] = action.argv;
  if (action.resolved !== undefined) {
    const target = pathTarget(action, action.resolved, context);
    return remembered("wide", context, target, () => spell({ target }, "wide", context)).regions;
  }
  return word?.known === true && word.text.includes("/") ? spell(asText(word.text, context), "wide", context).regions : undefined;
}

/** Renaming or linking a folder takes along what is in it. */
export function movesFolder(
  action: FileAction,
  context: MatchContext,
): action is FileAction & { readonly target: { readonly kind: "path" } } {
  if (action.target.kind !== "path" || (action.operation !== "rename" && action.operation !== "link")) return false;
  return context.world.kind(action.target.path) === "directory";
}

/** Whether a pattern matches a path that a tool or a program was given as text. */
export function matchPathText(pattern: string, text: string, side: Side, context: MatchContext): Answer {
  return matchSpellings(pattern, spell(asText(text, context), side, context), side, context);
}

function asText(text: string, { world }: MatchContext): Reached {
  const home = text === "~" || text.startsWith("~/") ? `${world.home}${text.slice(1)}` : text;
  const path = resolvePath(world.cwd, home);
  const asGiven = home.includes("..") ? home : undefined;
  return { target: { kind: "path", path }, ...(asGiven === undefined ? {} : { asGiven }) };
}

/** `Exec(glob)`: the file a program name leads to. */
export function matchProgramPath(pattern: string, action: ExecAction, side: Side, context: MatchContext): Answer {
  if (action.resolved !== undefined) return matchTarget(pattern, pathTarget(action, action.resolved, context), side, context);
  const [word] = action.argv;
  if (word === undefined || !word.known) return side === "narrow" ? "no" : matchTarget(pattern, UNKNOWN, side, context);
  if (word.text.includes("/")) return matchPathText(pattern, word.text, side, context);
  // Not found: it could still be anywhere.
  const read = pathPattern(pattern);
  if (side === "narrow" || !read.ok) return "no";
  const region = globRegion(["**", escapeWord(word.text)], false);
  return both("maybe", bestReach(read.value, { regions: [region], follow: true }, side, context));
}

const UNKNOWN: Target = { kind: "unknown", why: "the program is only known when the line runs" };

function pathTarget(action: ExecAction, path: string, context: MatchContext): Target {
  const { programs } = preparedFor(context);
  let target = programs.get(action);
  if (target === undefined) {
    target = { kind: "path", path };
    programs.set(action, target);
  }
  return target;
}

function matchSpellings(pattern: string, spellings: Spellings, side: Side, context: MatchContext): Answer {
  const read = pathPattern(pattern);
  // A policy with a wrong pattern does not load, so this is a pattern that nobody checked.
  if (!read.ok) return "maybe";
  return bestReach(read.value, spellings, side, context);
}

function bestReach(pattern: PathPattern, { regions, follow }: Spellings, side: Side, { world }: MatchContext): Answer {
  const spelled = patternForms(pattern, world, side, follow);
  if (regions === undefined) {
    const anywhere = pathRegion([], true, false);
    return either("maybe", spelled.some((form) => reachOf(form, anywhere).all === "yes") ? "yes" : "no");
  }
  let answer: Answer = side === "narrow" ? "yes" : "no";
  for (const region of regions) {
    let best: Answer = "no";
    for (const form of spelled) {
      if (region.path !== undefined && !region.below) {
        if (matchesSegments(form, region.path)) best = "yes";
      } else {
        const reach = reachOf(form, region);
        best = either(best, side === "wide" && reach.touched ? "yes" : reach.all);
      }
      if (best === "yes") break;
    }
    answer = side === "narrow" ? both(answer, best) : either(answer, best);
    if (answer === (side === "narrow" ? "no" : "yes")) break;
  }
  return answer;
}

interface Reached {
  readonly target: Target;
  readonly asGiven?: string;
  readonly recursive?: boolean;
  readonly operation?: FileAction["operation"];
}

/** Operations that act on a symlink, not on what it leads to. */
const ON_THE_LINK: ReadonlySet<string | undefined> = new Set(["delete", "rename", "link"]);

function spell(reached: Reached, side: Side, context: MatchContext): Spellings {
  const { target } = reached;
  const { world } = context;
  const follow = !ON_THE_LINK.has(reached.operation);
  if (target.kind === "unknown" && target.within === undefined) return { regions: undefined, follow };
  const below = target.kind === "tree" || target.kind === "unknown" || reached.recursive === true;
  const start = target.kind === "glob" ? literalStart(target.pattern) : target.kind === "unknown" ? (target.within ?? "/") : target.path;
  const rest = target.kind === "glob" ? segmentsOf(target.pattern).slice(segmentsOf(start).length) : [];
  const paths = target.kind === "glob" ? globPaths(start, side, context) : pathForms(start, reached, follow, side, context);
  const fold = side === "wide" && world.foldsCase;
  const regions = [...new Set(fold ? paths.map(foldCase) : paths)].map((path) => {
    if (target.kind !== "glob") return pathRegion(segmentsOf(path), below, target.kind !== "unknown");
    return globRegion([...segmentsOf(path).map(escapeWord), ...(fold ? rest.map(foldCase) : rest)], below);
  });
  return { regions, follow };
}

function globPaths(start: string, side: Side, { world }: MatchContext): readonly string[] {
  const canonical = world.canonical(start);
  return side === "narrow" ? [canonical] : [start, canonical];
}

function pathForms(path: string, reached: Reached, follow: boolean, side: Side, { world }: MatchContext): readonly string[] {
  const canonical = world.canonical(path);
  const kept = follow ? canonical : linkAt(path, world);
  // `link/../x` leads past what the text says: the kernel resolves the link first.
  const given = reached.asGiven?.includes("..") === true ? world.canonical(absolute(reached.asGiven, world.cwd)) : kept;
  return side === "narrow" ? [kept, given] : [path, canonical, kept, given];
}

function absolute(path: string, cwd: string): string {
  return path.startsWith("/") ? path : joinPath(cwd, path);
}

/** The folders of a shell pattern in front of its first wildcard, quotes removed. */
function literalStart(pattern: string): string {
  const names: string[] = [];
  for (const name of segmentsOf(pattern)) {
    if (/(?:^|[^\\])(?:\\\\)*[*?[]/.test(name)) break;
    names.push(name.replace(/\\(.)/gsu, "$1"));
  }
  return `/${names.join("/")}`;
}

/** True when everything a target reaches provably lies inside a folder (a project's root), symlinks resolved. */
export function isInsideFolder(target: Target, folder: string, context: MatchContext): boolean {
  const place = target.kind === "glob" ? literalStart(target.pattern) : target.kind === "unknown" ? target.within : target.path;
  return place !== undefined && pathIsInside(place, folder, context);
}

/** A command's folders (`cd`, `-C`) all lie in `root`; without any it works in the request's own. */
export function worksInside(folders: readonly string[] | undefined, root: string, context: MatchContext): boolean {
  return folders === undefined || (folders.length > 0 && folders.every((folder) => pathIsInside(folder, root, context)));
}

export function pathIsInside(path: string, folder: string, { world }: MatchContext): boolean {
  const [canonical = path] = comparable([world.canonical(path)], world);
  return withinAny(canonical, comparable(forms(folder, world), world));
}
