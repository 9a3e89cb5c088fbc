import { statSync } from "node:fs";
import { resolvePath } from "@assent/core/path";

/** A path as a person gives it, made absolute. */
export const absolute = (path: string, base: string = process.cwd()): string => resolvePath(base, path);

/** Why this cannot be read as a file; undefined: it can. A pipe can (`<(…)`). */
export function fileProblem(path: string): string | undefined {
  const found = statSync(absolute(path), { throwIfNoEntry: false });
  if (found === undefined) return "no such file";
  return found.isDirectory() ? "that is a folder" : undefined;
}

/** Why this is no folder to work in. */
export function folderProblem(path: string): string | undefined {
  const found = statSync(absolute(path), { throwIfNoEntry: false });
  if (found === undefined) return "no such folder";
  return found.isDirectory() ? undefined : "that is a file";
}

/** Paths as people like to read them: below the current folder without it, below home with `~`. */
export function shorten(path: string, folder: string, home: string): string {
  const below = (base: string): string | undefined =>
    base !== "/" && path.startsWith(`${base}/`) ? path.slice(base.length + 1) : undefined;
  const own = below(folder);
  if (own !== undefined) return own;
  const inHome = below(home);
  return inHome === undefined ? path : `~/${inHome}`;
}
