import type { Disk } from "./check.ts";
import { notKept, type PreImage } from "./journal.ts";
import { sameTime, type KeptStat } from "./stat.ts";
import type { Entry, Inode } from "./tree.ts";

/** One thing an undo does, in this order. Paths are those at the time it is done. */
export type Step =
  | { readonly do: "delete"; readonly path: string; readonly id: string; readonly folder: boolean }
  /** `aside`: for a while, to make room. */
  | { readonly do: "move"; readonly path: string; readonly to: string; readonly id: string; readonly aside?: true }
  /** `from`: another name of the same object, which is there by then. */
  | {
      readonly do: "restore";
      readonly path: string;
      readonly image: PreImage;
      readonly first: KeptStat;
      readonly from?: string;
      /** It had names that are not known. */
      readonly alone?: true;
    }
  | { readonly do: "content"; readonly path: string; readonly image: PreImage }
  /** Mode, owner, attributes and flags unless `timesOnly`; times unless `first.mtime` is not to be set. */
  | {
      readonly do: "attributes";
      readonly path: string;
      readonly first: KeptStat;
      readonly inode?: Pick<Inode, "xattrs" | "flags">;
      readonly times: boolean;
      readonly rest: boolean;
    };

const parentOf = (path: string): string => path.slice(0, path.lastIndexOf("/"));
const depth = (path: string): number => path.split("/").length;

/** Folders that the run closed to their owner are opened before anything is done in them. */
export function openFolders(chosen: readonly Entry[], disk: Disk): readonly Step[] {
  const steps: Step[] = [];
  for (const entry of chosen) {
    if (entry.kind !== "directory" || !entry.alive || entry.made || entry.inode?.attributes !== true || disk.held.has(entry)) continue;
    const now = disk.now(entry);
    if (typeof now === "number" || (now.mode & 0o700) === 0o700) continue;
    steps.push({ do: "attributes", path: disk.path(entry), first: { ...now, mode: now.mode | 0o700 }, times: false, rest: true });
  }
  return steps.sort((a, b) => depth(a.path) - depth(b.path));
}

/** A link that the run made may be the only known name of what was there before: its bytes go back before the link goes. */
export function restoreThrough(entry: Entry, disk: Disk): readonly Step[] {
  const { inode, path } = entry;
  if (entry.linked === undefined || inode === undefined || (inode.content === undefined && !inode.attributes)) return [];
  for (const name of inode.names) if (!name.made && (name.alive || name.removed !== undefined) && !disk.held.has(name)) return [];
  const { content, first } = inode;
  const bytes: readonly Step[] = content === undefined || content.how === "lost" ? [] : [{ do: "content", path, image: content }];
  return [...bytes, { do: "attributes", path, first, inode, times: true, rest: true }];
}

/** When every name is where it was: bytes, mode, owner, times, attributes. */
export function restoreInodes(
  chosen: readonly Entry[],
  disk: Disk,
  restored: ReadonlyMap<Entry, "fresh" | "linked">,
  before: readonly Step[],
): readonly Step[] {
  const parents = new Set(before.flatMap((step) => (step.do === "move" ? [step.path, step.to] : [step.path])).map(parentOf));
  const contents: Step[] = [];
  const attributes: Step[] = [];
  const folders: Step[] = [];
  const seen = new Set<Inode>();
  for (const entry of chosen) {
    const { inode } = entry;
    if (inode === undefined || seen.has(inode) || entry.made || !entry.alive || disk.held.has(entry)) continue;
    const back = restored.get(entry);
    const now = back === undefined ? disk.now(entry) : undefined;
    if (typeof now === "number") continue;
    seen.add(inode);
    const { path } = entry;
    const { first } = inode;
    const settled = now !== undefined && disk.asBefore(entry, now);
    if (entry.kind === "directory") {
      // A folder that somebody else has put something into since keeps the times of that.
      if ((settled && !parents.has(path)) || !(entry.folder || inode.attributes || back !== undefined)) continue;
      const left = disk.left(entry);
      const times = now === undefined || (left === undefined ? !disk.sealed : left.id === now.id && sameTime(left.mtime, now.mtime));
      const rest = now === undefined || inode.attributes;
      if (times || rest) folders.push({ do: "attributes", path, first, inode, times, rest });
      continue;
    }
    if (inode.content !== undefined && back !== "fresh" && !settled) {
      if (inode.content.how === "lost") {
        disk.held.set(entry, notKept(inode.content));
        continue;
      }
      contents.push({ do: "content", path, image: inode.content });
    }
    if (inode.content === undefined && !inode.attributes && back === undefined) continue;
    const left = disk.left(entry);
    // Somebody else has written to it since: the times of that stay.
    const written = inode.content === undefined && now !== undefined && left !== undefined && !sameTime(left.mtime, now.mtime);
    if (!settled) attributes.push({ do: "attributes", path, first, inode, times: !written, rest: true });
  }
  // A folder's times change with what is done in it, and its mode may close it.
  return [...contents, ...attributes, ...folders.sort((a, b) => depth(b.path) - depth(a.path))];
}
