import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { Script } from "node:vm";
import { isOwn, openState, thisMachine, writeAtomic } from "../state/index.ts";

interface Hook {
  readonly main: (argv: readonly string[]) => void;
  readonly rehearse: (envelope: string) => void;
}
type Wrapped = (exports: object, require: (id: string) => unknown, module: { exports: object }, file: string, folder: string) => void;

declare const ASSENT_BUILD: string;
const MAX_BYTES = 16 << 20;

/** A file of the program; or, where it must be this user's own, a code cache that nobody else can have written. */
function readWhole(file: string, mustBeOwn: boolean): Buffer | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, "r");
    const stats = fstatSync(descriptor);
    if (!stats.isFile() || stats.size === 0 || stats.size > MAX_BYTES || (mustBeOwn && !isOwn(stats, process.getuid?.()))) return undefined;
    const bytes = Buffer.allocUnsafeSlow(stats.size);
    return readSync(descriptor, bytes, 0, bytes.length, 0) === bytes.length ? bytes : undefined;
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/**
 * The hook, from its bundle and V8's code cache of it: compiling is half of what a fresh hook costs.
 * The build writes a cache for its own Node; for another Node one is kept in the state folder. V8 itself rejects a
 * cache of another version, of other flags or of another text.
 */
export function loadHook(
  folder: string,
  require: (id: string) => unknown,
  useCache = true,
): { readonly hook: Hook; readonly script: Script; readonly keep: () => void } {
  const file = `${folder}/hook.cjs`;
  // The bundle is plain ASCII, already wrapped as node wraps modules.
  const source = readWhole(file, false)?.toString("latin1");
  if (source === undefined) throw new Error(`${file} cannot be read`);
  let cachedData = useCache ? readWhole(`${folder}/hook.cache`, false) : undefined;
  let script = new Script(source, cachedData === undefined ? { filename: file } : { filename: file, cachedData });
  let stale = useCache && script.cachedDataRejected !== false;
  let kept: string | undefined;
  if (stale) {
    const state = openState(thisMachine());
    if ("folder" in state) {
      kept = `${state.folder}/hook-${ASSENT_BUILD}-${process.version}-${process.arch}.cache`;
      cachedData = readWhole(kept, true);
      if (cachedData !== undefined) {
        script = new Script(source, { filename: file, cachedData });
        stale = script.cachedDataRejected !== false;
      }
    }
  }
  const module = { exports: {} };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own bundle, built from hook.ts
  const wrapped = script.runInThisContext() as Wrapped;
  wrapped(module.exports, require, module, file, folder);
  const keep = (): void => {
    if (!stale || kept === undefined) return;
    try {
      writeAtomic(kept, script.createCachedData());
    } catch {
      // Costs time at the next call, nothing else.
    }
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
  return { hook: module.exports as Hook, script, keep };
}
