import { opendirSync, readdirSync, statSync, type Dirent } from "node:fs";
import { spend, type Wanted, type World } from "@assent/core/action";
import { joinPath } from "@assent/core/path";
import { errorCode } from "../state/index.ts";

/** Entries that may be looked at for one request: some tens of milliseconds. Beyond it answers are marked incomplete. */
const MAX_ENTRIES = 20_000;
const MAX_DEPTH = 32;
/** A folder of that size, in bytes, may hold far more names: they are read one by one, and no more than may be looked at. */
const LARGE = 1 << 19;

/** What package managers unpack: published files, not this user's secrets (docs/security.md). */
const SKIPPED = new Set(["node_modules", "site-packages"]);
/** Large and rarely telling: looked at after everything else. */
const LATE = new Set([".git", "target", "dist", "build", ".venv", "vendor"]);
/** What git itself keeps below `.git/objects`: nobody names a file there. */
const OBJECT_NAME = /^(?:[0-9a-f]{2}|info|pack)$/;

interface FolderAtDepth {
  readonly path: string;
  readonly depth: number;
}

/** What a folder holds: `missing` when there is none, `closed` when it cannot be listed, `much` when looks are used up. */
type FolderListing = readonly Dirent[] | "missing" | "closed" | "much";

/**
 * What one request may see of folders. However many operands it has, all together look at so many entries; what was listed
 * once costs nothing more.
 */
export class FolderSearch implements Pick<World, "find" | "names"> {
  #left = MAX_ENTRIES;
  readonly #known = new Map<string, FolderListing>();
  readonly #maps = new Map<string, ReadonlyMap<string, boolean>>();

  #list(folder: string): FolderListing {
    let listing = this.#known.get(folder);
    if (listing !== undefined) return listing;
    spend(32);
    listing = this.#left <= 0 ? "much" : read(folder, this.#left);
    this.#left -= typeof listing === "string" ? 1 : listing.length + 1;
    if (listing === "much") this.#left = 0;
    this.#known.set(folder, listing);
    return listing;
  }

  readonly exhausted = (): boolean => this.#left <= 0;

  /**
   * The first path below `root` (itself included) that `wanted` accepts, nearest first. Links are not followed.
   * `complete` is true when everything was looked at.
   */
  readonly find = (root: string, wanted: Wanted, depth = MAX_DEPTH): { readonly found: string | undefined; readonly complete: boolean } => {
    if (wanted(root)) return { found: root, complete: true };
    let complete = true;
    let folders: FolderAtDepth[] = [{ path: root, depth: 0 }];
    let late: FolderAtDepth[] = [];
    while (folders.length > 0) {
      const next: FolderAtDepth[] = [];
      for (const folder of folders) {
        const entries = this.#list(folder.path);
        if (entries === "much") return { found: undefined, complete: false };
        // A missing root has nothing in it; a folder that cannot be listed might have.
        if (typeof entries === "string") {
          complete &&= folder.path === root;
          continue;
        }
        const objects = folder.path.endsWith("/.git/objects");
        for (const entry of entries) {
          spend();
          const path = joinPath(folder.path, entry.name);
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
  };

  /** Names in a folder; undefined when it cannot be listed or holds too many to look at. */
  readonly names = (folder: string): readonly string[] | undefined => {
    const entries = this.#list(folder);
    spend();
    return typeof entries === "string" ? undefined : entries.map(({ name }) => name);
  };

  /** Names in a folder, and whether each is a link; none where there is no folder, undefined as for `names`. */
  readonly entries = (folder: string): ReadonlyMap<string, boolean> | undefined => {
    const entries = this.#list(folder);
    if (typeof entries === "string") return entries === "missing" ? new Map() : undefined;
    return this.#mapOf(folder, entries);
  };

  /** The same of a folder that was listed before; undefined for all others. */
  readonly listed = (folder: string): ReadonlyMap<string, boolean> | undefined => {
    const entries = this.#known.get(folder);
    return entries === undefined || typeof entries === "string" ? undefined : this.#mapOf(folder, entries);
  };

  #mapOf(folder: string, entries: readonly Dirent[]): ReadonlyMap<string, boolean> {
    let map = this.#maps.get(folder);
    if (map === undefined) {
      map = new Map(entries.map((entry) => [entry.name, entry.isSymbolicLink()]));
      this.#maps.set(folder, map);
    }
    return map;
  }
}

function read(folder: string, most: number): FolderListing {
  try {
    if (statSync(folder).size < LARGE) {
      const all = readdirSync(folder, { withFileTypes: true });
      return all.length > most ? "much" : all;
    }
    const open = opendirSync(folder, { bufferSize: 1024 });
    try {
      const some: Dirent[] = [];
      for (let entry = open.readSync(); entry !== null; entry = open.readSync()) {
        if (some.length >= most) return "much";
        some.push(entry);
      }
      return some;
    } finally {
      open.closeSync();
    }
  } catch (error) {
    const code = errorCode(error);
    return code === "ENOENT" || code === "ENOTDIR" ? "missing" : "closed";
  }
}
