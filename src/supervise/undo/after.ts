import { createHash } from "node:crypto";
import { closeSync, constants, openSync, readSync, writeSync } from "node:fs";
import { ERRNO, errorName, pathText } from "../kernel/index.ts";
import { type JournalRecord, linesOf, readJournal } from "./journal.ts";
import { sealRepositories } from "./repository.ts";
import { lastSign, type RunRecord } from "./run-folder.ts";
import { inFolder, isMissing, Looker, openSafe, readLinkAt } from "./safe.ts";
import { type KeptStat, kindOf, milliseconds, type ObjectStat, sameTime, statFrom, statRecord, type StatRecord, statText } from "./stat.ts";
import { type Replay, replay } from "./tree.ts";

/** What the run left at a path. */
interface AfterEntry {
  readonly path: string;
  /** Absent: nothing was there. */
  readonly is?: StatRecord;
  readonly text?: string;
  readonly sha256?: string;
}

export interface After {
  /** False: the run was killed before it could say what it left. */
  readonly sealed: boolean;
  readonly entries: ReadonlyMap<string, AfterEntry>;
  /** Milliseconds since the epoch of the last sign of life of an unsealed run. */
  readonly lastAlive: number;
}

/** Files of at most this many bytes are hashed: those that were there before, and the first few that were made. */
const HASH_BYTES = 64 << 20;
const HASH_MADE = 200;
const HASH_MADE_BYTES = 1 << 20;

/** Writes down what the run left of everything it touched, so that a later change can be told. Throws where it cannot. */
function seal(folder: string, { touched }: Pick<Replay, "touched">, now: number): After {
  const entries = new Map<string, AfterEntry>();
  const looker = new Looker();
  const fd = openSync(`${folder}/after.jsonl`, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW, 0o600);
  try {
    let text = "";
    const flush = (): void => {
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
      text = "";
    };
    let hashed = 0;
    // Folder by folder, so that each is opened once.
    for (const [path, entry] of byFolder(touched)) {
      const stat = looker.stat(path);
      if (typeof stat === "number") {
        // What cannot be looked at is not said to be gone.
        if (isMissing(stat)) {
          entries.set(path, { path });
          text += `${JSON.stringify({ path })}\n`;
        }
        continue;
      }
      const kind = kindOf(stat.mode);
      const most = entry.made ? (hashed < HASH_MADE ? HASH_MADE_BYTES : -1) : entry.inode?.content === undefined ? -1 : HASH_BYTES;
      const sha256 = kind === "file" && stat.size <= most ? hashOf(path) : undefined;
      if (entry.made && sha256 !== undefined) hashed += 1;
      const link = kind === "symlink" ? linkText(path) : undefined;
      const record: AfterEntry = {
        path,
        is: statRecord(stat),
        ...(link === undefined ? {} : { text: link }),
        ...(sha256 === undefined ? {} : { sha256 }),
      };
      entries.set(path, record);
      text += `{"path":${JSON.stringify(path)},"is":${statText(stat)}${extra(link, sha256)}}\n`;
      if (text.length > 1 << 18) flush();
    }
    sealRepositories(folder, { touched });
    // Last, so that a list cut short does not count as one.
    text += `{"sealed":${now}}\n`;
    flush();
    return { sealed: true, entries, lastAlive: now };
  } finally {
    looker.close();
    closeSync(fd);
  }
}

const extra = (text: string | undefined, sha256: string | undefined): string =>
  (text === undefined ? "" : `,"text":${JSON.stringify(text)}`) + (sha256 === undefined ? "" : `,"sha256":"${sha256}"`);

type Touched = Replay["touched"] extends Iterable<infer Entry> ? Entry : never;

/** What is left of what was touched, with its path. */
function* byFolder(touched: Replay["touched"]): Generator<readonly [path: string, entry: Touched]> {
  const folders = new Map<string, [string, Touched][]>();
  for (const entry of touched) {
    if (!entry.alive || entry.parent === undefined) continue;
    const { path } = entry;
    const folder = path.slice(0, path.lastIndexOf("/"));
    const known = folders.get(folder);
    if (known === undefined) folders.set(folder, [[path, entry]]);
    else known.push([path, entry]);
  }
  for (const all of folders.values()) yield* all;
}

/** `lastAlive` holds for a run that was not sealed. */
function readAfter(folder: string, lastAlive: number): After {
  const entries = new Map<string, AfterEntry>();
  let sealed = false;
  for (const line of linesOf(`${folder}/after.jsonl`)) {
    try {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Assent's own file, in a folder nobody else may write
      const value = JSON.parse(line) as AfterEntry | { readonly sealed: number };
      if ("path" in value) entries.set(value.path, value);
      else sealed = true;
    } catch {
      // Cut short: then there is no `sealed` line either.
    }
  }
  return { sealed, entries: sealed ? entries : new Map(), lastAlive };
}

/** SHA-256 of a regular file in hex, read in pieces; undefined where it cannot be read. */
function hashOf(path: string): string | undefined {
  const fd = openSafe(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  if (fd < 0) return undefined;
  try {
    const hash = createHash("sha256");
    const chunk = Buffer.allocUnsafe(1 << 16);
    for (;;) {
      const got = readSync(fd, chunk, 0, chunk.length, null);
      if (got === 0) return hash.digest("hex");
      hash.update(chunk.subarray(0, got));
    }
  } catch {
    return undefined;
  } finally {
    closeSync(fd);
  }
}

export function linkText(path: string): string | undefined {
  const text = inFolder(path, readLinkAt);
  return typeof text === "number" ? undefined : pathText(text);
}

/**
 * `was`: its path when the run ended. Why what is at `path` cannot be taken for what the run left there; undefined where it can. The change time settles it
 * mostly: nothing sets it back but a change of the clock. `bytes`: the run made or changed its bytes; else it only moved.
 */
export function changedSince(after: After, was: string, path: string, now: ObjectStat): string | undefined {
  const entry = after.entries.get(was);
  if (!after.sealed || entry === undefined) {
    if (milliseconds(now.ctime) <= after.lastAlive) return undefined;
    return after.sealed ? "was made since" : "may have been changed since the run was killed";
  }
  if (entry.is === undefined) return "was made since";
  const left: KeptStat = statFrom(entry.is);
  // The number of an inode may have come again for another one.
  const same = left.id === now.id && sameTime(left.btime, now.btime);
  if (same && sameTime(left.ctime, now.ctime)) return undefined;
  const kind = kindOf(now.mode);
  if (kind !== kindOf(left.mode)) return `is a ${kind} now`;
  if (kind === "directory") return same ? undefined : "is another folder now";
  if (kind === "symlink") return entry.text === linkText(path) ? undefined : "leads elsewhere since";
  if (kind !== "file") return same ? undefined : "was replaced since";
  if (left.size !== now.size) return "was changed since";
  if (left.mode !== now.mode) return "has another mode since";
  const unchanged = entry.sha256 === undefined ? same && sameTime(left.mtime, now.mtime) : entry.sha256 === hashOf(path);
  return unchanged ? undefined : "was changed since";
}

/** What an undo leaves alone. */
export interface NotUndone {
  readonly path: string;
  /** Continues "PATH …". */
  readonly why: string;
}

/** A result of `statSafe` that is no object, in words. */
export function whyNot(found: number): string {
  if (isMissing(found)) return "is gone: moved or deleted since";
  return found === -ERRNO.ELOOP ? "lies behind a symbolic link now" : `cannot be reached (${errorName(-found)})`;
}

/** What the files of a run say. */
interface Recorded {
  readonly tree: Replay;
  readonly after: After;
  readonly records: readonly JournalRecord[];
  /** Lines of the journal that could not be read. */
  readonly broken: number;
}

/** The receipt is printed right after the sealing: it need not read everything again. */
let last: { readonly folder: string; readonly recorded: Recorded } | undefined;

/** Not to be changed: an undo, which moves the entries, takes `fresh`. */
export function readRecorded(run: RunRecord): Recorded {
  return last?.folder === run.folder ? last.recorded : readRecordedAnew(run);
}

export function readRecordedAnew(run: RunRecord): Recorded {
  const journal = readJournal(`${run.folder}/journal.jsonl`);
  return { tree: replay(journal.records), after: readAfter(run.folder, lastSign(run)), ...journal };
}

/** Seals the folder of a run that has ended. Throws where that cannot be written. */
export function sealRecorded(folder: string, now: number): Recorded {
  const journal = readJournal(`${folder}/journal.jsonl`);
  const tree = replay(journal.records);
  const after = seal(folder, tree, now);
  last = { folder, recorded: { tree, after, ...journal } };
  return last.recorded;
}
