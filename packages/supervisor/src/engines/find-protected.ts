import { readdirSync } from "node:fs";
import { joinPath } from "@assent/core/path";
import { errorCode } from "@assent/guard/state";

interface Wanted {
  readonly secret: (path: string) => boolean;
  readonly closed: (path: string) => boolean;
}

export interface FoundPlaces {
  readonly secrets: readonly string[];
  readonly closed: readonly string[];
  /** There was more than could be looked at. */
  readonly complete: boolean;
}

const MOST_ENTRIES = 200_000;
/** Other people's code and git's objects: no secret of the project lies there. */
const SKIPPED = /\/(?:node_modules|\.git\/objects)$/;

/**
 * What is there of these in folders, whole or so many levels deep, with the names as they are written on the disk: a sandbox
 * compares letter by letter.
 */
export function findPlaces(roots: readonly (readonly [folder: string, depth?: number])[], { secret, closed }: Wanted): FoundPlaces {
  const secrets = new Set<string>();
  const shut = new Set<string>();
  let left = MOST_ENTRIES;
  const walk = (folder: string, depth: number): void => {
    if (left <= 0) return;
    let entries;
    try {
      entries = readdirSync(folder, { withFileTypes: true });
    } catch (error) {
      const code = errorCode(error);
      // A folder that cannot be listed may still be read by names: it stays closed whole. What is not there holds nothing.
      if (code === "EACCES" || code === "EPERM") secrets.add(folder);
      else if (code !== "ENOENT" && code !== "ENOTDIR") left = 0;
      return;
    }
    left -= entries.length;
    for (const entry of entries) {
      const path = joinPath(folder, entry.name);
      if (secret(path)) secrets.add(path);
      else {
        if (closed(path)) shut.add(path);
        if (entry.isDirectory() && depth > 1 && !SKIPPED.test(path)) walk(path, depth - 1);
      }
    }
  };
  for (const [folder, depth = Number.POSITIVE_INFINITY] of roots) walk(folder, depth);
  return { secrets: [...secrets], closed: [...shut], complete: left > 0 };
}
