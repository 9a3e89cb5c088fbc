import { lstatSync } from "node:fs";
import type { FileOperation } from "@assent/core/action";
import { baseName, isWithin, joinPath, parentOf } from "@assent/core/path";
import { programsFolder } from "@assent/core/policy";
import { SHARED } from "../judge/free-places.ts";
import { filesBehind } from "../services/working.ts";
import { isWorkingFile } from "../services/named.ts";
import type { NamedChange } from "../services/plans.ts";
import { type ObjectStat, sameTime, statFd, type Time } from "../undo/index.ts";

/** A name that a call is about: what stands there, or the folder in which it is made. */
export interface CallPlace {
  readonly path: string;
  readonly object?: ObjectStat;
  /** Pinned, as long as the call is open. */
  readonly parent?: number;
}

/** A place that a person has said yes to: when they were asked, or by a rule. */
export interface ConsentedPlace {
  readonly path: string;
  /**
   * `object`: what the run made there. `file`: and what programs keep beside such a file. `below`: and everything that it makes in it.
   * `lock`: what takes the place of the file whose name it has without `.lock`; nobody may write to it behind the one that made it.
   * `new`: whatever the run makes at this place or below it, in folders that were there as well. `programs`: so too, but for a
   * program of a name that later commands find elsewhere. `folders`, `files`, `gone`, `links`: this is done to what has this name itself, and to
   * nothing below it; what a program makes beside it to take its place belongs to it.
   */
  readonly holds: "object" | "file" | "below" | "lock" | "new" | "programs" | NamedChange;
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
export class CreatedFiles {
  readonly #made = new Map<string, MadeObject>();
  /** What was there before, and was written to. */
  readonly #written = new Map<string, Time>();
  readonly #places = new Map<string, ConsentedPlace[]>();
  readonly #home: string;
  readonly #isTaken: (program: string) => boolean;

  /** `isTaken`: a program of the name is found elsewhere, so that a new one would be started in its place. */
  constructor(home: string, isTaken: (program: string) => boolean) {
    this.#home = home;
    this.#isTaken = isTaken;
  }

  /** Nothing can be covered yet. */
  get isEmpty(): boolean {
    return this.#places.size === 0 && this.#written.size === 0;
  }

  /**
   * It was made at the path. `asked`: a person said so to this very call; else it lies where they said so before. `takes`: the file
   * whose place it is there to take.
   */
  made(object: ObjectStat | number, path: string, isFolder: boolean, asked: boolean, takes = replacedByLock(path, this.#home)): void {
    if (typeof object === "number" || !hasBirth(object) || this.#made.size >= MOST) return;
    this.#made.set(object.id, { btime: object.btime, takes });
    if (!asked) return;
    const holds = isFolder ? (isForFilling(path, this.#home) ? "below" : "object") : path === `${takes}.lock` ? "lock" : "file";
    const here = this.#places.get(path);
    if (here === undefined) this.#places.set(path, [{ path, holds }]);
    else if (!here.some((place) => place.holds === holds)) here.push({ path, holds });
  }

  /** A person said that this file may be changed, and it was opened for that. */
  wrote({ id, btime }: ObjectStat): void {
    if (this.#written.size < MOST) this.#written.set(id, btime);
  }

  /** A person's word speaks of this, too. `more`: further places that they said yes to, for who makes the call. */
  covers({ path, object, parent }: CallPlace, use: PlaceUse, more: readonly ConsentedPlace[] = []): boolean {
    const { writes, makes, isProgram, operation } = use;
    // Its times and who may read it say less than what is in it.
    if (operation === "metadata" && object !== undefined && this.#isWritten(object)) return true;
    return [...this.#near(path), ...more].some((place) => {
      const { holds, tool = "" } = place;
      if (holds === "folders") return path === place.path && object === undefined && operation === "mkdir";
      if (holds === "gone") return path === place.path && !isProgram && operation === "delete";
      if (holds === "files" && path === place.path) return !isProgram && CHANGES_FILE.has(operation);
      if (holds === "links" && path === place.path) return !isProgram && (operation === "link" || operation === "write");
      if (holds === "links")
        return (
          parentOf(path) === parentOf(place.path) && isWorkingFile(tool, baseName(path)) && (object === undefined || this.isMade(object))
        );
      if (holds === "files") return isWorkingFor(path, place.path, tool) && (object === undefined ? makes : this.isMade(object));
      if (isProgram && (holds !== "programs" || path === place.path))
        return path === place.path && object !== undefined && this.isMade(object);
      if (holds === "programs") return isWithin(path, place.path) && (object === undefined ? !this.#isTaken(path) : this.isMade(object));
      if (holds === "file" && path !== place.path && isBeside(path, place.path)) return object === undefined ? makes : this.isMade(object);
      if (!isWithin(path, place.path)) return false;
      if (holds === "new") return object === undefined || this.isMade(object) || (tool === "git" && CHANGES_FILE.has(operation));
      // What was made there is gone, and is made again.
      if (path === place.path && object === undefined) return makes;
      if (path === place.path) return object !== undefined && this.isMade(object) && (holds !== "lock" || !writes);
      if (holds !== "below") return false;
      if (object !== undefined) return this.isMade(object);
      const around = parent === undefined ? undefined : statFd(parent);
      return typeof around === "object" && this.isMade(around);
    });
  }

  /** Those that may speak of a path: at it, above it, and at the file that it lies beside. */
  #near(path: string): readonly ConsentedPlace[] {
    const found: ConsentedPlace[] = [];
    for (let at = path; ; at = parentOf(at)) {
      found.push(...(this.#places.get(at) ?? []));
      if (at === "/" || at === ".") break;
    }
    for (const [at] of path.matchAll(BESIDE)) found.push(...(this.#places.get(path.slice(0, -at.length)) ?? []));
    return found;
  }

  /** Programs write the new text beside the file, and let it take the file's place: a person was asked about both. */
  replaces({ object }: CallPlace, to: string): boolean {
    return object !== undefined && this.takenBy(object) === to;
  }

  /** The file whose place it is there to take. */
  takenBy(object: ObjectStat): string | undefined {
    return this.isMade(object) ? this.#made.get(object.id)?.takes : undefined;
  }

  isMade({ id, btime }: ObjectStat): boolean {
    const known = this.#made.get(id);
    return known !== undefined && sameTime(known.btime, btime);
  }

  #isWritten({ id, btime }: ObjectStat): boolean {
    const known = this.#written.get(id);
    return known !== undefined && sameTime(known, btime);
  }
}

interface MadeObject {
  readonly btime: Time;
  readonly takes: string | undefined;
}

const CHANGES_FILE: ReadonlySet<FileOperation> = new Set(["write", "edit", "metadata"]);

/** It has the name of what a program writes to take the file's place. */
const isWorkingFor = (path: string, file: string, tool: string): boolean =>
  parentOf(path) === parentOf(file) &&
  (isWorkingFile(tool, baseName(path)) || filesBehind(path, true).some((behind) => behind.file === file));

/** The file whose new text is written to `F.lock` (git's lockfile.c); a `Cargo.lock` beside no `Cargo` is a file of its own. */
export function replacedByLock(path: string, home: string): string | undefined {
  const file = /^(.*\/[^/]+)\.lock$/.exec(path)?.[1];
  if (file === undefined) return undefined;
  const isThere = lstatSync(file, { throwIfNoEntry: false })?.isFile() === true;
  return isThere || file === `${home}/.gitconfig` || file === `${home}/.config/git/config` ? file : undefined;
}

/** What a program makes beside a file of its own: `key.pub` (ssh-keygen), `data.db-journal` (SQLite), `a.out.tmp`, `notes~`. */
const isBeside = (path: string, file: string): boolean =>
  path.startsWith(file) && [...path.matchAll(BESIDE)].some(([end]) => path === file + end);
const BESIDE = /(?:\.\w{1,12}|-(?:journal|wal|shm)|~)$/g;

/** Without the time of its birth a number may be another's. */
const hasBirth = ({ btime }: ObjectStat): boolean => btime[0] !== 0;

/** The system's own; what lies directly in these is everybody's. */
const SYSTEM = /^\/(?:bin|boot|dev|etc|lib\w*|nix|proc|root|run|sbin|snap|sys|usr|var)(?:\/|$)|^\/[^/]*$/;

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
  return inside !== "" && !SHARED.has(inside) && !own.split("/").some((name) => name.startsWith("."));
}
