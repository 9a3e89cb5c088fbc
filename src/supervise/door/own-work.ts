import { lstatSync } from "node:fs";
import { isWithin } from "../../path/index.ts";
import { type ObjectStat, sameTime, statFd, type Time } from "../undo/index.ts";

/** A name that a call is about: what stands there, or the folder in which it is made. */
export interface CallPlace {
  readonly path: string;
  readonly object?: ObjectStat;
  /** Pinned, as long as the call is open. */
  readonly parent?: number;
}

/** A place that a person has said yes to. */
interface ConsentedPlace {
  readonly path: string;
  /**
   * `object`: what the run made there. `below`: and everything that it makes in it. `lock`: what takes the place of the file
   * whose name it has without `.lock`; nobody may write to it behind the one that made it.
   */
  readonly holds: "object" | "below" | "lock";
}

/** What is done to something, beyond its path. */
interface PlaceUse {
  /** It is written to, or gets another name through which it can be. */
  readonly writes: boolean;
}

const MOST = 200_000;

/**
 * What this run made itself, where a person let it: that it may change without another question. INVARIANT: a thing is known by
 * its identity (device, number, time of birth) *and* by where it lies now. What takes a folder's place was not made by the run, and
 * what was moved lies elsewhere: neither carries the consent.
 */
export class OwnWork {
  readonly #made = new Map<string, Time>();
  readonly #places: ConsentedPlace[] = [];
  readonly #home: string;

  constructor(home: string) {
    this.#home = home;
  }

  /** Nothing can be covered yet. */
  get isEmpty(): boolean {
    return this.#places.length === 0;
  }

  /** It was made at the path. `asked`: a person said so to this very call; else it lies where they said so before. */
  made(object: ObjectStat | number, path: string, isFolder: boolean, asked: boolean): void {
    if (typeof object === "number" || !hasBirth(object) || this.#made.size >= MOST) return;
    this.#made.set(object.id, object.btime);
    if (!asked) return;
    const holds = isFolder
      ? isForFilling(path, this.#home)
        ? "below"
        : "object"
      : replacedByLock(path, this.#home) !== undefined
        ? "lock"
        : "object";
    this.#places.push({ path, holds });
  }

  /** A person's word speaks of this, too. */
  covers({ path, object, parent }: CallPlace, { writes }: PlaceUse): boolean {
    return this.#places.some((place) => {
      if (!isWithin(path, place.path)) return false;
      if (path === place.path) return object !== undefined && this.#isMade(object) && (place.holds !== "lock" || !writes);
      if (place.holds === "object" || place.holds === "lock") return false;
      if (object !== undefined) return this.#isMade(object);
      const around = parent === undefined ? undefined : statFd(parent);
      return typeof around === "object" && this.#isMade(around);
    });
  }

  /** git(1) and others write the new text beside the file, and let it take the file's place: a person was asked about both. */
  replaces(from: CallPlace, to: string): boolean {
    const isLock = this.#places.some(({ path, holds }) => holds === "lock" && path === from.path);
    return isLock && from.path === `${to}.lock` && from.object !== undefined && this.#isMade(from.object);
  }

  #isMade({ id, btime }: ObjectStat): boolean {
    const known = this.#made.get(id);
    return known !== undefined && sameTime(known, btime);
  }
}

/** The file whose new text is written to `F.lock` (git's lockfile.c); a `Cargo.lock` beside no `Cargo` is a file of its own. */
export function replacedByLock(path: string, home: string): string | undefined {
  const file = /^(.*\/[^/]+)\.lock$/.exec(path)?.[1];
  if (file === undefined) return undefined;
  const isThere = lstatSync(file, { throwIfNoEntry: false })?.isFile() === true;
  return isThere || file === `${home}/.gitconfig` || file === `${home}/.config/git/config` ? file : undefined;
}

/** Without the time of its birth a number may be another's. */
const hasBirth = ({ btime }: ObjectStat): boolean => btime[0] !== 0;

/** The system's own; what lies directly in these is everybody's. */
const SYSTEM = /^\/(?:bin|boot|dev|etc|lib\w*|nix|proc|root|run|sbin|snap|sys|usr|var)(?:\/|$)|^\/[^/]*$/;
/** In a home folder: what a person keeps there, and what holds the programs or settings of all. */
const SHARED = /^(?:Desktop|Documents|Downloads|Music|Pictures|Videos|Public|Templates|Library|Applications|bin)$/;

/**
 * Whoever lets a run make this folder lets it fill it. Not so a folder in which programs look for their settings: `~/.config`,
 * and whatever is hidden in home.
 */
export function isForFilling(folder: string, home: string): boolean {
  if (!isWithin(folder, home)) return !isWithin(home, folder) && !SYSTEM.test(folder);
  const inside = folder.slice(home.length + 1);
  return inside !== "" && !SHARED.test(inside) && !inside.split("/").some((name) => name.startsWith("."));
}
