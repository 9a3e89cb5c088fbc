import { chmodSync, chownSync, closeSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { joinPath } from "@assent/core/path";
import { AT_FDCWD, O_DIRECTORY, pathBytes } from "../kernel/index.ts";
import { type ObjectStat, readXattrs, writeXattrs } from "../undo/index.ts";
import { setTimesOf } from "../undo/copy-tree.ts";
import type { Xattrs } from "../undo/xattr.ts";
import { cTextAddress, openSafe } from "../undo/safe.ts";
import { MASKED } from "./plan.ts";
import { statPath } from "./view.ts";

/**
 * Lays names of secret files of a place into `folder`, which goes between the place and its layer: a program sees each, reads none, and may
 * remove it or put another file there, which a cover mounted on it does not allow (EBUSY). Returns those that need a cover all the same.
 */
export function makeMask(folder: string, place: string, secrets: readonly string[]): readonly string[] {
  const made = new Map<string, ObjectStat | undefined>([[place, undefined]]);
  mkdirSync(folder, { mode: 0o700 });
  const inMask = (path: string): string => joinPath(folder, path.slice(place.length).replace(/^\//, ""));
  /** Makes a folder of the mask as the program has to see it; false: it cannot be the same. */
  const makeFolder = (path: string): boolean => {
    if (made.has(path)) return true;
    const stat = statPath(path);
    if (typeof stat === "number" || !makeFolder(dirname(path)) || !isOwn(stat) || attributesOf(path) !== undefined) return false;
    mkdirSync(pathBytes(inMask(path)), { mode: 0o700 });
    made.set(path, stat);
    return true;
  };
  const covered = secrets.filter((path) => {
    const stat = statPath(path);
    if (typeof stat === "number" || !isOwn(stat) || !makeFolder(dirname(path))) return true;
    const name = inMask(path);
    writeFileSync(pathBytes(name), "", { mode: 0o600 });
    const fd = openSafe(name, 0);
    const isMarked = fd >= 0 && writeXattrs(fd, { [MASKED]: "" }).length === 0;
    if (fd >= 0) closeSync(fd);
    if (isMarked) show(name, { ...stat, mode: 0 });
    return !isMarked;
  });
  for (const [path, stat] of [...made].toReversed()) if (stat !== undefined) show(inMask(path), stat);
  return covered;
}

/** As root a file of anybody can be made. */
const isOwn = ({ uid, gid }: ObjectStat): boolean =>
  process.geteuid?.() === 0 || (uid === process.geteuid?.() && gid === process.getegid?.());

function attributesOf(path: string): Xattrs | undefined {
  const fd = openSafe(path, O_DIRECTORY);
  if (fd < 0) return {};
  try {
    return readXattrs(fd);
  } finally {
    closeSync(fd);
  }
}

function show(name: string, stat: ObjectStat): void {
  if (process.geteuid?.() === 0) chownSync(pathBytes(name), stat.uid, stat.gid);
  chmodSync(pathBytes(name), stat.mode & 0o7777);
  setTimesOf(AT_FDCWD, cTextAddress(name), stat, 0);
}
