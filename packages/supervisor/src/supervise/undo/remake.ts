import { REMAKES } from "#knowledge/traits";
import { statSafe } from "./safe.ts";
import { milliseconds, type ObjectStat } from "./stat.ts";

/**
 * What can be made again by one command, from a list of exact versions that lies beside it: where keeping it would take a
 * copy, nothing is kept.
 */
const PACKAGES = REMAKES.map(([, row]) => {
  const [folder, beside, ...command] = row.split(" ");
  return { folder, beside, command: command.join(" ") };
}).toSorted((a, b) => Number(/lock/.test(b.beside ?? "")) - Number(/lock/.test(a.beside ?? "")));
/** Filled by the programs themselves. */
const CACHES = /^(?:__pycache__|\.pytest_cache|\.mypy_cache|\.ruff_cache|\.parcel-cache|\.turbo|_cacache)$/;

export interface Remade {
  /** Everything in there can be made again. */
  readonly folder: string;
  /** By this; undefined: it fills itself. */
  readonly command?: string;
}

/** Tells what can be made again. What says so must have been there before the run, which could claim anything. */
export class Remaking {
  /** Milliseconds since the epoch. */
  readonly #begun: number;
  readonly #known = new Map<string, Remade | undefined>([["", undefined]]);

  constructor(begun: number) {
    this.#begun = begun;
  }

  /** How the file at `path` can be made again; undefined: it cannot. One that was moved there in the run is not meant. */
  of(path: string, stat: ObjectStat): Remade | undefined {
    return milliseconds(stat.ctime) < this.#begun ? this.#in(path.slice(0, path.lastIndexOf("/"))) : undefined;
  }

  #in(folder: string): Remade | undefined {
    if (this.#known.has(folder)) return this.#known.get(folder);
    const slash = folder.lastIndexOf("/");
    const parent = folder.slice(0, slash);
    const found = this.#in(parent) ?? this.#look(folder, parent, folder.slice(slash + 1));
    this.#known.set(folder, found);
    return found;
  }

  #look(folder: string, parent: string, name: string): Remade | undefined {
    const found = PACKAGES.find(({ folder: packages, beside }) => packages === name && this.#isOld(`${parent}/${beside}`));
    if (found !== undefined) return { folder, command: found.command };
    return (CACHES.test(name) && this.#isOld(folder, "btime")) || this.#isOld(`${folder}/CACHEDIR.TAG`) ? { folder } : undefined;
  }

  #isOld(path: string, time: "btime" | "ctime" = "ctime"): boolean {
    const stat = statSafe(path);
    return typeof stat !== "number" && milliseconds(stat[time]) < this.#begun;
  }
}
