import type { JournalRecord, PreImage } from "./journal.ts";
import { type FileKind, type KeptStat, kindOf, statFrom, type StatRecord } from "./stat.ts";
import type { Xattrs } from "./xattr.ts";

/** One inode that was there before the run, with what its bytes and attributes were. */
export interface Inode {
  readonly id: string;
  /** As it was before the first record that names it. */
  readonly first: KeptStat;
  /** Undefined: nothing was about to change them. */
  xattrs?: Xattrs;
  flags?: number;
  /** Its bytes before they changed. */
  content?: PreImage;
  /** Mode, owner, times, attributes or flags were about to change. */
  attributes: boolean;
  /** Names of it that the run dealt with, gone ones too. */
  readonly names: Set<TreeEntry>;
}

/** One name in a folder, followed through a run. */
export class TreeEntry {
  parent: TreeEntry | undefined;
  name: string;
  /** Null: nothing is there any more. Absent: never touched. */
  readonly children = new Map<string, TreeEntry | null>();
  /** Where it was before the run; undefined: the run made it. */
  readonly origin: { readonly parent: TreeEntry; readonly name: string } | undefined;
  kind: FileKind | undefined;
  inode?: Inode;
  /** It is no more; what it was. Only of what was there before. */
  removed?: PreImage;
  /** What is in this folder changed, and its times with it. */
  folder = false;
  /** Somebody else put something in its place while the run went on, which the run then removed. */
  foreign = false;
  /** A name that the run gave to an inode that was there before. */
  linked?: string;
  alive = true;

  constructor(parent: TreeEntry | undefined, name: string, made: boolean, kind?: FileKind) {
    this.parent = parent;
    this.name = name;
    this.origin = made || parent === undefined ? undefined : { parent, name };
    this.kind = kind;
  }

  /** Follows it to another place. */
  move(parent: TreeEntry, name: string): void {
    this.leave();
    this.alive = true;
    this.parent = parent;
    this.name = name;
    parent.children.set(name, this);
  }

  leave(): void {
    if (this.parent?.children.get(this.name) === this) this.parent.children.set(this.name, null);
  }

  /** Made by the run. */
  get made(): boolean {
    return this.origin === undefined && this.parent !== undefined;
  }

  get moved(): boolean {
    return this.origin !== undefined && this.alive && (this.origin.parent !== this.parent || this.origin.name !== this.name);
  }

  /** Where it is at the end of the run; for what is gone, where it was last. */
  get path(): string {
    return this.parent === undefined ? "" : `${this.parent.path}/${this.name}`;
  }

  /** Where it was before the run; for what the run made, where it is. */
  get before(): string {
    if (this.parent === undefined) return "";
    return this.origin === undefined ? this.path : `${this.origin.parent.before}/${this.origin.name}`;
  }
}

/** What a run did in sum, names and inodes apart. */
export interface Replay {
  readonly root: TreeEntry;
  /** Every name that a record speaks of, in order. */
  readonly touched: ReadonlySet<TreeEntry>;
}

/** Follows the journal: who is where at the end, and what it was before. */
export function replay(records: Iterable<JournalRecord>): Replay {
  const run = new ReplayedRun();
  for (const record of records) run.step(record);
  return { root: run.root, touched: run.touched };
}

class ReplayedRun {
  readonly root = new TreeEntry(undefined, "", false, "directory");
  readonly touched = new Set<TreeEntry>();
  readonly #inodes = new Map<string, Inode>();

  step(record: JournalRecord): void {
    if (record.op === "void") return;
    switch (record.op) {
      case "create": {
        const [parent, name] = this.#place(record.path);
        // Already there: what made it was called again without effect.
        if (parent.children.get(name)?.alive === true) return;
        this.#put(parent, name, record.kind);
        return;
      }
      case "link": {
        const [parent, name] = this.#place(record.path);
        if (parent.children.get(name)?.alive === true) return;
        const made = this.#put(parent, name, record.is === undefined ? "file" : kindOf(record.is[0]));
        if (record.is === undefined) return;
        const inode = this.#inode(record.is);
        made.linked = inode.id;
        made.inode = inode;
        inode.names.add(made);
        if (record.from !== undefined) this.#known(this.#find(record.from), record.is);
        return;
      }
      case "remove":
        this.#remove(record.path, record);
        return;
      case "modify": {
        const inode = this.#known(this.#find(record.path), record.is);
        if (inode === undefined) return;
        inode.content ??= record;
        inode.xattrs ??= record.xattrs ?? {};
        return;
      }
      case "metadata": {
        const inode = this.#known(this.#find(record.path), record.is);
        if (inode === undefined) return;
        inode.attributes = true;
        inode.xattrs ??= record.xattrs ?? {};
        if (record.flags !== undefined) inode.flags ??= record.flags;
        return;
      }
      case "folder": {
        const entry = this.#find(record.path);
        this.#known(entry, record.is);
        entry.folder = true;
        return;
      }
      case "rename":
        this.#rename(record);
    }
  }

  #rename(record: JournalRecord & { readonly op: "rename" }): void {
    const source = this.#find(record.path);
    this.#known(source, record.is);
    const [parent, name] = this.#place(record.to);
    const from = source.parent;
    if (from === undefined) return;
    if (record.exchange === true) {
      const other = this.#find(record.to);
      this.#known(other, record.other);
      this.#move(other, from, source.name);
    } else {
      from.children.set(source.name, null);
      const replaced = parent.children.get(name);
      // Its removal should have been recorded just before.
      if (replaced?.alive === true) replaced.alive = false;
    }
    this.#move(source, parent, name);
  }

  #move(entry: TreeEntry, parent: TreeEntry, name: string): void {
    entry.parent = parent;
    entry.name = name;
    parent.children.set(name, entry);
    this.touched.add(entry);
  }

  #remove(path: string, image: PreImage): void {
    const entry = this.#find(path);
    const inode = this.#known(entry, image.is);
    entry.alive = false;
    if (entry.origin !== undefined) entry.removed = image;
    else if (image.is !== undefined && entry.linked !== image.is[5]) entry.foreign = true;
    entry.parent?.children.set(entry.name, null);
    if (inode === undefined || image.is === undefined) return;
    if (image.how !== "link") inode.xattrs ??= image.xattrs ?? {};
    // Nothing holds the inode any more: its number may come again for another object.
    if (image.how !== "link" && (image.is[4] <= 1 || entry.kind === "directory")) this.#inodes.delete(inode.id);
  }

  #put(parent: TreeEntry, name: string, kind: FileKind): TreeEntry {
    const made = new TreeEntry(parent, name, true, kind);
    parent.children.set(name, made);
    this.touched.add(made);
    return made;
  }

  #inode(is: StatRecord): Inode {
    const id = is[5];
    let inode = this.#inodes.get(id);
    if (inode === undefined) {
      inode = { id, first: statFrom(is), attributes: false, names: new Set() };
      this.#inodes.set(id, inode);
    }
    return inode;
  }

  #known(entry: TreeEntry, is: StatRecord | undefined): Inode | undefined {
    if (is === undefined) return entry.inode;
    entry.kind = kindOf(is[0]);
    entry.inode ??= this.#inode(is);
    entry.inode.names.add(entry);
    return entry.inode;
  }

  /** The folder that `path` lies in, and the last part. */
  #place(path: string): readonly [TreeEntry, string] {
    const slash = path.lastIndexOf("/");
    return [this.#walk(path, slash), path.slice(slash + 1)];
  }

  #find(path: string): TreeEntry {
    const entry = this.#walk(path, path.length);
    this.touched.add(entry);
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
        next = new TreeEntry(entry, name, false);
        entry.children.set(name, next);
      }
      entry = next;
    }
    return entry;
  }
}
