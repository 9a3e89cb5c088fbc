import { readdirSync, type Dirent } from "node:fs";
import type { Wanted } from "../action/index.ts";
import { errorCode } from "../state/index.ts";
import { join } from "./canonical.ts";

/** Entries visited per search: some tens of milliseconds at most. Beyond it the answer is marked incomplete. */
export const MAX_ENTRIES = 20_000;
const MAX_DEPTH = 32;

/** What package managers unpack: published files, not this user's secrets (docs/security.md). */
const SKIPPED = new Set(["node_modules", "site-packages"]);
/** Large and rarely telling: looked at after everything else. */
const LATE = new Set([".git", "target", "dist", "build", ".venv", "vendor"]);
/** What git itself keeps below `.git/objects`: nobody names a file there. */
const OBJECT_NAME = /^(?:[0-9a-f]{2}|info|pack)$/;

function entriesOf(folder: string): Dirent[] | undefined {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return undefined;
  }
}

/**
 * The first path below `root` (itself included) that `wanted` accepts, nearest first. Links are not followed.
 * `complete` is true when everything was looked at.
 */
export function find(root: string, wanted: Wanted, depth = MAX_DEPTH): { readonly found: string | undefined; readonly complete: boolean } {
  if (wanted(root)) return { found: root, complete: true };
  let left = MAX_ENTRIES;
  let complete = true;
  let folders: { path: string; depth: number }[] = [{ path: root, depth: 0 }];
  let late: { path: string; depth: number }[] = [];
  while (folders.length > 0) {
    const next: typeof folders = [];
    for (const folder of folders) {
      if (left <= 0) return { found: undefined, complete: false };
      const entries = entriesOf(folder.path);
      // A missing root has nothing in it; a folder that cannot be listed might have.
      if (entries === undefined) {
        complete &&= folder.path === root;
        continue;
      }
      left -= entries.length + 1;
      const objects = folder.path.endsWith("/.git/objects");
      for (const entry of entries) {
        const path = join(folder.path, entry.name);
        if (wanted(path, entry.isSymbolicLink())) return { found: path, complete: true };
        if (!entry.isDirectory() || SKIPPED.has(entry.name) || (objects && OBJECT_NAME.test(entry.name))) continue;
        if (folder.depth + 1 >= depth) {
          // The caller's own limit is no gap, ours is.
          if (depth === MAX_DEPTH) complete = false;
          continue;
        }
        (LATE.has(entry.name) ? late : next).push({ path, depth: folder.depth + 1 });
      }
    }
    folders = next;
    if (folders.length === 0) {
      folders = late;
      late = [];
    }
  }
  return { found: undefined, complete };
}

/** Names in a folder; undefined when it cannot be listed or holds too many to look at. */
export function names(folder: string): readonly string[] | undefined {
  try {
    const all = readdirSync(folder);
    return all.length > MAX_ENTRIES ? undefined : all;
  } catch {
    return undefined;
  }
}

/** Names in a folder, and whether each is a link; none where there is no folder, undefined as for `names`. */
export function entries(folder: string): ReadonlyMap<string, boolean> | undefined {
  try {
    const all = readdirSync(folder, { withFileTypes: true });
    return all.length > MAX_ENTRIES ? undefined : new Map(all.map((entry) => [entry.name, entry.isSymbolicLink()]));
  } catch (error) {
    const code = errorCode(error);
    return code === "ENOENT" || code === "ENOTDIR" ? new Map() : undefined;
  }
}
