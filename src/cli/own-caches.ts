import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { isOwn, openState, thisMachine, writeAtomic } from "../state/index.ts";
import { unsealCache, type Compiled } from "./load-part.ts";

// Entry of dist/own-caches.cjs, for a Node that the build made no code caches for: they are kept in the state folder.

declare const ASSENT_BUILD: string;
const MAX_BYTES = 16 << 20;

export interface OwnCaches {
  /** The cache kept for a part; undefined when there is none that fits its text. */
  read(part: string, source: Buffer): Buffer | undefined;
  /** A part had no cache that V8 takes. */
  want(part: string): void;
  /** Keeps caches of what was compiled without one. */
  keep(scripts: ReadonlyMap<string, Compiled>): void;
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
    read(part, source) {
      const file = fileOf(part);
      return file === undefined ? undefined : unsealCache(source, readOwn(file));
    },
    want: (part) => void wanting.add(part),
    keep(scripts) {
      for (const part of wanting) {
        wanting.delete(part);
        const file = fileOf(part);
        const compiled = scripts.get(part);
        if (file === undefined || compiled === undefined) continue;
        try {
          writeAtomic(file, compiled.cache());
        } catch {
          // Costs time at the next call, nothing else.
        }
      }
    },
  };
}
