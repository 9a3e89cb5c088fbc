import { closeSync, constants, readdirSync } from "node:fs";
import {
  AT_REMOVEDIR,
  ERRNO,
  KernelError,
  O_CLOEXEC,
  O_DIRECTORY,
  O_NOFOLLOW,
  O_PATH,
  pathBytes,
  RENAME_NOREPLACE,
  sys,
  SYSCALLS,
} from "../kernel/index.ts";
import { cloneOrCopy, kindOf, type ObjectStat, sameTime, statAt, statFd, type UndoStore } from "../undo/index.ts";
import { copyFacts, copyTree, openFile, removeBelow, setTimesOf } from "../undo/copy-tree.ts";
import { requireSuccess } from "../undo/keep.ts";
import { cTextAddress, openOwnFolder } from "../undo/safe.ts";
import { readXattrs, writeXattrs } from "../undo/xattr.ts";
import type { TriedPlace } from "./folder.ts";
import { ITSELF, openBeneath, openPlace, type ReadLayer, type TriedChange, withoutMarks } from "./scan.ts";

/** Somebody was faster: nothing more is applied. What was applied is in the undo's records. */
export class ApplyConflict extends Error {}

const RENAME_EXCHANGE = 2;

interface OpenPlace {
  readonly upper: number;
  readonly lower: number;
}

/**
 * Makes what a run did real. INVARIANT: each step is one rename or one call, announced in the undo's journal before; what lies at its place
 * is what was looked at; no link is followed. A step that is done leaves nothing in the layer, so that reading the layers again says what is
 * still to do.
 */
export class Applier {
  readonly #undo: UndoStore | undefined;
  readonly #places = new Map<TriedPlace, OpenPlace>();
  /** Where names go that are taken away, until it is sure what they were. */
  readonly #aside: number;
  /** Of a copy until it is whole: nobody else has that name. */
  readonly #copyName: string;
  readonly #onWriting: (path: string) => void;
  /** Objects written in their place: their other names show it, too. */
  readonly #written = new Set<string>();
  /** Objects without the kernel's notes by now, by whichever of their names. */
  readonly #cleaned = new Set<string>();
  #moved = 0;

  /** `onWriting`: a file is about to be written in its place; a kill leaves half of it. */
  constructor(undo: UndoStore | undefined, aside: string, copyName: string, onWriting: (path: string) => void) {
    this.#undo = undo;
    this.#copyName = copyName;
    this.#onWriting = onWriting;
    this.#aside = openOwnFolder(aside);
    // Applying that goes on.
    this.#moved = Math.max(0, ...readdirSync(aside).map(Number));
  }

  close(): void {
    for (const { upper, lower } of this.#places.values()) {
      closeSync(upper);
      closeSync(lower);
    }
    closeSync(this.#aside);
  }

  /** In the order in which they were found: what is gone first, a folder before what is in it. */
  apply({ changes, touched }: ReadLayer): void {
    for (const change of changes) if (change.what === "gone") this.#takeAway(change);
    for (let at = 0; at < changes.length; at++) {
      const change = changes[at];
      if (change?.what === "changed") this.#replace(change);
      if (change?.what !== "made") continue;
      const inside: TriedChange[] = [];
      if (change.whole === true)
        for (let next = changes[at + 1]; next?.path.startsWith(`${change.path}/`) === true; next = changes[at + 1]) {
          inside.push(next);
          at += 1;
        }
      this.#bring(change, inside);
    }
    for (const change of changes) if (change.what === "attributes") this.#setAttributes(change);
    for (const folder of touched) this.#setTimes(folder);
  }

  #open(place: TriedPlace): OpenPlace {
    let open = this.#places.get(place);
    if (open === undefined) this.#places.set(place, (open = { upper: openOwnFolder(place.upper), lower: openPlace(place) }));
    return open;
  }

  /** Both folders of a name, held while something is done in them. */
  #in<T>({ place, inside, path }: Pick<TriedChange, "place" | "inside" | "path">, act: (at: Pinned) => T): T {
    const { upper, lower } = this.#open(place);
    const slash = inside.lastIndexOf("/");
    const folder = slash < 0 ? "." : inside.slice(0, slash);
    const name = pathBytes(inside.slice(slash + 1));
    const to = openBeneath(lower, folder, O_DIRECTORY);
    if (to < 0) throw new ApplyConflict(`the folder of ${path} is another by now`);
    const from = openBeneath(upper, folder, O_DIRECTORY | O_PATH);
    try {
      return act({ from, to, name, nameAt: cTextAddress(name), path });
    } finally {
      if (from >= 0) closeSync(from);
      closeSync(to);
    }
  }

  #takeAway(change: TriedChange): void {
    this.#in(change, ({ to, name, nameAt, path }) => {
      const now = statAt(to, nameAt);
      if (now === -ERRNO.ENOENT) return;
      if (!isSame(now, change.lower)) throw conflict(path);
      this.#keep(this.#undo?.remove({ parentFd: to, name, path }, undefined, true));
      if (change.kind === "directory") {
        requireSuccess("unlinkat", sys(SYSCALLS.unlinkat, to, nameAt, AT_REMOVEDIR));
        return;
      }
      const aside = cTextAddress(String(++this.#moved));
      const moved = sys(SYSCALLS.renameat2, to, nameAt, this.#aside, aside, RENAME_NOREPLACE);
      if (moved === -ERRNO.EXDEV) requireSuccess("unlinkat", sys(SYSCALLS.unlinkat, to, nameAt, 0));
      else {
        requireSuccess("renameat2", moved);
        const was = statAt(this.#aside, aside);
        if (!isSame(was, change.lower)) {
          sys(SYSCALLS.renameat2, this.#aside, aside, to, nameAt, RENAME_NOREPLACE);
          throw conflict(path);
        }
        requireSuccess("unlinkat", sys(SYSCALLS.unlinkat, this.#aside, aside, 0));
      }
    });
  }

  /** What nobody has: a file, a link, or a folder with all that is in it. */
  #bring(change: TriedChange, all: readonly TriedChange[]): void {
    this.#in(change, ({ from, to, name, path }) => {
      this.#keep(this.#undo?.create(to, path, change.kind, all));
      for (const one of [...all, change]) this.#clean(one);
      // An address is lent for the next calls, and a folder takes many.
      const at = (): number => cTextAddress(name);
      // Who moves a folder to another must be able to write it (rename(2)).
      const mode = (change.upper?.mode ?? 0) & 0o7777;
      const closed = change.whole === true && (mode & 0o200) === 0;
      if (closed) sys(SYSCALLS.fchmodat, from, at(), mode | 0o700);
      const moved = sys(SYSCALLS.renameat2, from, at(), to, at(), RENAME_NOREPLACE);
      if (moved === -ERRNO.EEXIST) throw conflict(path);
      if (moved !== -ERRNO.EXDEV) {
        requireSuccess("renameat2", moved);
        if (closed) sys(SYSCALLS.fchmodat, to, at(), mode);
        return;
      }
      const renamed = sys(SYSCALLS.renameat2, to, this.#copy(from, name, to), to, at(), RENAME_NOREPLACE);
      if (renamed < 0) removeBelow(to, cTextAddress(this.#copyName));
      if (renamed === -ERRNO.EEXIST) throw conflict(path);
      requireSuccess("renameat2", renamed);
      this.#putAside(from, at());
    });
  }

  /** Copies it to the other file system, under a name of its own: what a stop left of an earlier copy goes first. The address of that name. */
  #copy(from: number, name: Uint8Array, to: number): number {
    const drop = (): number => removeBelow(to, cTextAddress(this.#copyName));
    drop();
    try {
      copyTree(from, cTextAddress(name), to, cTextAddress(this.#copyName), withoutMarks);
    } catch (error) {
      drop();
      throw error;
    }
    return cTextAddress(this.#copyName);
  }

  /** What is there is kept, then another takes its place, under the same name in one step. */
  #replace(change: TriedChange): void {
    this.#in(change, ({ from, to, name, nameAt, path }) => {
      const { lower, upper } = change;
      const now = statAt(to, nameAt);
      if (!isSame(now, lower) || typeof now === "number" || upper === undefined || lower === undefined) throw conflict(path);
      this.#clean(change);
      // Its other names, and its owner, stay with what is there.
      const stays =
        kindOf(now.mode) === "file" && change.kind === "file" && (lower.nlink > 1 || now.uid !== upper.uid || now.gid !== upper.gid);
      if (stays) return this.#writeInto(change, from, to, nameAt);
      this.#keep(this.#undo?.remove({ parentFd: to, name, path }, undefined, true));
      this.#keep(this.#undo?.create(to, path, change.kind));
      let [fromFd, fromAt] = [from, nameAt];
      let exchanged = sys(SYSCALLS.renameat2, from, nameAt, to, nameAt, RENAME_EXCHANGE);
      if (exchanged === -ERRNO.EXDEV) {
        [fromFd, fromAt] = [to, this.#copy(from, name, to)];
        exchanged = sys(SYSCALLS.renameat2, to, fromAt, to, nameAt, RENAME_EXCHANGE);
      }
      requireSuccess("renameat2", exchanged);
      if (!isSame(statAt(fromFd, fromAt), lower)) {
        sys(SYSCALLS.renameat2, fromFd, fromAt, to, nameAt, RENAME_EXCHANGE);
        if (fromFd === to) sys(SYSCALLS.unlinkat, to, fromAt, 0);
        throw conflict(path);
      }
      requireSuccess("unlinkat", sys(SYSCALLS.unlinkat, fromFd, fromAt, 0));
      if (fromFd === to) this.#putAside(from, nameAt);
    });
  }

  #writeInto({ path, lower, upper }: TriedChange, from: number, to: number, nameAt: number): void {
    const target = openFile(to, nameAt, constants.O_RDWR);
    const source = openFile(from, nameAt, constants.O_RDONLY);
    try {
      if (!isSame(statFd(target), lower)) throw conflict(path);
      this.#keep(this.#undo?.modify(target, path, undefined, true));
      this.#onWriting(path);
      if (lower !== undefined) this.#written.add(lower.id);
      requireSuccess("ftruncate", sys(SYSCALLS.ftruncate, target, 0));
      requireSuccess("copy_file_range", cloneOrCopy(source, target, upper?.size ?? 0));
      if (upper !== undefined) copyFacts(target, source, upper, withoutMarks);
    } finally {
      closeSync(source);
      closeSync(target);
    }
    requireSuccess("unlinkat", sys(SYSCALLS.unlinkat, from, nameAt, 0));
  }

  #setAttributes(change: TriedChange): void {
    this.#in(change, ({ from, to, nameAt, path }) => {
      const { lower } = change;
      if (!isSame(statAt(to, nameAt), lower, lower !== undefined && this.#written.has(lower.id))) throw conflict(path);
      const target = requireSuccess("openat", sys(SYSCALLS.openat, to, nameAt, O_PATH | O_NOFOLLOW | O_CLOEXEC, 0));
      const source = requireSuccess("openat", sys(SYSCALLS.openat, from, nameAt, O_PATH | O_NOFOLLOW | O_CLOEXEC, 0));
      try {
        this.#keep(this.#undo?.metadata(target, path));
        const mode = (change.upper?.mode ?? 0) & 0o7777;
        if (change.inside === ITSELF) requireSuccess("fchmodat", sys(SYSCALLS.fchmodat, to, nameAt, mode));
        else if (change.upper !== undefined) copyFacts(target, source, change.upper, withoutMarks);
      } finally {
        closeSync(source);
        closeSync(target);
      }
    });
  }

  #setTimes({ place, inside, upper }: ReadLayer["touched"][number]): void {
    // Folders for temporary files change by many hands.
    if (inside === "") return;
    const fd = openBeneath(this.#open(place).lower, inside, O_DIRECTORY);
    if (fd < 0) return;
    setTimesOf(-100, cTextAddress(`/proc/self/fd/${fd}`), upper, 0);
    closeSync(fd);
  }

  /** Takes off what the kernel noted for itself. */
  #clean({ place, inside, marked, upper }: TriedChange): void {
    if (marked !== true || upper === undefined || this.#cleaned.has(upper.id)) return;
    this.#cleaned.add(upper.id);
    const fd = openBeneath(this.#open(place).upper, inside, O_PATH);
    if (fd < 0) throw new KernelError("openat2", -fd, inside);
    try {
      const xattrs = readXattrs(fd);
      const stat = statFd(fd);
      const self = cTextAddress(`/proc/self/fd/${fd}`);
      const mode = typeof stat === "number" ? 0o700 : stat.mode & 0o7777;
      // Attributes of one's own are written by who may write the file.
      sys(SYSCALLS.fchmodat, -100, self, mode | 0o600);
      const failed = writeXattrs(fd, withoutMarks(xattrs) ?? {});
      sys(SYSCALLS.fchmodat, -100, self, mode);
      if (failed.length > 0) throw new Error(`the attributes ${failed.join(", ")} of ${inside} cannot be set`);
    } finally {
      closeSync(fd);
    }
  }

  /** It is gone with the layers. */
  #putAside(folder: number, nameAt: number): void {
    requireSuccess(
      "renameat2",
      sys(SYSCALLS.renameat2, folder, nameAt, this.#aside, cTextAddress(String(++this.#moved)), RENAME_NOREPLACE),
    );
  }

  #keep(kept: ReturnType<UndoStore["remove"]> | undefined): void {
    if (kept !== undefined && !kept.kept) throw new Error(kept.why);
  }
}

interface Pinned {
  /** Of the layer; negative where it has none. */
  readonly from: number;
  readonly to: number;
  readonly name: Uint8Array;
  readonly nameAt: number;
  readonly path: string;
}

const conflict = (path: string): ApplyConflict => new ApplyConflict(`${path} was changed by somebody else meanwhile`);

/** What was looked at: other names of it may have come and gone, which changes its ctime. */
function isSame(now: ObjectStat | number, then: ObjectStat | undefined, changes = false): boolean {
  if (typeof now === "number" || then === undefined || now.id !== then.id || !sameTime(now.btime, then.btime)) return false;
  return (
    changes || kindOf(now.mode) === "directory" || (now.size === then.size && sameTime(now.mtime, then.mtime) && now.mode === then.mode)
  );
}
