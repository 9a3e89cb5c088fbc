import { closeSync, fstatSync, lstatSync, openSync, readdirSync, readSync, unlinkSync } from "node:fs";
import { isOwn, openState, thisMachine, writeAtomic } from "@assent/guard/state";
import { unsealCache, type Compiled } from "./load-part.ts";

// For a Node that the build made no code caches for, and for commands that it made none for: they are kept in the state folder.

declare const ASSENT_BUILD: string;
const MAX_BYTES = 16 << 20;
/** Of one part: for a second Node or a second copy of Assent on this machine, which would otherwise write its own anew each time. */
const KEPT = 3;
/** `PART[-for-COMMAND]-BUILD-vNODE-ARCHITECTURE.cache`, as `fileOf` names it. */
const NAME = /^([a-z-]+)-[0-9a-f]{16}-v[\w.+-]+-[a-z0-9]+\.cache$/;

export interface OwnCaches {
  /** A part, by the cache kept for it, if it has one that fits its text and that V8 takes. */
  compile(
    part: string,
    source: Buffer,
    withCache: (cache: Buffer | undefined) => Compiled | undefined,
    otherwise: () => Compiled,
  ): Compiled;
  /** Where one was compiled without, keeps caches of them all: with it came the first need of functions of the others. */
  keep(): void;
}

/** A code cache that nobody else can have written: what is in it runs. */
function readOwn(file: string): Buffer | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, "r");
    const stats = fstatSync(descriptor);
    if (!stats.isFile() || stats.size === 0 || stats.size > MAX_BYTES || !isOwn(stats, process.getuid?.())) return undefined;
    const bytes = Buffer.allocUnsafeSlow(stats.size);
    return readSync(descriptor, bytes, 0, bytes.length, 0) === bytes.length ? bytes : undefined;
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** Takes away what updates of Node or of Assent have left behind: of a part's caches all but `written` and the newest others. */
function removeOld(folder: string, part: string, written: string): void {
  const others = readdirSync(folder)
    .filter((name) => NAME.exec(name)?.[1] === part && `${folder}/${name}` !== written)
    .map((name) => ({ path: `${folder}/${name}`, stats: lstatSync(`${folder}/${name}`, { throwIfNoEntry: false }) }))
    .filter(({ stats }) => stats?.isDirectory() === false)
    .sort((one, other) => (other.stats?.mtimeMs ?? 0) - (one.stats?.mtimeMs ?? 0));
  for (const { path } of others.slice(KEPT - 1)) unlinkSync(path);
}

export function ownCaches(command: string): OwnCaches {
  const state = openState(thisMachine());
  const nameOf = (part: string): string => (command === "" ? part : `${part}-for-${command}`);
  const fileOf = (part: string): string | undefined =>
    "folder" in state ? `${state.folder}/${nameOf(part)}-${ASSENT_BUILD}-${process.version}-${process.arch}.cache` : undefined;
  const added = new Map<string, Compiled>();
  let areKept = true;
  return {
    compile(part, source, withCache, otherwise) {
      const file = fileOf(part);
      const kept = file === undefined ? undefined : withCache(unsealCache(source, readOwn(file)));
      areKept &&= kept !== undefined;
      const compiled = kept ?? otherwise();
      added.set(part, compiled);
      return compiled;
    },
    keep() {
      if (areKept) return;
      areKept = true;
      for (const [part, { cache }] of added) {
        const file = fileOf(part);
        if (file === undefined) continue;
        try {
          writeAtomic(file, cache());
          if ("folder" in state) removeOld(state.folder, nameOf(part), file);
        } catch {
          // Costs time or room, nothing else.
        }
      }
    },
  };
}
