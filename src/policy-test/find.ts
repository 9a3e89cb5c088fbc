import { opendirSync } from "node:fs";
import { joinPath } from "../path/index.ts";

export const TABLE_ENDING = ".assent-test";
/** What a walk looks at, at most: a project is not a disk. */
const MOST_ENTRIES = 50_000;
const DEEPEST = 24;
/** Not the project's own work. */
const LEFT_OUT: ReadonlySet<string> = new Set([".git", ".hg", ".svn", "node_modules", ".venv", "venv", "target", "dist", "vendor"]);

/** The tables below a folder, in order of their names. Links are not followed, so the walk stays inside. */
export function findTables(root: string): { readonly files: readonly string[]; readonly complete: boolean } {
  const files: string[] = [];
  let left = MOST_ENTRIES;
  let complete = true;
  const walk = (folder: string, depth: number): void => {
    const folders: string[] = [];
    try {
      const entries = opendirSync(folder);
      try {
        for (let entry = entries.readSync(); entry !== null; entry = entries.readSync()) {
          if (left-- <= 0) break;
          if (entry.isDirectory()) {
            if (!LEFT_OUT.has(entry.name)) folders.push(entry.name);
          } else if (entry.isFile() && entry.name.endsWith(TABLE_ENDING)) files.push(joinPath(folder, entry.name));
        }
      } finally {
        entries.closeSync();
      }
    } catch {
      complete = false;
    }
    if (left <= 0 || (depth >= DEEPEST && folders.length > 0)) complete = false;
    else for (const name of folders.toSorted((a, b) => (a < b ? -1 : 1))) walk(joinPath(folder, name), depth + 1);
  };
  walk(root, 0);
  return { files: files.toSorted((a, b) => (a < b ? -1 : 1)), complete };
}
