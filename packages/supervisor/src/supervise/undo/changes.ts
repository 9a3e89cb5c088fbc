import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { attempt } from "@assent/core/data";
import { createTwoFilesPatch } from "diff";
import { isWithin } from "@assent/core/path";
import { type After, linkText, readRecorded } from "./after.ts";
import { keptPath, type PreImage } from "./journal.ts";
import type { UndoStep } from "./plan.ts";
import type { RunRecord } from "./run-folder.ts";
import { isMissing, openSafe, statSafe } from "./safe.ts";
import { type FileKind, type KeptStat, kindOf, sameTime, statFrom } from "./stat.ts";
import type { Replay, TreeEntry } from "./tree.ts";

/** What a run did to one path, in sum. */
export interface PathChange {
  readonly what: "created" | "changed" | "deleted" | "renamed" | "attributes";
  /** Where it is now; of what was deleted, where it was. */
  readonly path: string;
  /** Where a renamed one was. */
  readonly from?: string;
  readonly kind: FileKind | undefined;
  /** Its bytes before: of what was changed or deleted. */
  readonly image?: PreImage;
  readonly first?: KeptStat;
  /** What the run left there. */
  readonly left?: KeptStat;
  /** It lies in a folder that the run created or deleted as a whole. */
  readonly within: string | undefined;
}

/** Sorted by path. */
export function changesOf({ touched }: Replay, after: After): readonly PathChange[] {
  const removed = new Map<string, TreeEntry>();
  for (const entry of touched) if (entry.removed !== undefined && entry.stays === undefined) removed.set(entry.before, entry);
  const changes: PathChange[] = [];
  const replaced = new Set<TreeEntry>();
  for (const entry of touched) {
    if (!entry.alive || entry.parent === undefined) continue;
    const { path, inode } = entry;
    const record = after.entries.get(path);
    const left = record?.is === undefined ? undefined : statFrom(record.is);
    // Whatever came of it, it is not there.
    if (after.sealed && left === undefined && entry.made && record?.until === undefined) continue;
    const base = { path, kind: entry.kind, ...(left === undefined ? {} : { left }) };
    const victim = entry.made || entry.moved ? removed.get(path) : undefined;
    if (victim !== undefined) replaced.add(victim);
    if (entry.moved) changes.push({ what: "renamed", from: entry.before, within: undefined, ...base, ...imageOf(entry) });
    else if (victim !== undefined && victim.kind !== "directory")
      changes.push({ what: "changed", within: undefined, ...base, ...imageOf(victim) });
    else if (entry.made) changes.push({ what: "created", within: madeWithin(entry), ...base });
    else if (inode?.content !== undefined && !sameFile(inode.first, left))
      changes.push({ what: "changed", within: undefined, ...base, ...imageOf(entry) });
    else if (inode?.attributes === true && !sameAttributes(inode.first, left))
      changes.push({ what: "attributes", within: undefined, ...base, first: inode.first });
  }
  for (const [path, entry] of removed) {
    if (replaced.has(entry)) continue;
    changes.push({ what: "deleted", path, kind: entry.kind, within: removedWithin(entry), ...imageOf(entry) });
  }
  return changes.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}

function imageOf(entry: TreeEntry): Pick<PathChange, "image" | "first"> {
  const image = entry.inode?.content ?? entry.removed;
  return { ...(image === undefined ? {} : { image }), ...(entry.inode === undefined ? {} : { first: entry.inode.first }) };
}

function madeWithin(entry: TreeEntry): string | undefined {
  let top: TreeEntry | undefined;
  for (let at = entry.parent; at?.made === true; at = at.parent) top = at;
  return top?.path;
}

function removedWithin(entry: TreeEntry): string | undefined {
  let top: TreeEntry | undefined;
  for (let at = entry.origin?.parent; at?.removed !== undefined; at = at.origin?.parent) top = at;
  return top?.before;
}

const sameFile = (first: KeptStat, left: KeptStat | undefined): boolean =>
  left !== undefined && left.size === first.size && sameTime(left.mtime, first.mtime);

const sameAttributes = (first: KeptStat, left: KeptStat | undefined): boolean =>
  left !== undefined && left.mode === first.mode && left.uid === first.uid && left.gid === first.gid && sameTime(left.mtime, first.mtime);

/** What became of one file. */
export interface FileDiff {
  readonly change: PathChange;
  /** Unified diff; undefined where bytes cannot be shown as lines. */
  readonly patch?: string;
  /** In words, where there is no patch. */
  readonly note?: string;
}

const MOST_BYTES = 4 << 20;
/** Milliseconds spent on one file. */
const PATIENCE = 2000;

/** Differences between what was there before the runs, oldest first, and what is there now. `paths`: absolute; empty: everything. */
export function* diffOf(runs: readonly RunRecord[], paths: readonly string[]): Generator<FileDiff> {
  for (const change of changesAt(runs, paths)) yield diffOne(change, runs.at(-1)?.folder ?? "");
}

/** What the runs changed at these paths and below them. `paths`: absolute; empty: everything. */
export function changesAt(runs: readonly RunRecord[], paths: readonly string[]): readonly PathChange[] {
  const { tree, after } = readRecorded(runs);
  const inside = (path: string): boolean => paths.some((one) => isWithin(path, one));
  return changesOf(tree, after).filter(({ path, from }) => paths.length === 0 || inside(path) || (from !== undefined && inside(from)));
}

/** What an undo would do to each file: from what is there now to what was there before. `folder`: of the last run. */
export function* diffOfUndo(steps: readonly UndoStep[], folder: string): Generator<FileDiff> {
  const deleted = new Set(steps.flatMap((step) => (step.do === "delete" ? [step.path] : [])));
  const restored = new Map(steps.flatMap((step) => (step.do === "restore" ? [[step.path, step]] : [])));
  for (const step of steps) {
    const { path } = step;
    if (step.do === "attributes") continue;
    if (step.do === "move") {
      if (step.aside !== true)
        yield { change: { what: "renamed", path: step.to, from: path, kind: undefined, within: undefined }, note: "moved back" };
      continue;
    }
    // What was replaced is deleted first, then brought back: one difference.
    if (step.do === "restore" && deleted.has(path)) continue;
    const again = step.do === "delete" ? restored.get(path) : step;
    const image = again?.image;
    const what = image === undefined ? "deleted" : step.do === "restore" ? "created" : "changed";
    const is = image?.is;
    const kind = is === undefined ? (step.do === "delete" && step.folder ? "directory" : "file") : kindOf(is[0]);
    const change: PathChange = { what, path, kind, within: undefined };
    if (kind === "directory") {
      yield { change, note: `folder ${what === "deleted" ? "deleted" : "brought back"}` };
      continue;
    }
    yield compareSides(change, what === "created" ? "" : present(path), image === undefined ? "" : before(image, folder));
  }
}

type DiffSide = Buffer | string | undefined;

function diffOne(change: PathChange, folder: string): FileDiff {
  const { what, path, kind, first, left } = change;
  if (what === "attributes") {
    const mode = (value: number | undefined): string => `0${((value ?? 0) & 0o7777).toString(8)}`;
    const same = first?.mode === left?.mode;
    return { change, note: same ? "times or attributes changed" : `mode ${mode(first?.mode)} → ${mode(left?.mode)}` };
  }
  if (kind === "directory") return { change, note: `folder ${what}` };
  const old: DiffSide =
    what === "created" ? "" : what === "renamed" && change.image?.how === undefined ? undefined : before(change.image, folder);
  const now = what === "deleted" ? "" : present(path);
  if (what === "renamed" && old === undefined) return { change, note: "moved, bytes as they were" };
  return compareSides(change, old, now);
}

function compareSides(change: PathChange, old: DiffSide, now: DiffSide): FileDiff {
  const { what, path } = change;
  if (typeof old === "object" || typeof now === "object") {
    const binary = (side: DiffSide): string => (side === undefined ? "?" : String(side.length));
    return {
      change,
      note: `binary file, ${what === "created" ? "" : `${binary(old)} → `}${what === "deleted" ? "gone" : `${binary(now)} bytes`}`,
    };
  }
  if (old === undefined || now === undefined) return { change, note: `${what}, too large or not readable to be compared` };
  const from = what === "created" ? "/dev/null" : `a${change.from ?? path}`;
  const to = what === "deleted" ? "/dev/null" : `b${path}`;
  const patch = createTwoFilesPatch(label(from), label(to), old, now, undefined, undefined, { context: 3, timeout: PATIENCE });
  if (patch === undefined) return { change, note: `${what}, too different to be compared` };
  // The package underlines the headers; diff(1) does not.
  return { change, patch: patch.replace(/^=+\n/, "") };
}

/** A name in a header, where a line feed would end it. */
const label = (path: string): string => (JSON.stringify(path) === `"${path}"` && !path.includes("\u007f") ? path : JSON.stringify(path));

/** Text, bytes that are no text, or undefined: not kept, or too large. */
function before(image: PreImage | undefined, folder: string): DiffSide {
  if (image?.is === undefined) return undefined;
  const is = statFrom(image.is);
  if (kindOf(is.mode) === "symlink") return image.text ?? undefined;
  if (kindOf(is.mode) !== "file") return undefined;
  if (is.size === 0) return "";
  if (image.key === undefined) return undefined;
  return attempt(
    () => read(openSync(keptPath(image, folder), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)),
    undefined,
  );
}

function present(path: string): DiffSide {
  const stat = statSafe(path);
  if (typeof stat === "number") return isMissing(stat) ? "" : undefined;
  if (kindOf(stat.mode) === "symlink") return linkText(path);
  if (kindOf(stat.mode) !== "file") return undefined;
  const fd = openSafe(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  return fd < 0 ? undefined : read(fd);
}

function read(fd: number): DiffSide {
  try {
    const size = fstatSync(fd).size;
    if (size > MOST_BYTES) return undefined;
    const bytes = Buffer.alloc(size);
    let length = 0;
    for (let got = -1; got !== 0 && length < size; length += got) got = readSync(fd, bytes, length, size - length, null);
    const found = bytes.subarray(0, length);
    if (found.includes(0)) return found;
    const text = found.toString("utf8");
    return Buffer.from(text, "utf8").equals(found) ? text : found;
  } finally {
    closeSync(fd);
  }
}
