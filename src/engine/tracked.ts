import { readFileSync, statSync } from "node:fs";

/** Larger indexes are not searched. */
const LARGEST_INDEX = 32 * 1024 * 1024;

/**
 * Whether the repository at `root` tracks a file; undefined when that cannot be told. In index formats 2 and 3 every
 * entry holds its whole path behind its length, in the low 12 bits of two bytes of flags (gitformat-index(5)).
 * Format 4 shortens paths, and a split index keeps entries in another file: no answer there.
 */
export function trackedIn(root: string): (path: string) => boolean | undefined {
  let index: Buffer | undefined | null;
  return (path) => {
    if (!path.startsWith(`${root}/`)) return undefined;
    index ??= readIndex(`${root}/.git/index`) ?? null;
    return index === null ? undefined : holds(index, Buffer.from(`${path.slice(root.length + 1)}\0`));
  };
}

function holds(index: Buffer, entry: Buffer): boolean {
  for (let at = index.indexOf(entry); at >= 2; at = index.indexOf(entry, at + 1)) {
    // With the extended flag of format 3, two more bytes of flags stand in between.
    for (const back of [2, 4]) if (at >= back && (index.readUInt16BE(at - back) & 0xfff) === Math.min(entry.length - 1, 0xfff)) return true;
  }
  return false;
}

function readIndex(file: string): Buffer | undefined {
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    // A repository without an index tracks nothing yet.
    if (stats === undefined) return Buffer.alloc(0);
    if (!stats.isFile() || stats.size > LARGEST_INDEX) return undefined;
    const bytes = readFileSync(file);
    const version = bytes.length >= 12 && bytes.toString("latin1", 0, 4) === "DIRC" ? bytes.readUInt32BE(4) : 0;
    return (version === 2 || version === 3) && !bytes.includes("link\0") ? bytes : undefined;
  } catch {
    return undefined;
  }
}
