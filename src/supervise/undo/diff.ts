import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { createTwoFilesPatch } from "diff";
import { isWithin } from "../../path/index.ts";
import { linkText } from "./after.ts";
import { changesOf, type Change } from "./changes.ts";
import type { PreImage } from "./journal.ts";
import { recorded } from "./recorded.ts";
import type { RunRecord } from "./run-folder.ts";
import { isMissing, openSafe, statSafe } from "./safe.ts";
import { kindOf, statFrom } from "./stat.ts";

/** What became of one file. */
export interface FileDiff {
  readonly change: Change;
  /** Unified diff; undefined where bytes cannot be shown as lines. */
  readonly patch?: string;
  /** In words, where there is no patch. */
  readonly note?: string;
}

const MOST_BYTES = 4 << 20;
/** Milliseconds spent on one file. */
const PATIENCE = 2000;

/** Differences between what was there before the run and what is there now. `paths`: absolute; empty: everything. */
export function* diffOf(run: RunRecord, paths: readonly string[]): Generator<FileDiff> {
  const { tree, after } = recorded(run);
  const changes = changesOf(tree, after);
  const inside = (path: string): boolean => paths.some((one) => isWithin(path, one));
  for (const change of changes) {
    if (paths.length > 0 && !inside(change.path) && !(change.from !== undefined && inside(change.from))) continue;
    yield diffOne(change, `${run.folder}/kept`);
  }
}

type Side = Buffer | string | undefined;

function diffOne(change: Change, kept: string): FileDiff {
  const { what, path, kind, first, left } = change;
  if (what === "attributes") {
    const mode = (value: number | undefined): string => `0${((value ?? 0) & 0o7777).toString(8)}`;
    const same = first?.mode === left?.mode;
    return { change, note: same ? "times or attributes changed" : `mode ${mode(first?.mode)} → ${mode(left?.mode)}` };
  }
  if (kind === "directory") return { change, note: `folder ${what}` };
  const old = what === "created" ? "" : what === "renamed" && change.image?.how === undefined ? undefined : before(change.image, kept);
  const now = what === "deleted" ? "" : present(path);
  if (what === "renamed" && old === undefined) return { change, note: "moved, bytes as they were" };
  if (typeof old === "object" || typeof now === "object") {
    const binary = (side: Side): string => (side === undefined ? "?" : String(side.length));
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
function before(image: PreImage | undefined, kept: string): Side {
  if (image?.is === undefined) return undefined;
  const is = statFrom(image.is);
  if (kindOf(is.mode) === "symlink") return image.text ?? undefined;
  if (kindOf(is.mode) !== "file") return undefined;
  if (is.size === 0) return "";
  if (image.key === undefined) return undefined;
  try {
    return read(openSync(`${kept}/${image.key}`, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK));
  } catch {
    return undefined;
  }
}

function present(path: string): Side {
  const stat = statSafe(path);
  if (typeof stat === "number") return isMissing(stat) ? "" : undefined;
  if (kindOf(stat.mode) === "symlink") return linkText(path);
  if (kindOf(stat.mode) !== "file") return undefined;
  const fd = openSafe(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  return fd < 0 ? undefined : read(fd);
}

function read(fd: number): Side {
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
