import { closeSync, constants, fstatSync } from "node:fs";
import { messageOf } from "@assent/guard/state";
import {
  alloc,
  AT_FDCWD,
  AT_REMOVEDIR,
  AT_SYMLINK_NOFOLLOW,
  ERRNO,
  errorName,
  O_CLOEXEC,
  RENAME_NOREPLACE,
  sys,
  SYSCALLS,
} from "../kernel/index.ts";
import { howFar } from "./interrupted.ts";
import type { PreImage } from "./journal.ts";
import { Changed, cloneOrCopy, type KeepResult, numberOf, requireKept, requireSuccess, setInodeFlags } from "./keep.ts";
import type { NotUndone } from "./after.ts";
import type { UndoStep } from "./plan.ts";
import { cTextAddress, inFolder, lendAddress, openOwnFolder, ownFdPath, pin, type SafePlace } from "./safe.ts";
import { type KeptStat, kindOf, type ObjectStat, statAt, statFd, statFrom, type Time } from "./stat.ts";
import type { UndoStore } from "./store.ts";
import { writeXattrs } from "./xattr.ts";

/** Mode, owner, attributes, flags and times of what is at a place. */
function setAttributes(
  place: SafePlace,
  { first, inode, times, rest }: UndoStep & { readonly do: "attributes" },
  store: UndoStore,
  notes: NotUndone[],
): void {
  const fd = requireSuccess("openat", pin(place));
  try {
    const stat = statFd(fd);
    if (typeof stat === "number" || kindOf(stat.mode) !== kindOf(first.mode)) throw new Changed("is something else now");
    const link = kindOf(stat.mode) === "symlink";
    requireKept(store.metadata(fd, place.path, stat, inode?.flags === undefined ? "attributes" : "flags"));
    const at = ownFdPath(fd);
    const note = (what: string, result: number): void => {
      if (result < 0) notes.push({ path: place.path, why: `${what} could not be set (${errorName(-result)})` });
    };
    if (rest) {
      if (first.uid !== stat.uid || first.gid !== stat.gid) {
        const { uid, gid } = first;
        const result = link
          ? sys(SYSCALLS.fchownat, place.parentFd, place.nameAt, uid, gid, AT_SYMLINK_NOFOLLOW)
          : sys(SYSCALLS.fchownat, AT_FDCWD, at, uid, gid, 0);
        note("its owner", result);
      }
      if (!link) {
        // After the owner: a change of owner takes mode bits away.
        if (inode?.xattrs !== undefined)
          for (const name of writeXattrs(fd, inode.xattrs)) notes.push({ path: place.path, why: `${name} could not be set` });
        requireSuccess("fchmodat", sys(SYSCALLS.fchmodat, AT_FDCWD, at, first.mode & 0o7777));
        if (inode?.flags !== undefined) note("its flags", flags(fd, inode.flags));
      }
    }
    if (times) {
      const spec = timespecs(first.atime, first.mtime);
      const result = link
        ? sys(SYSCALLS.utimensat, place.parentFd, place.nameAt, lendAddress(spec), AT_SYMLINK_NOFOLLOW)
        : sys(SYSCALLS.utimensat, AT_FDCWD, at, lendAddress(spec), 0);
      requireSuccess("utimensat", result);
    }
  } finally {
    closeSync(fd);
  }
}

function flags(fd: number, wanted: number): number {
  const self = ownFdPath(fd);
  const own = sys(SYSCALLS.openat, AT_FDCWD, self, constants.O_RDONLY | constants.O_NONBLOCK | O_CLOEXEC, 0);
  if (own < 0) return own;
  const result = setInodeFlags(own, wanted);
  closeSync(own);
  return result;
}

function timespecs(atime: Time, mtime: Time): Buffer {
  const buffer = alloc(32);
  [atime, mtime].forEach(([seconds, nanoseconds], i) => {
    buffer.writeBigInt64LE(BigInt(seconds), 16 * i);
    buffer.writeBigInt64LE(BigInt(nanoseconds), 16 * i + 8);
  });
  return buffer;
}

/** fallocate(2). */
const FALLOC_FL_KEEP_SIZE = 1;

/** Bytes. */
const MOST_COPIED = 256 << 20;

interface UndoOutcome {
  /** Steps done. */
  readonly done: number;
  readonly failed: readonly NotUndone[];
  /** Done, but not all of it: an owner that only root may set. */
  readonly notes: readonly NotUndone[];
}

interface StepOptions {
  /** The plan was begun before, and its last sign of life was then, in milliseconds. */
  readonly since?: number | undefined;
  readonly onStep?: ((done: number, all: number) => void) | undefined;
}

/**
 * Carries out a plan. Every step looks again, on pinned objects, before it acts, and is recorded in `store` first, so that
 * the undo can itself be undone. A step that fails stops none of the others.
 */
export function carryOut(steps: readonly UndoStep[], folder: string, store: UndoStore, { since, onStep }: StepOptions = {}): UndoOutcome {
  const kept = new KeptFolders(folder);
  const failed: NotUndone[] = [];
  const notes: NotUndone[] = [];
  let done = 0;
  try {
    const hand = new Hand(kept, store, notes);
    for (const step of steps) {
      try {
        const far = since === undefined ? "not begun" : howFar(step, kept.of, since);
        if (far === "begun" && step.do === "restore") hand.carryOut({ do: "content", path: step.path, image: step.image });
        else if (far !== "done") hand.carryOut(step);
        done += 1;
      } catch (error) {
        failed.push({
          path: step.path,
          why: error instanceof Changed ? error.message : `could not be ${DOING[step.do]} (${messageOf(error)})`,
        });
      }
      onStep?.(done + failed.length, steps.length);
    }
  } finally {
    kept.close();
  }
  return { done, failed, notes };
}

const DOING = {
  delete: "deleted",
  move: "moved back",
  restore: "brought back",
  content: "written",
  attributes: "given its mode and times",
};

/** The pre-images of the runs that are undone. */
class KeptFolders {
  readonly #folder: string;
  readonly #open = new Map<string, number>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** A descriptor of the folder that a pre-image is in. */
  readonly of = ({ folder = this.#folder }: PreImage): number => {
    const known = this.#open.get(folder);
    if (known !== undefined) return known;
    const fd = openOwnFolder(`${folder}/kept`);
    this.#open.set(folder, fd);
    return fd;
  };

  close(): void {
    for (const fd of this.#open.values()) closeSync(fd);
  }
}

class Hand {
  readonly #kept: KeptFolders;
  readonly #store: UndoStore;
  readonly #notes: NotUndone[];

  constructor(kept: KeptFolders, store: UndoStore, notes: NotUndone[]) {
    this.#kept = kept;
    this.#store = store;
    this.#notes = notes;
  }

  carryOut(step: UndoStep): void {
    switch (step.do) {
      case "delete":
        inFolder(step.path, (place) => this.#delete(place, step));
        return;
      case "move":
        inFolder(step.path, (from) => inFolder(step.to, (to) => this.#move(from, to, step.id)));
        return;
      case "restore":
        inFolder(step.path, (place) => this.#restore(place, step));
        return;
      case "content":
        inFolder(step.path, (place) => this.#content(place, step.image));
        return;
      case "attributes":
        inFolder(step.path, (place) => setAttributes(place, step, this.#store, this.#notes));
    }
  }

  #delete(place: SafePlace, { id, folder, other }: UndoStep & { readonly do: "delete" }): void {
    const stat = expected(place, id);
    if (other !== undefined) inFolder(other, (name) => this.#noteName(name, id));
    const kept = requireKept(this.#store.remove(place, stat));
    this.#do("unlinkat", kept, sys(SYSCALLS.unlinkat, place.parentFd, place.nameAt, folder ? AT_REMOVEDIR : 0));
  }

  /** So that who takes this undo back makes a link again, not a file of its own. */
  #noteName(name: SafePlace, id: string): void {
    const fd = pin(name);
    if (fd < 0) return;
    try {
      const stat = statFd(fd);
      if (typeof stat !== "number" && stat.id === id) requireKept(this.#store.metadata(fd, name.path, stat));
    } finally {
      closeSync(fd);
    }
  }

  #do(call: string, kept: KeepResult, result: number): void {
    if (result < 0) this.#store.cancel(kept);
    requireSuccess(call, result);
  }

  #move(from: SafePlace, to: SafePlace, id: string): void {
    expected(from, id);
    if (typeof statAt(to.parentFd, to.nameAt) !== "number") throw new Changed("cannot go back: something is in its place since");
    const kept = requireKept(this.#store.rename(from, to));
    let result = sys(SYSCALLS.renameat2, from.parentFd, from.nameAt, to.parentFd, to.nameAt, RENAME_NOREPLACE);
    // A file system without RENAME_NOREPLACE; nothing was there a moment ago.
    if (result === -ERRNO.EINVAL) result = sys(SYSCALLS.renameat2, from.parentFd, from.nameAt, to.parentFd, to.nameAt, 0);
    this.#do("renameat2", kept, result);
  }

  #restore(place: SafePlace, { image, first, from, alone }: UndoStep & { readonly do: "restore" }): void {
    const is = image.is === undefined ? first : statFrom(image.is);
    const kind = kindOf(is.mode);
    if (from !== undefined) {
      const object = inFolder(from, ({ parentFd, nameAt }) => known(statAt(parentFd, nameAt)));
      const linked = requireKept(this.#store.link(from, place, object));
      const result = inFolder(from, (other) => link(other, place));
      if (result !== -ERRNO.EXDEV) {
        this.#do("linkat", linked, result);
        return;
      }
      // There is no way to it from here: it comes back as a file of its own.
      this.#store.cancel(linked);
    }
    const kept = requireKept(this.#store.create(place.parentFd, place.path, kind));
    this.#do("restore", kept, this.#make(place, image, is));
    this.#store.bornAt(place.parentFd, place.name);
    if (alone === true || from !== undefined)
      this.#notes.push({
        path: place.path,
        why: "is a file of its own now: it had other names",
      });
  }

  #make(place: SafePlace, image: PreImage, is: KeptStat): number {
    const { parentFd, nameAt } = place;
    const kind = kindOf(is.mode);
    // What has no bytes to copy: a socket that somebody listens on. And what would take long, and twice the room.
    // Nor can a file be given to somebody else, but by root.
    const foreign = is.uid !== process.geteuid?.() && process.geteuid?.() !== 0;
    if (image.how === "link" && (kind !== "file" || is.size > MOST_COPIED || foreign)) return this.#moveBack(place, image);
    switch (kind) {
      case "directory":
        return sys(SYSCALLS.mkdirat, parentFd, nameAt, 0o700);
      case "symlink": {
        return sys(SYSCALLS.symlinkat, cTextAddress(image.text ?? ""), parentFd, nameAt);
      }
      case "file": {
        const result = this.#copyBack(place, image, is);
        // Who may not read it has it back all the same.
        return result === -ERRNO.EACCES && image.how === "link" ? this.#moveBack(place, image) : result;
      }
      default: {
        const [major, minor] = is.rdev;
        // makedev(3), for numbers as they are in use.
        const device = ((minor & 0xff) | ((major & 0xfff) << 8) | ((minor >>> 8) << 20)) >>> 0;
        return sys(SYSCALLS.mknodat, parentFd, nameAt, is.mode & ~0o7077, device);
      }
    }
  }

  /** The very object: from then on it is not kept any more. */
  #moveBack({ parentFd, nameAt }: SafePlace, image: PreImage): number {
    return sys(SYSCALLS.renameat2, this.#kept.of(image), cTextAddress(String(image.key ?? 0)), parentFd, nameAt, RENAME_NOREPLACE);
  }

  #copyBack({ parentFd, nameAt }: SafePlace, image: PreImage, is: KeptStat): number {
    const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
    const target = sys(SYSCALLS.openat, parentFd, nameAt, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600);
    if (target < 0) return target;
    try {
      if (is.size > 0) this.#fill(target, image, is.size);
      return 0;
    } catch (error) {
      sys(SYSCALLS.unlinkat, parentFd, nameAt, 0);
      return -numberOf(error);
    } finally {
      closeSync(target);
    }
  }

  #fill(target: number, image: PreImage, size: number): void {
    if (image.key === undefined) throw new Error("its bytes were not kept");
    const name = cTextAddress(String(image.key));
    const source = requireSuccess(
      "openat",
      sys(SYSCALLS.openat, this.#kept.of(image), name, constants.O_RDONLY | constants.O_NOFOLLOW | O_CLOEXEC, 0),
    );
    try {
      const stat = statFd(source);
      if (typeof stat === "number" || stat.size !== size) throw new Error("the copy that was kept is damaged");
      requireSuccess("copy", cloneOrCopy(source, target, size));
    } finally {
      closeSync(source);
    }
  }

  /** A file is not emptied where a full disk would not take what it was: then it stays as it is. */
  #makeRoom(target: number, image: PreImage, now: number): void {
    const name = cTextAddress(String(image.key ?? 0));
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | O_CLOEXEC;
    const source = requireSuccess("openat", sys(SYSCALLS.openat, this.#kept.of(image), name, flags, 0));
    try {
      // What it really takes: holes are none. Where fallocate(2) cannot, nothing is known beforehand.
      const { size, blocks } = fstatSync(source);
      const result = sys(SYSCALLS.fallocate, target, FALLOC_FL_KEEP_SIZE, 0, Math.max(1, Math.min(size, blocks * 512)));
      if (result !== -ERRNO.ENOSPC && result !== -ERRNO.EDQUOT) return;
      sys(SYSCALLS.ftruncate, target, now);
      requireSuccess("fallocate", result);
    } finally {
      closeSync(source);
    }
  }

  /** Writes into the file that is there: its other names, and who has it open, see it too. */
  #content(place: SafePlace, image: PreImage): void {
    const fd = requireSuccess("openat", pin(place));
    try {
      const stat = statFd(fd);
      if (typeof stat === "number" || kindOf(stat.mode) !== "file") throw new Changed("is not a file any more");
      requireKept(this.#store.modify(fd, place.path, stat));
      const size = image.is?.[3] ?? 0;
      const target = writable(fd, stat);
      try {
        if (size > 0) this.#makeRoom(target, image, stat.size);
        requireSuccess("ftruncate", sys(SYSCALLS.ftruncate, target, 0));
        if (size > 0) this.#fill(target, image, size);
      } finally {
        closeSync(target);
      }
    } finally {
      closeSync(fd);
    }
  }
}

function expected({ parentFd, nameAt }: SafePlace, id: string): ObjectStat {
  const stat = statAt(parentFd, nameAt);
  if (typeof stat === "number") throw new Changed("is gone since");
  if (stat.id !== id) throw new Changed("is another object since");
  return stat;
}

const known = (stat: ObjectStat | number): ObjectStat | undefined => (typeof stat === "number" ? undefined : stat);

function link(other: SafePlace, place: SafePlace): number {
  return sys(SYSCALLS.linkat, other.parentFd, other.nameAt, place.parentFd, place.nameAt, 0);
}

/** A descriptor to write through; a file without write permission gets it for that moment. */
function writable(fd: number, stat: ObjectStat): number {
  const self = ownFdPath(fd);
  const open = (): number => sys(SYSCALLS.openat, AT_FDCWD, self, constants.O_WRONLY | O_CLOEXEC, 0);
  const target = open();
  if (target !== -ERRNO.EACCES) return requireSuccess("openat", target);
  requireSuccess("fchmodat", sys(SYSCALLS.fchmodat, AT_FDCWD, self, (stat.mode & 0o7777) | 0o200));
  try {
    return requireSuccess("openat", open());
  } finally {
    sys(SYSCALLS.fchmodat, AT_FDCWD, self, stat.mode & 0o7777);
  }
}
