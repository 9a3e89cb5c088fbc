import type { After } from "./after.ts";
import type { PreImage } from "./journal.ts";
import { sameTime, statFrom, type Kind, type KeptStat } from "./stat.ts";
import type { Entry, Replay } from "./tree.ts";

/** What a run did to one path, in sum. */
export interface Change {
  readonly what: "created" | "changed" | "deleted" | "renamed" | "attributes";
  /** Where it is now; of what was deleted, where it was. */
  readonly path: string;
  /** Where a renamed one was. */
  readonly from?: string;
  readonly kind: Kind | undefined;
  /** Its bytes before: of what was changed or deleted. */
  readonly image?: PreImage;
  readonly first?: KeptStat;
  /** What the run left there. */
  readonly left?: KeptStat;
  /** It lies in a folder that the run created or deleted as a whole. */
  readonly within: string | undefined;
}

/** Sorted by path. */
export function changesOf({ touched }: Replay, after: After): readonly Change[] {
  const removed = new Map<string, Entry>();
  for (const entry of touched) if (entry.removed !== undefined) removed.set(entry.before, entry);
  const changes: Change[] = [];
  const replaced = new Set<Entry>();
  for (const entry of touched) {
    if (!entry.alive || entry.parent === undefined) continue;
    const { path, inode } = entry;
    const record = after.entries.get(path);
    const left = record?.is === undefined ? undefined : statFrom(record.is);
    // Whatever came of it, it is not there.
    if (after.sealed && left === undefined && entry.made) continue;
    const base = { path, kind: entry.kind, ...(left === undefined ? {} : { left }) };
    const victim = entry.made || entry.moved ? removed.get(path) : undefined;
    if (victim !== undefined) replaced.add(victim);
    if (entry.moved) changes.push({ what: "renamed", from: entry.before, within: undefined, ...base, ...imageOf(entry) });
    else if (victim !== undefined && victim.kind !== "directory")
      changes.push({ what: "changed", within: undefined, ...base, ...imageOf(victim) });
    else if (entry.made) changes.push({ what: "created", within: madeWithin(entry), ...base });
    else if (inode?.content !== undefined && !sameFile(inode.first, left))
      changes.push({ what: "changed", within: undefined, ...base, ...imageOf(entry) });
    else if (inode?.attributes === true && !sameAttributes(inode.first, left))
      changes.push({ what: "attributes", within: undefined, ...base, first: inode.first });
  }
  for (const [path, entry] of removed) {
    if (replaced.has(entry)) continue;
    changes.push({ what: "deleted", path, kind: entry.kind, within: removedWithin(entry), ...imageOf(entry) });
  }
  return changes.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}

function imageOf(entry: Entry): Pick<Change, "image" | "first"> {
  const image = entry.inode?.content ?? entry.removed;
  return { ...(image === undefined ? {} : { image }), ...(entry.inode === undefined ? {} : { first: entry.inode.first }) };
}

function madeWithin(entry: Entry): string | undefined {
  let top: Entry | undefined;
  for (let at = entry.parent; at?.made === true; at = at.parent) top = at;
  return top?.path;
}

function removedWithin(entry: Entry): string | undefined {
  let top: Entry | undefined;
  for (let at = entry.origin?.parent; at?.removed !== undefined; at = at.origin?.parent) top = at;
  return top?.before;
}

const sameFile = (first: KeptStat, left: KeptStat | undefined): boolean =>
  left !== undefined && left.size === first.size && sameTime(left.mtime, first.mtime);

const sameAttributes = (first: KeptStat, left: KeptStat | undefined): boolean =>
  left !== undefined && left.mode === first.mode && left.uid === first.uid && left.gid === first.gid && sameTime(left.mtime, first.mtime);
