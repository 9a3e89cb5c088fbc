import { closeSync, constants, existsSync, fstatSync, openSync, readdirSync, readSync } from "node:fs";
import { inflateSync } from "node:zlib";
import { spend } from "@assent/core/action";
import { joinPath } from "@assent/core/path";
import { readRegularBytes } from "../state/index.ts";

/** An object of git's. */
export interface GitObject {
  readonly type: "commit" | "tree" | "blob" | "tag";
  readonly bytes: Buffer;
}

/** Something is there that is not understood, is missing, or is more than is read. */
export class NotUnderstood extends Error {}

/** gitformat-pack(5): the types of its entries, by number. */
const TYPES: readonly (GitObject["type"] | undefined)[] = [undefined, "commit", "tree", "blob", "tag"];
const OF_OFFSET = 6;
const OF_NAME = 7;
const HASH = 20;
/** Larger ones are not read: of commits, trees and tags there are none. */
const LARGEST = 8 << 20;
/** So many objects are read, changes of others counted for themselves. On two busy cores, about a second. */
const MOST = 30_000;
const MOST_PACKS = 100;
/** Larger packs are read by parts. */
const MOST_WHOLE = 64 << 20;
/** Bytes of trees. */
const MOST_KEPT = 32 << 20;

/** What a repository keeps (gitformat-loose(5), gitformat-pack(5)), read without starting git. */
export class ObjectStore {
  readonly #folder: string;
  readonly #packs: readonly Pack[];
  #left = MOST;

  constructor(common: string) {
    this.#folder = joinPath(common, "objects");
    // What lies elsewhere, or stands for another object, is not looked for.
    for (const name of ["objects/info/alternates", "info/grafts", "refs/replace", "reftable"])
      if (existsSync(joinPath(common, name))) throw new NotUnderstood(name);
    const folder = joinPath(this.#folder, "pack");
    const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".idx")) : [];
    if (names.length > MOST_PACKS) throw new NotUnderstood("packs");
    this.#packs = names.map((name) => new Pack(joinPath(folder, name.slice(0, -".idx".length)), this));
  }

  close(): void {
    for (const pack of this.#packs) pack.close();
  }

  /** @throws NotUnderstood once too many were read */
  count(): void {
    spend(10);
    this.#left -= 1;
    if (this.#left < 0) throw new NotUnderstood("more objects than are read");
  }

  /** @throws NotUnderstood for what is not there */
  read(name: string): GitObject {
    for (const pack of this.#packs) {
      const at = pack.find(name);
      if (at !== undefined) return pack.read(at);
    }
    this.count();
    const found = readRegularBytes(this.#loose(name), LARGEST);
    if (found.is !== "bytes") throw new NotUnderstood(name);
    const bytes = inflateSync(found.bytes, { maxOutputLength: LARGEST });
    const nul = bytes.indexOf(0);
    const [, type] = /^(commit|tree|blob|tag) \d+$/.exec(bytes.toString("latin1", 0, nul)) ?? [];
    if (type === "commit" || type === "tree" || type === "blob" || type === "tag") return { type, bytes: bytes.subarray(nul + 1) };
    throw new NotUnderstood(name);
  }

  readonly #loose = (name: string): string => `${this.#folder}/${name.slice(0, 2)}/${name.slice(2)}`;

  has(name: string): boolean {
    spend(10);
    return existsSync(this.#loose(name)) || this.#packs.some((pack) => pack.find(name) !== undefined);
  }

  /** The names of objects that begin so, of four digits at least. */
  beginningWith(start: string): readonly string[] {
    const folder = joinPath(this.#folder, start.slice(0, 2));
    const loose = existsSync(folder) ? readdirSync(folder).map((name) => start.slice(0, 2) + name) : [];
    return [...loose.filter((name) => name.startsWith(start)), ...this.#packs.flatMap((pack) => pack.beginningWith(start))];
  }
}

/** A file of which parts are read; all of it once they are many. */
class PartedFile {
  readonly size: number;
  readonly #file: number;
  #reads = 0;
  #whole: Buffer | undefined;

  constructor(path: string) {
    this.#file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = fstatSync(this.#file);
    this.size = stats.size;
    if (stats.isFile()) return;
    this.close();
    throw new NotUnderstood(path);
  }

  close(): void {
    closeSync(this.#file);
  }

  part(offset: number, length: number): Buffer {
    if (offset + length > this.size) throw new NotUnderstood("a file that ends");
    if (this.#whole === undefined && ++this.#reads > 100 && this.size <= MOST_WHOLE) this.#whole = this.#read(0, this.size);
    return this.#whole?.subarray(offset, offset + length) ?? this.#read(offset, length);
  }

  #read(offset: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length);
    if (readSync(this.#file, bytes, 0, length, offset) !== length) throw new NotUnderstood("a file that ends");
    return bytes;
  }
}

/** A pack with its index, of version 2. */
class Pack {
  readonly #index: PartedFile;
  readonly #pack: PartedFile;
  readonly #fanout: Buffer;
  readonly #objects: ObjectStore;
  readonly #trees = new Map<number, GitObject>();
  #kept = 0;

  constructor(path: string, objects: ObjectStore) {
    this.#objects = objects;
    this.#index = new PartedFile(`${path}.idx`);
    this.#pack = new PartedFile(`${path}.pack`);
    this.#fanout = this.#index.part(0, 8 + 256 * 4);
    if (this.#fanout.toString("hex", 0, 8) !== "ff744f6300000002") throw new NotUnderstood(path);
  }

  close(): void {
    this.#index.close();
    this.#pack.close();
  }

  readonly #upTo = (first: number): number => (first < 0 ? 0 : this.#fanout.readUInt32BE(8 + first * 4));
  readonly #nameAt = (at: number): Buffer => this.#index.part(8 + 1024 + at * HASH, HASH);

  /** The place in the index of the first name that is not before this one, which may end early. */
  #placeOf(start: string): number {
    const name = Buffer.from(start.padEnd(HASH * 2, "0"), "hex");
    const first = name[0] ?? 0;
    let low = this.#upTo(first - 1);
    let high = this.#upTo(first);
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#nameAt(middle).compare(name) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  find(name: string): number | undefined {
    const count = this.#upTo(255);
    const at = this.#placeOf(name);
    if (at >= count || this.#nameAt(at).toString("hex") !== name) return undefined;
    const offsets = 8 + 1024 + count * (HASH + 4);
    const offset = this.#index.part(offsets + at * 4, 4).readUInt32BE(0);
    if (offset < 0x8000_0000) return offset;
    return Number(this.#index.part(offsets + count * 4 + (offset - 0x8000_0000) * 8, 8).readBigUInt64BE(0));
  }

  beginningWith(start: string): readonly string[] {
    const found: string[] = [];
    for (let at = this.#placeOf(start); at < this.#upTo(255) && found.length < 16; at++) {
      const name = this.#nameAt(at).toString("hex");
      if (!name.startsWith(start)) break;
      found.push(name);
    }
    return found;
  }

  read(offset: number, depth = 0): GitObject {
    const known = this.#trees.get(offset);
    if (known !== undefined) return known;
    // git makes no longer chains of changes than 4,095 (pack.depth).
    if (depth > 4095) throw new NotUnderstood("a chain of changes");
    this.#objects.count();
    const head = this.#pack.part(offset, Math.min(64, this.#pack.size - offset));
    let at = 0;
    const next = (): number => head[at++] ?? 0;
    let byte = next();
    const type = (byte >> 4) & 7;
    let size = byte & 15;
    for (let shift = 4; byte > 0x7f; shift += 7) size += ((byte = next()) & 0x7f) * 2 ** shift;
    let base: GitObject | undefined;
    if (type === OF_OFFSET) {
      let back = (byte = next()) & 0x7f;
      while (byte > 0x7f) back = (back + 1) * 128 + ((byte = next()) & 0x7f);
      if (back <= 0 || back > offset) throw new NotUnderstood("an offset");
      base = this.read(offset - back, depth + 1);
    } else if (type === OF_NAME) {
      const name = head.toString("hex", at, at + HASH);
      at += HASH;
      const there = this.find(name);
      base = there === undefined ? this.#objects.read(name) : this.read(there, depth + 1);
    }
    const plain = TYPES[type];
    const kind = base?.type ?? plain;
    if (kind === undefined || size > LARGEST) throw new NotUnderstood("an entry of a pack");
    // Of a file only that it is one is asked.
    const bytes = kind === "blob" ? Buffer.alloc(0) : this.#inflate(offset + at, size);
    const object = { type: kind, bytes: base === undefined || kind === "blob" ? bytes : changed(base.bytes, bytes) };
    if (kind === "tree") this.#keep(offset, object);
    return object;
  }

  /** What others are changes of. */
  #keep(offset: number, tree: GitObject): void {
    this.#kept += tree.bytes.length;
    if (this.#kept > MOST_KEPT) {
      this.#trees.clear();
      this.#kept = tree.bytes.length;
    }
    this.#trees.set(offset, tree);
  }

  #inflate(offset: number, size: number): Buffer {
    // zlib, compressBound: never longer than this.
    const most = size + (size >> 9) + 64;
    const packed = this.#pack.part(offset, Math.min(most, this.#pack.size - offset));
    const bytes = inflateSync(packed, { maxOutputLength: size + 1 });
    if (bytes.length !== size) throw new NotUnderstood("a size");
    return bytes;
  }
}

/** gitformat-pack(5), "Deltified representation": two sizes, then copies of the base and new bytes. */
function changed(base: Buffer, delta: Buffer): Buffer {
  let at = 0;
  const size = (): number => {
    let value = 0;
    for (let shift = 0, byte = 0x80; byte > 0x7f; shift += 7) value += ((byte = delta[at++] ?? 0) & 0x7f) * 2 ** shift;
    return value;
  };
  const from = size();
  const to = size();
  const parts: Buffer[] = [];
  while (at < delta.length) {
    const order = delta[at++] ?? 0;
    if (order < 0x80) {
      if (order === 0) throw new NotUnderstood("a change");
      parts.push(delta.subarray(at, (at += order)));
      continue;
    }
    const read = (bits: readonly number[]): number =>
      bits.reduce((sum, bit, place) => ((order & (1 << bit)) === 0 ? sum : sum + (delta[at++] ?? 0) * 2 ** (8 * place)), 0);
    const offset = read([0, 1, 2, 3]);
    const length = read([4, 5, 6]) || 0x1_0000;
    parts.push(base.subarray(offset, offset + length));
  }
  const bytes = Buffer.concat(parts);
  if (from !== base.length || to !== bytes.length) throw new NotUnderstood("a change");
  return bytes;
}
