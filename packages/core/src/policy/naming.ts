import { type Action, type Danger, type DangerId, DANGERS, type FileAction, type World } from "../action/index.ts";
import { resolvePath, segmentsOf } from "../path/index.ts";
import { bindPattern, expandBraces, genericInstances, matchesSegments, pathPattern } from "../pattern/index.ts";
import { isPersistenceHere, regionOf } from "./path-class.ts";
import { judgingOf, sampleCommands } from "./kinds/index.ts";
import { FRESH } from "./kinds/kind.ts";
import { comparable, comparablePlaces, type Places } from "./match/location.ts";
import { patternBase } from "./match/match-context.ts";
import { namesHost, type Scoped } from "./protections.ts";
import { spell } from "./targets.ts";
import type { Rule } from "./match/types.ts";

/**
 * Whether a written allow beats a protection: only when its literal part lies inside it. `Read(.env.example)` opens
 * that file, `Read(**)` opens no secret; `Shell(git push --force ...)` answers for a force push, `Bash(git:*)` does not.
 * Against a danger class of effect deny the target must be literal, too.
 */
export interface NamingContext {
  readonly world: World;
  /** The danger classes of a command, given as argv: what knowledge says of a rule's literal part. */
  readonly dangersOf: (argv: readonly string[]) => ReadonlySet<DangerId>;
}

/** `rule` matches the action itself. */
export function namesOwn(rule: Rule, action: Action, { scope }: Scoped, context: NamingContext): boolean {
  const { matcher } = rule;
  const { names } = judgingOf(matcher);
  switch (scope.by) {
    case "nothing":
      return false;
    case "default":
      return names.literal(matcher);
    case "host":
      return namesHost(matcher, scope.host);
    case "place":
    case "danger":
      if (action.kind === "file") return names.paths(matcher).some((pattern) => pathNames(pattern, action, scope, context.world));
      return action.kind === "exec" && scope.by === "danger" && samplesHave(rule, scope.id, context);
  }
}

/** `rule` matches the command the action comes from. */
export function namesByCommand(rule: Rule, action: Action, { scope }: Scoped, context: NamingContext): boolean {
  const { matcher } = rule;
  const { names } = judgingOf(matcher);
  if (scope.by === "nothing") return false;
  if (scope.by === "host") return names.isWholeCommand(matcher);
  // Whoever allows `npm test` by name allows the code it runs; a file it writes has a rule of its own.
  if (scope.by === "default") return action.kind === "code" && names.literal(matcher);
  if (scope.by === "danger" && !samplesHave(rule, scope.id, context)) return false;
  const literal = scope.by === "place" || DANGERS[scope.id].effect === "deny";
  return !literal || action.kind !== "file" || names.isWholeCommand(matcher) || spellsTarget(rule, action, context.world);
}

function samplesHave(rule: Rule, id: DangerId, { dangersOf }: NamingContext): boolean {
  const { unlisted }: Danger = DANGERS[id];
  return sampleCommands(rule.matcher).some((argv) => (unlisted !== true || !argv.includes(FRESH)) && dangersOf(argv).has(id));
}

/** One of the rule's own words is the path the action is about. */
function spellsTarget(rule: Rule, action: FileAction, world: World): boolean {
  if (action.target.kind !== "path" && action.target.kind !== "tree") return false;
  const { path } = action.target;
  return sampleCommands(rule.matcher).some((argv) => argv.slice(1).some((word) => pathsIn(word, world).includes(path)));
}

/** What a word may mean as a path: itself, and the value after `=`. */
function pathsIn(word: string, world: World): readonly string[] {
  const values = word.includes("=") ? [word, word.slice(word.indexOf("=") + 1)] : [word];
  return values.map((value) => resolvePath(world.cwd, value === "~" || value.startsWith("~/") ? world.home + value.slice(1) : value));
}

function pathNames(pattern: string | undefined, action: FileAction, scope: Scoped["scope"], world: World): boolean {
  if (pattern === undefined) return false;
  const texts = expandBraces(pattern);
  const { written } = spell(action, world);
  // Of `{.env.example,src/**}` only the part that means this path counts.
  return texts.ok && texts.value.some((text) => means(text, written, world) && partNames(text, action, scope, world));
}

function means(text: string, written: readonly string[], world: World): boolean {
  const read = pathPattern(text);
  if (!read.ok) return false;
  const bound = bindPattern(read.value, patternBase(world, "wide"));
  return comparable(written, world).some((path) => matchesSegments(bound, segmentsOf(path)));
}

function partNames(text: string, action: FileAction, scope: Scoped["scope"], world: World): boolean {
  const instances = genericInstances(text, patternBase(world, "narrow"));
  if (instances.length === 0) return false;
  if (scope.by === "place") return instances.every(scope.holds);
  if (scope.by !== "danger") return false;
  const places = comparablePlaces(world);
  switch (scope.id) {
    case "persistence":
      return comparable(instances, world).every((path) => isPersistenceHere(path, world));
    case "delete-recursive":
      return regionOf(literalStart(text, world), places) !== "key";
    default:
      return isSpelledOut(text, action, places, world);
  }
}

/** What is denied must be written out: the folder itself if all in it is meant, and home or the project without a wildcard. */
function isSpelledOut(text: string, action: FileAction, places: Places, world: World): boolean {
  const start = literalStart(text, world);
  return spell(action, world).compared.includes(start) && (regionOf(start, places) !== "key" || !/[*?[]/.test(text));
}

/** The folders a pattern names before its first wildcard. */
function literalStart(text: string, world: World): string {
  const base = patternBase(world, "wide");
  const anchor = text.startsWith("~") ? base.home : text.startsWith("/") || text.startsWith("**") ? "/" : base.project;
  const names: string[] = [];
  for (const name of segmentsOf(text.replace(/^~/, ""))) {
    if (/[*?[\]\\]/.test(name)) break;
    names.push(name);
  }
  const [start = "/"] = comparable([resolvePath(anchor, names.join("/"))], world);
  return start;
}
