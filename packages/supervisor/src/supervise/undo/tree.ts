import type { JournalRecord, PreImage } from "./journal.ts";
import type { FileKind, KeptStat, StatRecord } from "./stat.ts";
import type { Xattrs } from "./xattr.ts";

/** What a run left at a path. */
export interface AfterEntry {
  readonly path: string;
  /** Absent: nothing was there. */
  readonly is?: StatRecord;
  readonly text?: string;
  readonly sha256?: string;
  /** Of an index of git: of what it means. */
  readonly sum?: string;
  /** The run was killed before it could say what it left: its last sign of life, in milliseconds since the epoch. */
  readonly until?: number;
}

/** One run, one undo or one edit of a tool, among those that are looked at as one. */
export interface RunSegment {
  readonly records: Iterable<JournalRecord>;
  /** What it left at a path; undefined: that is not known. Absent: of none. */
  readonly left?: (path: string) => AfterEntry | undefined;
  /** Milliseconds since the epoch. */
  readonly ended: number;
  /** It is an undo: what it makes was there before. */
  readonly restores: boolean;
}

/** One inode that was there before the run, with what its bytes and attributes were. */
export interface Inode {
  readonly id: string;
  /** As it was before the first record that names it. */
  first: KeptStat;
  /** Undefined: nothing was about to change them. */
  xattrs?: Xattrs;
  flags?: number;
  /** Its bytes before they changed. */
  content?: PreImage;
  /** What it was brought back from. */
  before?: Inode;
  /** As a segment before this one left it. */
  left?: AfterEntry;
  /** Mode, owner, times, attributes or flags were about to change. */
  attributes: boolean;
  /** Names of it that the run dealt with, gone ones too. */
  readonly names: Set<TreeEntry>;
}

/** One name in a folder, followed through a run. */
export class TreeEntry {
  parent: TreeEntry | undefined;
  name: string;
  /** Of ten thousands of files none has children: two maps each would be most of what a run's tree takes. */
  #children: Map<string, TreeEntry | null> | undefined;
  #gone: Map<string, TreeEntry> | undefined;
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
  /** The segment that spoke of it last, and when that one ended. */
  seen = -1;
  /** The segment in which it was there, maybe as a folder on the way only. */
  passed = -1;
  /** The segment that made it. */
  readonly born: number;
  /** As the last segment that spoke of it left it. */
  left?: AfterEntry;
  leftAt = 0;
  /** Why it is not brought back: somebody else came between two segments. Continues "PATH …". */
  stays?: string;
  /** As `stays`, of what goes back to what somebody else had made of it, and no further. */
  partly?: string;

  constructor(parent: TreeEntry | undefined, name: string, made: boolean, kind?: FileKind, segment = 0) {
    this.born = segment;
    this.passed = segment;
    this.parent = parent;
    this.name = name;
    this.origin = made || parent === undefined ? undefined : { parent, name };
    this.kind = kind;
  }

  /** Null: nothing is there any more. Absent: never touched. */
  get children(): Map<string, TreeEntry | null> {
    return (this.#children ??= new Map());
  }

  /** What was in this folder before, by its name then, and is elsewhere or gone. */
  get gone(): Map<string, TreeEntry> {
    return (this.#gone ??= new Map());
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
