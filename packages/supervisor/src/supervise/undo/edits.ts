import { createHash } from "node:crypto";
import { closeSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { parseObject } from "@assent/core/data";
import { parentOf } from "@assent/core/path";
import { readRegular, namesIn } from "@assent/guard/state";
import { hashOf, linkText } from "./after.ts";
import { JournalWriter, type JournalRecord } from "./journal.ts";
import { lockRun, readRun, type RunRecord } from "./run-folder.ts";
import { isMissing, statSafe } from "./safe.ts";
import { kindOf, milliseconds, sameTime, statFrom, statRecord, type StatRecord } from "./stat.ts";
import type { AfterEntry } from "./tree.ts";

/** One path as it was before the tool wrote. */
export interface PathBefore {
  readonly path: string;
  /** Absent: nothing was there. */
  readonly is?: StatRecord;
  /** Of a symlink. */
  readonly text?: string;
  /** Name of the copy in `kept/`. */
  readonly key?: number;
  /** The tool is to take it away. */
  readonly goes?: true;
}

/** `edit.json` in the folder of an edit, until it is known what the tool made of it. */
export interface EditBefore {
  /** Milliseconds since the epoch. */
  readonly time: number;
  /** Folders come before what is in them. */
  readonly paths: readonly PathBefore[];
}

const FILE = "edit.json";
const DONE = "edited.json";
const LARGEST = 16 << 20;
const HASH_BYTES = 64 << 20;
/** Milliseconds: a tool writes as soon as it is told that it may. What is written later may be somebody else's. */
const SOON = 10_000;

interface Edit {
  readonly run: RunRecord;
  readonly before: EditBefore;
}

/**
 * Makes runs' records of what tools have changed since the last time: a tool writes after its hook has answered, so that what it left is
 * looked at when the next run begins, or somebody asks.
 */
export function sealEdits(runs: string): void {
  const edits = pendingEdits(runs);
  for (const [at, edit] of edits.entries()) {
    try {
      const lock = lockRun(edit.run.folder);
      if (lock === undefined) continue;
      try {
        if (existsSync(`${edit.run.folder}/${FILE}`)) seal(edit, edits.slice(at + 1));
      } finally {
        closeSync(lock);
      }
    } catch {
      // It is tried again; until then the pre-images are kept.
    }
  }
}

/** Oldest first. */
function pendingEdits(runs: string): readonly Edit[] {
  return namesIn(runs)
    .flatMap((id): readonly Edit[] => {
      if (!existsSync(`${runs}/${id}/${FILE}`)) return [];
      const run = readRun(runs, id);
      const found = readRegular(`${runs}/${id}/${FILE}`, LARGEST);
      const before = found.is === "text" ? parse(found.text) : undefined;
      return run === undefined || before === undefined ? [] : [{ run, before }];
    })
    .sort((a, b) => a.before.time - b.before.time || (a.run.id < b.run.id ? -1 : 1));
}

function parse(text: string): EditBefore | undefined {
  const value = parseObject(text);
  if (typeof value?.["time"] !== "number" || !Array.isArray(value["paths"])) return undefined;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Assent's own file, in a folder nobody else may write
  return value as unknown as EditBefore;
}

/** What a tool left at a path, as far as that can be told. */
interface Left {
  readonly entry: AfterEntry;
  /** It is so late that somebody else may have made it so. */
  readonly late: boolean;
}

function seal({ run: { folder }, before: { time, paths } }: Edit, later: readonly Edit[]): void {
  const journal: JournalRecord[] = [];
  const after: AfterEntry[] = [];
  const until = time + SOON;
  const changed = new Set<string>();
  for (const before of paths) {
    const { path, is } = before;
    const isFolder = is !== undefined && kindOf(is[0]) === "directory";
    if (isFolder) continue;
    const { entry, late } = leftAt(path, later, until);
    if (isSame(is, entry)) continue;
    changed.add(parentOf(path));
    journal.push(...recordsOf(before, entry));
    after.push(late ? { path, until } : entry);
  }
  const folders = paths.filter(({ path, is }) => is !== undefined && kindOf(is[0]) === "directory" && changed.has(path));
  if (journal.length === 0) {
    // The tool was not run, or changed nothing.
    rmSync(folder, { recursive: true, force: true });
    return;
  }
  for (const { path } of folders) {
    const { entry, late } = leftAt(path, later, until);
    after.push(late ? { path, until } : entry);
  }
  rmSync(`${folder}/journal.jsonl`, { force: true });
  const writer = new JournalWriter(`${folder}/journal.jsonl`);
  try {
    for (const { path, is } of folders) if (is !== undefined) append(writer, { op: "folder", path, is });
    for (const record of journal) append(writer, record);
  } finally {
    writer.close();
  }
  writeFileSync(`${folder}/after.jsonl`, `${[...after, { sealed: until }].map((entry) => JSON.stringify(entry)).join("\n")}\n`, {
    mode: 0o600,
  });
  renameSync(`${folder}/${FILE}`, `${folder}/${DONE}`);
}

function append(writer: JournalWriter, record: JournalRecord): void {
  if (writer.append(record) < 0) throw new Error("the journal cannot be written");
}

/** What the next edit of the same path found, else what is there now. */
function leftAt(path: string, later: readonly Edit[], until: number): Left {
  for (const { run, before } of later) {
    const next = before.paths.find((one) => one.path === path);
    if (next === undefined) continue;
    if (next.is === undefined) return { entry: { path }, late: false };
    const text = next.text === undefined ? {} : { text: next.text };
    const kept = next.key === undefined ? undefined : `${run.folder}/kept/${next.key}`;
    const sha256 = kept === undefined ? {} : { sha256: createHash("sha256").update(readFileSync(kept)).digest("hex") };
    return { entry: { path, is: next.is, ...text, ...sha256 }, late: milliseconds(statFrom(next.is).ctime) > until };
  }
  const stat = statSafe(path);
  // When it went is not known.
  if (typeof stat === "number") return { entry: { path }, late: !isMissing(stat) };
  const kind = kindOf(stat.mode);
  const link = kind === "symlink" ? linkText(path) : undefined;
  const sum = kind === "file" && stat.size <= HASH_BYTES ? hashOf(path) : undefined;
  const entry: AfterEntry = {
    path,
    is: statRecord(stat),
    ...(link === undefined ? {} : { text: link }),
    ...(sum === undefined ? {} : { sha256: sum }),
  };
  return { entry, late: milliseconds(stat.ctime) > until };
}

function isSame(is: StatRecord | undefined, { is: left }: AfterEntry): boolean {
  if (is === undefined || left === undefined) return is === left;
  return is[5] === left[5] && sameTime(is[10], left[10]) && sameTime(is[8], left[8]);
}

/** What happened to one path, as a run's journal would say it. */
function recordsOf({ path, is, text, key, goes }: PathBefore, { is: left }: AfterEntry): readonly JournalRecord[] {
  const made: readonly JournalRecord[] = left === undefined ? [] : [{ op: "create", path, kind: kindOf(left[0]) }];
  if (is === undefined) return made;
  const image = {
    is,
    bare: true as const,
    ...(text === undefined ? {} : { text }),
    ...(key === undefined ? {} : { how: "copy" as const, key }),
  };
  // Somebody else has taken it away since.
  const same = left === undefined ? goes !== true : is[5] === left[5] && sameTime(is[10], left[10]);
  return same ? [{ op: "modify", path, ...image }] : [{ op: "remove", path, ...image }, ...made];
}
