import { closeSync, constants, readSync, rmSync } from "node:fs";
import { isObject, parseJson } from "@assent/core/data";
import { readRegular, writeAtomic } from "@assent/guard/state";
import { KernelError, pathBytes, sys, SYSCALLS } from "../kernel/index.ts";
import { Changed } from "./keep.ts";
import { cTextAddress, inFolder, isMissing, openSafe, readLinkAt, statSafe } from "./safe.ts";
import { type JournalRecord, JournalWriter, type PreImage, readJournal } from "./journal.ts";
import type { NotUndone } from "./after.ts";
import type { UndoStep } from "./plan.ts";
import { isRunning, lastSign, listRuns, type RunRecord, undoneIn } from "./run-folder.ts";
import { kindOf, milliseconds, type ObjectStat } from "./stat.ts";

/**
 * An undo that was killed in the middle, or lost its power, goes on where it stopped: what it was about to do stands in its
 * folder, and each step is looked at anew.
 */
export interface Intended {
  readonly steps: readonly UndoStep[];
  readonly refused: readonly NotUndone[];
  readonly paths: readonly string[];
}

export interface Interrupted extends Intended {
  readonly undo: RunRecord;
  /** Its last sign of life, in milliseconds: what was written to later is somebody else's. */
  readonly since: number;
}

const FILE = "intended.json";
const LARGEST = 1 << 30;

/** Written before the first step. Throws where it cannot be. */
export function noteIntended(folder: string, intended: Intended): void {
  writeAtomic(`${folder}/${FILE}`, JSON.stringify({ ...intended, steps: intended.steps.map(plain) }));
}

/** Of an object's entries only its attributes count for a step. */
function plain(step: UndoStep): UndoStep {
  if (step.do !== "attributes" || step.inode === undefined) return step;
  const { xattrs, flags } = step.inode;
  return { ...step, inode: { ...(xattrs === undefined ? {} : { xattrs }), ...(flags === undefined ? {} : { flags }) } };
}

export function forgetIntended(folder: string): void {
  rmSync(`${folder}/${FILE}`, { force: true });
}

/** The newest undo of one of the runs that did not come to its end. */
export function interruptedUndo(of: readonly RunRecord[]): Interrupted | undefined {
  const ids = new Set(of.map(({ id }) => id));
  const folder = of[0]?.folder ?? "";
  for (const undo of listRuns(folder.slice(0, folder.lastIndexOf("/"))).toReversed()) {
    if (!undoneIn(undo).some((id) => ids.has(id))) continue;
    if (undo.ended !== undefined) return undefined;
    if (isRunning(undo.folder)) continue;
    const found = readRegular(`${undo.folder}/${FILE}`, LARGEST);
    const intended = found.is === "text" ? parse(found.text) : undefined;
    if (intended !== undefined) return { ...intended, undo, since: lastSign(undo) };
  }
  return undefined;
}

function parse(text: string): Intended | undefined {
  const value = parseJson(text);
  if (!isObject(value) || !Array.isArray(value["steps"]) || !Array.isArray(value["refused"]) || !Array.isArray(value["paths"]))
    return undefined;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Assent's own file, in a folder nobody else may write
  return value as unknown as Intended;
}

/**
 * An undo that was killed had noted its last step before it did it: where that did not happen, the note is called off, so that
 * the same folder can go on being written. Throws where that cannot be noted.
 */
export function callOffLast(folder: string): void {
  const file = `${folder}/journal.jsonl`;
  const { last } = readJournal(file);
  if (last === undefined || hasHappened(last.record)) return;
  const journal = new JournalWriter(file);
  const result = journal.append({ op: "void", record: last.number });
  journal.close();
  if (result < 0) throw new KernelError("write", -result);
}

function hasHappened(record: JournalRecord): boolean {
  switch (record.op) {
    case "create":
    case "link":
      return !isMissing(statSafe(record.path));
    case "remove":
      return isMissing(statSafe(record.path));
    case "rename": {
      const to = statSafe(record.to);
      return typeof to !== "number" && (record.is === undefined || to.id === record.is[5]);
    }
    default:
      // Said twice, the first time counts.
      return true;
  }
}

type KeptFolder = (image: PreImage) => number;

/**
 * How far a step had come when the undo was killed; a copy that was begun is to be written again. Throws `Changed` where
 * somebody else has been there since. `kept`: the folder that a pre-image is in.
 */
export function howFar(step: UndoStep, kept: KeptFolder, since: number): "done" | "begun" | "not begun" {
  const there = statSafe(step.path);
  const isDone = (done: boolean): "done" | "not begun" => (done ? "done" : "not begun");
  switch (step.do) {
    case "delete":
      return isDone(isMissing(there));
    case "move": {
      const to = statSafe(step.to);
      return isDone(typeof to !== "number" && to.id === step.id);
    }
    case "restore": {
      if (typeof there === "number") return "not begun";
      if (isRestored(step, there, kept)) return "done";
      if (step.from === undefined && compare(step.path, step.image, there, kept) === "part") return "begun";
      throw new Changed("has something else in its place since");
    }
    case "content": {
      if (typeof there === "number") return "not begun";
      const same = compare(step.path, step.image, there, kept);
      if (same === "other" && milliseconds(there.mtime) > since) throw new Changed("was changed since the undo was ended");
      return isDone(same === "same");
    }
    case "attributes":
      return "not begun";
  }
}

function isRestored({ path, image, first, from }: UndoStep & { readonly do: "restore" }, there: ObjectStat, kept: KeptFolder): boolean {
  if (from !== undefined) {
    const other = statSafe(from);
    return typeof other !== "number" && other.id === there.id;
  }
  // The very object that was kept.
  if (image.how === "link" && there.id === (image.is?.[5] ?? first.id)) return true;
  const kind = kindOf(image.is?.[0] ?? first.mode);
  if (kindOf(there.mode) !== kind) return false;
  if (kind === "symlink") {
    const text = inFolder(path, readLinkAt);
    return typeof text !== "number" && text.equals(pathBytes(image.text ?? ""));
  }
  return kind !== "file" || compare(path, image, there, kept) === "same";
}

/** `part`: a copy that was begun: what is there is how the kept bytes begin. */
function compare(path: string, image: PreImage, there: ObjectStat, kept: KeptFolder): "same" | "part" | "other" {
  const size = image.is?.[3] ?? 0;
  if (kindOf(there.mode) !== "file" || there.size > size) return "other";
  if (size === 0) return "same";
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const own = openSafe(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (own < 0) return "other";
  const was =
    image.key === undefined ? -1 : sys(SYSCALLS.openat, kept(image), cTextAddress(String(image.key)), O_RDONLY | O_NOFOLLOW | 0o2000000, 0);
  try {
    if (was < 0 || !beginsAlike(own, was, there.size)) return "other";
    return there.size === size ? "same" : "part";
  } finally {
    closeSync(own);
    if (was >= 0) closeSync(was);
  }
}

const BLOCK = 1 << 20;

function beginsAlike(a: number, b: number, size: number): boolean {
  const [left, right] = [Buffer.alloc(BLOCK), Buffer.alloc(BLOCK)];
  for (let at = 0; at < size;) {
    const want = Math.min(BLOCK, size - at);
    const read = readSync(a, left, 0, want, at);
    if (read <= 0 || readSync(b, right, 0, read, at) !== read || !left.subarray(0, read).equals(right.subarray(0, read))) return false;
    at += read;
  }
  return true;
}
