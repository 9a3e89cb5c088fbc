import {
  appendFileSync,
  closeSync,
  constants,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { baseName, isWithin, parentOf } from "@assent/core/path";
import { errorCode, namesIn } from "@assent/guard/state";
import { KernelError, O_PATH, pathBytes } from "../kernel/index.ts";
import { sameFiles } from "./check.ts";
import { sealEdits } from "./edits.ts";
import { type JournalRecord, JournalWriter, linesOf, type PreImage } from "./journal.ts";
import { KeptFiles, NO_ROOM } from "./keep.ts";
import { lookAround, type Sighted, TooManyError } from "./look-around.ts";
import { lockRun } from "./run-folder.ts";
import { cTextAddress, openSafe } from "./safe.ts";
import { type FileKind, kindOf, type ObjectStat, sameTime, statAt, statRecord, type StatRecord } from "./stat.ts";
import { readXattrs, sameXattrs, type Xattrs } from "./xattr.ts";

/**
 * What lay in the folders that a run may write, before a run of whose calls nothing is seen: `before.jsonl` in its folder, with copies in
 * `kept/`. When it has ended, what differs becomes the run's journal, and everything that reads journals works on it.
 */
const FILE = "before.jsonl";
/** Its time is the last sign of life of the process that holds the run. */
const ALIVE = "alive";

export interface SnapshotLimits {
  /** Files and folders. */
  readonly entries: number;
  /** Bytes that are really copied; what shares its bytes with a copy (reflink, clonefile) costs nothing. */
  readonly bytes: number;
}

export const SNAPSHOT_LIMITS: SnapshotLimits = { entries: 50_000, bytes: 512 << 20 };
/** A run may leave more than it found; beyond this the comparison would take too long. */
const MOST_LEFT = 500_000;

export interface SnapshotOptions {
  /** Canonical. What lies outside is not kept. */
  readonly roots: readonly string[];
  /** Of these no byte is read, and no name of what lies in them. */
  readonly closed: (path: string) => boolean;
  readonly limits?: SnapshotLimits;
}

export type Snapshot = { readonly is: "kept"; readonly entries: number } | { readonly is: "none"; readonly why: string };

/** One line of `before.jsonl`. */
type Line =
  | { readonly roots: readonly string[] }
  | EntryBefore
  | { readonly blind: string }
  /** The last one: all of it is there, and the program may have been started. */
  | { readonly entries: number };

interface EntryBefore {
  readonly path: string;
  readonly is: StatRecord;
  readonly text?: string;
  readonly key?: number;
  readonly xattrs?: Xattrs;
}

/**
 * Keeps what lies in the roots, or says why it does not: there is too much of it. Nothing stays of what was begun then. Throws where the
 * run's folder cannot be written.
 */
export function takeSnapshot(folder: string, { roots, closed, limits = SNAPSHOT_LIMITS }: SnapshotOptions): Snapshot {
  const tops = outermost(roots);
  writeFileSync(markOf(folder), "", { mode: 0o600 });
  try {
    return keepAll(folder, tops, closed, limits);
  } catch (error) {
    forget(folder);
    if (error instanceof TooManyError) return { is: "none", why: `the folders that it may write hold ${error.message}` };
    if (error instanceof KernelError && NO_ROOM.has(error.errno))
      return { is: "none", why: `copies of what is there could not be made (${error.code})` };
    throw error;
  }
}

/** Of folders that lie in each other the outer one. */
function outermost(roots: readonly string[]): readonly string[] {
  const sorted = [...new Set(roots)].toSorted();
  return sorted.filter((root) => !sorted.some((other) => other !== root && isWithin(root, other)));
}

function keepAll(folder: string, roots: readonly string[], closed: (path: string) => boolean, limits: SnapshotLimits): Snapshot {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const fd = openSync(`${folder}/${FILE}`, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  const kept = new KeptFiles(`${folder}/kept`);
  const keys = new Map<string, number>();
  let text = "";
  let entries = 0;
  const note = (line: Line, last = false): void => {
    text += `${JSON.stringify(line)}\n`;
    if (text.length <= 1 << 18 && !last) return;
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
    text = "";
  };
  try {
    note({ roots });
    for (const root of roots) {
      for (const found of lookFrom(root, { closed, most: limits.entries })) {
        if ("blind" in found) {
          note({ blind: found.blind });
          continue;
        }
        entries += 1;
        if (entries > limits.entries) throw new TooManyError(`more than ${limits.entries.toLocaleString("en-US")} files`);
        const { path, stat, place, text: link } = found;
        const key = closed(path) ? undefined : copyOnce(found, kept, keys, limits);
        const xattrs = readXattrs(place.parentFd, place.name);
        note({
          path,
          is: statRecord(stat),
          ...(link === undefined ? {} : { text: link }),
          ...(key === undefined ? {} : { key }),
          ...(xattrs === undefined ? {} : { xattrs }),
        });
      }
    }
    note({ entries }, true);
    return { is: "kept", entries };
  } finally {
    kept.close();
    closeSync(fd);
  }
}

/** The key of its copy; undefined: it has no bytes, or none that can be read. */
function copyOnce({ stat, place }: Sighted, kept: KeptFiles, keys: Map<string, number>, limits: SnapshotLimits): number | undefined {
  if (kindOf(stat.mode) !== "file" || stat.size === 0) return undefined;
  const known = keys.get(stat.id);
  if (known !== undefined) return known;
  const room = limits.bytes - kept.copied;
  const key = kept.copyAtMost(place.parentFd, place.name, stat, room);
  if (key === "too much") throw new TooManyError(`more than ${limits.bytes >> 20} MB`);
  // Whoever may not read it: that its bytes were not kept is said where they change.
  if (key < 0 && NO_ROOM.has(-key)) throw new KernelError("copy", -key);
  if (key <= 0) return undefined;
  keys.set(stat.id, key);
  return key;
}

function forget(folder: string): void {
  rmSync(markOf(folder), { force: true });
  rmSync(`${folder}/${FILE}`, { force: true });
  rmSync(`${folder}/kept`, { recursive: true, force: true });
}

const hasSnapshot = (folder: string): boolean => statSync(`${folder}/${FILE}`, { throwIfNoEntry: false }) !== undefined;

/** Beside the run's folder: whoever looks for such runs need not look into each folder. */
const MARK = /^\.snapshot-(.+)$/;
const markOf = (folder: string): string => folder.replace(/\/([^/]+)$/, "/.snapshot-$1");

/** Makes journals of what tools have changed, and of what runs changed that were killed before they could say it. */
export function sealRecords(runs: string): void {
  for (const name of namesIn(runs)) {
    const id = MARK.exec(name)?.[1];
    if (id === undefined) continue;
    const folder = `${runs}/${id}`;
    try {
      const lock = lockRun(folder);
      if (lock === undefined) continue;
      try {
        if (hasSnapshot(folder)) compareSnapshot(folder, true);
        endSnapshot(folder);
      } finally {
        closeSync(lock);
      }
    } catch (error) {
      // It is tried again; of a folder that is gone nothing is left to be told.
      if (errorCode(error) === "ENOENT") rmSync(`${runs}/${name}`, { force: true });
    }
  }
  sealEdits(runs);
}

/** The process that holds the run lives. Told again and again: what changes later is not the run's. */
export function noteAlive(folder: string): void {
  const file = `${folder}/${ALIVE}`;
  try {
    const now = Date.now() / 1000;
    utimesSync(file, now, now);
  } catch {
    appendFileSync(file, "", { mode: 0o600 });
  }
}

/**
 * Makes the run's journal of what differs now. `killed`: the process that held the run is gone, so that what was changed after its last
 * sign of life may be somebody else's. Returns why there is no undo after all. Throws where the journal cannot be written.
 */
export function compareSnapshot(folder: string, killed: boolean): string | undefined {
  const before = readBefore(folder);
  if (before === undefined) {
    // The program was not started.
    forget(folder);
    return undefined;
  }
  let records: readonly JournalRecord[];
  try {
    records = recordsOf(before, lookAgain(before), folder);
  } catch (error) {
    if (!(error instanceof TooManyError)) throw error;
    forget(folder);
    return `what it left could not be compared: there are ${error.message}`;
  }
  rmSync(`${folder}/journal.jsonl`, { force: true });
  const writer = new JournalWriter(`${folder}/journal.jsonl`);
  try {
    for (const record of records) {
      const written = writer.append(record);
      if (written < 0) throw new KernelError("write", -written);
    }
  } finally {
    writer.close();
  }
  if (killed) {
    // The time of a journal is taken for the last sign of life.
    const last = (statSync(`${folder}/${ALIVE}`, { throwIfNoEntry: false }) ?? statSync(`${folder}/${FILE}`)).mtimeMs / 1000;
    utimesSync(`${folder}/journal.jsonl`, last, last);
  }
  dropUnused(folder, records);
  return undefined;
}

/** It is the run's own journal from now on. */
export function endSnapshot(folder: string): void {
  rmSync(`${folder}/${FILE}`, { force: true });
  rmSync(`${folder}/${ALIVE}`, { force: true });
  rmSync(markOf(folder), { force: true });
}

/** Copies of what did not change take room for nothing. */
function dropUnused(folder: string, records: readonly JournalRecord[]): void {
  const used = new Set(records.flatMap((record) => ("key" in record && record.key !== undefined ? [String(record.key)] : [])));
  for (const name of readdirSync(`${folder}/kept`)) if (!used.has(name)) rmSync(`${folder}/kept/${name}`, { force: true });
}

interface Before {
  readonly roots: readonly string[];
  readonly entries: ReadonlyMap<string, EntryBefore>;
  readonly blind: ReadonlySet<string>;
}

/** Undefined: it is not all there. */
function readBefore(folder: string): Before | undefined {
  const entries = new Map<string, EntryBefore>();
  const blind = new Set<string>();
  let roots: readonly string[] = [];
  let whole = false;
  for (const line of linesOf(`${folder}/${FILE}`)) {
    let value: Line;
    try {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Assent's own file, in a folder nobody else may write
      value = JSON.parse(line) as Line;
    } catch {
      return undefined;
    }
    if ("path" in value) entries.set(value.path, value);
    else if ("blind" in value) blind.add(value.blind);
    else if ("roots" in value) ({ roots } = value);
    else whole = true;
  }
  return whole ? { roots, entries, blind } : undefined;
}

/** The root itself, and all that lies in it. */
function* lookFrom(root: string, options: Parameters<typeof lookAround>[1]): Generator<Sighted | { readonly blind: string }> {
  const parentFd = openSafe(parentOf(root), O_PATH | constants.O_DIRECTORY);
  if (parentFd < 0) return;
  let kind: FileKind;
  try {
    const name = pathBytes(baseName(root));
    const nameAt = cTextAddress(name);
    const stat = statAt(parentFd, nameAt);
    if (typeof stat === "number") return;
    kind = kindOf(stat.mode);
    // What may be written is what it leads to.
    if (kind === "symlink") return;
    yield { path: root, stat, place: { parentFd, name, nameAt, path: root } };
  } finally {
    closeSync(parentFd);
  }
  if (kind === "directory") yield* options.closed(root) ? [{ blind: root }] : lookAround(root, options);
}

interface NowThere {
  readonly stat: ObjectStat;
  readonly text?: string;
  readonly xattrs?: Xattrs;
}

interface Now {
  readonly entries: ReadonlyMap<string, NowThere>;
  /** Folders that the run closed: what lies in them is not known. */
  readonly blind: ReadonlySet<string>;
}

function lookAgain({ roots, entries, blind }: Before): Now {
  const now = new Map<string, NowThere>();
  const closed = new Set<string>();
  for (const root of roots) {
    for (const found of lookFrom(root, { closed: (path) => blind.has(path), most: MOST_LEFT })) {
      if ("blind" in found) {
        closed.add(found.blind);
        continue;
      }
      if (now.size > MOST_LEFT) throw new TooManyError(`more than ${MOST_LEFT.toLocaleString("en-US")} files`);
      const { path, stat, place, text } = found;
      const was = entries.get(path);
      const touched = was !== undefined && !sameTime(was.is[8], stat.ctime);
      const xattrs = touched ? readXattrs(place.parentFd, place.name) : undefined;
      now.set(path, { stat, ...(text === undefined ? {} : { text }), ...(xattrs === undefined ? {} : { xattrs }) });
    }
  }
  return { entries: now, blind: closed };
}

const depth = (path: string): number => path.split("/").length;

/** What differs, as a journal says it: attributes and bytes, then what went (from below), then what came (from above). */
function recordsOf({ entries, blind }: Before, now: Now, folder: string): readonly JournalRecord[] {
  const folders: JournalRecord[] = [];
  const changed: JournalRecord[] = [];
  const removed: JournalRecord[] = [];
  const created: JournalRecord[] = [];
  const gone = new Set<string>();
  const told = new Set<string>();
  const lostNames = new Set<string>();
  const unseen = [...now.blind].filter((path) => !blind.has(path));
  for (const before of [...entries.values()].sort((a, b) => depth(a.path) - depth(b.path))) {
    const { path, is } = before;
    if (unseen.some((one) => one !== path && isWithin(path, one))) continue;
    const there = now.entries.get(path);
    const same = there !== undefined && is[5] === there.stat.id && sameTime(is[10], there.stat.btime) && !gone.has(parentOf(path));
    if (!same) {
      gone.add(path);
      if (is[4] > 1) lostNames.add(is[5]);
      removed.push({ op: "remove", path, ...imageOf(before) });
    } else if (!sameTime(is[8], there.stat.ctime)) {
      if (kindOf(is[0]) === "directory") folders.push({ op: "folder", path, is });
      // All names of a file are one file.
      if (!told.has(is[5])) changed.push(...changesOf(before, there, folder));
      told.add(is[5]);
    }
  }
  /** By what they were: the names that stay. */
  const names = new Map<string, EntryBefore>();
  for (const before of entries.values()) if (!gone.has(before.path) && now.entries.has(before.path)) names.set(before.is[5], before);
  const made = (path: string, stat: ObjectStat): JournalRecord => {
    const kind = kindOf(stat.mode);
    const other = kind === "directory" ? undefined : names.get(stat.id);
    const isName = other !== undefined && sameTime(other.is[10], stat.btime);
    return isName ? { op: "link", path, from: other.path, is: other.is } : { op: "create", path, kind };
  };
  for (const [path, { stat }] of now.entries) if (!entries.has(path) || gone.has(path)) created.push(made(path, stat));
  // So that what comes back becomes another name again of what is there.
  for (const { path, is } of entries.values())
    if (lostNames.has(is[5]) && !gone.has(path) && kindOf(is[0]) !== "directory") changed.push({ op: "metadata", path, is });
  const byDepth = (one: JournalRecord): number => ("path" in one ? depth(one.path) : 0);
  return [...folders, ...changed, ...removed.sort((a, b) => byDepth(b) - byDepth(a)), ...created.sort((a, b) => byDepth(a) - byDepth(b))];
}

function changesOf(before: EntryBefore, { stat, xattrs }: NowThere, folder: string): readonly JournalRecord[] {
  const { path, is } = before;
  const [mode, uid, gid, size] = is;
  const sameMtime = sameTime(is[7], stat.mtime);
  if (kindOf(mode) === "file") {
    const { key } = before;
    // Whoever wrote to it may have set its time back.
    const sameBytes = size === stat.size && sameMtime && (key === undefined || sameFiles(`${folder}/kept/${key}`, path));
    if (!sameBytes) return [{ op: "modify", path, ...imageOf(before) }];
  }
  const attributes =
    mode !== stat.mode ||
    uid !== stat.uid ||
    gid !== stat.gid ||
    !sameXattrs(before.xattrs, xattrs) ||
    (kindOf(mode) !== "directory" && !sameMtime);
  return attributes ? [{ op: "metadata", path, is, ...(before.xattrs === undefined ? {} : { xattrs: before.xattrs }) }] : [];
}

function imageOf({ is, text, key, xattrs }: EntryBefore): PreImage {
  const bytes = kindOf(is[0]) === "file" && is[3] > 0;
  return {
    is,
    ...(xattrs === undefined ? {} : { xattrs }),
    ...(text === undefined ? {} : { text }),
    ...(bytes ? (key === undefined ? { how: "lost" as const } : { how: "copy" as const, key }) : {}),
  };
}
