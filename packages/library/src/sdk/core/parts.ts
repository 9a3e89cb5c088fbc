import { visible } from "@assent/core/action";
import { PART_LOADERS } from "./part-loaders.ts";

// A page or a worker fetches what few calls need when one needs it. Judging does not wait in the middle: it ends where a part is missing,
// the part is fetched, and all is judged again.

const loaded = new Map<string, object>();
const loading = new Map<string, Promise<string | undefined>>();

/** For the library in one piece, which has them from the start. */
export function giveParts(parts: Readonly<Record<string, object>>): void {
  for (const [name, part] of Object.entries(parts)) loaded.set(name, part);
}

/** What is missing for what is judged now. Judging is one piece: nobody else's can come in between. */
let missing = new Set<string>();

/** A part of Assent that this needs is not there. */
export class PartMissing extends Error {
  override readonly name = "PartMissing";
  readonly code = "part-missing";
}

/** In the built core what is in a part stands as `partOf(NAME).NAME_IN_IT`. Throws where it is not there yet. */
export function partOf(name: string): object {
  const part = loaded.get(name);
  if (part !== undefined) return part;
  missing.add(name);
  throw new PartMissing(`the part ${name} of Assent is not there yet`);
}

/** What comes of `work`, and which parts were missing for it. INVARIANT: where any was, what came of it does not count, whoever caught the error. */
export function withoutWaiting<T>(work: () => T): { readonly made: T | undefined; readonly missing: ReadonlySet<string> } {
  const outer = missing;
  const own = (missing = new Set<string>());
  try {
    return { made: work(), missing: own };
  } catch (error) {
    if (own.size === 0) throw error;
    return { made: undefined, missing: own };
  } finally {
    missing = outer;
  }
}

/** So long a part may take to come. */
const LONGEST_WAIT_MS = 20_000;

/** Fetches parts. Gives what went wrong; the next call tries again. */
export async function fetchParts(names: Iterable<string>): Promise<string | undefined> {
  const problems = await Promise.all(Array.from(names, fetchPart));
  return problems.find((problem) => problem !== undefined);
}

async function fetchPart(name: string): Promise<string | undefined> {
  if (loaded.has(name)) return undefined;
  const before = loading.get(name);
  if (before !== undefined) return await before;
  const own = inTime(name).finally(() => loading.delete(name));
  loading.set(name, own);
  return await own;
}

async function inTime(name: string): Promise<string | undefined> {
  const load = Object.hasOwn(PART_LOADERS, name) ? PART_LOADERS[name] : undefined;
  if (load === undefined) return `the part ${name} was not found`;
  let stop: (() => void) | undefined;
  const late = new Promise<never>((_, reject) => {
    // A realm that has only what the language has waits for as long as it takes.
    if (typeof setTimeout !== "function") return;
    const timer = setTimeout(() => reject(new Error(`it has not come in ${LONGEST_WAIT_MS / 1000} seconds`)), LONGEST_WAIT_MS);
    stop = () => clearTimeout(timer);
  });
  try {
    loaded.set(name, await Promise.race([load(), late]));
    return undefined;
  } catch (error) {
    return `the part ${name} could not be fetched: ${visible(error instanceof Error ? error.message : String(error)).slice(0, 200)}`;
  } finally {
    stop?.();
  }
}

/**
 * Fetches all parts that are not there yet: for who would rather wait once, who goes offline, or who uses `lowerShell`, which cannot wait.
 * Throws where one does not come.
 */
export async function loadParts(): Promise<void> {
  const problem = await fetchParts(Object.keys(PART_LOADERS));
  if (problem !== undefined) throw new PartMissing(problem);
}
