import { readFileSync, statSync } from "node:fs";

/** Larger indexes are not searched: every file then counts as tracked. */
const LARGEST_INDEX = 32 * 1024 * 1024;

/**
 * Whether the repository at `root` may track a file. In index formats 2 and 3 every entry holds its whole path
 * (gitformat-index(5)), so a path that is not in the bytes is not tracked. Format 4 shortens paths: no answer there.
 */
export function trackedIn(root: string): (path: string) => boolean {
  let index: Buffer | undefined | null;
  return (path) => {
    if (!path.startsWith(`${root}/`)) return true;
    index ??= readIndex(`${root}/.git/index`) ?? null;
    return index === null || index.includes(path.slice(root.length + 1));
  };
}

function readIndex(file: string): Buffer | undefined {
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    // A repository without an index tracks nothing yet.
    if (stats === undefined) return Buffer.alloc(0);
    if (!stats.isFile() || stats.size > LARGEST_INDEX) return undefined;
    const bytes = readFileSync(file);
    const version = bytes.length >= 12 && bytes.toString("latin1", 0, 4) === "DIRC" ? bytes.readUInt32BE(4) : 0;
    // A split index keeps entries in another file; its extension is named `link`.
    return (version === 2 || version === 3) && !bytes.includes("link\0") ? bytes : undefined;
  } catch {
    return undefined;
  }
}
