/**
 * What git's index says, without what it remembers of the files on the disk (times, inode numbers): that is written anew by
 * every `git status`. Undefined where it is not fully understood (gitformat-index(5)).
 */
export function readGitIndex(bytes: Buffer): Buffer | undefined {
  if (bytes.length < 12 || bytes.toString("latin1", 0, 4) !== "DIRC") return undefined;
  const version = bytes.readUInt32BE(4);
  if (version < 2 || version > 4) return undefined;
  const count = bytes.readUInt32BE(8);
  for (const hash of [20, 32]) {
    const entries = entriesOf(bytes, version, count, hash);
    if (entries !== undefined) return entries;
  }
  return undefined;
}

/** ctime, mtime, dev, ino, mode, uid, gid, size */
const STAT = 40;
const MODE = 24;

function entriesOf(bytes: Buffer, version: number, count: number, hash: number): Buffer | undefined {
  const end = bytes.length - hash;
  const parts: Buffer[] = [];
  let at = 12;
  for (let i = 0; i < count; i++) {
    const start = at;
    at += STAT + hash;
    if (at + 2 > end) return undefined;
    const flags = bytes.readUInt16BE(at);
    at += 2;
    // Extended flags: intent-to-add, skip-worktree.
    if ((flags & 0x4000) !== 0) {
      if (version < 3) return undefined;
      at += 2;
    }
    // How much of the name before is dropped, as a number of variable length.
    if (version === 4) {
      while (at < end && (bytes[at] ?? 0) > 0x7f) at += 1;
      at += 1;
    }
    const name = bytes.indexOf(0, at);
    if (name < 0 || name >= end) return undefined;
    parts.push(bytes.subarray(start + MODE, start + MODE + 4), bytes.subarray(start + STAT, name + 1));
    at = version === 4 ? name + 1 : start + ((name - start + 8) & ~7);
  }
  while (at < end) {
    if (at + 8 > end) return undefined;
    const kind = bytes.toString("latin1", at, at + 4);
    const next = at + 8 + bytes.readUInt32BE(at + 4);
    if (next > end) return undefined;
    // Lower case: git itself refuses what it does not know (`link`: a split index, whose entries are elsewhere).
    if (!/^[A-Z]/.test(kind)) return undefined;
    // A conflict that was resolved.
    if (kind === "REUC") parts.push(bytes.subarray(at, next));
    at = next;
  }
  return at === end ? Buffer.concat(parts) : undefined;
}
