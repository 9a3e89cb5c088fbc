import type { World } from "../action/index.ts";
import { isBelow, joinPath, parentOf, relativePath } from "../path/index.ts";
import { matchesWord, shellGlob } from "../pattern/index.ts";
import { repositoryAt } from "./repository.ts";

/** A line of an ignore file; `names` are its parts between slashes. */
interface IgnoreLine {
  readonly again: boolean;
  readonly folders: boolean;
  readonly anchored: boolean;
  readonly names: readonly string[];
}

/**
 * Whether git leaves out a file that it does not track (gitignore(5)): by the `.gitignore` files on the way to it, or the
 * repository's `info/exclude`. True only where that is certain: what a person's settings leave out besides counts as taken. `from`: the
 * folder that is walked, which is walked although it be left out itself.
 */
export function isIgnored(path: string, world: World, from: string = world.projectRoot): boolean {
  const root = world.projectRoot;
  if (!isBelow(path, root)) return false;
  const names = relativePath(root, path).split("/");
  // A repository inside this one has lists of its own, and nothing above it counts there.
  for (let folder = parentOf(path); folder !== root; folder = parentOf(folder))
    if (world.kind(joinPath(folder, ".git")) !== "missing") return false;
  const lists: (readonly IgnoreLine[])[] = [linesOf(excludeOf(root, world), world) ?? []];
  let folder = root;
  for (const [depth, name] of names.entries()) {
    const lines = linesOf(joinPath(folder, ".gitignore"), world);
    // Nothing is left out for sure where a list cannot be read: it may take the file in again.
    if (lines === undefined) return false;
    lists.push(lines);
    // The last line that means it decides, of the list that lies nearest; what lies in a folder that is left out is, too.
    folder = joinPath(folder, name);
    if (isBelow(folder, from) && decides(lists, names.slice(0, depth + 1), depth < names.length - 1) === true) return true;
  }
  return false;
}

/** gitrepository-layout(5), "info/exclude": one for all working trees. */
const excludeOf = (folder: string, world: World): string =>
  joinPath(repositoryAt(folder, world)?.common ?? joinPath(folder, ".git"), "info/exclude");

/**
 * Whether a search below `root` that goes by those lists (rg, `git grep --untracked`) surely passes over this file: git tracks it not, and
 * no list of the searching program's own takes it in again (`.ignore` goes before `.gitignore`; ripgrep's guide).
 */
export function isSearchedOver(root: string, path: string, world: World): boolean {
  if (world.kind(joinPath(world.projectRoot, ".git")) === "missing" || world.tracked(path) !== false) return false;
  if (!isIgnored(path, world, root)) return false;
  for (let at = path; isBelow(at, root); at = parentOf(at)) if (isTakenInAgain(at, world)) return false;
  return true;
}

const LISTS = [".gitignore", ".ignore", ".rgignore", ".fdignore"];

/**
 * Whether a search that passes over names with a dot in front (rg, fd) opens this one all the same: an ignore file beside it or above
 * takes such a name in again (`!.env`; ripgrep's guide, "Automatic filtering"). Measured with rg 13 and fd 8.6.
 */
export function isTakenInAgain(path: string, world: World): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  for (let folder = parentOf(path); ; folder = parentOf(folder)) {
    for (const file of [...LISTS.map((list) => joinPath(folder, list)), excludeOf(folder, world)]) {
      const lines = world.kind(file) === "missing" ? [] : readLines(file, world);
      // What a list says that cannot be read is not known.
      if (lines === undefined) return true;
      if (lines.some(({ again, names }) => again && names.some((glob) => matchesWord(shellGlob(glob), name)))) return true;
    }
    if (folder === "/") return false;
  }
}

function linesOf(file: string, world: World): readonly IgnoreLine[] | undefined {
  if (world.kind(file) === "missing") return [];
  // git follows no link to such a list.
  return world.canonical(file) === file ? readLines(file, world) : undefined;
}

function readLines(file: string, world: World): readonly IgnoreLine[] | undefined {
  const text = world.text?.(file);
  return text
    ?.replace(/^\u{feff}/u, "")
    .split("\n")
    .flatMap(parse);
}

function parse(line: string): readonly IgnoreLine[] {
  const text = line.replace(/\r$/, "").replace(/(?<!\\) +$/, "");
  if (text === "" || text.startsWith("#")) return [];
  const again = text.startsWith("!");
  const pattern = text.slice(again ? 1 : 0).replace(/^\\(?=[#!])/, "");
  const folders = pattern.endsWith("/");
  const path = folders ? pattern.slice(0, -1) : pattern;
  return path === "" ? [] : [{ again, folders, anchored: path.includes("/"), names: path.replace(/^\//, "").split("/") }];
}

/** True: left out; false: taken in again; undefined: nothing is said. `lists` of `info/exclude` and of each folder from the root on. */
function decides(lists: readonly (readonly IgnoreLine[])[], names: readonly string[], isFolder: boolean): boolean | undefined {
  for (let at = lists.length - 1; at >= 0; at--) {
    const below = names.slice(Math.max(0, at - 1));
    const line = lists[at]?.findLast((one) => (isFolder || !one.folders || one.again) && means(one, below));
    if (line !== undefined) return !line.again;
  }
  return undefined;
}

function means({ again, anchored, names }: IgnoreLine, path: readonly string[]): boolean {
  // Where git may fold case (core.ignoreCase), more is taken in again.
  const [pattern, text] = again ? [names, path].map((all) => all.map((name) => name.toLowerCase())) : [names, path];
  return anchored ? meansFrom(pattern ?? [], text ?? []) : matchesWord(shellGlob(pattern?.[0] ?? ""), text?.at(-1) ?? "");
}

function meansFrom(pattern: readonly string[], path: readonly string[]): boolean {
  const [first, ...rest] = pattern;
  if (first === undefined) return path.length === 0;
  if (first === "**") {
    if (rest.length === 0) return path.length > 0;
    return path.some((_, at) => meansFrom(rest, path.slice(at)));
  }
  return path.length > 0 && matchesWord(shellGlob(first), path[0] ?? "") && meansFrom(rest, path.slice(1));
}
