import { lstatSync, readFileSync, statSync } from "node:fs";
import type { World } from "@assent/core/action";
import { baseName, joinPath, parentOf, relativePath } from "@assent/core/path";
import { isOftenShared, isOwnRepository, isSecret, repositoriesAround } from "@assent/core/policy";

/** An entry of git's index: its mode, what follows the file's state (object, flags, name), and the name as it is to be read. */
export interface IndexEntry {
  readonly mode: Buffer;
  /** Of the file, when git last looked. */
  readonly state: Buffer;
  readonly rest: Buffer;
  readonly name: string;
  /** Told beforehand (`git add -N`): git has nothing of it. */
  readonly intended: boolean;
}

export interface GitIndex {
  readonly entries: readonly IndexEntry[];
  readonly extensions: readonly { readonly kind: string; readonly bytes: Buffer }[];
  /** Length of an object's name. */
  readonly hash: number;
}

/** Undefined where it is not fully understood (gitformat-index(5)). */
export function readGitIndex(bytes: Buffer): GitIndex | undefined {
  if (bytes.length < 12 || bytes.toString("latin1", 0, 4) !== "DIRC") return undefined;
  const version = bytes.readUInt32BE(4);
  return version < 2 || version > 4 ? undefined : (readBy(bytes, version, 20) ?? readBy(bytes, version, 32));
}

/** ctime, mtime, dev, ino, mode, uid, gid, size */
const STAT = 40;
const MODE = 24;

function readBy(bytes: Buffer, version: number, hash: number): GitIndex | undefined {
  const end = bytes.length - hash;
  const entries: IndexEntry[] = [];
  const extensions: { kind: string; bytes: Buffer }[] = [];
  let before = "";
  let at = 12;
  for (let left = bytes.readUInt32BE(8); left > 0; left--) {
    const start = at;
    at += STAT + hash;
    if (at + 2 > end) return undefined;
    const isExtended = (bytes.readUInt16BE(at) & 0x4000) !== 0;
    at += 2;
    if (isExtended && (version < 3 || at + 2 > end)) return undefined;
    const intended = isExtended && (bytes.readUInt16BE(at) & 0x2000) !== 0;
    if (isExtended) at += 2;
    // How much of the name before is dropped, as a number of variable length.
    let dropped = 0;
    if (version === 4)
      for (let byte = 0x80, first = true; byte > 0x7f; first = false) {
        byte = bytes[at++] ?? 0;
        dropped = (first ? 0 : dropped + 1) * 128 + (byte & 0x7f);
      }
    const nul = bytes.indexOf(0, at);
    if (nul < 0 || nul >= end || dropped > before.length) return undefined;
    const name = (version === 4 ? before.slice(0, before.length - dropped) : "") + bytes.toString("latin1", at, nul);
    entries.push({
      state: bytes.subarray(start, start + STAT),
      mode: bytes.subarray(start + MODE, start + MODE + 4),
      rest: bytes.subarray(start + STAT, nul + 1),
      name,
      intended,
    });
    before = name;
    at = version === 4 ? nul + 1 : start + ((nul - start + 8) & ~7);
  }
  while (at + 8 <= end) {
    const next = at + 8 + bytes.readUInt32BE(at + 4);
    if (next > end) return undefined;
    extensions.push({ kind: bytes.toString("latin1", at, at + 4), bytes: bytes.subarray(at + 8, next) });
    at = next;
  }
  return at === end ? { entries, extensions, hash } : undefined;
}

/** Larger indexes are not searched. */
const LARGEST = 32 * 1024 * 1024;

interface TrackedNames {
  /** As bytes; of a sparse index also folders, with a slash behind them. */
  readonly names: ReadonlySet<string>;
  readonly sparse: boolean;
}
const NONE: TrackedNames = { names: new Set(), sparse: false };

/** Whether a repository of the project's tracks a file; undefined when that cannot be told. */
export function trackedIn(world: () => World): (path: string) => boolean | undefined {
  const indexes = new Map<string, TrackedNames | undefined>();
  return (path) => {
    const [repository, ...others] = repositoriesAround(parentOf(path), world());
    if (repository === undefined || others.length > 0 || !isOwnRepository(repository, world())) return undefined;
    const { gitdir, top } = repository;
    if (!indexes.has(gitdir)) indexes.set(gitdir, trackedNames(gitdir));
    const index = indexes.get(gitdir);
    if (index === undefined) return undefined;
    const real = joinPath(world().canonical(parentOf(path)), baseName(path));
    const name = Buffer.from(relativePath(top, real)).toString("latin1");
    if (index.names.has(name)) return true;
    // What a sparse index has a folder for, it names nothing below.
    if (index.sparse)
      for (let at = name.indexOf("/"); at > 0; at = name.indexOf("/", at + 1)) if (index.names.has(name.slice(0, at + 1))) return undefined;
    return false;
  };
}

/** Looking at each name costs a few microseconds. */
const MOST_NAMES = 20_000;

/**
 * Secrets that git tracks and that may differ from the last commit: in folders for which the index keeps no tree any more, as after
 * `git add` (gitformat-index(5), "Cache tree"), or with another size or time than git saw.
 */
export function changedSecretsIn(world: () => World): (top: string) => readonly string[] {
  return (folder) => {
    const [repository] = repositoriesAround(folder, world());
    if (repository === undefined || !isOwnRepository(repository, world())) return [];
    const { gitdir, top } = repository;
    const index = indexAt(joinPath(gitdir, "index"));
    if (index === undefined || index === "missing") return [];
    const committed = foldersWithTree(index);
    const isMany = index.entries.length > MOST_NAMES;
    const link = index.extensions.find(({ kind }) => kind === "link")?.bytes;
    const shared = link === undefined ? [] : (sharedBy(link, gitdir, index.hash) ?? []);
    return [...shared, ...index.entries].flatMap(({ name, state, intended }) => {
      const isStaged = !committed.has(name.slice(0, Math.max(0, name.lastIndexOf("/"))));
      if (name === "" || (isMany && !isStaged)) return [];
      const path = joinPath(top, Buffer.from(name, "latin1").toString());
      return isSecret(path) && !isOftenShared(path) && (isStaged || intended || differs(path, state)) ? [path] : [];
    });
  };
}

/** Seconds of its change and its size, as git noted them. */
function differs(path: string, state: Buffer): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  const isSame =
    stats === undefined || (Math.floor(stats.mtimeMs / 1000) === state.readUInt32BE(8) && stats.size === state.readUInt32BE(36));
  return !isSame;
}

/** `PATH NUL ENTRIES SP SUBTREES LF [OBJECT]`, a folder before those in it; one that has changed has -1 entries and no object. */
function foldersWithTree({ extensions, hash }: GitIndex): ReadonlySet<string> {
  const bytes = extensions.find(({ kind }) => kind === "TREE")?.bytes ?? Buffer.alloc(0);
  const folders = new Set<string>();
  let at = 0;
  const readFolder = (above: string): void => {
    const nul = bytes.indexOf(0, at);
    const end = bytes.indexOf(10, nul);
    if (nul < 0 || end < 0) return;
    const name = bytes.toString("latin1", at, nul);
    const path = above === "" ? name : `${above}/${name}`;
    const [entries = -1, below = 0] = bytes
      .toString("latin1", nul + 1, end)
      .split(" ")
      .map(Number);
    at = end + 1;
    if (entries >= 0) {
      at += hash;
      folders.add(path);
    }
    for (let left = below; left > 0 && at < bytes.length; left--) readFolder(path);
  };
  if (bytes.length > 0) readFolder("");
  return folders;
}

/** Undefined where the index is not understood. */
export function trackedNames(gitdir: string): TrackedNames | undefined {
  const index = indexAt(joinPath(gitdir, "index"));
  if (index === "missing") return NONE;
  if (index === undefined) return undefined;
  const known = index.extensions.every(({ kind }) => /^[A-Z]|^(?:link|sdir)$/.test(kind));
  const link = index.extensions.find(({ kind }) => kind === "link")?.bytes;
  const shared = link === undefined ? [] : sharedBy(link, gitdir, index.hash);
  if (!known || shared === undefined) return undefined;
  // In a split index, what only replaces an entry of the other file has no name of its own.
  const entries = [...shared, ...index.entries].filter(({ name, intended }) => name !== "" && !intended);
  return { names: new Set(entries.map(({ name }) => name)), sparse: index.extensions.some(({ kind }) => kind === "sdir") };
}

function indexAt(file: string): GitIndex | "missing" | undefined {
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    // A repository without an index tracks nothing yet.
    if (stats === undefined) return "missing";
    return stats.isFile() && stats.size <= LARGEST ? readGitIndex(readFileSync(file)) : undefined;
  } catch {
    return undefined;
  }
}

/** gitformat-index(5), "Split index": the other file, and which of its entries are gone. */
function sharedBy(link: Buffer, gitdir: string, hash: number): readonly IndexEntry[] | undefined {
  const base = link.toString("hex", 0, hash);
  if (/^0*$/.test(base)) return [];
  const shared = indexAt(joinPath(gitdir, `sharedindex.${base}`));
  const gone = link.length === hash ? new Set<number>() : bitsOf(link.subarray(hash));
  if (shared === undefined || shared === "missing" || gone === undefined) return undefined;
  return shared.entries.filter((_, at) => !gone.has(at));
}

/** gitformat-bitmap(5), "Appendix A": a run of equal words, and words as they are, by turns. */
function bitsOf(bytes: Buffer): ReadonlySet<number> | undefined {
  if (bytes.length < 12) return undefined;
  const size = bytes.readUInt32BE(0);
  const count = bytes.readUInt32BE(4);
  if (size > LARGEST || bytes.length < 8 + count * 8) return undefined;
  const found = new Set<number>();
  const word = (at: number): bigint => bytes.readBigUInt64BE(8 + at * 8);
  let bit = 0;
  for (let at = 0; at < count;) {
    const marker = word(at++);
    const run = Number((marker >> 1n) & 0xffffffffn) * 64;
    if (bit + run > size + 64) return undefined;
    if ((marker & 1n) === 1n) for (let each = 0; each < run; each++) found.add(bit + each);
    bit += run;
    for (let left = Number(marker >> 33n); left > 0; left--, bit += 64) {
      if (at >= count) return undefined;
      const bits = word(at++);
      for (let each = 0; each < 64; each++) if (((bits >> BigInt(each)) & 1n) === 1n) found.add(bit + each);
    }
  }
  return found;
}
