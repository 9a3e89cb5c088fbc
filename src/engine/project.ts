import { statSync } from "node:fs";
import { joinPath, parentOf } from "../path/index.ts";
import type { Machine } from "../state/index.ts";

/** `.git` of a repository or of a worktree; one that another user planted (in `/tmp`, say) is none. */
function holdsRepository(folder: string, uid: number | undefined): boolean {
  try {
    const stats = statSync(joinPath(folder, ".git"), { throwIfNoEntry: false });
    return (
      stats !== undefined &&
      (stats.isDirectory() || stats.isFile()) &&
      (uid === undefined || uid === 0 || stats.uid === uid || stats.uid === 0)
    );
  } catch {
    return false;
  }
}

/** The git top level of a canonical folder, found without starting git; undefined outside git. */
export function repositoryOf(folder: string, machine: Machine): string | undefined {
  for (let at = folder; ; at = parentOf(at)) {
    if (holdsRepository(at, machine.uid)) return at;
    if (at === "/") return undefined;
  }
}

/** As `repositoryOf`; the folder itself outside git. */
export function projectOf(folder: string, machine: Machine): string {
  return repositoryOf(folder, machine) ?? folder;
}
