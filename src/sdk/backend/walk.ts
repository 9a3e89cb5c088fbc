import { readdirSync, type Dirent } from "node:fs";
import { bindPattern, matchesSegments, pathPattern, type BoundPattern } from "../../pattern/index.ts";
import type { Pinned, Pinning } from "./pin.ts";

/** Entries looked at in one search. */
const MOST_ENTRIES = 200_000;
const DEEPEST = 64;
/** Not searched unless they are asked for: what tools keep there is nobody's work. */
export const SKIPPED: ReadonlySet<string> = new Set([".git", "node_modules", "__pycache__", ".venv"]);

/** Something in a folder. */
export interface Entry {
  readonly name: string;
  /** Absolute, as the folders that are held say. */
  readonly path: string;
  readonly kind: "file" | "folder" | "link" | "other";
}

const kindOf = (entry: Dirent): Entry["kind"] =>
  entry.isFile() ? "file" : entry.isDirectory() ? "folder" : entry.isSymbolicLink() ? "link" : "other";

export function entriesOf(folder: Pinned, pinning: Pinning): readonly Entry[] {
  const base = folder.path === "/" ? "" : folder.path;
  return readdirSync(pinning.at(folder, "."), { withFileTypes: true })
    .map((entry) => ({ name: entry.name, path: `${base}/${entry.name}`, kind: kindOf(entry) }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * Files below a folder, each with the folder that holds it. Links are not followed. The walker may skip folders and end
 * the walk; `complete` is false when it was ended, or was too much.
 */
export function walkFiles(
  top: Pinned,
  pinning: Pinning,
  enter: (folder: string) => boolean,
  visit: (file: Entry, folder: Pinned) => "go on" | "enough",
): { readonly complete: boolean } {
  let left = MOST_ENTRIES;
  let complete = true;
  const walk = (folder: Pinned, depth: number): boolean => {
    let entries: readonly Entry[];
    try {
      entries = entriesOf(folder, pinning);
    } catch {
      // Not to be listed by this user, or gone.
      complete = false;
      return true;
    }
    for (const entry of entries) {
      left -= 1;
      if (left < 0) {
        complete = false;
        return false;
      }
      if (entry.kind === "file" && visit(entry, folder) === "enough") {
        complete = false;
        return false;
      }
      if (entry.kind !== "folder" || SKIPPED.has(entry.name)) continue;
      if (depth >= DEEPEST) {
        complete = false;
        continue;
      }
      if (!enter(entry.path)) continue;
      if (!inside(folder, entry, (next) => walk(next, depth + 1))) return false;
    }
    return true;
  };
  const inside = (folder: Pinned, entry: Entry, go: (next: Pinned) => boolean): boolean => {
    let next: Pinned;
    try {
      next = pinning.pin(pinning.at(folder, entry.name), true);
    } catch {
      return true;
    }
    try {
      // A link has come into its place, or it was moved away.
      return next.path === entry.path ? go(next) : true;
    } finally {
      next.close();
    }
  };
  walk(top, 0);
  return { complete };
}

/** A glob below a folder: the rules' own language; a pattern without a slash is looked for at every depth. */
export function globBelow(pattern: string, folder: string): ((path: string) => boolean) | { readonly why: string } {
  if (pattern.startsWith("/") || pattern.startsWith("~") || /(?:^|\/)\.\.(?:\/|$)/.test(pattern))
    return { why: "a pattern stays below its folder: it begins neither with / nor ~ and has no .." };
  const read = pathPattern(pattern.includes("/") ? `./${pattern}` : `./**/${pattern}`);
  if (!read.ok) return { why: read.message };
  const bound: BoundPattern = bindPattern(read.value, { project: folder, home: folder, fold: false });
  return (path) =>
    matchesSegments(
      bound,
      path.split("/").filter((name) => name !== ""),
    );
}
