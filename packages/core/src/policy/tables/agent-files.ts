import { foldCase, isBelow } from "../../path/index.ts";
import { AGENT_INSTRUCTIONS, MACHINE_LOCKED, PROJECT_ASKED, USER_ASKED, USER_LOCKED, USER_OWN } from "./agent-table.ts";
import { homeOf, type Places } from "../match/location.ts";

/** Assent's own besides those of the agents: passes that skip its questions, a project's policy, the machine's settings. */
const OWN = { userLocked: [".cache/agentperm/bypass/"], project: [".agent-permissions.jsonc"], machine: ["/etc/assent/"] } as const;

/**
 * Where the settings lie from which agents read their hooks, permissions and plugins. Names are lower case and compared
 * without regard to case. A `/` at the end is a folder with everything in it.
 */

/** In a home folder: an agent may not change them. */
export const USER_REGISTRATIONS: readonly string[] = [...USER_LOCKED, ...OWN.userLocked];
/** In a home folder: a change is asked. */
export const USER_SETTINGS = USER_ASKED;
/** In these, folders that a model fills with its tools. */
export const USER_OWN_FOLDERS = USER_OWN;
/** In any other folder: a change is asked. */
export const PROJECT_SETTINGS: readonly string[] = [...PROJECT_ASKED, ...OWN.project];
/** Absolute: an agent may not change them. */
export const MACHINE_SETTINGS: readonly string[] = [...MACHINE_LOCKED, ...OWN.machine];

interface Tables {
  /** Entries as they are written: relative, lower case, a folder with its `/`. */
  readonly registrations: ReadonlySet<string>;
  readonly userSettings: ReadonlySet<string>;
  readonly userOwn: RegExp;
  readonly projectSettings: ReadonlySet<string>;
  /** Every entry of a project starts with one of these, so most paths cost one lookup a segment. */
  readonly projectStarts: ReadonlySet<string>;
}

let tables: Tables | undefined;

/** Made when first asked for: most requests change nothing, and a fresh hook pays for what is made at start. */
function read(): Tables {
  return (tables ??= {
    registrations: new Set(USER_REGISTRATIONS),
    userSettings: new Set(USER_SETTINGS),
    userOwn: new RegExp(`^(?:${USER_OWN_FOLDERS.join("|").replaceAll(".", "\\.").replaceAll("*", "[^/]+")})`),
    projectSettings: new Set(PROJECT_SETTINGS),
    projectStarts: startsOf(PROJECT_SETTINGS),
  });
}

/** `relative` is an entry or lies in one. `taking`: or is a folder that holds one. */
function has(entries: ReadonlySet<string>, relative: string, taking: boolean): boolean {
  if (entries.has(relative) || entries.has(`${relative}/`)) return true;
  if (taking) for (const entry of entries) if (isBelow(entry, relative)) return true;
  for (let slash = relative.indexOf("/"); slash > 0; slash = relative.indexOf("/", slash + 1)) {
    if (entries.has(relative.slice(0, slash + 1))) return true;
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
  if (MACHINE_SETTINGS.some((folder) => lower.startsWith(folder) || `${lower}/` === folder)) return "registration";
  const { registrations, userSettings, userOwn } = read();
  const home = homeOf(path, places);
  if (home !== undefined && home.length < path.length) {
    const relative = foldCase(path.slice(home.length + 1, home.length + LONGEST));
    if (relative === ".agent-permissions.jsonc" || has(registrations, relative, taking)) return "registration";
    if (has(userSettings, relative, taking) && !userOwn.test(`${relative}/`)) return "setting";
  }
  return isProjectSetting(lower, taking) ? "setting" : undefined;
}

// Longer than any entry, so that a cut path equals none.
const LONGEST = 200;

function isProjectSetting(lower: string, taking: boolean): boolean {
  const { projectSettings, projectStarts } = read();
  return liesInProject(lower, projectSettings, projectStarts, taking);
}

function liesInProject(lower: string, entries: ReadonlySet<string>, starts: ReadonlySet<string>, taking: boolean): boolean {
  for (let slash = 0; slash >= 0; slash = lower.indexOf("/", slash + 1)) {
    const end = lower.indexOf("/", slash + 1);
    const segment = lower.slice(slash + 1, end < 0 ? undefined : end);
    if (starts.has(segment) && has(entries, lower.slice(slash + 1, slash + LONGEST), taking)) return true;
  }
  return false;
}

/** The first names of entries. */
const startsOf = (entries: readonly string[]): ReadonlySet<string> => new Set(entries.map((entry) => entry.split("/", 1)[0] ?? ""));

/** True for a project's file that an agent is controlled by: settings, and what its model reads by itself. */
export function controlsAgent(path: string): boolean {
  const lower = foldCase(path);
  return isProjectSetting(lower, false) || liesInProject(lower, new Set(AGENT_INSTRUCTIONS), startsOf(AGENT_INSTRUCTIONS), false);
}

/** True below a dot folder of a project in which an agent keeps settings. */
export const isInAgentFolder = (path: string): boolean =>
  foldCase(path)
    .split("/")
    .some((segment) => segment.startsWith(".") && read().projectStarts.has(segment));
