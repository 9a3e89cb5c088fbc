import { parentOf } from "@assent/core/path";
import { addressOf, alloc, ERRNO, pathText, sys, SYSCALLS } from "../kernel/index.ts";
import { isHeardOutside } from "../net/sock-diag.ts";
import { type JournalRecord, JournalWriter, type PreImage } from "./journal.ts";
import { askUnreadable, inodeFlags, type KeepResult, KeptFiles, NO_ROOM, NOTHING, refuseUnkept, STALE, unreadable } from "./keep.ts";
import { Remaking } from "./remake.ts";
import { type FileKind, kindOf, type ObjectStat, sameTime, statAt, statFd, statRecord, type StatRecord, type Time } from "./stat.ts";
import { readXattrs } from "./xattr.ts";

export interface Caps {
  /** Most bytes of one file that are copied. Links and reflinks cost nothing and are not capped. */
  readonly file: number;
  /** Most bytes copied in one run. */
  readonly run: number;
}

export const DEFAULT_CAPS: Caps = { file: 64 << 20, run: 2 * 1024 ** 3 };

/** A name in a pinned folder. */
export interface PinnedName {
  readonly parentFd: number;
  /** The last part of the path, without a NUL. */
  readonly name: Uint8Array;
  /** Canonical path, as `pathText` spells it. */
  readonly path: string;
}

/**
 * Keeps what a run is about to destroy. Every method is called *before* the call is done for the
 * program, with the objects that the call will act on, pinned. INVARIANT: after `kept: true` the journal holds the record.
 */
export class UndoStore {
  readonly #journal: JournalWriter;
  readonly #files: KeptFiles;
  readonly #caps: Caps;
  readonly #remaking: Remaking;
  /** Objects this run made, by id, with their birth: they need no pre-image. */
  readonly #born = new Map<string, Time>();
  /** Objects whose bytes are kept, by id. */
  readonly #content = new Map<string, { readonly btime: Time; readonly image: PreImage; readonly recorded: boolean }>();
  /** Objects whose mode, owner, times, attributes are kept. */
  readonly #metadata = new Map<string, Time>();
  readonly #flags = new Set<string>();
  /** Folders whose times are kept, by id; and the paths for which that is known. */
  readonly #folders = new Set<string>();
  readonly #folderPaths = new Set<string>();
  readonly #name = alloc(260);
  readonly #nameAt = addressOf(this.#name);
  readonly #text = alloc(4097);
  readonly #textAt = addressOf(this.#text);

  /** `folder`: the run's own, which exists. Throws where the store cannot be made there. */
  constructor(folder: string, caps: Caps = DEFAULT_CAPS) {
    this.#files = new KeptFiles(`${folder}/kept`);
    this.#journal = new JournalWriter(`${folder}/journal.jsonl`);
    this.#caps = caps;
    this.#remaking = new Remaking(Date.now());
  }

  /** Before unlink and rmdir. */
  remove({ parentFd, name, path }: PinnedName, stat?: ObjectStat, anyway = false): KeepResult {
    const nameAt = this.#spell(name);
    if (nameAt < 0) return refuseUnkept(nameAt);
    const found = stat ?? statAt(parentFd, nameAt);
    // The call will fail just so.
    if (typeof found === "number") return NOTHING;
    const folder = this.#folder(parentFd, path);
    if (folder < 0) return refuseUnkept(folder);
    if (this.#isBorn(found)) {
      if (found.nlink <= 1 || kindOf(found.mode) === "directory") this.#born.delete(found.id);
      return this.#written(this.#journal.line(`{"op":"remove","path":${JSON.stringify(path)}}\n`));
    }
    const now = stat === undefined ? found : statAt(parentFd, nameAt);
    if (typeof now === "number" || now.id !== found.id) return refuseUnkept(-STALE);
    const image = this.#victim(parentFd, name, nameAt, now, path);
    if ("kept" in image) {
      if (image.kept || !image.ask || !anyway) return image;
      return this.#record({ op: "remove", path, is: statRecord(now), how: "lost" });
    }
    const kept = this.#record({ op: "remove", path, ...image });
    return kept.kept && image.how === "link" && image.key !== undefined ? { ...kept, undo: { key: image.key } } : kept;
  }

  /** Before an existing file is opened for writing or truncated. `fd`: O_PATH will do. */
  modify(fd: number, path: string, stat?: ObjectStat, anyway = false): KeepResult {
    let found = stat ?? statFd(fd);
    if (typeof found === "number") return refuseUnkept(found);
    // What a process says in /proc is kept nowhere (proc(5)), and is not there any more when it has ended.
    if (kindOf(found.mode) !== "file" || (found.size === 0 && path.startsWith("/proc/")) || this.#isBorn(found)) return NOTHING;
    const known = this.#content.get(found.id);
    if (known !== undefined && sameTime(known.btime, found.btime))
      return known.recorded ? NOTHING : this.#modified(path, found, known.image);
    // A person may have thought for a while since the trap handler looked.
    if (stat !== undefined) found = statFd(fd);
    if (typeof found === "number") return refuseUnkept(found);
    const xattrs = readXattrs(fd);
    const image: PreImage = { is: statRecord(found), ...(xattrs === undefined ? {} : { xattrs }) };
    if (found.size === 0) return this.#modified(path, found, image);
    const over = this.#over(found);
    if (over !== undefined) {
      const again = this.#remaking.of(path, found);
      if (again !== undefined) return this.#modified(path, found, { ...image, how: "lost", again });
      return anyway ? this.#modified(path, found, { ...image, how: "lost" }) : over;
    }
    const key = this.#files.copy(fd, found);
    if (key > 0) return this.#modified(path, found, { ...image, how: "copy", key });
    if (!unreadable(key)) return refuseUnkept(key);
    return anyway ? this.#modified(path, found, { ...image, how: "lost" }) : askUnreadable(key, found);
  }

  /** Before mode, owner, times or attributes change; `flags` where it is the inode's flags (chattr(1)). */
  metadata(fd: number, path: string, stat?: ObjectStat, what: "attributes" | "flags" = "attributes"): KeepResult {
    let found = stat ?? statFd(fd);
    if (typeof found === "number") return refuseUnkept(found);
    if (this.#isBorn(found)) return NOTHING;
    const known = this.#metadata.get(found.id);
    const fresh = known === undefined || !sameTime(known, found.btime);
    if (!fresh && (what !== "flags" || this.#flags.has(found.id))) return NOTHING;
    if (stat !== undefined) found = statFd(fd);
    if (typeof found === "number") return refuseUnkept(found);
    const flags = what === "flags" ? inodeFlags(fd) : undefined;
    const xattrs = readXattrs(fd);
    const kept = this.#record({
      op: "metadata",
      path,
      is: statRecord(found),
      ...(xattrs === undefined ? {} : { xattrs }),
      ...(flags === undefined ? {} : { flags }),
    });
    if (!kept.kept) return kept;
    this.#metadata.set(found.id, found.btime);
    if (what === "flags") this.#flags.add(found.id);
    return kept;
  }

  /**
   * Before a name is made that is not there: open with O_CREAT, mkdir, mknod, symlink, bind; of a folder that comes whole, with all
   * that is `inside`. Tell `born` afterwards.
   */
  create(
    parentFd: number,
    path: string,
    kind: FileKind,
    inside: readonly { readonly path: string; readonly kind: FileKind }[] = [],
  ): KeepResult {
    const folder = this.#folder(parentFd, path);
    if (folder < 0) return refuseUnkept(folder);
    const lines = [{ path, kind }, ...inside].map((one) => `{"op":"create","path":${JSON.stringify(one.path)},"kind":"${one.kind}"}\n`);
    return this.#written(this.#journal.line(lines.join(""), lines.length));
  }

  /** After `create` and the call: what was made needs no pre-image. A descriptor, or the stat it has. */
  born(made: number | ObjectStat): void {
    const stat = typeof made === "number" ? statFd(made) : made;
    if (typeof stat === "number") return;
    this.#born.set(stat.id, stat.btime);
    if (this.#content.has(stat.id)) this.#content.delete(stat.id);
    if (this.#metadata.has(stat.id)) this.#metadata.delete(stat.id);
  }

  /** As `born`, by name. */
  bornAt(parentFd: number, name: Uint8Array): void {
    const nameAt = this.#spell(name);
    const stat = nameAt < 0 ? nameAt : statAt(parentFd, nameAt);
    if (typeof stat !== "number") this.born(stat);
  }

  /** Before a hard link is made. `from`: path of the object, undefined where it has no name; `stat`: the object. */
  link(from: string | undefined, to: PinnedName, stat?: ObjectStat): KeepResult {
    const folder = this.#folder(to.parentFd, to.path);
    if (folder < 0) return refuseUnkept(folder);
    const known = stat !== undefined && !this.#isBorn(stat);
    return this.#record({
      op: "link",
      path: to.path,
      ...(from === undefined ? {} : { from }),
      ...(known ? { is: statRecord(stat) } : {}),
    });
  }

  /** Before a rename; what it replaces is kept. `exchange`: RENAME_EXCHANGE. */
  rename(from: PinnedName, to: PinnedName, exchange = false, anyway = false): KeepResult {
    let over: KeepResult | undefined;
    let nameAt = this.#spell(from.name);
    const source = nameAt < 0 ? nameAt : statAt(from.parentFd, nameAt);
    if (typeof source === "number") return NOTHING;
    nameAt = this.#spell(to.name);
    const victim = nameAt < 0 ? nameAt : statAt(to.parentFd, nameAt);
    // Two names of one object: the call does nothing (rename(2)).
    if (typeof victim !== "number" && victim.id === source.id) return NOTHING;
    if (typeof victim !== "number" && !exchange) {
      over = this.remove(to, victim, anyway);
      if (!over.kept) return over;
    }
    const folder = Math.min(this.#folder(from.parentFd, from.path), this.#folder(to.parentFd, to.path));
    if (folder < 0) return refuseUnkept(folder);
    // Paths below it are others from now on.
    if (kindOf(source.mode) === "directory" || exchange) this.#folderPaths.clear();
    const kept = this.#record({
      op: "rename",
      path: from.path,
      to: to.path,
      ...(exchange ? { exchange: true } : {}),
      ...(exchange && typeof victim !== "number" && !this.#isBorn(victim) ? { other: statRecord(victim) } : {}),
      ...(this.#isBorn(source) ? {} : { is: statRecord(source) }),
    });
    if (!kept.kept || over?.kept !== true || over.record === undefined) return kept;
    return { ...kept, undo: { victim: over.record, ...over.undo } };
  }

  /** The call failed: nothing happened. */
  cancel(kept: KeepResult): void {
    if (!kept.kept || kept.record === undefined) return;
    this.#journal.append({ op: "void", record: kept.record });
    if (kept.undo?.victim !== undefined) this.#journal.append({ op: "void", record: kept.undo.victim });
    if (kept.undo?.key !== undefined) this.#files.drop(kept.undo.key);
  }

  close(): void {
    this.#journal.close();
    this.#files.close();
  }

  /** The times of the folder that `path` lies in, once. */
  #folder(parentFd: number, path: string): number {
    const parent = parentOf(path);
    if (this.#folderPaths.has(parent)) return 0;
    const stat = statFd(parentFd);
    if (typeof stat === "number") return stat;
    if (!this.#isBorn(stat) && !this.#folders.has(stat.id)) {
      const written = this.#journal.append({ op: "folder", path: parent, is: statRecord(stat) });
      if (written < 0) return written;
      this.#folders.add(stat.id);
    }
    this.#folderPaths.add(parent);
    return 0;
  }

  #isBorn(stat: ObjectStat): boolean {
    const btime = this.#born.get(stat.id);
    return btime !== undefined && sameTime(btime, stat.btime);
  }

  /**
   * How what is about to be removed is kept. INVARIANT: no file that anybody can reach shares its inode with what is kept: one
   * that loses its last name moves into the store as it is (another name here, then none elsewhere), any other is copied.
   */
  #victim(parentFd: number, name: Uint8Array, nameAt: number, stat: ObjectStat, path: string): PreImage | KeepResult {
    const is = statRecord(stat);
    const kind = kindOf(stat.mode);
    if (kind === "directory") {
      const xattrs = readXattrs(parentFd, name);
      return xattrs === undefined ? { is } : { is, xattrs };
    }
    if (kind === "symlink") {
      const length = sys(SYSCALLS.readlinkat, parentFd, nameAt, this.#textAt, 4096);
      return length < 0 ? refuseUnkept(length) : { is, text: pathText(this.#text.subarray(0, length)) };
    }
    const known = this.#content.get(stat.id);
    if (known !== undefined && sameTime(known.btime, stat.btime))
      return { ...known.image, is: withNames(known.image.is ?? is, stat.nlink) };
    const others = stat.nlink > 1;
    if (kind === "file" && others) return this.#copied(parentFd, name, stat, path);
    const over = kind === "file" ? this.#over(stat) : undefined;
    // Who has it open would go on writing to what is kept.
    if (kind === "file" && over === undefined && stat.size > 0 && this.#files.isWritten(parentFd, nameAt))
      return this.#copied(parentFd, name, stat, path);
    const linked = others ? -ERRNO.EMLINK : this.#files.link(parentFd, nameAt, stat);
    if (linked > 0) return { is, how: "link", key: linked };
    if (linked === -STALE || NO_ROOM.has(-linked)) return refuseUnkept(linked);
    if (kind === "socket" && isHeardOutside(stat.id, path))
      return { kept: false, ask: true, bytes: 0, why: "a program outside listens on this socket, and on one made anew nobody would" };
    return kind === "file" ? this.#copied(parentFd, name, stat, path) : { is };
  }

  #copied(parentFd: number, name: Uint8Array, stat: ObjectStat, path: string): PreImage | KeepResult {
    const xattrs = readXattrs(parentFd, name);
    const bare: PreImage = { is: statRecord(stat), ...(xattrs === undefined ? {} : { xattrs }) };
    if (stat.size === 0) return bare;
    const over = this.#over(stat);
    const others = stat.nlink > 1;
    const again = others || over !== undefined ? this.#remaking.of(path, stat) : undefined;
    if (again !== undefined) return { ...bare, how: "lost", again };
    // Its bytes go on under its other names.
    if (over !== undefined) return others ? { ...bare, how: "lost" } : over;
    const key = this.#files.copyAt(parentFd, name, stat);
    if (key <= 0) return unreadable(key) ? askUnreadable(key, stat) : refuseUnkept(key);
    const copied: PreImage = { ...bare, how: "copy", key };
    this.#content.set(stat.id, { btime: stat.btime, image: copied, recorded: false });
    return copied;
  }

  #modified(path: string, stat: ObjectStat, image: PreImage): KeepResult {
    const kept = this.#record({ op: "modify", path, ...image });
    if (kept.kept) this.#content.set(stat.id, { btime: stat.btime, image, recorded: true });
    return kept;
  }

  #over(stat: ObjectStat): KeepResult | undefined {
    const bytes = Math.min(stat.size, stat.allocated);
    const cap = bytes > this.#caps.file ? this.#caps.file : this.#files.copied + bytes > this.#caps.run ? this.#caps.run : undefined;
    if (cap === undefined) return undefined;
    const most = cap === this.#caps.run ? `all copies of one run may take (${size(cap)})` : `undo copies of one file (${size(cap)})`;
    return { kept: false, ask: true, bytes, why: `it has ${size(bytes)}, more than ${most}` };
  }

  #record(record: JournalRecord): KeepResult {
    return this.#written(this.#journal.append(record));
  }

  #written(result: number): KeepResult {
    return result < 0 ? refuseUnkept(result) : { kept: true, record: result };
  }

  #spell(name: Uint8Array): number {
    // NAME_MAX; the call will fail just so.
    if (name.length > 255) return -ERRNO.ENAMETOOLONG;
    this.#name.set(name);
    this.#name[name.length] = 0;
    return this.#nameAt;
  }
}

const size = (bytes: number): string => (bytes < 1 << 20 ? `${bytes} bytes` : `${Math.floor(bytes / (1 << 20))} MB`);

/** What it was before the run, with as many names as it has now. */
function withNames(is: StatRecord, nlink: number): StatRecord {
  const [mode, uid, gid, size, , ...rest] = is;
  return [mode, uid, gid, size, nlink, ...rest];
}
