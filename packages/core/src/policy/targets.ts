import type { FileAction, LeftOut, Target, TreeFilter, Wanted, World } from "../action/index.ts";
import { baseName, isBelow, isWithin, joinPath, parentOf, relativePath, resolvePath } from "../path/index.ts";
import { BoundedMap, expandsTo, expandsToName, matchesWord, shellGlob, shellPattern, type WordGlob } from "../pattern/index.ts";
import { isIgnored, isSearchedOver, isTakenInAgain } from "./git-ignore.ts";
import { comparable, forms, perWorld } from "./match/location.ts";
import { nameInGit } from "./repository.ts";

/** What the target of a file action can reach, asked of names alone or of the injected world. */

/** The deepest folder (or the one path) that everything the target reaches lies in; undefined when it may be anywhere. */
export function rootOf(target: Target): string | undefined {
  switch (target.kind) {
    case "path":
    case "tree":
      return target.path;
    case "glob":
      return shellPattern(target.pattern).folder;
    case "unknown":
      return target.within;
  }
}

/** True when the action affects all that lies below its target, too. */
export function isRecursive(action: FileAction): boolean {
  return action.recursive === true || action.target.kind === "tree";
}

/** Deleting, moving or filling a folder takes along what is in it; a link in its place leads to another. */
export const takesAlong = (action: FileAction): boolean =>
  action.operation === "rename" || action.operation === "link" || isRecursive(action);

/** True when carrying out the action would affect exactly `path`, or a folder that holds it and goes with it. */
export function affects(action: FileAction, path: string): boolean {
  const { target } = action;
  const takesAll = isRecursive(action) || action.operation === "rename";
  switch (target.kind) {
    case "path":
      return target.path === path || (takesAll && isBelow(path, target.path));
    case "tree":
      return (
        target.path === path || (isBelow(path, target.path) && (target.filter === undefined || walksTo(target.path, target.filter, path)))
      );
    case "glob":
      return expandsTo(target.pattern, path, takesAll);
    case "unknown":
      return false;
  }
}

export interface SearchResult {
  readonly found: string | undefined;
  /** False when the world could not look everywhere. */
  readonly complete: boolean;
}

const NOWHERE: SearchResult = { found: undefined, complete: true };
const ANYWHERE: SearchResult = { found: undefined, complete: false };

/** Looks in the world for something that the action reaches and `wanted` accepts. */
export function findReached(action: FileAction, wanted: (path: string) => boolean, world: World): SearchResult {
  const { target } = action;
  switch (target.kind) {
    case "path":
      return action.recursive === true
        ? search(target.path, wanted, world)
        : wanted(target.path)
          ? { found: target.path, complete: true }
          : NOWHERE;
    case "tree":
      if (target.filter?.follows === true) return searchFollowing(target.path, target.filter, wanted, world);
      return searchShown(target, search(target.path, filtered(target.path, target.filter, wanted, world), world), wanted, world);
    case "unknown": {
      // Names that are handed to a program, which opens what a link leads to.
      if (target.within === undefined) return ANYWHERE;
      if (target.filter?.follows === true) return searchFollowing(target.within, target.filter, wanted, world, action.recursive);
      const opened = filtered(
        target.within,
        target.filter,
        (path) => wanted(path),
        world,
        (path) => leadsTo(path, wanted, world),
        action.recursive,
      );
      return search(target.within, opened, world);
    }
    case "glob":
      return searchGlob(target.pattern, action.recursive === true, wanted, world);
  }
}

/** As above, and what git keeps of it that may be gone from the folder. */
function searchShown({ path: root, filter }: Target & { kind: "tree" }, there: SearchResult, wanted: Wanted, world: World): SearchResult {
  if (there.found !== undefined || filter?.shown === undefined || world.gitShows === undefined) return there;
  const paths = world.gitShows(root, filter.shown);
  if (paths === undefined) return ANYWHERE;
  const found = paths.find((path) => isWithin(path, root) && walksTo(root, filter, path) && wanted(path, false));
  return found === undefined ? there : { found, complete: true };
}

/** `wanted`, but only for what a walk with this filter comes to. */
function filtered(
  root: string,
  filter: TreeFilter | undefined,
  wanted: (path: string) => boolean,
  world: World,
  behind?: (path: string) => boolean,
  recursive?: boolean,
): Wanted {
  const looked = lookedIn(world);
  const asked = (path: string, link: boolean | undefined): boolean => wanted(path) || (link !== false && behind?.(path) === true);
  return filter === undefined
    ? asked
    : (path, link) =>
        (walksTo(root, filter, path, looked) || (recursive === true && comesBelow(root, filter, path, looked))) &&
        (filter.tracked !== true || world.tracked(path) !== false) &&
        (filter.ignored !== false || !isSearchedOver(root, path, world)) &&
        (filter.untracked !== true || isTakenIn(path, world)) &&
        // Who asks may note what was found.
        asked(path, link);
}

/** A file that git would begin to track. */
const isTakenIn = (path: string, world: World): boolean =>
  world.tracked(path) !== true && world.kind(path) !== "directory" && !isIgnored(path, world);

/** What a walk is asked of the world. */
interface Looked {
  /** Names with a dot in front that it does not pass over. */
  readonly opened: (hidden: string) => boolean;
  readonly isFolder: (path: string) => boolean;
}

function lookedIn(world: World): Looked {
  const again = new Map<string, boolean>();
  return {
    opened: (hidden) => {
      const known = again.get(hidden) ?? isTakenInAgain(hidden, world);
      again.set(hidden, known);
      return known;
    },
    isFolder: (path) => world.kind(path) === "directory",
  };
}

/** True when a walk from `root` with this filter comes to `path`. `handed`: to hand it on, and with a folder what lies below it. */
function walksTo(root: string, filter: TreeFilter, path: string, looked?: Looked, handed = false): boolean {
  const names = relativePath(root, path).split("/");
  const last = names.at(-1) ?? "";
  const hidden = filter.hidden === false ? names.findIndex((name) => name.startsWith(".")) : -1;
  if (hidden >= 0 && looked?.opened(joinPath(root, names.slice(0, hidden + 1).join("/"))) !== true) return false;
  if (filter.without?.some((out) => isLeftOut(out, names, () => looked?.isFolder(path), handed)) === true) return false;
  return filter.only === undefined || filter.only.some((glob) => matchesWord(shellGlob(glob), last));
}

/** `isFolder`: undefined where nobody looks, and nothing that only folders or only files are is said of the last name. */
function isLeftOut({ by, glob }: LeftOut, names: readonly string[], isFolder: () => boolean | undefined, handed: boolean): boolean {
  const word = shellGlob(glob);
  const last = names.at(-1) ?? "";
  switch (by) {
    case "name":
      return names.some((name) => matchesWord(word, name));
    case "folder":
      return names.slice(0, -1).some((name) => matchesWord(word, name)) || (matchesWord(word, last) && isFolder() === true);
    case "file":
      return matchesWord(word, last) && isFolder() === false;
    case "item":
      return matchesWord(word, last);
    case "path": {
      const path = `/${names.join("/")}`;
      // Of a folder of which everything is left out nothing is opened; handed on it would be.
      return matchesWord(word, path) || (!handed && matchesWord(word, `${path}/`) && isFolder() === true);
    }
  }
}

/** True when `path` lies in a folder that the filter names, or lets through, and is reached through it. */
function comesBelow(root: string, filter: TreeFilter, path: string, looked: Looked): boolean {
  // The starting point itself is handed on where its name is one of those (find).
  if (filter.only?.some((glob) => matchesWord(shellGlob(glob), baseName(root))) ?? filter.without !== undefined) return true;
  for (let folder = parentOf(path); isBelow(folder, root); folder = parentOf(folder))
    if (walksTo(root, filter, folder, looked, true)) return true;
  return false;
}

/** True when `path` is a link to something wanted. */
function leadsTo(path: string, wanted: (path: string) => boolean, world: World): boolean {
  const canonical = world.canonical(path);
  return canonical !== path && wanted(canonical);
}

/** More folders than this behind links are not walked. */
const MOST_LINKS = 64;

/** A walk that enters the folders that links lead to, each once. */
function searchFollowing(
  root: string,
  filter: TreeFilter,
  wanted: (path: string) => boolean,
  world: World,
  recursive?: boolean,
): SearchResult {
  const roots = [root];
  const seen = new Set(roots);
  const { only: _, ...folders } = filter;
  const looked = lookedIn(world);
  // What a walk leaves out under its own name it may find under another's.
  const enters = (from: string, folder: string): boolean => isWithin(folder, from) && walksTo(from, folders, folder, looked);
  let complete = true;
  for (let at = 0; at < roots.length; at++) {
    if (at >= MOST_LINKS) return ANYWHERE;
    const here = roots[at] ?? root;
    const reached = filtered(here, filter, wanted, world, (path) => leadsTo(path, wanted, world), recursive);
    const result = search(
      here,
      (path, link) => {
        if (reached(path, link)) return true;
        const folder = link === false ? path : world.canonical(path);
        if (
          folder !== path &&
          !seen.has(folder) &&
          enters(here, path) &&
          !roots.some((one) => folder === one || enters(one, folder)) &&
          world.kind(folder) === "directory"
        ) {
          seen.add(folder);
          roots.push(folder);
        }
        return false;
      },
      world,
    );
    if (result.found !== undefined) return result;
    complete &&= result.complete;
  }
  return { found: undefined, complete };
}

/** A folder as big as the machine is not walked: the answer would never be complete. */
function search(root: string, wanted: Wanted, world: World, depth?: number): SearchResult {
  if (depth !== undefined) return world.find(root, wanted, depth);
  return isWithin(world.home, root) ? ANYWHERE : world.find(root, wanted);
}

function searchGlob(pattern: string, recursive: boolean, wanted: (path: string) => boolean, world: World): SearchResult {
  const { folder, rest } = shellPattern(pattern);
  const reached = (path: string): boolean => expandsTo(pattern, path, recursive) && (wanted(path) || wanted(world.canonical(path)));
  if (rest.length > 1) {
    const behind = expandInto(
      folder,
      rest.map(({ glob }) => glob),
      (path) => wanted(path) || leadsTo(path, wanted, world),
      world,
    );
    if (behind.found !== undefined || !behind.complete) return behind;
  }
  if (recursive || rest.length > 1 || rest[0]?.deep === true) {
    const depth = recursive || rest.some(({ deep }) => deep) ? undefined : rest.length;
    return search(folder, reached, world, depth);
  }
  const names = world.names(folder);
  // A folder that is not there holds nothing a pattern could match.
  if (names === undefined) return world.kind(folder) === "missing" ? NOWHERE : ANYWHERE;
  // Of what the listing says is no link nobody has to look where it leads.
  const links = world.entries?.(folder);
  const real = world.canonical(folder);
  for (const name of names) {
    const path = joinPath(folder, name);
    if (!expandsTo(pattern, path, recursive)) continue;
    const leads = links?.get(name) === false ? joinPath(real, name) : world.canonical(path);
    if (wanted(path) || (leads !== path && wanted(leads))) return { found: path, complete: true };
  }
  return NOWHERE;
}

/** More names than this are not looked at one by one. */
const MOST_NAMES = 20_000;

/** What the shell expands the segments to: it enters folders that links lead to, and `**` is one segment unless it was told otherwise. */
function expandInto(root: string, globs: readonly WordGlob[], wanted: (path: string) => boolean, world: World): SearchResult {
  let left = MOST_NAMES;
  let folders = [root];
  for (const [at, glob] of globs.entries()) {
    const next: string[] = [];
    for (const folder of folders) {
      const names = world.names(folder);
      if (names === undefined) {
        if (world.exhausted?.() === true || (at === 0 && world.kind(folder) !== "missing")) return ANYWHERE;
        continue;
      }
      left -= names.length + 1;
      if (left < 0) return ANYWHERE;
      for (const name of names) {
        if (!expandsToName(glob, name)) continue;
        const path = joinPath(folder, name);
        if (at < globs.length - 1) next.push(path);
        else if (wanted(path)) return { found: path, complete: true };
      }
    }
    folders = next;
  }
  return NOWHERE;
}

/** The paths that stand for what a file action reaches: as given, and with symlinks resolved. */
interface Spelled {
  /** In their own case: for names. */
  readonly written: readonly string[];
  /** Folded where the file system folds case: for places. */
  readonly compared: readonly string[];
}

const NOTHING: Spelled = { written: [], compared: [] };
/** A decision has fewer; a supervised run judges everything in one world. */
const MOST = 4096;
const remembered = perWorld(() => new BoundedMap<FileAction, Spelled>(MOST));

/**
 * Every spelling of the place an action reaches. A glob is spelled with neutral text in its wildcards, so that what
 * holds for the spelling holds for all it can match; an unknown target by the folder it stays in, or not at all.
 */
export function spell(action: FileAction, world: World): Spelled {
  return remembered(world).get(action, () => {
    const written = spellings(action, world);
    if (written.length === 0) return NOTHING;
    const inGit = written.flatMap((path) => nameInGit(path, world) ?? []);
    return { written, compared: comparable(inGit.length === 0 ? written : [...written, ...inGit], world) };
  });
}

function spellings(action: FileAction, world: World): readonly string[] {
  const { target, asGiven } = action;
  switch (target.kind) {
    case "path":
    case "tree": {
      const paths = forms(target.path, world);
      // `link/../x` leads past what the text says: the kernel follows the link first.
      if (asGiven === undefined || !asGiven.includes("..")) return paths;
      const led = world.canonical(asGiven.startsWith("/") ? asGiven : joinPath(world.cwd, asGiven));
      return paths.includes(led) ? paths : [...paths, resolvePath("/", led)];
    }
    case "glob": {
      const { folder, rest } = shellPattern(target.pattern);
      const below = rest.map(({ glob }) => glob.literal ?? `${glob.start}zqx${glob.end}`).join("/");
      return forms(folder, world).map((path) => (below === "" ? path : joinPath(path, below)));
    }
    case "unknown":
      return target.within === undefined ? [] : forms(target.within, world);
  }
}
