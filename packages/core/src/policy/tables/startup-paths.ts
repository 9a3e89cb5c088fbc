import * as places from "#knowledge/places";
import { foldCase, isBelow, isWithin } from "../../path/index.ts";

/**
 * What runs code later: changing it is persistence. Which files a program starts from (`startup`) and where it puts programs (`programs`)
 * is said in the tables; `path-class.ts` compiles it. Names are lower case, as in `protected-paths.ts`.
 */
export const PROGRAM_FOLDERS: readonly string[] = places.PROGRAM_FOLDERS;
export const STARTUP_FILES: readonly string[] = places.STARTUP_FILES;
export const STARTUP_PLACES: readonly string[] = places.STARTUP_PLACES;
export const TOOL_FOLDERS: readonly string[] = places.TOOL_FOLDERS;

/** In a home folder: folders from which programs are started, now or at the next login. */
export const STARTUP_FOLDERS: readonly string[] = [...places.STARTUP_AT_HOME, ...TOOL_FOLDERS];

/** A folder in which people's tools keep programs, or one below it. */
export const isToolFolder = (folder: string, home: string): boolean =>
  isBelow(folder, home) && TOOL_FOLDERS.some((name) => isWithin(foldCase(folder.slice(home.length + 1)), name));

/** Where the system and its package managers keep programs: trusted, for nothing is there that an agent could have put. */
const SYSTEM = "/bin /sbin /usr /lib /opt /nix /snap /gnu /etc/alternatives /run/current-system /System /Library /Applications".split(" ");

export const isSystemFolder = (folder: string): boolean => SYSTEM.some((base) => isWithin(folder, base));
