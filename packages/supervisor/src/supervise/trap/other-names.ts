import { randomBytes } from "node:crypto";
import { baseName, joinPath, parentOf } from "@assent/core/path";
import { type Verdict, verdictOf } from "@assent/core/policy";
import { TOOL_SERVICE } from "../judge/verdicts.ts";
import { Numbers } from "../judge/objects.ts";
import {
  addressOf,
  alloc,
  AT_FDCWD,
  cString,
  ERRNO,
  errorName,
  KernelError,
  O_CLOEXEC,
  pathBytes,
  sys,
  SYSCALLS,
} from "../kernel/index.ts";
import { cloneOrCopy, inFolder, kindOf, type ObjectStat, type PinnedName, readXattrs, statAt, statFd, writeXattrs } from "../undo/index.ts";
import type { DecodedCall } from "./operation.ts";
import type { TrapOptions } from "./options.ts";
import { shortName } from "./tasks.ts";

/** open(2): O_WRONLY, O_CREAT, O_EXCL; O_NOFOLLOW. */
const NEW = 0o301 | O_CLOEXEC | (process.arch === "arm64" ? 0o100000 : 0o400000);
const O_NONBLOCK_NOCTTY = 0o4000 | 0o400;
/** The run waits while it is copied. */
const LARGEST = 1 << 30;
/** Entries of a folder of the run's that are looked through for other names. */
const MOST_ENTRIES = 200_000;
/** The run's folders are not read again and again for one that makes links all the time. */
const MOST_READINGS = 50;
/** d_path: behind the name of what is not there any more. */
const DELETED = " (deleted)";

/** What a call changes that all names of a file share. Its times say nothing of what is in it: git sets those of packs that clones share. */
const CHANGES: ReadonlySet<string> = new Set(["open", "truncate", "chmod", "chown", "setxattr", "removexattr", "chattr"]);

/** A call that changes a file as it stands, in the place of all its names. */
interface Change {
  readonly fd: number;
  readonly path: string;
  readonly stat: ObjectStat;
  /** What is in it goes. */
  readonly empties: boolean;
}

/**
 * A file that has names (link(2)) where the run may not write is parted before the run changes it: the name that is used gets a copy of
 * its own, the others keep what they have. Else a store of packages, whose files a project has by hard links, or a backup made by
 * `cp -al`, would be changed through the project.
 *
 * INVARIANT: every change of what a file holds, of its mode, owner or attributes goes through here while its object is pinned; what has
 * fewer known names than names is taken to have one outside. Who has it open for writing opened it so when it had none.
 */
export class OtherNames {
  readonly #options: Pick<TrapOptions, "undo" | "judge" | "observes">;
  /** Names that the run gave, by object. */
  readonly #linked = new Map<string, Set<string>>();
  /** What lies in the run's folders; undefined: nobody has asked, or names have come and gone. */
  #numbers: Numbers | undefined;
  #readings = 0;

  constructor(options: Pick<TrapOptions, "undo" | "judge" | "observes">) {
    this.#options = options;
  }

  /** It succeeded. */
  done({ call, about, places: [, to] = [] }: DecodedCall): void {
    if (call.name !== "link" && call.name !== "rename") return;
    this.#numbers = undefined;
    const object = about?.object;
    if (call.name !== "link" || object === undefined || to === undefined) return;
    const names = this.#linked.get(object.identity.id) ?? new Set();
    this.#linked.set(object.identity.id, names.add(object.path).add(to.path));
  }

  /** Before it is done. "again": it was parted, and its name leads to another object now. A verdict: it could not be. */
  spare(work: DecodedCall, { basis, builtin }: Verdict): "alone" | "again" | Verdict {
    const change = changeOf(work);
    // A person has said yes to this very file; a tool knows what it does to its own.
    if (change === undefined || this.#options.observes || basis === "grant" || builtin === TOOL_SERVICE.builtin) return "alone";
    return this.#isKnown(change) ? "alone" : this.#part(change);
  }

  /** All its names lie where the run may write. */
  #isKnown({ path, stat }: Change): boolean {
    const isHere = (name: string): boolean => {
      const there = statAt(AT_FDCWD, addressOf(cString(pathBytes(name))));
      return typeof there !== "number" && there.id === stat.id && this.#options.judge.couldWrite(name);
    };
    const count = (names: readonly string[]): number => new Set([path, ...names].filter(isHere)).size;
    const own = [...(this.#linked.get(stat.id) ?? [])];
    if (count(own) >= stat.nlink) return true;
    if (this.#numbers === undefined && this.#readings < MOST_READINGS) {
      this.#readings += 1;
      this.#numbers = new Numbers();
      for (const root of this.#options.judge.ground.work) if (root !== "/") this.#numbers.add(root, MOST_ENTRIES);
    }
    return count([...own, ...(this.#numbers?.pathsOf(stat.id) ?? [])]) >= stat.nlink;
  }

  #part(change: Change): "again" | Verdict {
    const { path, stat, empties } = change;
    if (!empties && stat.size > LARGEST)
      return KEPT_BACK(`it has ${Math.floor(stat.size / 2 ** 20)} MB, too much to be copied while the run waits`);
    try {
      return inFolder(path, ({ parentFd, name, nameAt }) => {
        const there = statAt(parentFd, nameAt);
        if (typeof there === "number" || there.id !== stat.id) return KEPT_BACK("the name it was opened by leads elsewhere by now");
        const beside = `.${baseName(path).slice(0, 60)}.${randomBytes(8).toString("hex")}`;
        const copy: PinnedName = { parentFd, name: pathBytes(beside), path: joinPath(parentOf(path), beside) };
        const failed = this.#replace(change, copy, { parentFd, name, path });
        return failed === undefined ? "again" : KEPT_BACK(failed);
      });
    } catch (error) {
      if (error instanceof KernelError) return KEPT_BACK(`its folder cannot be opened (${errorName(error.errno)})`);
      throw error;
    }
  }

  /** Makes the copy, and puts it in the place of the name. Why that failed; nothing has changed then. */
  #replace(change: Change, copy: PinnedName, name: PinnedName): string | undefined {
    const { undo } = this.#options;
    const copyAt = cString(copy.name);
    const nameAt = cString(name.name);
    // Nothing makes the copy again: its bytes are kept, whatever else could be installed anew.
    const kept = undo?.modify(change.fd, change.path, change.stat, true);
    if (kept?.kept === false) return kept.why;
    const made = undo?.create(copy.parentFd, copy.path, "file");
    if (made?.kept === false) return made.why;
    const fd = sys(SYSCALLS.openat, copy.parentFd, addressOf(copyAt), NEW, 0o600);
    if (fd < 0) {
      if (made !== undefined) undo?.cancel(made);
      return `no copy can be made beside it (${errorName(-fd)})`;
    }
    undo?.born(fd);
    let failed = fill(fd, change);
    sys(SYSCALLS.close, fd);
    if (failed === undefined) {
      const moved = undo?.rename(copy, name);
      if (moved?.kept === false) failed = moved.why;
      else {
        const result = sys(SYSCALLS.renameat2, copy.parentFd, addressOf(copyAt), name.parentFd, addressOf(nameAt), 0);
        if (result === 0) return undefined;
        if (moved !== undefined) undo?.cancel(moved);
        failed = `a copy cannot take its place (${errorName(-result)})`;
      }
    }
    undo?.remove(copy);
    sys(SYSCALLS.unlinkat, copy.parentFd, addressOf(copyAt), 0);
    return failed;
  }
}

/** What stands in the receipt of a file that was parted. */
export const PARTED: Verdict = verdictOf("allow", "run.other-names", {
  reason: "it has names outside the places of this run: it was copied first, and they keep what they had",
});

const KEPT_BACK = (why: string): Verdict =>
  verdictOf("deny", "run.other-names", {
    reason: `the file has names outside the places of this run, which would be changed with it, and ${why}`,
  });

function changeOf({ call, about, save, pinned: [fd], places: [place] = [] }: DecodedCall): Change | undefined {
  const stat = place?.object;
  if (save === undefined || !CHANGES.has(call.name) || about?.object === undefined || fd === undefined || stat === undefined)
    return undefined;
  if (stat.nlink === 0 || kindOf(stat.mode) !== "file") return undefined;
  const { path } = about.object;
  // Its name may be gone, and another one be elsewhere.
  if (stat.nlink === 1 && !path.endsWith(DELETED)) return undefined;
  const [, first, second] = call.args;
  if (call.name === "chmod" && Number.parseInt(String(first), 8) === (stat.mode & 0o7777)) return undefined;
  if (call.name === "chown" && isSame(first, stat.uid) && isSame(second, stat.gid)) return undefined;
  return { fd, path, stat, empties: call.name === "open" && String(first).includes("truncate") };
}

/** -1 leaves it as it is (chown(2)). */
const isSame = (wanted: unknown, is: number): boolean => Number(wanted) === -1 || Number(wanted) === is;

/** Makes the new file what the other one is. Why that failed. */
function fill(target: number, { fd, stat, empties }: Change): string | undefined {
  if (!empties && stat.size > 0) {
    const source = sys(SYSCALLS.openat, AT_FDCWD, shortName(`/proc/self/fd/${fd}`), O_NONBLOCK_NOCTTY | O_CLOEXEC, 0);
    if (source < 0) return `it cannot be read for a copy (${errorName(-source)})`;
    let copied: number;
    try {
      copied = cloneOrCopy(source, target, stat.size);
    } catch {
      copied = -ERRNO.EIO;
    }
    sys(SYSCALLS.close, source);
    if (copied < 0) return `it cannot be copied (${errorName(-copied)})`;
  }
  const made = statFd(target);
  if (typeof made === "number") return `its copy cannot be looked at (${errorName(-made)})`;
  if (made.uid !== stat.uid || made.gid !== stat.gid) {
    const owned = sys(SYSCALLS.fchown, target, stat.uid, stat.gid);
    if (owned < 0) return `a copy would be of another owner (${errorName(-owned)})`;
  }
  const lost = writeXattrs(target, readXattrs(fd) ?? {}).filter((attribute) => !attribute.startsWith("security."));
  if (lost.length > 0) return `a copy would lack its attribute ${lost[0]}`;
  const moded = sys(SYSCALLS.fchmod, target, stat.mode & 0o7777);
  if (moded < 0) return `a copy would have another mode (${errorName(-moded)})`;
  const times = alloc(32);
  for (const [at, [seconds, nanoseconds]] of [stat.atime, stat.mtime].entries()) {
    times.writeBigInt64LE(BigInt(seconds), 16 * at);
    times.writeBigInt64LE(BigInt(nanoseconds), 16 * at + 8);
  }
  sys(SYSCALLS.utimensat, target, 0, addressOf(times), 0);
  return undefined;
}
