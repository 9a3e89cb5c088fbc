import { createHash } from "node:crypto";
import { closeSync, constants, openSync, readFileSync, readSync, writeSync } from "node:fs";
import { isWithin } from "@assent/core/path";
import { ERRNO, errorName, pathText } from "../kernel/index.ts";
import { type JournalRecord, linesOf, type PreImage, readJournal, type ReadJournal } from "./journal.ts";
import { entriesNow, recordNow } from "./moved.ts";
import { readRepositories, sealRepositories, sumOfBytes, sumsOf } from "./repository.ts";
import { lastSign, type RunRecord } from "./run-folder.ts";
import { inFolder, isMissing, Looker, openSafe, readLinkAt, statSafe } from "./safe.ts";
import { type KeptStat, kindOf, milliseconds, type ObjectStat, sameTime, statFrom } from "./stat.ts";
import { replay } from "./replay.ts";
import type { AfterEntry, Replay, RunSegment, TreeEntry } from "./tree.ts";

export interface After {
  /** False: the run was killed before it could say what it left. */
  readonly sealed: boolean;
  readonly entries: LeftEntries;
  /** Milliseconds since the epoch of the last sign of life of an unsealed run. */
  readonly lastAlive: number;
}

/** What was left, by path. */
export type LeftEntries = Pick<ReadonlyMap<string, AfterEntry>, "get">;

/** What a run has just written down: read back when somebody asks, for mostly nobody does. */
class WrittenEntries {
  readonly #folder: string;
  #read: LeftEntries | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  get(path: string): AfterEntry | undefined {
    this.#read ??= readAfter(this.#folder, 0).entries;
    return this.#read.get(path);
  }
}

/** Files of at most this many bytes are hashed: those that were there before, and the first few that were made. */
const HASH_BYTES = 64 << 20;
const HASH_MADE = 200;
const HASH_MADE_BYTES = 1 << 20;

/** Writes down what the run left of everything it touched, so that a later change can be told. Throws where it cannot. */
function seal(folder: string, { touched }: Pick<Replay, "touched">, now: number): After {
  const looker = new Looker();
  const fd = openSync(`${folder}/after.jsonl`, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW, 0o600);
  try {
    let text = "";
    const flush = (): void => {
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
      text = "";
    };
    const note = (line: string): void => {
      text += line;
      if (text.length > 1 << 18) flush();
    };
    let hashed = 0;
    // Folder by folder, so that each is opened once.
    for (const [path, entry] of byFolder(touched)) {
      const stat = looker.stat(path);
      if (typeof stat === "number") {
        // What cannot be looked at is not said to be gone.
        if (isMissing(stat)) note(`{"path":${JSON.stringify(path)}}\n`);
        continue;
      }
      const { kind, size } = stat;
      const most = entry.made ? (hashed < HASH_MADE ? HASH_MADE_BYTES : -1) : entry.inode?.content === undefined ? -1 : HASH_BYTES;
      const sha256 = kind === "file" && size <= most ? hashOf(path) : undefined;
      if (entry.made && sha256 !== undefined) hashed += 1;
      const link = kind === "symlink" ? linkText(path) : undefined;
      note(`{"path":${JSON.stringify(path)},"is":${stat.text}${extra(link, sha256)}}\n`);
    }
    sealRepositories(folder, { touched });
    // Last, so that a list cut short does not count as one.
    text += `{"sealed":${now}}\n`;
    flush();
    return { sealed: true, entries: new WrittenEntries(folder), lastAlive: now };
  } finally {
    looker.close();
    closeSync(fd);
  }
}

const extra = (text: string | undefined, sha256: string | undefined): string =>
  (text === undefined ? "" : `,"text":${JSON.stringify(text)}`) + (sha256 === undefined ? "" : `,"sha256":"${sha256}"`);

/** What is left of what was touched, with its path; of each folder one after the other. */
function* byFolder(touched: Replay["touched"]): Generator<readonly [path: string, entry: TreeEntry]> {
  const folders = new Map<TreeEntry, TreeEntry[]>();
  for (const entry of touched) {
    if (!entry.alive || entry.parent === undefined) continue;
    const known = folders.get(entry.parent);
    if (known === undefined) folders.set(entry.parent, [entry]);
    else known.push(entry);
  }
  for (const [folder, all] of folders) {
    const path = folder.path;
    for (const entry of all) yield [`${path}/${entry.name}`, entry];
  }
}

/** `lastAlive` holds for a run that was not sealed. */
interface AfterRead extends After {
  readonly entries: ReadonlyMap<string, AfterEntry>;
}

function readAfter(folder: string, lastAlive: number): AfterRead {
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
export function hashOf(path: string): string | undefined {
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
  if (!after.sealed || entry === undefined || entry.until !== undefined) {
    if (milliseconds(now.ctime) <= (entry?.until ?? after.lastAlive)) return undefined;
    if (after.sealed && entry === undefined) return "was made since";
    return entry?.until === undefined ? "may have been changed since the run was killed" : "may have been changed by somebody else since";
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

/** What the files of a run say, or of several that are looked at as one. */
export interface Recorded {
  readonly tree: Replay;
  readonly after: After;
  readonly records: readonly JournalRecord[];
  /** Lines of the journal that could not be read. */
  readonly broken: number;
  /** Of each run, in order: it could note what it left, and the paths that its journal speaks of. */
  readonly sealed: readonly boolean[];
  readonly spoken: readonly ReadonlySet<string>[];
}

/** The receipt is printed right after the sealing: it need not read everything again. */
let last: { readonly folder: string; readonly recorded: Recorded } | undefined;

/** Not to be changed: an undo, which moves the entries, takes `fresh`. */
export function readRecorded(runs: readonly RunRecord[]): Recorded {
  const [only] = runs;
  return last !== undefined && runs.length === 1 && last.folder === only?.folder ? last.recorded : readRecordedAnew(runs);
}

/** `runs`: oldest first. */
export function readRecordedAnew(runs: readonly RunRecord[]): Recorded {
  const read = runs.map((run) => {
    const { journal, after } = readFiles(run);
    return { run, ...journal, after };
  });
  const [only] = read;
  if (read.length === 1 && only !== undefined) {
    const { records, after, broken } = only;
    return { tree: replayOne(records), after, records, broken, sealed: [after.sealed], spoken: [] };
  }
  const all = read.map((one) => ({ ...one, records: one.records.map((record) => inRun(record, one.run.folder)) }));
  const segments = all.map(({ run, records, after }): RunSegment => ({
    records,
    left: leftBy(run, after),
    ended: run.ended ?? after.lastAlive,
    restores: run.undoes !== undefined,
  }));
  const tree = replay(segments, hasBytes);
  return {
    tree,
    after: joined(
      tree,
      read.map(({ after }) => after),
    ),
    records: all.flatMap(({ records }) => records),
    broken: read.reduce((sum, { broken }) => sum + broken, 0),
    sealed: all.map(({ after, records }) => after.sealed || records.length === 0),
    spoken: all.map(({ records }) => pathsOf(records)),
  };
}

function readFiles(run: RunRecord): { readonly journal: ReadJournal; readonly after: AfterRead } {
  const journal = readJournal(`${run.folder}/journal.jsonl`);
  const after = readAfter(run.folder, lastSign(run));
  const { moved } = run;
  if (moved === undefined) return { journal, after };
  return {
    journal: { ...journal, records: journal.records.map((record) => recordNow(record, moved)) },
    after: { ...after, entries: entriesNow(after.entries, moved) },
  };
}

/** Something that the run left, or a folder that it worked in, lies where its folder is said to be now: else that is another one. */
export function isThereNow(run: RunRecord): boolean {
  const { journal, after } = readFiles(run);
  const known = [...after.entries.values(), ...journal.records.filter((record) => record.op === "folder")];
  return known.some(({ path, is }) => {
    const there = is === undefined || !isWithin(path, run.moved?.to ?? "/") ? -1 : statSafe(path);
    return is !== undefined && typeof there !== "number" && there.id === statFrom(is).id;
  });
}

function leftBy({ folder }: RunRecord, { entries, sealed, lastAlive }: After): (path: string) => AfterEntry | undefined {
  let sums: ReadonlyMap<string, string> | undefined;
  return (path) => {
    const entry = entries.get(path);
    if (entry === undefined) return sealed ? undefined : { path, until: lastAlive };
    const sum = path.endsWith("/index") ? (sums ??= sumsOf(readRepositories(folder))).get(path) : undefined;
    return sum === undefined ? entry : { ...entry, sum };
  };
}

const replayOne = (records: readonly JournalRecord[]): Replay => replay([{ records, ended: 0, restores: false }], hasBytes);

function pathsOf(records: readonly JournalRecord[]): ReadonlySet<string> {
  const paths = new Set<string>();
  for (const record of records) {
    if ("path" in record) paths.add(record.path);
    if (record.op === "rename") paths.add(record.to);
  }
  return paths;
}

/** Where its bytes are is said with the record. */
function inRun(record: JournalRecord, folder: string): JournalRecord {
  return record.op === "remove" || record.op === "modify" ? { ...record, folder } : record;
}

/** What the last of the runs that spoke of it left of each. */
function joined({ touched }: Replay, all: readonly After[]): After {
  const entries = new Map<string, AfterEntry>();
  for (const { alive, left, path } of touched) if (alive && left !== undefined) entries.set(path, { ...left, path });
  return { sealed: true, entries, lastAlive: Math.max(...all.map(({ lastAlive }) => lastAlive)) };
}

/** The bytes that were kept are those that a run had left there, by their sum. */
function hasBytes(path: string, left: AfterEntry, { is, key, folder, text }: PreImage): boolean {
  if (is === undefined || left.is === undefined) return false;
  const [kind, other] = [kindOf(is[0]), kindOf(left.is[0])];
  if (kind !== other) return false;
  if (kind === "symlink") return text !== undefined && text === left.text;
  if (kind !== "file" || (left.sha256 === undefined && left.sum === undefined)) return false;
  if (is[3] === 0) return left.is[3] === 0;
  if (key === undefined || folder === undefined || is[3] > HASH_BYTES) return false;
  const fd = openSync(`${folder}/kept/${key}`, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  const kept = readFileSync(fd);
  closeSync(fd);
  if (left.sha256 !== undefined && left.sha256 === createHash("sha256").update(kept).digest("hex")) return true;
  return left.sum !== undefined && left.sum === sumOfBytes(path, kept);
}

/** Seals the folder of a run that has ended. Throws where that cannot be written. */
export function sealRecorded(folder: string, now: number): Recorded {
  const journal = readJournal(`${folder}/journal.jsonl`);
  const tree = replayOne(journal.records);
  const after = seal(folder, tree, now);
  last = { folder, recorded: { tree, after, ...journal, sealed: [true], spoken: [] } };
  return last.recorded;
}
