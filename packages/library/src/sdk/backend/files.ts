import { applyLineEdits, splitLines, withHashes, type LineEdit } from "./lines.ts";
import { hashOf, makeFolders, MovedError, readHeld, replaceHeld, textOf } from "./content.ts";
import type { Pinned } from "./pin.ts";
import type { Located, Place } from "./place.ts";
import { failure, systemFailure, type Failure } from "./result.ts";
import type { Operation } from "../rules/ruleset.ts";

/** Larger files are not read as text at all. */
const MOST_BYTES = 64 << 20;

/** Which lines of a file, and how they are given. */
export interface ReadOptions {
  /** First line, from 1. */
  readonly from?: number;
  /** How many lines. */
  readonly lines?: number;
  /** In front of each line its address for `editLines`: `12:a1b2c3|`. */
  readonly hashes?: boolean;
}

/** Lines of a file, `from` and `to` counted from 1. */
export interface ReadText {
  readonly ok: true;
  readonly path: string;
  readonly text: string;
  readonly from: number;
  readonly to: number;
  readonly totalLines: number;
  /** There is more than is given: the ceiling was reached. */
  readonly truncated: boolean;
}

/** A file as bytes; `mediaType` by what it begins with. */
export interface ReadBytes {
  readonly ok: true;
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly mediaType: string;
}

/** A file that was written. */
export interface Written {
  readonly ok: true;
  readonly path: string;
  /** The file is new. */
  readonly created: boolean;
  /** For an edit: how often the text was replaced. */
  readonly replacements?: number;
}

interface FileLimits {
  /** Characters of one read; 200 000 by default. */
  readonly maxReadChars: number;
  /** Bytes of one image or document; 50 MB by default. */
  readonly maxBytes: number;
}

/** Reading and changing files behind the two gates. Whatever is done is done to the object that was judged. */
export class Files {
  readonly #place: Place;
  readonly #limits: FileLimits;
  /** What a file held when it was last read or written here, by its path. */
  readonly #seen = new Map<string, string>();
  readonly #queues = new Map<string, Promise<unknown>>();

  constructor(place: Place, limits: FileLimits) {
    this.#place = place;
    this.#limits = limits;
  }

  async read(requested: string, options: ReadOptions = {}): Promise<ReadText | Failure> {
    const { maxReadChars } = this.#limits;
    const bytes = await this.#bytes(requested, MOST_BYTES);
    if ("ok" in bytes) return bytes;
    const text = textOf(bytes.bytes);
    if (text === undefined) return failure("binary", `'${requested}' is not text; read it as bytes`);
    this.#saw(bytes.path, bytes.bytes);
    const lines = splitLines(text);
    const from = options.from ?? 1;
    const count = options.lines ?? Math.max(lines.length, 1);
    if (!Number.isInteger(from) || !Number.isInteger(count) || from < 1 || count < 1) return failure("range", "lines are counted from 1");
    if (from > Math.max(lines.length, 1)) return failure("range", `'${requested}' has ${lines.length} lines, none from ${from}`);
    const chosen = lines.slice(from - 1, from - 1 + count);
    const whole = options.hashes === true ? withHashes(chosen, from) : chosen.join("");
    const explicit = options.from !== undefined || options.lines !== undefined;
    if (explicit && whole.length > maxReadChars)
      return failure("too-large", `these lines have ${whole.length} characters, more than ${maxReadChars}: ask for fewer`);
    const cut = whole.length > maxReadChars ? cutAt(whole, maxReadChars) : whole;
    const to = whole === cut ? from - 1 + chosen.length : from - 1 + Math.max(splitLines(cut).length, 1);
    return { ok: true, path: bytes.path, text: cut, from, to, totalLines: lines.length, truncated: cut !== whole };
  }

  /** Images and documents; anything else as `application/octet-stream`. */
  async readBytes(requested: string): Promise<ReadBytes | Failure> {
    const read = await this.#bytes(requested, this.#limits.maxBytes);
    return "ok" in read ? read : { ok: true, path: read.path, bytes: new Uint8Array(read.bytes), mediaType: mediaType(read.bytes) };
  }

  async #bytes(requested: string, limit: number): Promise<{ readonly path: string; readonly bytes: Buffer } | Failure> {
    const found = this.#place.locate(requested);
    if ("ok" in found) return found;
    const { real } = found;
    const object = found.is === "object" ? found.object : found.folder;
    try {
      // Whether it is there is not told before it may be read.
      const refused = await this.#place.check("read", requested, found);
      if (refused !== undefined) return refused;
      if (found.is === "missing") return failure("not-found", `'${requested}' does not exist`);
      if (!object.stats.isFile()) return wrongKind(object, requested);
      const bytes = readHeld(object, limit, this.#place.pinning);
      return bytes === undefined ? failure("too-large", `'${requested}' is larger than ${limit} bytes`) : { path: real, bytes };
    } catch (error) {
      return rethrown(error) ?? systemFailure(error, requested);
    } finally {
      object.close();
    }
  }

  /** Creates or replaces a file, and the folders above it. */
  async write(requested: string, content: string | Uint8Array): Promise<Written | Failure> {
    const bytes = typeof content === "string" ? Buffer.from(content, "utf8") : content;
    return await this.#change("write", requested, () => ({ bytes }));
  }

  /** Replaces a text that occurs exactly once, or with `all` every time. Refused when the file has changed since it was read here. */
  async edit(requested: string, old: string, replacement: string, options: { readonly all?: boolean } = {}): Promise<Written | Failure> {
    if (old === "") return failure("no-match", "the text to be replaced is empty");
    return await this.#change("edit", requested, (text) => {
      const parts = text.split(old);
      const count = parts.length - 1;
      if (count === 0) return failure("no-match", `the text does not occur in '${requested}'`);
      if (count > 1 && options.all !== true)
        return failure("no-match", `the text occurs ${count} times in '${requested}': give more of what is around it, or replace all`);
      return { bytes: Buffer.from(parts.join(replacement), "utf8"), replacements: count };
    });
  }

  /** Replaces lines by their addresses (`read` with `hashes`). */
  async editLines(requested: string, edits: readonly LineEdit[]): Promise<Written | Failure> {
    return await this.#change("edit", requested, (text) => {
      const next = applyLineEdits(text, edits);
      return typeof next === "string" ? { bytes: Buffer.from(next, "utf8"), replacements: edits.length } : next;
    });
  }

  async #change(operation: Operation, requested: string, next: Next): Promise<Written | Failure> {
    const first = this.#place.locate(requested);
    if ("ok" in first) return first;
    (first.is === "object" ? first.object : first.folder).close();
    // A change that waits for another one starts from what that leaves.
    return await this.#inTurn(first.real, async () => await this.#changeNow(operation, requested, next));
  }

  async #changeNow(operation: Operation, requested: string, next: Next): Promise<Written | Failure> {
    const found = this.#place.locate(requested);
    if ("ok" in found) return found;
    try {
      const refused = await this.#place.check(operation, requested, found);
      if (refused !== undefined) return refused;
      if (found.is === "missing" && operation === "edit") return failure("not-found", `'${requested}' does not exist`);
      if (found.is === "object" && !found.object.stats.isFile()) return wrongKind(found.object, requested);
      return this.#put(operation, requested, found, next);
    } catch (error) {
      return rethrown(error) ?? (error instanceof MovedError ? moved(requested) : systemFailure(error, requested));
    } finally {
      (found.is === "object" ? found.object : found.folder).close();
    }
  }

  #put(operation: Operation, requested: string, found: Located, next: Next): Written | Failure {
    const { pinning } = this.#place;
    const { real } = found;
    let text = "";
    if (operation === "edit" && found.is === "object") {
      const bytes = readHeld(found.object, MOST_BYTES, pinning);
      if (bytes === undefined) return failure("too-large", `'${requested}' is larger than ${MOST_BYTES} bytes`);
      const seen = this.#seen.get(real);
      if (seen !== undefined && seen !== hashOf(bytes))
        return failure("changed", `'${requested}' has changed since it was read; read it again`);
      const read = textOf(bytes);
      if (read === undefined) return failure("binary", `'${requested}' is not text`);
      text = read;
    }
    const made = next(text);
    if ("ok" in made) return made;
    const slash = real.lastIndexOf("/");
    const name = real.slice(slash + 1);
    const folder =
      found.is === "missing" ? makeFolders(found.folder, found.rest.slice(0, -1), pinning) : pinning.pin(real.slice(0, slash) || "/", true);
    try {
      if (folder.path !== (real.slice(0, slash) || "/")) return moved(requested);
      const object = found.is === "object" ? found.object : undefined;
      const failed = replaceHeld({ folder, name, object }, made.bytes, pinning);
      if (failed !== undefined) return failed;
    } finally {
      folder.close();
    }
    this.#saw(real, made.bytes);
    return {
      ok: true,
      path: real,
      created: found.is === "missing",
      ...(made.replacements === undefined ? {} : { replacements: made.replacements }),
    };
  }

  /** Changes of one file come one after the other. */
  async #inTurn<T>(path: string, work: () => Promise<T>): Promise<T> {
    const before = this.#queues.get(path) ?? Promise.resolve();
    const mine = before.then(work, work);
    this.#queues.set(path, mine);
    try {
      return await mine;
    } finally {
      if (this.#queues.get(path) === mine) this.#queues.delete(path);
    }
  }

  #saw(path: string, bytes: Uint8Array): void {
    if (this.#seen.size >= 10_000) this.#seen.clear();
    this.#seen.set(path, hashOf(bytes));
  }
}

type Next = (text: string) => { readonly bytes: Uint8Array; readonly replacements?: number } | Failure;

const moved = (requested: string): Failure => failure("changed", `'${requested}' was moved meanwhile; try again`);

function wrongKind({ stats }: Pinned, requested: string): Failure {
  return failure("wrong-kind", `'${requested}' is ${stats.isDirectory() ? "a folder" : "no regular file"}`);
}

/** What the caller wants thrown. */
function rethrown(error: unknown): undefined {
  if (error instanceof Error && "code" in error && error.code === "permission-ask") throw error;
  return undefined;
}

/** Not in the middle of a surrogate pair. */
function cutAt(text: string, length: number): string {
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}

const MEDIA: readonly (readonly [type: string, start: string])[] = [
  ["image/png", "89504e470d0a1a0a"],
  ["image/jpeg", "ffd8ff"],
  ["image/gif", "47494638"],
  ["application/pdf", "255044462d"],
];

function mediaType(bytes: Buffer): string {
  const start = bytes.subarray(0, 12).toString("hex");
  const known = MEDIA.find(([, magic]) => start.startsWith(magic));
  if (known !== undefined) return known[0];
  return start.startsWith("52494646") && start.endsWith("57454250") ? "image/webp" : "application/octet-stream";
}
