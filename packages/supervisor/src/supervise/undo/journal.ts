import { closeSync, constants, fstatSync, openSync, readFileSync, readSync, writeSync } from "node:fs";
import { addressOf, alloc, ERRNO, sys, SYSCALLS } from "../kernel/index.ts";
import { lendAddress } from "./safe.ts";
import type { Remade } from "./remake.ts";
import type { FileKind, StatRecord } from "./stat.ts";
import type { Xattrs } from "./xattr.ts";

/**
 * The journal of a run, JSON Lines: what is about to happen, written before it happens. Paths are canonical at that
 * time and spelled as `pathText` does. A record's number is its line, from 1.
 */
export type JournalRecord =
  | { readonly op: "create"; readonly path: string; readonly kind: FileKind }
  /** `from` is the path of the existing name; undefined where it has none (O_TMPFILE). */
  | { readonly op: "link"; readonly path: string; readonly from?: string; readonly is?: StatRecord }
  /** Unlink, rmdir, or what a rename is about to replace. Without `is`: an object that this run made. */
  | ({ readonly op: "remove"; readonly path: string } & PreImage)
  /** First opening for writing, or truncation, of an object that was there before. */
  | ({ readonly op: "modify"; readonly path: string } & PreImage)
  | { readonly op: "metadata"; readonly path: string; readonly is: StatRecord; readonly xattrs?: Xattrs; readonly flags?: number }
  | {
      readonly op: "rename";
      readonly path: string;
      readonly to: string;
      readonly exchange?: true;
      readonly is?: StatRecord;
      readonly other?: StatRecord;
    }
  /** A folder in which something is about to be made, removed or renamed for the first time: for its times. */
  | { readonly op: "folder"; readonly path: string; readonly is: StatRecord }
  /** The call of record `record` failed: nothing happened. */
  | { readonly op: "void"; readonly record: number };

export interface PreImage {
  readonly is?: StatRecord;
  readonly xattrs?: Xattrs;
  /** Text of a symlink, as `pathText` spells it. */
  readonly text?: string;
  /**
   * Where the bytes are: `link`: `kept/KEY` is the object itself, which has no other name any more; `copy`: its bytes; `lost`:
   * nowhere, for a person allowed it, it can be made again, or it goes on under another name. Absent: `is`, `text` and
   * `xattrs` are everything there is.
   */
  readonly how?: "link" | "copy" | "lost";
  readonly key?: number;
  /** The run whose `kept/` it is, where several are looked at as one; not in the journal. */
  readonly folder?: string;
  /** Its extended attributes were not looked at: they stay as they are. */
  readonly bare?: true;
  /** Of what is lost: how it is made again. */
  readonly again?: Remade;
}

/** Where the bytes of a pre-image are. `folder`: of the run, where the image does not say. */
export const keptPath = ({ folder: own, key }: PreImage, folder: string): string => `${own ?? folder}/kept/${key ?? 0}`;

/** Why what was not kept cannot be brought back; continues "PATH …". */
export function notKept({ again, is }: PreImage): string {
  if (again !== undefined)
    return `was not kept whole${again.command === undefined ? ": it fills itself again" : `: \`${again.command}\` makes it again`}`;
  return `was removed or changed, and its bytes were not kept${(is?.[4] ?? 1) > 1 ? ": it had other names, under which they may go on" : ""}`;
}

const SIZE = 65_536;

/** Appends records: what is written is in the file before the call that it announces is made, whatever becomes of this process. */
export class JournalWriter {
  readonly #fd: number;
  readonly #buffer = alloc(SIZE);
  readonly #at = addressOf(this.#buffer);
  /** Bytes in the file, all of complete lines. */
  #size: number;
  #records = 0;

  /** Throws where the file cannot be made. */
  constructor(file: string) {
    const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW } = constants;
    this.#fd = openSync(file, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600);
    this.#size = fstatSync(this.#fd).size;
    if (this.#size > 0) this.#goOn(file);
  }

  /** After what was written before; a line that was cut short is ended, so that it spoils no other. */
  #goOn(file: string): void {
    const text = readFileSync(file);
    const end = text.indexOf(0);
    if (end >= 0) {
      sys(SYSCALLS.ftruncate, this.#fd, end);
      this.#size = end;
    }
    for (const _ of linesOf(file)) this.#records += 1;
    if (this.#size > 0 && text[this.#size - 1] !== 0x0a) this.#size += writeSync(this.#fd, "\n");
  }

  /** Number of the record, or a negative errno: then nothing of it stays. */
  append(record: JournalRecord): number {
    return this.line(`${JSON.stringify(record)}\n`);
  }

  /** As `append`, for text that is JSON already, each record with a line feed at its end; the number of the last. */
  line(text: string, records = 1): number {
    let buffer = this.#buffer;
    let at = this.#at;
    // A UTF-16 unit is at most 3 bytes of UTF-8.
    if (text.length * 3 > SIZE) {
      buffer = Buffer.from(text, "utf8");
      at = lendAddress(buffer);
    }
    const length = buffer === this.#buffer ? buffer.write(text, 0, "utf8") : buffer.length;
    const written = this.#write(at, length);
    if (written < 0) return written;
    this.#size += length;
    this.#records += records;
    return this.#records;
  }

  #write(at: number, length: number): number {
    for (let done = 0; done < length;) {
      const written = sys(SYSCALLS.write, this.#fd, at + done, length - done);
      if (written <= 0) {
        if (written === -ERRNO.EINTR) continue;
        // What was written of the line would spoil the next one.
        if (done > 0) sys(SYSCALLS.ftruncate, this.#fd, this.#size);
        return written === 0 ? -ERRNO.EIO : written;
      }
      done += written;
    }
    return 0;
  }

  close(): void {
    closeSync(this.#fd);
  }
}

export interface ReadJournal {
  readonly records: readonly JournalRecord[];
  /** Lines that could not be read: the last one of a run that was killed, or damage. */
  readonly broken: number;
  /** With its number. */
  readonly last?: { readonly number: number; readonly record: JournalRecord };
}

const CHUNK = 1 << 20;

/** The records of a journal, in order, without those that were called off. A missing file is an empty journal. */
export function readJournal(file: string): ReadJournal {
  /** By number, from 1; undefined: called off, or broken. */
  const lines: (JournalRecord | undefined)[] = [undefined];
  let broken = 0;
  for (const line of linesOf(file)) {
    const record = parseRecord(line);
    if (record === undefined) broken += 1;
    if (record?.op === "void" && record.record < lines.length) lines[record.record] = undefined;
    lines.push(record?.op === "void" ? undefined : record);
  }
  const number = lines.findLastIndex((record) => record !== undefined);
  const record = lines[number];
  return { records: lines.filter((one) => one !== undefined), broken, ...(record === undefined ? {} : { last: { number, record } }) };
}

/**
 * The lines of a file, without ends; the last one also where its end is missing. What follows the first NUL is no text: the file was
 * written as memory (`MappedEnd`), and whoever wrote it lives or was killed.
 */
export function* linesOf(file: string): Generator<string> {
  let fd: number;
  try {
    fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return;
    throw error;
  }
  try {
    let rest: Buffer = alloc(0);
    const chunk = alloc(CHUNK);
    for (let more = true; more;) {
      const got = readSync(fd, chunk, 0, CHUNK, null);
      const bytes = Buffer.concat([rest, chunk.subarray(0, got)]);
      const end = bytes.indexOf(0);
      const text = end < 0 ? bytes : bytes.subarray(0, end);
      more = got > 0 && end < 0;
      let start = 0;
      for (let feed = text.indexOf(0x0a); feed >= 0; feed = text.indexOf(0x0a, start)) {
        yield text.toString("utf8", start, feed);
        start = feed + 1;
      }
      rest = Buffer.from(text.subarray(start));
    }
    if (rest.length > 0) yield rest.toString("utf8");
  } finally {
    closeSync(fd);
  }
}

const OPERATIONS = new Set(["create", "link", "remove", "modify", "metadata", "rename", "folder", "void"]);

/** Undefined: it cannot be read. */
export function parseRecord(line: string): JournalRecord | undefined {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value !== "object" || value === null || !("op" in value) || typeof value.op !== "string") return undefined;
    if (!OPERATIONS.has(value.op)) return undefined;
    if (value.op !== "void" && (!("path" in value) || typeof value.path !== "string")) return undefined;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Assent's own file, in a folder nobody else may write
    return value as JournalRecord;
  } catch {
    return undefined;
  }
}
