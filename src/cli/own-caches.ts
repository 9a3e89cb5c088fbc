import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { Script } from "node:vm";
import { isOwn, openState, thisMachine, writeAtomic } from "../state/index.ts";

// Entry of dist/own-caches.cjs, for a Node that the build made no code caches for: they are kept in the state folder.

declare const ASSENT_BUILD: string;
const MAX_BYTES = 16 << 20;

export interface OwnCaches {
  /** The bundle compiled with the cache kept for it; undefined when there is none that fits. */
  compile(part: string, source: string, filename: string): Script | undefined;
  /** Keeps caches of what was compiled without one. */
  keep(scripts: ReadonlyMap<string, Script>): void;
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

export function ownCaches(): OwnCaches {
  const state = openState(thisMachine());
  const fileOf = (part: string): string | undefined =>
    "folder" in state ? `${state.folder}/${part}-${ASSENT_BUILD}-${process.version}-${process.arch}.cache` : undefined;
  const wanting = new Set<string>();
  return {
    compile(part, source, filename) {
      const file = fileOf(part);
      const cachedData = file === undefined ? undefined : readOwn(file);
      const script = cachedData === undefined ? undefined : new Script(source, { filename, cachedData });
      if (script?.cachedDataRejected === false) return script;
      wanting.add(part);
      return undefined;
    },
    keep(scripts) {
      for (const part of wanting) {
        const file = fileOf(part);
        const script = scripts.get(part);
        if (file === undefined || script === undefined) continue;
        try {
          writeAtomic(file, script.createCachedData());
        } catch {
          // Costs time at the next call, nothing else.
        }
      }
    },
  };
}
