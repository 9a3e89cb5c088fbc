import { MACHINE_SETTINGS, PROJECT_SETTINGS, USER_REGISTRATIONS, USER_SETTINGS } from "./agent-settings.ts";
import { homeOf, type Places } from "./location.ts";
import { foldCase } from "./path.ts";

/** Files and folders by their relative path, lower case; a folder also answers for what lies in it. */
interface Table {
  readonly files: ReadonlySet<string>;
  readonly folders: ReadonlySet<string>;
  /** Folders that hold one of them: who takes the folder away takes them along. */
  readonly holders: ReadonlySet<string>;
}

function table(entries: readonly string[]): Table {
  return {
    files: new Set(entries.filter((entry) => !entry.endsWith("/"))),
    folders: new Set(entries.filter((entry) => entry.endsWith("/")).map((entry) => entry.slice(0, -1))),
    holders: new Set(entries.flatMap(holdersOf)),
  };
}

function holdersOf(entry: string): readonly string[] {
  const segments = entry.split("/").filter((segment) => segment !== "");
  return segments.slice(0, -1).map((_, i) => segments.slice(0, i + 1).join("/"));
}

const registrations = table(USER_REGISTRATIONS);
const userSettings = table(USER_SETTINGS);
const projectSettings = table(PROJECT_SETTINGS);
const machineFolders = MACHINE_SETTINGS;
// Every entry of a project starts with one of these, so most paths cost one lookup a segment.
const projectStarts: ReadonlySet<string> = new Set(PROJECT_SETTINGS.map((entry) => entry.split("/")[0] ?? ""));

function has(found: Table, relative: string, taking: boolean): boolean {
  if (found.files.has(relative) || found.folders.has(relative) || (taking && found.holders.has(relative))) return true;
  for (let slash = relative.indexOf("/"); slash > 0; slash = relative.indexOf("/", slash + 1)) {
    if (found.folders.has(relative.slice(0, slash))) return true;
  }
  return false;
}

/**
 * What an agent's own file is to the floor: a `registration` (user-wide or machine-wide: holds hooks, may not change),
 * a `setting` (changing asks), or neither. `path` is absolute and normalised. `taking`: the action takes along what
 * lies below the path, so that a folder which holds such files counts as well.
 */
export function agentFile(path: string, places: Places, taking = false): "registration" | "setting" | undefined {
  const lower = foldCase(path);
  if (machineFolders.some((folder) => lower.startsWith(folder) || `${lower}/` === folder)) return "registration";
  const home = homeOf(path, places);
  if (home !== undefined && home.length < path.length) {
    const relative = foldCase(path.slice(home.length + 1, home.length + LONGEST));
    if (relative === ".agent-permissions.jsonc" || has(registrations, relative, taking)) return "registration";
    if (has(userSettings, relative, taking)) return "setting";
  }
  return isProjectSetting(lower, taking) ? "setting" : undefined;
}

// Longer than any entry, so that a cut path equals none.
const LONGEST = 200;

function isProjectSetting(lower: string, taking: boolean): boolean {
  for (let slash = 0; slash >= 0; slash = lower.indexOf("/", slash + 1)) {
    const end = lower.indexOf("/", slash + 1);
    const segment = lower.slice(slash + 1, end < 0 ? undefined : end);
    if (projectStarts.has(segment) && has(projectSettings, lower.slice(slash + 1, slash + LONGEST), taking)) return true;
  }
  return false;
}
