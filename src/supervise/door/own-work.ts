import { lstatSync } from "node:fs";
import type { FileOperation } from "../../action/index.ts";
import { baseName, isWithin, joinPath, parentOf } from "../../path/index.ts";
import { programsFolder } from "../../policy/index.ts";
import { isWorkingFile, type NamedChange } from "../errands/index.ts";
import { type ObjectStat, sameTime, statFd, type Time } from "../undo/index.ts";

/** A name that a call is about: what stands there, or the folder in which it is made. */
export interface CallPlace {
  readonly path: string;
  readonly object?: ObjectStat;
  /** Pinned, as long as the call is open. */
  readonly parent?: number;
}

/** A place that a person has said yes to. */
export interface ConsentedPlace {
  readonly path: string;
  /**
   * `object`: what the run made there. `file`: and what programs keep beside such a file. `below`: and everything that it makes in it.
   * `lock`: what takes the place of the file whose name it has without `.lock`; nobody may write to it behind the one that made it.
   * `new`: whatever the run makes at this place or below it, in folders that were there as well. `programs`: so too, but for a
   * program of a name that later commands find elsewhere. `folders`, `files`, `gone`: this is done to what has this name itself, and to
   * nothing below it; `working`: what a program writes in this folder and then moves onto such a file.
   */
  readonly holds: "object" | "file" | "below" | "lock" | "new" | "programs" | "working" | NamedChange;
  /** Whose working files. */
  readonly tool?: string;
}

/** What is done to something, beyond its path. */
interface PlaceUse {
  /** It is written to, or gets another name through which it can be. */
  readonly writes: boolean;
  readonly operation: FileOperation;
  /** A file or a folder is made there, of its own: no link. */
  readonly makes: boolean;
  /** Later commands start what lies there by its name. */
  readonly isProgram: boolean;
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
  readonly #isTaken: (program: string) => boolean;

  /** `isTaken`: a program of the name is found elsewhere, so that a new one would be started in its place. */
  constructor(home: string, isTaken: (program: string) => boolean) {
    this.#home = home;
    this.#isTaken = isTaken;
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
        : "file";
    this.#places.push({ path, holds });
  }

  /** A person's word speaks of this, too. `more`: further places that they said yes to, for who makes the call. */
  covers({ path, object, parent }: CallPlace, use: PlaceUse, more: readonly ConsentedPlace[] = []): boolean {
    const { writes, makes, isProgram, operation } = use;
    return [...this.#places, ...more].some((place) => {
      const { holds, tool = "" } = place;
      if (holds === "working")
        return (
          parentOf(path) === place.path && isWorkingFile(tool, baseName(path)) && (object === undefined ? makes : this.#isMade(object))
        );
      if (holds === "folders") return path === place.path && object === undefined && operation === "mkdir";
      if (holds === "files" || holds === "gone")
        return path === place.path && !isProgram && (holds === "gone" ? operation === "delete" : operation !== "delete");
      if (isProgram && (holds !== "programs" || path === place.path))
        return path === place.path && object !== undefined && this.#isMade(object);
      if (holds === "programs") return isWithin(path, place.path) && (object === undefined ? !this.#isTaken(path) : this.#isMade(object));
      if (holds === "file" && isBeside(path, place.path)) return object === undefined ? makes : this.#isMade(object);
      if (!isWithin(path, place.path)) return false;
      if (holds === "new") return object === undefined || this.#isMade(object);
      // What was made there is gone, and is made again.
      if (path === place.path && object === undefined) return makes;
      if (path === place.path) return object !== undefined && this.#isMade(object) && (holds !== "lock" || !writes);
      if (holds !== "below") return false;
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

/** What a program makes beside a file of its own: `key.pub` (ssh-keygen), `data.db-journal` (SQLite), `a.out.tmp`, `notes~`. */
const isBeside = (path: string, file: string): boolean =>
  path.startsWith(file) && /^(?:\.\w{1,12}|-(?:journal|wal|shm)|~)$/.test(path.slice(file.length));

/** Without the time of its birth a number may be another's. */
const hasBirth = ({ btime }: ObjectStat): boolean => btime[0] !== 0;

/** The system's own; what lies directly in these is everybody's. */
const SYSTEM = /^\/(?:bin|boot|dev|etc|lib\w*|nix|proc|root|run|sbin|snap|sys|usr|var)(?:\/|$)|^\/[^/]*$/;
/** In a home folder: what a person keeps there, and what holds the programs or settings of all. */
const SHARED = /^(?:Desktop|Documents|Downloads|Music|Pictures|Videos|Public|Templates|Library|Applications|bin)$/;

/**
 * In these each program has a folder of its own, called after it; what else lies in home hidden is read by many, and so is what
 * shells, desktops and interpreters load from folders of these names.
 */
const OF_PROGRAMS = /^(?:\.config|\.cache|\.local\/(?:lib|share|state|include|libexec|opt|etc))\/(?=([^/]+))/;
const READ_BY_MANY =
  /^(?:python|perl|ruby|gem|bash-completion|zsh|fish|dbus-1|systemd|environment|autostart|applications|plasma|kio|gnome|xdg)/;

/**
 * Whoever lets a run make this folder lets it fill it. Not so a folder in which all programs look for their settings: `~/.config`,
 * and whatever else is hidden in home.
 */
export function isForFilling(folder: string, home: string): boolean {
  if (!isWithin(folder, home)) return !isWithin(home, folder) && !SYSTEM.test(folder);
  const inside = folder.slice(home.length + 1);
  const own = inside.replace(OF_PROGRAMS, (above: string, name: string) => (READ_BY_MANY.test(name) ? above : ""));
  if (programsFolder(joinPath(folder, "#"), home) !== undefined) return false;
  return inside !== "" && !SHARED.test(inside) && !own.split("/").some((name) => name.startsWith("."));
}
