import { addressOf, cString, pathBytes } from "../kernel/index.ts";
import { statAt } from "../undo/index.ts";
import { AT_FDCWD, type Place } from "./paths.ts";

/** d_path: what the kernel writes after the name of what has none any more. */
const DELETED = " (deleted)";

/**
 * What has no name any more, or never had one (memfd_create(2), O_TMPFILE), is nobody's but the program's. A count of
 * no names alone says nothing: file systems that do not count report none (FUSE), and then the path is a name.
 */
export function isNameless({ path, stat }: Pick<Place, "path" | "stat">): boolean {
  if (stat.nlink !== 0 || !path.endsWith(DELETED)) return false;
  // A file may be called so.
  const there = statAt(AT_FDCWD, addressOf(cString(pathBytes(path))));
  return typeof there === "number" || there.id !== stat.id;
}
