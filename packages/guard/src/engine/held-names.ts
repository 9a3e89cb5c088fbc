import { readdirSync, statSync } from "node:fs";
import { foldCase } from "@assent/core/path";

/** What a folder held when it was listed, and what tells that it holds the same now. */
interface HeldNames {
  readonly device: number;
  readonly inode: number;
  readonly changed: number;
  /** As a file system compares them that folds case. */
  readonly folded: ReadonlySet<string>;
  /** No name has letters that such a file system may leave out or write otherwise. */
  readonly plain: boolean;
}

/** Where there is no folder. */
const NONE: HeldNames = { device: 0, inode: 0, changed: 0, folded: new Set(), plain: true };

const held = new Map<string, HeldNames>();
const MAX_HELD = 32;
/** Of a folder's own size in bytes: a larger one is not listed. */
const LARGEST = 1 << 15;
/** A folder that has just been changed may change again within one tick of the file system's clock. */
const SETTLED_MS = 2000;

/** True where a folder may hold a name, which is given in lower case. */
type MayHold = (name: string) => boolean;

/**
 * Tells of names whether a folder may hold them, however their letters are written, as it is now.
 *
 * A process that goes on remembers the names it has listed. What ends the memory is the folder's status change time: the
 * kernel sets it whenever a name comes, goes or is exchanged, and no call sets it to anything but now. Of what is mounted
 * over the folder, or of another folder in its place, device and inode differ.
 */
export function heldNames(folder: string, now = Date.now()): MayHold {
  const names = namesIn(folder, now);
  return names === undefined || !names.plain ? () => true : (name) => names.folded.has(name);
}

function namesIn(folder: string, now: number): HeldNames | undefined {
  try {
    const stats = statSync(folder, { throwIfNoEntry: false });
    if (stats === undefined) return NONE;
    if (!stats.isDirectory() || stats.size > LARGEST) return undefined;
    const { dev: device, ino: inode, ctimeMs: changed } = stats;
    const known = held.get(folder);
    if (known !== undefined && known.inode === inode && known.changed === changed && known.device === device) return known;
    const list = readdirSync(folder);
    const names = { device, inode, changed, folded: new Set(list.map(foldCase)), plain: !/[^ -~]/.test(list.join("")) };
    // The stamp was taken before the listing: what changes in between is listed, and has another stamp.
    if (held.size >= MAX_HELD) held.clear();
    if (now - changed >= SETTLED_MS) held.set(folder, names);
    return names;
  } catch {
    return undefined;
  }
}
