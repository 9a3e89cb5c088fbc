import { readlinkSync } from "node:fs";
import { attempt } from "@assent/core/data";
import { addressOf, alloc, AT_FDCWD, pathText, sys, SYSCALLS } from "../kernel/index.ts";
import { shortName, type Task } from "./tasks.ts";

const PATH_MAX = 4096;
const SLASH = 0x2f;
const DOT = 0x2e;
const CLOSING = 0x29;
/** A step that is none, or leads back; a last `/`. */
const ODD = /\/\.{0,2}(?:\/|$)/;
/** Names there mean whoever asks, or a device. */
const PECULIAR = /^\/(?:proc|sys|dev(?!\/shm\/))(?:\/|$)/;
/** d_path: what the kernel writes after the name of what has none any more. */
const DELETED = " (deleted)";
/** Of openat2(2): RESOLVE_NO_MAGICLINKS, RESOLVE_NO_SYMLINKS. */
export const AS_WRITTEN = 6;

/**
 * A path taken by its text, from the root on. What is opened under it with `AS_WRITTEN` lies where the text says, for no
 * link is followed on the way: so the text is the name that the kernel has for it, and nothing needs to be looked up to judge it.
 * Whatever has another form is for somebody else to find (paths.ts).
 */
export class PlainPath {
  /** The whole path, NUL-terminated. */
  readonly bytes = alloc(2 * PATH_MAX + 2);
  readonly at = addressOf(this.bytes);
  length = 0;
  text = "";
  readonly #merged: ReadonlySet<string>;
  /** `merged`: folders of the root that are links to those of the same name below `/usr`. */
  constructor(merged = mergedFolders()) {
    this.#merged = merged;
  }

  /** Takes over what a task named: `length` bytes. False: it has to be found out where that leads. */
  taken(task: Task, dirfd: number, given: Buffer, length: number): boolean {
    let start = 0;
    let end = 0;
    if (length <= 0) return false;
    if (given[0] !== SLASH) {
      end = this.#folderOf(task, dirfd);
      if (end <= 0) return false;
      while (given[start] === DOT && given[start + 1] === SLASH) start += 2;
      if (end > 1) this.bytes[end++] = SLASH;
    } else if (this.#isMerged(given)) end = this.bytes.write("/usr", "latin1");
    this.length = end + length - start;
    if (this.length >= PATH_MAX) return false;
    given.copy(this.bytes, end, start, length);
    this.bytes[this.length] = 0;
    this.text = pathText(this.bytes, 0, this.length);
    if (ODD.test(this.text) || PECULIAR.test(this.text)) return false;
    return true;
  }

  /** INVARIANT: what is opened is judged by the name that it is opened by, so that a link that has changed meanwhile misleads nobody. */
  #isMerged(given: Buffer): boolean {
    const first = given[1];
    if (this.#merged.size === 0 || (first !== 0x6c && first !== 0x62 && first !== 0x73)) return false;
    const slash = given.indexOf(SLASH, 1);
    return slash > 1 && slash < LONGEST && this.#merged.has(given.toString("latin1", 1, slash));
  }

  /** The kernel's name for where a relative path begins, in `bytes`; its length. */
  #folderOf(task: Task, dirfd: number): number {
    if (dirfd < 0 && dirfd !== AT_FDCWD) return -1;
    const name = dirfd === AT_FDCWD ? "cwd" : `fd/${dirfd}`;
    const length = sys(SYSCALLS.readlinkat, task.proc, shortName(name), this.at, PATH_MAX);
    if (length <= 0 || this.bytes[0] !== SLASH) return -1;
    return this.bytes[length - 1] === CLOSING && this.bytes.toString("latin1", 0, length).endsWith(DELETED) ? -1 : length;
  }
}

const MERGED = ["bin", "sbin", "lib", "lib32", "lib64", "libx32"] as const;
const LONGEST = 8;

/** hier(7), file-hierarchy(7): where the system has one folder for both, the loader asks for libraries by the older name. */
function mergedFolders(): ReadonlySet<string> {
  return new Set(MERGED.filter((name) => attempt(() => readlinkSync(`/${name}`) === `usr/${name}`, false)));
}
