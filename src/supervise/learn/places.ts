import { isBelow, relativePath } from "../../path/index.ts";
import { isPersistence, isSecret } from "../../policy/index.ts";

/** The folders that decide how far a rule may reach; absolute and canonical. */
export interface LearnPlaces {
  readonly home: string;
  readonly project: string;
  readonly temp: readonly string[];
}

/** Below home, folders that hold something of everybody's: each program's own folder lies this much deeper. */
const SHARED = [".local/share", ".local/state", ".local/lib", "Library", "Documents", "Desktop", "Downloads"];
/** Configuration and programs: every file there is named. */
const LITERAL = [".config", ".local/bin", "bin", "Library/Preferences", "Library/LaunchAgents"];
/** The kernel's, and the system's own configuration. */
const SYSTEM = ["/proc", "/sys", "/dev", "/etc", "/boot", "/run"];

/**
 * True for a folder that `folder/**` may be written for: something narrow, and nothing that is known to hold what is
 * protected. A broad rule beats no protection anyway; this keeps it from looking as if.
 */
export function mayStandForAll(folder: string, { home, project, temp }: LearnPlaces): boolean {
  if (depth(folder) < 2 || [home, project, ...temp].some((place) => folder === place || isBelow(place, folder))) return false;
  if (isSecret(`${folder}/x`) || isPersistence(`${folder}/x`, { home: [home], project: [project], temp })) return false;
  // The repository's own: hooks and configuration lie in it.
  if (/\/\.git$/i.test(folder)) return false;
  // Dot files of a project configure its tools.
  if (isBelow(folder, project)) return !/\/\.(?:vscode|idea|github|husky|cursor|claude)(?:\/|$)/.test(folder);
  if (temp.some((place) => isBelow(folder, place))) return true;
  if (isBelow(folder, home)) {
    const relative = relativePath(home, folder);
    if (LITERAL.some((place) => relative === place || isBelow(relative, place))) return false;
    return depth(relative) >= (SHARED.some((place) => relative === place || isBelow(relative, place)) ? 3 : 2);
  }
  return depth(folder) >= 3 && !SYSTEM.some((place) => isBelow(folder, place));
}

/** Number of segments. */
function depth(path: string): number {
  return path.split("/").filter((segment) => segment !== "").length;
}
