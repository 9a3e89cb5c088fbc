import { closeSync, lstatSync, mkdirSync, readdirSync } from "node:fs";
import { baseName, isBelow, isWithin, parentOf } from "@assent/core/path";
import { type ToolService, homePlaces, NO_TOOL_SERVICE } from "../services/services.ts";
import { type Caller, NOBODY } from "../judge/types.ts";
import { AT_REMOVEDIR, O_PATH, pathBytes, RENAME_NOREPLACE, sys, SYSCALLS } from "../kernel/index.ts";
import { cTextAddress, openOwnFolder } from "../undo/safe.ts";
import type { HeldTry, TriedCaches, TriedPlace } from "./folder.ts";
import { openBeneath, type TriedChange } from "./scan.ts";

/*
 * Caches of tools. A tried program sees them, and what it changes there is on layers; of these only that is applied which nobody but the
 * tool could have put there. The rest is thrown away, as a cache may be: another program could have left code for a later command in it.
 */

const isOf = (place: string, path: string): boolean => (place.endsWith("*") ? path.startsWith(place.slice(0, -1)) : isWithin(path, place));

/** A folder with those of many tools, or with more than caches. */
const isShared = (folder: string, home: string): boolean =>
  folder === home || /^\/(?:\.local(?:\/(?:share|state))?|\.config|Library(?:\/Caches)?|go)$/.test(folder.slice(home.length));

/** The folder that gets a layer for it. */
function topOf(place: string, home: string): string {
  if (isWithin(place, `${home}/.cache`)) return `${home}/.cache`;
  const parent = parentOf(place);
  return isShared(parent, home) ? place : parent;
}

interface FoundCaches {
  /** Folders that get layers. */
  readonly tops: readonly string[];
  /** Those that were not there. */
  readonly made: ReadonlySet<string>;
  /** As in `TriedCaches`. */
  readonly places: readonly string[];
}

/** Where caches lie. The folders of those of `toolService` are made: a tool may fail that cannot make its own. */
export function findCaches(home: string, toolService: ToolService): FoundCaches {
  const places = [...new Set([`${home}/.cache`, ...homePlaces(home), ...toolService.own.filter((place) => isBelow(place, home))])];
  const needed = new Set(
    toolService.own.flatMap((place) => (isBelow(place, home) && !isWithin(place, `${home}/Library`) ? [topOf(place, home)] : [])),
  );
  const made = new Set<string>();
  const tops = [...new Set(places.map((place) => topOf(place, home)))].filter((top) => {
    if (lstatSync(pathBytes(top), { throwIfNoEntry: false })?.isDirectory() === true) return true;
    if (!needed.has(top) || baseName(top).includes(".", 1)) return false;
    try {
      mkdirSync(pathBytes(top), { recursive: true, mode: 0o700 });
      made.add(top);
      return true;
    } catch {
      return false;
    }
  });
  return { tops, made, places };
}

/** Every program that ran could write there. */
export const ownOfAll = (ran: readonly ToolService[], first: ToolService): readonly string[] =>
  ran.length === 0 ? [] : first.own.filter((place) => ran.every(({ own }) => own.includes(place)));

/** Who has made the changes of a run, as far as caches are concerned. */
export const madeBy = (own: readonly string[]): Caller =>
  own.length === 0 ? NOBODY : { ...NOBODY, toolService: () => ({ ...NO_TOOL_SERVICE, writes: own, own }) };

/** Without those in which somebody else was at work, too: nobody waits for a cache. Undefined: there is none. */
export function withoutConflicts(caches: TriedCaches | undefined, changes: readonly TriedChange[]): TriedCaches | undefined {
  const own = caches?.own.filter((place) => !changes.some(({ path, problem }) => problem !== undefined && isOf(place, path)));
  return caches === undefined || own === undefined || own.length === caches.own.length ? undefined : { ...caches, own };
}

/** Takes what is not applied out of the layers. Returns the caches of which that was something. */
export function dropCaches(held: HeldTry): readonly string[] {
  const { caches, places } = held.meta;
  const dropped = new Set<string>();
  if (caches === undefined) return [];
  const aside = openOwnFolder(`${held.folder}/layers/dropped`);
  try {
    const foreign = caches.places.filter((place) => !caches.own.includes(place));
    for (const place of places) {
      const upper = openOwnFolder(place.upper);
      try {
        for (const path of foreign.flatMap((cache) => namedIn(cache, place))) {
          const inside = path.slice(place.path.length + 1);
          if (!caches.own.some((own) => isOf(own, path) || isBelow(own, path)) && moveOut(upper, inside, aside)) dropped.add(path);
        }
      } finally {
        closeSync(upper);
      }
    }
  } finally {
    closeSync(aside);
  }
  return [...dropped];
}

/** Paths of a cache in the layer of a place. */
function namedIn(cache: string, { path: place, upper }: TriedPlace): readonly string[] {
  if (isBelow(cache, place) && !cache.endsWith("*")) return [cache];
  const folder = cache === place ? place : parentOf(cache);
  if (!isWithin(folder, place)) return [];
  try {
    const names = readdirSync(pathBytes(upper + folder.slice(place.length)));
    return names.map((name) => `${folder}/${name}`).filter((path) => isOf(cache, path));
  } catch {
    // Nothing of it was changed.
    return [];
  }
}

let moved = 0;

/** And folders that were made only for it. */
function moveOut(upper: number, inside: string, aside: number): boolean {
  const slash = inside.lastIndexOf("/");
  const folder = slash < 0 ? "." : inside.slice(0, slash);
  const fd = openBeneath(upper, folder, O_PATH);
  if (fd < 0) return false;
  try {
    const to = cTextAddress(`${process.pid}-${++moved}`);
    if (sys(SYSCALLS.renameat2, fd, cTextAddress(pathBytes(inside.slice(slash + 1))), aside, to, RENAME_NOREPLACE) < 0) return false;
  } finally {
    closeSync(fd);
  }
  for (let empty = folder; empty !== "." && empty !== ""; empty = empty.slice(0, Math.max(0, empty.lastIndexOf("/"))))
    if (sys(SYSCALLS.unlinkat, upper, cTextAddress(pathBytes(empty)), AT_REMOVEDIR) < 0) break;
  return true;
}
