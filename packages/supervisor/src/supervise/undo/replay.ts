import type { JournalRecord, PreImage } from "./journal.ts";
import { type FileKind, type KeptStat, kindOf, milliseconds, sameTime, statFrom, type StatRecord } from "./stat.ts";
import { type AfterEntry, type Inode, type Replay, type RunSegment, TreeEntry } from "./tree.ts";

/** Follows the journals, in the order of the segments: who is where at the end, and what it was before. `alike`: as `sameBytes` of `ReplayedRun`. */
export function replay(segments: readonly RunSegment[], alike: SameBytes): Replay {
  const run = new ReplayedRun(alike);
  for (const segment of segments) run.follow(segment);
  return { root: run.root, touched: run.touched };
}

/** The bytes that were kept of what was at `path` are those that a segment before had left there. */
type SameBytes = (path: string, left: AfterEntry, image: PreImage) => boolean;

const ELSE = "was changed by somebody else between two of these runs";
const GONE = "was deleted by somebody else between two of these runs";
const REPLACED = "had something else in its place between two of these runs";
const ONLY = `${ELSE}: it goes back to that, not further`;

/**
 * INVARIANT: nothing goes back past what somebody else did between two segments. What a segment found is compared with what
 * those before had left, object by object.
 */
class ReplayedRun {
  readonly root = new TreeEntry(undefined, "", false, "directory");
  readonly touched = new Set<TreeEntry>();
  readonly #inodes = new Map<string, Inode>();
  readonly #alike: SameBytes;
  #segment = -1;
  #now: RunSegment | undefined;
  readonly #spoken = new Set<TreeEntry>();
  /** Numbers of the inodes that the segment has spoken of. */
  readonly #met = new Set<string>();

  constructor(alike: SameBytes) {
    this.#alike = alike;
  }

  follow(segment: RunSegment): void {
    this.#segment += 1;
    this.#now = segment;
    for (const record of segment.records) this.#step(record);
    /** What has other names, by the number of its inode. */
    const others = new Map<string, AfterEntry>();
    for (const entry of this.#spoken) {
      // Of two that went on at once, the one that ended last saw it last.
      if (!entry.alive || entry.parent === undefined || entry.leftAt > segment.ended) continue;
      const left = segment.left?.(entry.path);
      setLeft(entry, left, segment.ended);
      if (left?.is !== undefined && left.is[4] > 1 && entry.kind !== "directory") others.set(left.is[5], left);
    }
    if (others.size > 0)
      for (const entry of this.touched) {
        const left = entry.left?.is === undefined || this.#spoken.has(entry) ? undefined : others.get(entry.left.is[5]);
        if (entry.alive && left !== undefined && entry.leftAt <= segment.ended) setLeft(entry, left, segment.ended);
      }
    this.#spoken.clear();
    this.#met.clear();
  }

  #step(record: JournalRecord): void {
    switch (record.op) {
      case "create": {
        const [parent, name] = this.#place(record.path);
        if (this.#makesRoom(parent, name) && !this.#bringsBack(parent, name, record.kind)) this.#put(parent, name, record.kind);
        return;
      }
      case "link": {
        const from = record.from === undefined ? undefined : this.#find(record.from, record.is);
        const [parent, name] = this.#place(record.path);
        if (!this.#makesRoom(parent, name) || this.#linksBack(parent, name, record.is)) return;
        const made = this.#put(parent, name, record.is === undefined ? "file" : kindOf(record.is[0]));
        if (record.is === undefined || (from !== undefined && isNew(from))) return;
        const inode = this.#known(made, record.is);
        if (inode === undefined) return;
        made.linked = inode.id;
        if (from !== undefined) this.#known(from, record.is);
        return;
      }
      case "remove":
        this.#remove(record.path, record);
        return;
      case "modify": {
        const inode = this.#known(this.#find(record.path, record.is, record), record.is);
        if (inode === undefined) return;
        inode.content ??= record;
        if (record.bare !== true) inode.xattrs ??= record.xattrs ?? {};
        return;
      }
      case "metadata": {
        const inode = this.#known(this.#find(record.path, record.is), record.is);
        if (inode === undefined) return;
        inode.attributes = true;
        inode.xattrs ??= record.xattrs ?? {};
        if (record.flags !== undefined) inode.flags ??= record.flags;
        return;
      }
      case "folder": {
        const entry = this.#find(record.path, record.is);
        this.#known(entry, record.is);
        entry.folder = true;
        return;
      }
      case "rename":
        this.#rename(record);
        return;
      case "void":
    }
  }

  #rename(record: JournalRecord & { readonly op: "rename" }): void {
    const source = this.#find(record.path, record.is);
    this.#known(source, record.is);
    const [parent, name] = this.#place(record.to);
    const from = source.parent;
    if (from === undefined) return;
    if (record.exchange === true) {
      const other = this.#find(record.to, record.other);
      this.#known(other, record.other);
      this.#move(other, from, source.name);
    } else {
      from.children.set(source.name, null);
      noteGone(source);
      const replaced = parent.children.get(name);
      // Its removal should have been recorded just before.
      if (replaced?.alive === true && replaced !== source) this.#retire(replaced, GONE);
    }
    this.#move(source, parent, name);
  }

  #move(entry: TreeEntry, parent: TreeEntry, name: string): void {
    entry.parent = parent;
    entry.name = name;
    parent.children.set(name, entry);
    this.#speak(entry);
  }

  #remove(path: string, image: PreImage): void {
    const entry = this.#find(path, image.is, image);
    const inode = this.#known(entry, image.is);
    entry.alive = false;
    noteGone(entry);
    if (entry.origin !== undefined) entry.removed = asBefore(image, inode);
    else if (image.is !== undefined && entry.linked !== image.is[5] && entry.born === this.#segment) entry.foreign = true;
    entry.parent?.children.set(entry.name, null);
    if (inode === undefined || image.is === undefined) return;
    if (image.how !== "link" && image.bare !== true) inode.xattrs ??= image.xattrs ?? {};
    // Nothing holds the inode any more: its number may come again for another object.
    if (image.how !== "link" && (image.is[4] <= 1 || entry.kind === "directory")) this.#inodes.delete(inode.id);
  }

  /** False: it is there already; what makes it was called again without effect. */
  #makesRoom(parent: TreeEntry, name: string): boolean {
    const there = parent.children.get(name);
    if (there?.alive !== true) return true;
    if (there.passed === this.#segment) return false;
    const made = this.#now?.left?.(`${parent.path}/${name}`)?.is;
    // Of two runs that went on at once, the other one made it.
    if (made !== undefined && there.inode !== undefined && isObject(there.inode.first, statFrom(made))) {
      this.touched.delete(there);
      this.#spoken.delete(there);
    } else this.#retire(there, GONE);
    return true;
  }

  #put(parent: TreeEntry, name: string, kind: FileKind): TreeEntry {
    const made = new TreeEntry(parent, name, true, kind, this.#segment);
    parent.children.set(name, made);
    this.#speak(made);
    return made;
  }

  #speak(entry: TreeEntry): void {
    entry.seen = this.#segment;
    entry.passed = this.#segment;
    this.touched.add(entry);
    this.#spoken.add(entry);
  }

  /** Somebody else took it away, with what is in it. */
  #retire(entry: TreeEntry, why: string): void {
    entry.alive = false;
    if (entry.origin !== undefined && !isNew(entry) && this.touched.has(entry)) entry.stays = why;
    for (const child of entry.children.values()) if (child?.alive === true) this.#retire(child, why);
    entry.leave();
  }

  /** What is at the place of `entry` is another object than what was left there: it was there before, as far as anybody may go back. */
  #replace(entry: TreeEntry, why: string): TreeEntry {
    const { parent, name } = entry;
    if (parent === undefined) return entry;
    this.#retire(entry, REPLACED);
    const other = new TreeEntry(parent, name, false, undefined, this.#segment);
    parent.children.set(name, other);
    other.foreign = true;
    other.partly = why;
    return other;
  }

  /** The entry for what a segment found, `is`, where others had left something before. */
  #compare(entry: TreeEntry, is: StatRecord, image: PreImage | undefined): TreeEntry {
    const { left } = entry;
    const now = statFrom(is);
    if (kindOf(now.mode) === "directory" && entry.inode !== undefined && isObject(entry.inode.first, now)) {
      const was = left?.is === undefined ? undefined : statFrom(left.is);
      if (was !== undefined) entry.inode.first = withOwn(entry.inode.first, was, now);
      else if (left?.until === undefined || milliseconds(now.mtime) > left.until)
        entry.inode.first = { ...entry.inode.first, atime: now.atime, mtime: now.mtime };
      return entry;
    }
    if (left?.until !== undefined) return milliseconds(now.ctime) <= left.until ? entry : this.#replace(entry, ONLY);
    if (left?.is === undefined) return this.#replace(entry, ONLY);
    const was = statFrom(left.is);
    const same = isObject(was, now);
    if (same && sameTime(was.ctime, now.ctime)) return entry;
    if (kindOf(was.mode) === "directory" && same) return entry;
    const attributes = was.mode === now.mode && was.uid === now.uid && was.gid === now.gid;
    const bytes = same && was.size === now.size && sameTime(was.mtime, now.mtime);
    if (bytes && (attributes || !isNew(entry))) {
      if (!attributes && entry.inode !== undefined) {
        entry.inode.first = withOwn(entry.inode.first, was, now);
        entry.partly = ONLY;
      }
      return entry;
    }
    if (attributes && image !== undefined && this.#alike(entry.path, left, image)) {
      // The same bytes in another file.
      if (entry.inode !== undefined && !same) {
        entry.inode = { ...entry.inode, id: now.id, names: new Set([entry]) };
        this.#inodes.set(now.id, entry.inode);
      }
      return entry;
    }
    return this.#replace(entry, ONLY);
  }

  #inode(is: StatRecord, entry: TreeEntry): Inode {
    const now = statFrom(is);
    const known = this.#inodes.get(now.id);
    if (known !== undefined && this.#isSame(known, now, entry)) return known;
    const inode: Inode = { id: now.id, first: now, attributes: false, names: new Set() };
    this.#inodes.set(now.id, inode);
    return inode;
  }

  /** The number of an inode may have come again for another object, and somebody else may have written to it, and renamed it. */
  #isSame({ first, left, names }: Inode, now: KeptStat, entry: TreeEntry): boolean {
    if (!isObject(first, now)) return false;
    if (names.has(entry) || left?.is === undefined || [...names].some(({ seen }) => seen === this.#segment)) return true;
    const was = statFrom(left.is);
    if (was.btime[0] === 0) return false;
    return was.mode === now.mode && was.size === now.size && sameTime(was.mtime, now.mtime);
  }

  /** Undefined of what one of the segments made: it needs no pre-image. */
  #known(entry: TreeEntry, is: StatRecord | undefined): Inode | undefined {
    if (is === undefined) return entry.inode;
    entry.kind = kindOf(is[0]);
    if (isNew(entry) && entry.born < this.#segment) return undefined;
    entry.inode ??= this.#inode(is, entry);
    entry.inode.names.add(entry);
    return entry.inode;
  }

  /** The folder that `path` lies in, and the last part. */
  #place(path: string): readonly [TreeEntry, string] {
    const slash = path.lastIndexOf("/");
    return [this.#walk(path, slash), path.slice(slash + 1)];
  }

  /** `is`: what was there. */
  #find(path: string, is?: StatRecord, image?: PreImage): TreeEntry {
    let entry = this.#walk(path, path.length);
    if (is !== undefined) {
      // By another name this segment has changed it itself.
      const met = this.#met.has(is[5]) && entry.left?.is?.[5] === is[5];
      if (entry.seen >= 0 && entry.seen < this.#segment && !met) entry = this.#compare(entry, is, image);
      this.#met.add(is[5]);
    }
    this.#speak(entry);
    return entry;
  }

  #walk(path: string, end: number): TreeEntry {
    let entry = this.root;
    for (let at = 1; at < end;) {
      const slash = path.indexOf("/", at);
      const stop = slash < 0 || slash > end ? end : slash;
      const name = path.slice(at, stop);
      at = stop + 1;
      let next = entry.children.get(name);
      if (next === undefined || next === null) {
        // Not made by the run, so it was there; or somebody else made it meanwhile, which comes to the same.
        const other = new TreeEntry(entry, name, false, undefined, this.#segment);
        if (next === null && this.#segment > 0) this.#takePlace(entry, name);
        entry.children.set(name, other);
        next = other;
      }
      // The last one only counts as there when it has been looked at.
      if (stop < end) next.passed = this.#segment;
      entry = next;
    }
    return entry;
  }

  /** Somebody else has put something where a segment before had taken something away: that stays away. */
  #takePlace(parent: TreeEntry, name: string): void {
    const entry = parent.gone.get(name);
    if (entry !== undefined && entry.seen < this.#segment) entry.stays = REPLACED;
  }

  /** An undo makes what a segment before it had removed: it is that again, whatever its number. */
  #bringsBack(parent: TreeEntry, name: string, kind: FileKind): boolean {
    const entry = this.#now?.restores === true ? parent.gone.get(name) : undefined;
    const image = entry?.removed;
    const before = entry?.inode;
    if (entry === undefined || image?.is === undefined || before === undefined || entry.kind !== kind || entry.alive) return false;
    const path = `${parent.path}/${name}`;
    const left = this.#now?.left?.(path);
    if (left?.is === undefined) return false;
    const is = statFrom(left.is);
    if (!isObject(before.first, is)) {
      // It may be the undo of an undo, which makes what a run had put there.
      if ((kind === "file" || kind === "symlink") && !this.#alike(path, left, image)) return false;
      const content = kind === "file" ? { content: image } : {};
      entry.inode = { ...before, id: is.id, ...content, attributes: true, names: new Set([entry]), before };
      this.#inodes.set(is.id, entry.inode);
    }
    this.#revive(entry, parent, name);
    return true;
  }

  /** As `bringsBack`, of another name of what is there. */
  #linksBack(parent: TreeEntry, name: string, is: StatRecord | undefined): boolean {
    const entry = this.#now?.restores === true ? parent.gone.get(name) : undefined;
    if (entry?.removed === undefined || entry.alive || is === undefined) return false;
    const inode = this.#inodes.get(is[5]);
    let was = inode;
    while (was !== undefined && was !== entry.inode) was = was.before;
    if (inode === undefined || was === undefined) return false;
    entry.inode = inode;
    inode.names.add(entry);
    this.#revive(entry, parent, name);
    return true;
  }

  #revive(entry: TreeEntry, parent: TreeEntry, name: string): void {
    delete entry.removed;
    entry.move(parent, name);
    this.#speak(entry);
  }
}

function setLeft(entry: TreeEntry, left: AfterEntry | undefined, at: number): void {
  entry.leftAt = at;
  if (left === undefined) {
    // Of ten thousands of entries that never had one, each would become a table of its own.
    if (entry.left !== undefined) delete entry.left;
    return;
  }
  entry.left = left;
  if (entry.inode !== undefined) entry.inode.left = left;
}

function noteGone(entry: TreeEntry): void {
  entry.origin?.parent.gone.set(entry.origin.name, entry);
}

/** A segment made it; what is only another name for what was there before is not meant. */
const isNew = (entry: TreeEntry): boolean => entry.made && entry.linked === undefined;

/** The very object. Birth times tell two apart that had the same number, where the file system knows them. */
const isObject = (a: KeptStat, b: KeptStat): boolean => a.id === b.id && sameTime(a.btime, b.btime);

/** `first` with what somebody else has changed between `was` and `now`. */
function withOwn(first: KeptStat, was: KeptStat, now: KeptStat): KeptStat {
  const own = was.mode === now.mode && was.uid === now.uid && was.gid === now.gid ? {} : { mode: now.mode, uid: now.uid, gid: now.gid };
  return { ...first, ...own, ...(sameTime(was.mtime, now.mtime) ? {} : { atime: now.atime, mtime: now.mtime }) };
}

/** Of what was changed by one segment and removed by a later one, the bytes before the first count. */
function asBefore(image: PreImage, inode: Inode | undefined): PreImage {
  const content = inode?.content;
  if (content?.is === undefined || image.is === undefined || content.folder === image.folder) return image;
  const [mode, uid, gid, size, , ...rest] = content.is;
  return { ...content, is: [mode, uid, gid, size, image.is[4], ...rest] };
}
