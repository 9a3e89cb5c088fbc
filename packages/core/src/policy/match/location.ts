import type { World } from "../../action/index.ts";
import { baseName, foldCase, isBelow, isWithin, joinPath, parentOf } from "../../path/index.ts";

/** Questions about absolute, normalised paths that need no file system. */

/** The folders that matter when judging a path, each as given and, when it differs, with symlinks resolved. */
export interface Places {
  readonly home: readonly string[];
  readonly project: readonly string[];
  readonly temp: readonly string[];
}

interface KnownPlaces {
  readonly written: Places;
  readonly comparable: Places;
}

/**
 * Remembers what was made for the world last asked about: a decision has one. A WeakMap would keep every decision's
 * until V8's next full collection, and be a table of thousands by then.
 */
export function perWorld<T>(make: (world: World) => T): (world: World) => T {
  let last: { readonly world: World; readonly made: T } | undefined;
  return (world) => {
    if (last?.world !== world) last = { world, made: make(world) };
    return last.made;
  };
}

const find = perWorld((world): KnownPlaces => {
  const written = {
    home: forms(world.home, world),
    project: forms(world.projectRoot, world),
    temp: [...new Set(world.temp.flatMap((folder) => forms(folder, world)))],
  };
  const { home, project, temp } = written;
  return {
    written,
    comparable: world.foldsCase ? { home: home.map(foldCase), project: project.map(foldCase), temp: temp.map(foldCase) } : written,
  };
});

/** The places of a world, found once per world. */
export function placesOf(world: World): Places {
  return find(world).written;
}

/** The places as `comparable` paths are compared: case-folded where the file system folds case. */
export function comparablePlaces(world: World): Places {
  return find(world).comparable;
}

/** The path as given and, when they differ, its canonical form and where the link lies that it names, which may be deleted or replaced. */
export function forms(path: string, world: World): readonly string[] {
  const canonical = world.canonical(path);
  return canonical === path ? [path] : [...new Set([path, canonical, linkAt(path, world)])];
}

/** Where what a path names lies, itself not followed. */
export const linkAt = (path: string, world: World): string =>
  path === "/" ? path : joinPath(world.canonical(parentOf(path)), baseName(path));

/** `paths` as they compare with `comparablePlaces`. */
export function comparable(paths: readonly string[], world: World): readonly string[] {
  return world.foldsCase ? paths.map(foldCase) : paths;
}

/** True when `path` (made `comparable`) is one of `folders` or below one. */
export function withinAny(path: string, folders: readonly string[]): boolean {
  for (const folder of folders) if (isWithin(path, folder)) return true;
  return false;
}

/** True when `path` (made `comparable`) is strictly below one of `folders`. */
export function belowAny(path: string, folders: readonly string[]): boolean {
  for (const folder of folders) if (isBelow(path, folder)) return true;
  return false;
}

/** The home folder `path` lies in, whoever's it is: the user's own, or one at a place where homes usually are. */
export function homeOf(path: string, places: Places): string | undefined {
  for (const home of places.home) if (isWithin(path, home)) return home;
  return HOME.exec(path)?.[0];
}

const HOME = /^(?:\/home\/[^/]+|\/[Uu]sers\/[^/]+|\/root|\/var\/root)(?=\/|$)/;
