import { resolvePath } from "../path/index.ts";

/** A path as a person gives it, made absolute. */
export const absolute = (path: string, base: string = process.cwd()): string => resolvePath(base, path);

/** Paths as people like to read them: below the current folder without it, below home with `~`. */
export function shorten(path: string, folder: string, home: string): string {
  const below = (base: string): string | undefined =>
    base !== "/" && path.startsWith(`${base}/`) ? path.slice(base.length + 1) : undefined;
  const own = below(folder);
  if (own !== undefined) return own;
  const inHome = below(home);
  return inHome === undefined ? path : `~/${inHome}`;
}
