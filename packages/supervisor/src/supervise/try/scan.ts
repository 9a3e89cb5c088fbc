import { closeSync, readdirSync, readSync } from "node:fs";
import {
  alloc,
  ERRNO,
  KernelError,
  O_CLOEXEC,
  O_DIRECTORY,
  O_NOFOLLOW,
  O_PATH,
  pathBytes,
  pathText,
  sys,
  SYSCALLS,
} from "../kernel/index.ts";
import { cTextAddress, lendAddress, openOwnFolder, openSafe } from "../undo/safe.ts";
import { type FileKind, kindOf, type ObjectStat, sameTime, statAt, statFd } from "../undo/index.ts";
import { readXattrs, sameXattrs, type Xattrs } from "../undo/xattr.ts";
import type { TriedPlace } from "./folder.ts";
import { MASKED } from "./plan.ts";

/**
 * One name that a tried run changed. `made`: nothing of that name is there; `changed`: what is there is another; `attributes`: its bytes are
 * the same; `gone`.
 */
export interface TriedChange {
  readonly what: "made" | "changed" | "attributes" | "gone";
  readonly place: TriedPlace;
  /** Below the place. */
  readonly inside: string;
  readonly path: string;
  readonly kind: FileKind;
  /** As the run left it. */
  readonly upper?: ObjectStat;
  /** As it is on disk. */
  readonly lower?: ObjectStat;
  /** Of a link. */
  readonly text?: string;
  /** A folder that nobody has: everything in it is made, too. */
  readonly whole?: true;
  /** It carries what the kernel notes for its own use. */
  readonly marked?: true;
  /** Somebody changed it since the run began, or it cannot be applied; continues "PATH …". */
  readonly problem?: string;
}

/** Names and what the kernel notes about them for its own use (Documentation/filesystems/overlayfs.rst, "userxattr"). */
const MARK = "user.overlay.";
/** Such a note that the program has made: above layers it would be believed. */
const ESCAPED = "user.overlay.overlay.";

export interface ReadLayer {
  readonly changes: readonly TriedChange[];
  /** Folders that were there before and in which something changed; their times are the run's. */
  readonly touched: readonly { readonly place: TriedPlace; readonly inside: string; readonly upper: ObjectStat }[];
}

const PATH_MAX = 4095;

/** `inside` of a place as such: of it the mode is applied, and nothing else. */
export const ITSELF = ".";

/** What lies in the layer of a place, held against what is on disk now. All processes of the run are gone: the layer holds still. */
export function readLayer(place: TriedPlace): ReadLayer {
  return new LayerReader(place).read();
}

class LayerReader {
  readonly #place: TriedPlace;
  readonly #upper: number;
  readonly #lower: number;
  readonly #changes: TriedChange[] = [];
  readonly #touched: ReadLayer["touched"][number][] = [];

  constructor(place: TriedPlace) {
    this.#place = place;
    this.#upper = openOwnFolder(place.upper);
    this.#lower = openPlace(place);
  }

  read(): ReadLayer {
    try {
      this.#merged("", false);
      this.#itself();
      return { changes: this.#changes, touched: this.#touched };
    } finally {
      closeSync(this.#upper);
      closeSync(this.#lower);
    }
  }

  /** The mode of the place, which its layer began with. */
  #itself(): void {
    const [upper, lower] = [statFd(this.#upper), statFd(this.#lower)];
    const { path, mode } = this.#place;
    if (typeof upper === "number" || typeof lower === "number" || upper.mode === mode) return;
    const problem = lower.mode === mode ? {} : { problem: "was given another mode by somebody else since the command began" };
    this.#changes.push({ what: "attributes", place: this.#place, inside: ITSELF, path, kind: "directory", upper, lower, ...problem });
  }

  /** A folder that is there in both. `opaque`: what is on disk and not in the layer is gone. Whether anything in it is another. */
  #merged(folder: string, opaque: boolean): boolean {
    const upper = this.#open(this.#upper, folder);
    const lower = this.#open(this.#lower, folder);
    try {
      const names = this.#names(upper);
      for (const name of names) this.#look(upper, lower, folder, name);
      if (opaque) {
        const kept = new Set(names);
        for (const name of this.#names(lower)) if (!kept.has(name)) this.#gone(lower, folder, name);
      }
      const isTouched = names.length > 0 || opaque;
      const stat = statFd(upper);
      if (isTouched && typeof stat !== "number") this.#touched.push({ place: this.#place, inside: folder, upper: stat });
      return isTouched;
    } finally {
      closeSync(upper);
      closeSync(lower);
    }
  }

  /** Folders of the layer that nobody may look into are opened all the same. */
  #open(root: number, folder: string): number {
    const fd = openBeneath(root, folder === "" ? "." : folder, O_DIRECTORY);
    if (fd >= 0) return fd;
    if (fd !== -ERRNO.EACCES || root !== this.#upper) throw new KernelError("openat2", -fd, folder);
    const pinned = openBeneath(root, folder, O_PATH | O_DIRECTORY);
    if (pinned < 0) throw new KernelError("openat2", -pinned, folder);
    try {
      const stat = statFd(pinned);
      const mode = typeof stat === "number" ? 0o700 : stat.mode & 0o7777;
      const self = cTextAddress(`/proc/self/fd/${pinned}`);
      sys(SYSCALLS.fchmodat, -100, self, mode | 0o700);
      const again = sys(SYSCALLS.openat, pinned, cTextAddress("."), O_DIRECTORY | O_CLOEXEC, 0);
      sys(SYSCALLS.fchmodat, -100, self, mode);
      if (again < 0) throw new KernelError("openat", -again, folder);
      return again;
    } finally {
      closeSync(pinned);
    }
  }

  #names(fd: number): readonly string[] {
    return readdirSync(`/proc/self/fd/${fd}`, { encoding: "buffer" }).map((name) => pathText(name));
  }

  #look(upperFd: number, lowerFd: number, folder: string, name: string): void {
    const at = cTextAddress(name);
    const upper = statAt(upperFd, at);
    if (typeof upper === "number") throw new KernelError("statx", -upper, name);
    const found = lowerFd < 0 ? -ERRNO.ENOENT : statAt(lowerFd, at);
    const lower = typeof found === "number" ? undefined : found;
    const inside = folder === "" ? name : `${folder}/${name}`;
    const path = pathOf(this.#place, inside);
    const kind = kindOf(upper.mode);
    if (Buffer.byteLength(path) > PATH_MAX) return this.#refuse(inside, kind, "has a path that is longer than a path may be");
    if (kind === "char" && upper.rdev[0] === 0 && upper.rdev[1] === 0) {
      if (lower !== undefined) this.#gone(lowerFd, folder, name);
      return;
    }
    // A socket without its server is nothing, and would come along with its folder.
    if (kind === "socket") {
      sys(SYSCALLS.unlinkat, upperFd, at, 0);
      return;
    }
    if (kind === "char" || kind === "block" || kind === "fifo") return this.#refuse(inside, kind, `is a ${kind}, which is never made`);
    if ((upper.mode & 0o6000) !== 0 && kind === "file" && (lower === undefined || (lower.mode & 0o6000) !== (upper.mode & 0o6000)))
      return this.#refuse(inside, kind, "would lend its owner's rights to whoever starts it");
    const marks = marksOf(upperFd, name, kind);
    if (marks?.[MASKED] !== undefined)
      return this.#refuse(
        inside,
        kind,
        "is a secret as the command saw it, empty: what it holds would be lost (`assent run` moves and changes it)",
      );
    if (Object.keys(marks ?? {}).some((one) => one.startsWith(ESCAPED)))
      return this.#refuse(inside, kind, "has an attribute by which the kernel would show later commands something else");
    const since = lower === undefined ? this.#goneSince(marks, lowerFd) : this.#since(lower);
    const marked = Object.keys(marks ?? {}).some((one) => one.startsWith(MARK));
    const own = marked ? { marked } : {};
    const base = { place: this.#place, inside, path, kind, upper, ...own, ...(lower === undefined ? {} : { lower }) };
    const problem = since === undefined ? {} : { problem: since };
    if (kind === "directory") {
      if (lower !== undefined && kindOf(lower.mode) === "directory") {
        const isTouched = this.#merged(inside, marks?.[`${MARK}opaque`] !== undefined);
        const isSet = !isTouched && this.#isBefore(upper.mtime) && !sameTime(upper.mtime, lower.mtime);
        if (isSet || upper.mode !== lower.mode || !sameXattrs(withoutMarks(marks), withoutMarks(readXattrs(lowerFd, pathBytes(name)))))
          this.#changes.push({ what: "attributes", ...base, ...problem });
        return;
      }
      if (lower !== undefined) this.#gone(lowerFd, folder, name);
      this.#changes.push({ what: "made", ...base, whole: true, ...problem });
      return this.#inNew(inside);
    }
    if (lower !== undefined && kindOf(lower.mode) === "directory") {
      this.#gone(lowerFd, folder, name);
      this.#changes.push({ what: "made", ...base, ...problem, ...(kind === "symlink" ? { text: linkText(upperFd, at) } : {}) });
      return;
    }
    if (kind === "symlink") {
      const text = linkText(upperFd, at);
      if (lower !== undefined && kindOf(lower.mode) === "symlink" && linkText(lowerFd, at) === text) return;
      this.#changes.push({ what: lower === undefined ? "made" : "changed", ...base, text, ...problem });
      return;
    }
    if (lower === undefined || kindOf(lower.mode) !== "file") {
      this.#changes.push({ what: lower === undefined ? "made" : "changed", ...base, ...problem });
      return;
    }
    if (!sameBytes(upperFd, lowerFd, at, upper, lower) || (upper.nlink > 1 && lower.nlink === 1))
      this.#changes.push({ what: "changed", ...base, ...problem });
    else if (
      upper.mode !== lower.mode ||
      !sameTime(upper.mtime, lower.mtime) ||
      !sameXattrs(withoutMarks(marks), withoutMarks(readXattrs(lowerFd, pathBytes(name))))
    )
      this.#changes.push({ what: "attributes", ...base, ...problem });
  }

  /** Everything in a folder that nobody has. */
  #inNew(folder: string): void {
    const upper = this.#open(this.#upper, folder);
    try {
      for (const name of this.#names(upper)) this.#look(upper, -1, folder, name);
    } finally {
      closeSync(upper);
    }
  }

  /** Everything at and below a name on disk, what lies deepest first. */
  #gone(lowerFd: number, folder: string, name: string): void {
    const inside = folder === "" ? name : `${folder}/${name}`;
    const lower = statAt(lowerFd, cTextAddress(name));
    if (typeof lower === "number") return;
    const kind = kindOf(lower.mode);
    if (kind === "directory") {
      const fd = this.#open(this.#lower, inside);
      try {
        for (const below of this.#names(fd)) this.#gone(fd, inside, below);
      } finally {
        closeSync(fd);
      }
    }
    const since = kind === "directory" ? undefined : this.#since(lower);
    const path = pathOf(this.#place, inside);
    this.#changes.push({ what: "gone", place: this.#place, inside, path, kind, lower, ...(since === undefined ? {} : { problem: since }) });
  }

  /** The clock of a file system moves in steps: what happened in the same one may have happened after. */
  #since({ ctime }: ObjectStat): string | undefined {
    return this.#isBefore(ctime) ? undefined : "was changed by somebody else since the command began";
  }

  #isBefore([atSeconds, atNanoseconds]: ObjectStat["ctime"]): boolean {
    const [seconds, nanoseconds] = this.#place.stamp;
    return atSeconds < seconds || (atSeconds === seconds && atNanoseconds < nanoseconds);
  }

  /** Of what has come from below, which renamed files have, too: whether its folder is another since. */
  #goneSince(marks: Xattrs | undefined, lowerFd: number): string | undefined {
    if (marks?.[`${MARK}origin`] === undefined || lowerFd < 0) return undefined;
    const folder = statFd(lowerFd);
    return typeof folder === "number" || this.#since(folder) !== undefined
      ? "was removed by somebody else since the command began"
      : undefined;
  }

  #refuse(inside: string, kind: FileKind, problem: string): void {
    this.#changes.push({ what: "made", place: this.#place, inside, path: pathOf(this.#place, inside), kind, problem });
  }
}

/** The folder that the layer lies above, and no other of its name. */
export function openPlace({ path, id }: TriedPlace): number {
  const fd = openSafe(path, O_DIRECTORY);
  if (fd < 0) throw new KernelError("openat2", -fd, path);
  const stat = statFd(fd);
  if (typeof stat !== "number" && stat.id === id) return fd;
  closeSync(fd);
  throw new Error(`${path} is another folder by now`);
}

export const pathOf = ({ path }: TriedPlace, inside: string): string => (inside === "" ? path : `${path === "/" ? "" : path}/${inside}`);

/** Opens what lies below a folder, by no link. A descriptor, or a negative errno. */
export function openBeneath(root: number, inside: string, flags: number): number {
  const how = alloc(24);
  how.writeBigUInt64LE(BigInt(flags | O_CLOEXEC | O_NOFOLLOW), 0);
  // RESOLVE_BENEATH, NO_SYMLINKS, NO_MAGICLINKS (openat2(2))
  how.writeBigUInt64LE(BigInt(0x08 | 0x04 | 0x02), 16);
  return sys(SYSCALLS.openat2, root, cTextAddress(inside), lendAddress(how), how.length);
}

/** The attributes of a name, those of the kernel's own use among them. Plain files have such where they come from below. */
function marksOf(fd: number, name: string, kind: FileKind): Xattrs | undefined {
  return kind === "symlink" ? undefined : readXattrs(fd, pathBytes(name));
}

/** As the program saw them. */
export function withoutMarks(xattrs: Xattrs | undefined): Xattrs | undefined {
  if (xattrs === undefined) return undefined;
  return Object.fromEntries(Object.entries(xattrs).filter(([name]) => !name.startsWith(MARK)));
}

function linkText(fd: number, nameAt: number): string {
  const text = alloc(4097);
  const length = sys(SYSCALLS.readlinkat, fd, nameAt, lendAddress(text), 4096);
  if (length < 0) throw new KernelError("readlinkat", -length);
  return pathText(text.subarray(0, length));
}

const CHUNK = 1 << 16;
const one = alloc(CHUNK);
const other = alloc(CHUNK);

function sameBytes(upperFd: number, lowerFd: number, nameAt: number, upper: ObjectStat, lower: ObjectStat): boolean {
  if (upper.size !== lower.size) return false;
  const open = (fd: number): number => sys(SYSCALLS.openat, fd, nameAt, O_NOFOLLOW | O_CLOEXEC | 0o4000, 0);
  const first = open(upperFd);
  const second = open(lowerFd);
  try {
    if (first < 0 || second < 0) return false;
    for (;;) {
      const got = readSync(first, one, 0, CHUNK, null);
      if (readSync(second, other, 0, CHUNK, null) !== got) return false;
      if (got === 0) return true;
      if (one.compare(other, 0, got, 0, got) !== 0) return false;
    }
  } finally {
    for (const fd of [first, second]) if (fd >= 0) closeSync(fd);
  }
}
