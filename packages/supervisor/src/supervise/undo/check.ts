import { closeSync, constants, openSync, readSync } from "node:fs";
import { type After, changedSince, linkText, whyNot } from "./after.ts";
import { keptPath, type PreImage } from "./journal.ts";
import type { Repositories } from "./repositories.ts";
import { inFolder, isMissing, openSafe, pin, statSafe } from "./safe.ts";
import { type KeptStat, kindOf, type ObjectStat, sameTime, statFrom } from "./stat.ts";
import type { Replay, TreeEntry } from "./tree.ts";
import { readXattrs, sameXattrs, type Xattrs } from "./xattr.ts";

/** What is on the disk now, next to what the run left there and what was there before it. */
export class Disk {
  readonly #after: After;
  readonly #force: boolean;
  readonly #folder: string;
  readonly #repositories: Repositories;
  /** Where it was when the run ended. */
  readonly #was = new Map<TreeEntry, string>();
  readonly #paths = new Map<TreeEntry, string>();
  /** What was removed and is there again, maybe as another object. */
  readonly #back = new Set<TreeEntry>();
  readonly #entries = new Map<string, TreeEntry>();
  readonly #now = new Map<TreeEntry, ObjectStat | number>();
  /** What stays as it is, and why. */
  readonly held = new Map<TreeEntry, string>();

  /** `folder`: of the last run. `force`: what was changed since is not held. */
  constructor(run: Replay, after: After, folder: string, force: boolean, repositories: Repositories) {
    this.#after = after;
    this.#force = force;
    this.#folder = folder;
    this.#repositories = repositories;
    for (const entry of run.touched) this.#was.set(entry, entry.path);
    this.#settle(run);
    for (const entry of run.touched) {
      const path = entry.path;
      this.#paths.set(entry, path);
      if (entry.alive) this.#entries.set(path, entry);
    }
  }

  /** Takes note of what is back in its place already: an undo before this one, or somebody's own hand. */
  #settle({ touched }: Replay): void {
    const there = new Map([...touched].filter(({ alive }) => alive).map((entry) => [entry.path, entry]));
    const away = [...touched].filter((entry) => entry.origin !== undefined && (!entry.alive || entry.moved));
    // Folders first: where a path leads depends on them.
    const places = away.map((entry) => ({ entry, path: entry.before })).sort((a, b) => a.path.split("/").length - b.path.split("/").length);
    for (const { entry, path } of places) {
      if (entry.origin === undefined) continue;
      const { parent, name } = entry.origin;
      const found = parent.alive && parent.path === parent.before ? statSafe(path) : 0;
      if (typeof found === "number" || !this.#isBack(entry, path, found, there.get(path))) continue;
      const taken = parent.children.get(name);
      if (taken?.made === true) taken.alive = false;
      if (entry.removed !== undefined) this.#back.add(entry);
      entry.move(parent, name);
    }
  }

  #isBack(entry: TreeEntry, path: string, found: ObjectStat, occupant: TreeEntry | undefined): boolean {
    if (this.#repositories.isForObjects(entry)) return kindOf(found.mode) === "directory";
    if (entry.alive) {
      // Another name of the same object may be there.
      const moved = statSafe(entry.path);
      if (typeof moved !== "number" && moved.id === found.id) return false;
    }
    // The run gave the same object the same name again.
    if (entry.inode?.id === found.id && occupant?.linked === found.id) return true;
    if (occupant !== undefined && occupant !== entry) {
      const left = this.left(occupant);
      // The run's own is still there. (The number of an inode may have come again for another one.)
      if (left !== undefined && left.id === found.id && sameTime(left.btime, found.btime)) return false;
      if (!occupant.made && occupant.inode?.id === found.id) return false;
    }
    if (entry.inode?.id === found.id) return true;
    // Without a list of what the run left, only the very object counts.
    return entry.removed !== undefined && (occupant === undefined || this.#after.sealed) && this.sameThing(path, entry.removed, found);
  }

  /** Where it is before the first step of the undo. */
  path(entry: TreeEntry): string {
    return this.#paths.get(entry) ?? entry.path;
  }

  /** Who the journal says is at a path before the first step. */
  entry(path: string): TreeEntry | undefined {
    return this.#entries.get(path);
  }

  /** What is there now; a negative errno where it cannot be reached. Holds it where it must stay as it is. */
  now(entry: TreeEntry): ObjectStat | number {
    let now = this.#now.get(entry);
    if (now === undefined) {
      now = statSafe(this.path(entry));
      this.#now.set(entry, now);
      const why = this.#reason(entry, now);
      if (why !== undefined) this.held.set(entry, why);
    }
    return now;
  }

  /** What the run left there. */
  left(entry: TreeEntry): KeptStat | undefined {
    const record = this.#after.entries.get(this.#was.get(entry) ?? "")?.is;
    return record === undefined ? undefined : statFrom(record);
  }

  get sealed(): boolean {
    return this.#after.sealed;
  }

  #reason(entry: TreeEntry, now: ObjectStat | number): string | undefined {
    const path = this.path(entry);
    const was = this.#was.get(entry) ?? path;
    // What the run made and somebody has deleted since is as it should be.
    if (typeof now === "number") return (entry.made ? isMissing(now) : !wanted(entry)) ? undefined : whyNot(now);
    if (this.#force || this.#repositories.fate(entry) === "settled" || this.#repositories.isForObjects(entry)) return undefined;
    const { inode } = entry;
    if (entry.made) return changedSince(this.#after, was, path, now);
    if (inode?.content !== undefined) return this.asBefore(entry, now) ? undefined : changedSince(this.#after, was, path, now);
    // Of what only got other attributes, the bytes may be others since: they stay.
    if (inode === undefined || this.#back.has(entry)) return undefined;
    if (inode.id !== now.id) return `is another ${kindOf(now.mode)} now`;
    // Whoever has written to it since looks for it where it is.
    if (entry.moved && kindOf(now.mode) === "file") return changedSince(this.#after, was, path, now);
    if (!inode.attributes || this.asBefore(entry, now)) return undefined;
    const left = this.left(entry);
    if (left === undefined) return changedSince(this.#after, was, path, now);
    const same = left.mode === now.mode && left.uid === now.uid && left.gid === now.gid;
    return same ? undefined : "has another mode or owner since";
  }

  /** Undone already. */
  asBefore(entry: TreeEntry, now: ObjectStat): boolean {
    const { inode } = entry;
    if (inode === undefined || entry.moved) return false;
    const { first, content } = inode;
    if (first.mode !== now.mode || first.uid !== now.uid || first.gid !== now.gid || !sameTime(first.mtime, now.mtime)) return false;
    // Flags are not looked at: they are set again.
    if (inode.flags !== undefined || (inode.xattrs !== undefined && !sameXattrs(xattrsOf(this.path(entry)), inode.xattrs))) return false;
    return content === undefined || this.sameBytes(this.path(entry), content, now);
  }

  /** The object at `path` is to the eye what is to be put there: a name that is back already. */
  sameThing(path: string, image: PreImage, now: ObjectStat): boolean {
    const is = image.is === undefined ? undefined : statFrom(image.is);
    if (is === undefined) return false;
    if (is.id === now.id) return true;
    const kind = kindOf(is.mode);
    if (kind !== kindOf(now.mode)) return false;
    if (kind === "directory") return true;
    if (kind === "symlink") return image.text === linkText(path);
    return kind === "file" && this.sameBytes(path, image, now);
  }

  /** Of what is kept as it was. */
  keptXattrs(image: PreImage): Xattrs | undefined {
    return xattrsOf(keptPath(image, this.#folder));
  }

  /** What is kept is the object itself: somebody has written to it where it was still open. */
  isKeptChanged(image: PreImage, { content, attributes }: NonNullable<TreeEntry["inode"]>): boolean {
    const { how, is } = image;
    if (how !== "link" || is === undefined || this.#force || content !== undefined || attributes) return false;
    const was = statFrom(is);
    const now = statSafe(keptPath(image, this.#folder));
    return kindOf(was.mode) === "file" && typeof now !== "number" && (now.size !== was.size || !sameTime(now.mtime, was.mtime));
  }

  sameBytes(path: string, image: PreImage, now: ObjectStat): boolean {
    const size = image.is?.[3];
    if (size !== now.size) return false;
    if (size === 0) return true;
    if (image.key === undefined) return false;
    return sameFiles(keptPath(image, this.#folder), path);
  }
}

function xattrsOf(path: string): Xattrs | undefined {
  return inFolder(path, (place) => {
    const fd = pin(place);
    if (fd < 0) return undefined;
    try {
      return readXattrs(fd);
    } finally {
      closeSync(fd);
    }
  });
}

/** Something is to be brought back, other than a folder's times. */
function wanted(entry: TreeEntry): boolean {
  const { inode } = entry;
  if (entry.moved) {
    const before = statSafe(entry.before);
    return typeof before === "number" || inode === undefined || before.id !== inode.id;
  }
  return inode !== undefined && (inode.content !== undefined || inode.attributes);
}

/** The bytes of a file that is kept are those of the file at `path`. */
export function sameFiles(kept: string, path: string): boolean {
  let a: number | undefined;
  const b = openSafe(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  if (b < 0) return false;
  try {
    a = openSync(kept, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const one = Buffer.allocUnsafe(1 << 16);
    const two = Buffer.allocUnsafe(1 << 16);
    for (let at = 0; ;) {
      const got = readSync(a, one, 0, one.length, at);
      if (readSync(b, two, 0, two.length, at) !== got || one.compare(two, 0, got, 0, got) !== 0) return false;
      if (got === 0) return true;
      at += got;
    }
  } catch {
    return false;
  } finally {
    closeSync(b);
    if (a !== undefined) closeSync(a);
  }
}
