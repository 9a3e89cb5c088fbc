import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { Script } from "node:vm";
import type { OwnCaches } from "./own-caches.ts";

type Require = (id: string) => unknown;
type Wrapped = (exports: object, require: Require, module: { exports: object }, file: string, folder: string) => void;

export interface Parts {
  /** What a part exports: `./hook.cjs`. */
  readonly load: (id: string) => unknown;
  /** The parts loaded so far, by name. */
  readonly scripts: ReadonlyMap<string, Script>;
  /** Keeps caches of what was compiled without one. */
  readonly keep: () => void;
}

/** What a file of the program holds. */
function readWhole(file: string): Buffer | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, "r");
    const { size } = fstatSync(descriptor);
    const bytes = Buffer.allocUnsafeSlow(size);
    return size > 0 && readSync(descriptor, bytes, 0, size, 0) === size ? bytes : undefined;
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/**
 * Parts of the program that load one another when they are needed (`require("./shell.cjs")` in hook.cjs), each with
 * V8's code cache of it beside it: compiling is half of what a fresh hook costs, and a third of what a run does. The
 * build writes the caches for its own Node; for another one they are kept in the state folder. V8 itself rejects a cache
 * of another version, of other flags or of another text.
 */
export function partsOf(folder: string, require: Require, useCaches = true): Parts {
  const scripts = new Map<string, Script>();
  const loaded = new Map<string, object>();
  let own: OwnCaches | undefined;

  const compile = (part: string): Script => {
    const filename = `${folder}/${part}.cjs`;
    // Parts are plain ASCII, already wrapped as node wraps modules.
    const source = readWhole(filename)?.toString("latin1");
    if (source === undefined) throw new Error(`${filename} cannot be read`);
    const cachedData = useCaches ? readWhole(`${folder}/${part}.cache`) : undefined;
    const script = new Script(source, cachedData === undefined ? { filename } : { filename, cachedData });
    if (!useCaches || script.cachedDataRejected === false) return script;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own, built from own-caches.ts
    own ??= (require("./own-caches.cjs") as { ownCaches: () => OwnCaches }).ownCaches();
    return own.compile(part, source, filename) ?? script;
  };

  const load = (id: string): unknown => {
    if (!id.startsWith("./")) return require(id);
    const part = id.slice("./".length, -".cjs".length);
    const known = loaded.get(part);
    if (known !== undefined) return known;
    const script = compile(part);
    scripts.set(part, script);
    const module = { exports: {} };
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- parts are wrapped so
    (script.runInThisContext() as Wrapped)(module.exports, load, module, `${folder}/${part}.cjs`, folder);
    loaded.set(part, module.exports);
    return module.exports;
  };

  return { load, scripts, keep: () => own?.keep(scripts) };
}
