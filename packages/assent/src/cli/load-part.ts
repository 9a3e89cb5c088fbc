import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { Script } from "node:vm";
import type { OwnCaches } from "./own-caches.ts";

type Require = (id: string) => unknown;
type OwnCachesPart = typeof import("./own-caches.ts");
type Part = (exports: object, require: Require, module: { exports: object }, file: string, folder: string) => void;

/** A text that was compiled. */
export interface Compiled {
  readonly script: Script;
  /** What to keep beside it. */
  readonly cache: () => Buffer;
}

export interface Parts {
  /** What a part exports: `./hook.cjs`, the first of that text, or `./hook.ignore.cjs`, another of it. */
  readonly load: (id: string) => unknown;
  /** The texts loaded so far, by name. */
  readonly scripts: ReadonlyMap<string, Compiled>;
  /** Keeps caches of what was compiled without one. */
  readonly keep: () => void;
}

/** Of the part that keeps them. */
const NO_OWN: OwnCaches = { compile: (_part, _source, _withCache, otherwise) => otherwise(), keep: () => undefined };

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
 * Parts of the program that load one another when they are needed (`require("./shell.cjs")` in hook.cjs). Several are one text,
 * with V8's code cache of it beside it: compiling is half of what a fresh hook costs, and a third of what a run does. The
 * build writes the caches for its own Node; for another one they are kept in the state folder. V8 itself rejects a cache
 * of another version or of other flags; against damage and mix-ups each has a seal. `command`: the build's were made by hooks.
 * This one needs few of a text's functions, and others, so it keeps caches of its own: to take those of hooks costs it more than to compile
 * what its own lack.
 */
export function partsOf(folder: string, require: Require, useCaches = true, command = "", own?: OwnCaches): Parts {
  const scripts = new Map<string, Compiled>();
  const loaded = new Map<string, object>();

  const compile = (text: string): Compiled => {
    const filename = `${folder}/${text}.cjs`;
    const bytes = readWhole(filename);
    if (bytes === undefined) throw new Error(`cannot read ${filename}`);
    // Plain ASCII: an object of functions, as node wraps modules.
    const source = bytes.toString("latin1");
    const compiled = (script: Script): Compiled => ({ script, cache: () => sealCache(bytes, script.createCachedData()) });
    const fresh = (): Compiled => compiled(new Script(source, { filename }));
    // Without a cache V8 reads the whole text first, which takes five times as long as with one.
    const withCache = (cachedData: Buffer | undefined): Compiled | undefined => {
      const script = cachedData === undefined ? undefined : new Script(source, { filename, cachedData });
      return script?.cachedDataRejected === false ? compiled(script) : undefined;
    };
    if (!useCaches) return fresh();
    const built = command === "" ? withCache(unsealCache(bytes, readWhole(`${folder}/${text}.cache`))) : undefined;
    if (built !== undefined) return built;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own, built from own-caches.ts
    own ??= (partsOf(folder, require, true, "", NO_OWN).load("./start.own-caches.cjs") as OwnCachesPart).ownCaches(command);
    return own.compile(text, bytes, withCache, fresh);
  };

  const load = (id: string): unknown => {
    if (!id.startsWith("./")) return require(id);
    const part = id.slice("./".length, -".cjs".length);
    const known = loaded.get(part);
    if (known !== undefined) return known;
    const text = part.replace(/\..*/, "");
    let compiled = scripts.get(text);
    if (compiled === undefined) scripts.set(text, (compiled = compile(text)));
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- texts are made so
    const run = (compiled.script.runInThisContext() as Readonly<Record<string, Part>>)[part];
    if (run === undefined) throw new Error(id);
    const module = { exports: {} };
    run(module.exports, load, module, `${folder}/${part}.cjs`, folder);
    loaded.set(part, module.exports);
    return module.exports;
  };

  return { load, scripts, keep: () => own?.keep() };
}

// V8 believes a code cache with a flipped bit, and one of another text of the same length. So each cache begins with sums
// of the text it was made from and of itself. They are against damage and mix-ups: who may write the file can write them too.

// V8 also believes a cache that was made on another processor, and crashes in it: an archive is built on one and installed on all.
const machine = Buffer.from(process.platform + process.arch).reduce((all, byte) => (all * 31 + byte) | 0, 0);

/** Four numbers of 32 bits. */
const HEADER = 16;
/** Odd, so that no change of one word is lost; small enough for the product with 32 bits to be exact. */
const FACTOR = 0x2c1b3d;

/** A cache is of one version of Node, so it does not matter that an older one sums otherwise. */
function sum(bytes: Buffer): number {
  const native = nativeSum();
  return native === undefined ? slowSum(bytes) : native(bytes, 0) | 0;
}

type NativeSum = (bytes: Buffer, start: number) => number;

/** Node's own: its public name, `zlib.crc32`, brings all of `zlib` and of the streams with it, which takes two milliseconds. */
function nativeSum(): NativeSum | undefined {
  const { noDeprecation } = process;
  try {
    // With `--pending-deprecation` it would be warned of.
    process.noDeprecation = true;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- of Node, without a type; what it is not is seen here
    const { crc32 } = (process as unknown as { binding(name: string): { crc32?: NativeSum } }).binding("zlib");
    if (typeof crc32 === "function") return crc32;
  } catch {
    // A Node that has no such door any more.
  } finally {
    if (noDeprecation === undefined) delete process.noDeprecation;
    else process.noDeprecation = noDeprecation;
  }
  return process.getBuiltinModule?.("zlib").crc32;
}

/** Of a fresh process: node:crypto takes as long to load as this takes for a megabyte. */
function slowSum(bytes: Buffer): number {
  const words = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2);
  let result = bytes.length | 0;
  for (const word of words) result = ((result ^ word) * FACTOR) | 0;
  for (const byte of bytes.subarray(words.length << 2)) result = ((result ^ byte) * FACTOR) | 0;
  return result;
}

/** What is kept of a cache: begins at a multiple of four in its memory, as all of these do. */
export function sealCache(source: Buffer, cache: Buffer): Buffer {
  const sealed = Buffer.allocUnsafeSlow(HEADER + cache.length);
  sealed.set(cache, HEADER);
  for (const [at, value] of sumsOf(source, sealed.subarray(HEADER)).entries()) sealed.writeInt32LE(value, at * 4);
  return sealed;
}

/** The cache, when it is whole and of this text. */
export function unsealCache(source: Buffer, sealed: Buffer | undefined): Buffer | undefined {
  if (sealed === undefined || sealed.length <= HEADER) return undefined;
  const cache = sealed.subarray(HEADER);
  return sumsOf(source, cache).every((value, at) => sealed.readInt32LE(at * 4) === value) ? cache : undefined;
}

const sumsOf = (source: Buffer, cache: Buffer): readonly number[] => [source.length ^ machine, sum(source), cache.length, sum(cache)];
