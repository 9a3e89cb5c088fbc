import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync } from "node:fs";
import { attempt } from "@assent/core/data";
import { errorCode } from "../state/index.ts";
import { GENESIS, linkHash, linkOf, type Link, type Sha256 } from "./chain.ts";
import {
  AUDIT_FILE,
  type LogBase,
  beginningOf,
  bytesOf,
  fields,
  filesOfLog,
  hasBegun,
  type LogHead,
  readBase,
  readHead,
  segmentName,
} from "./files.ts";

/** Something about the log that is not as it was written. */
export interface Flaw {
  /**
   * `changed`: a record, or a line before it, has another text. `missing`: records are gone. `moved`: a record stands where
   * it does not belong. `cut`: the log's end is gone. `outside`: lines that no record vouches for. `head`: the file that
   * says where the log ends was gone; what was cut before that does not show. `unreadable`.
   */
  readonly kind: "changed" | "missing" | "moved" | "cut" | "outside" | "head" | "unreadable";
  readonly file: string;
  /** From 1; absent where a whole file is meant. */
  readonly line?: number;
  readonly what: string;
}

export interface VerifiedLog {
  readonly records: number;
  /** Lines left torn by a process that was killed, and lines without a hash. They are vouched for by the record behind them. */
  readonly torn: number;
  readonly unchained: number;
  readonly flaws: readonly Flaw[];
}

const MOST_FLAWS = 100;
const CHUNK = 4 << 20;
const BREAK = 0x0a;

const sha256: Sha256 = (parts) => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest();
};

/** Reads the whole log of a state folder, a part at a time, and follows its chain. `onPart` is told how many records were read so far. */
export function verifyLog(folder: string, onPart?: (records: number) => void): VerifiedLog {
  const head = readHead(folder);
  const walk = new LogWalk(readBase(folder), head, onPart);
  const files = filesOfLog(folder).filter((file) => (numberOf(file) ?? Infinity) > (walk.base?.segment ?? 0));
  let expected = (walk.base?.segment ?? 0) + 1;
  for (const file of files) {
    const segment = numberOf(file) ?? expected;
    if (segment !== expected) walk.flaw("missing", file, undefined, `${segment - expected} whole files before it are gone`);
    expected = segment + 1;
    walk.file(`${folder}/${file}`, file, file === AUDIT_FILE && head === undefined);
  }
  walk.end();
  const began = beginningOf(folder);
  if (walk.records === 0 && head === undefined && walk.flaws.length === 0 && hasBegun(folder))
    walk.flaw("missing", AUDIT_FILE, undefined, `the whole log is gone${began === undefined ? "" : `; it was begun on ${began}`}`);
  return { records: walk.records, torn: walk.torn, unchained: walk.unchained, flaws: walk.flaws };
}

/** A line that was read. Offsets are those of its file. */
interface LogLine {
  readonly number: number;
  readonly start: number;
  readonly end: number;
  /** Undefined: no record. */
  readonly link: Link | undefined;
  readonly whole: boolean;
}

/** What a record vouches for: from the start of what it follows to where it was to stand. */
interface Covered {
  readonly from: number;
  readonly to: number;
}

/** How many records may be between one and what it follows: so many processes write at the same moment. */
const MOST_AT_ONCE = 1024;

class LogWalk {
  readonly base: LogBase | undefined;
  readonly flaws: Flaw[] = [];
  records = 0;
  torn = 0;
  unchained = 0;
  readonly #head: LogHead | undefined;
  #at: Link;
  #highest: number;
  #attested = false;
  #line = 0;
  #file = "";
  #descriptor = -1;
  /** The last lines of this file, and the last records of those before it. */
  #recent: LogLine[] = [];
  #before: Link[];
  /** Lines that no later record has vouched for yet. */
  #loose: LogLine[] = [];
  /** Lines since the last record. */
  #between: Buffer[] = [];
  #sawHead = false;

  readonly #onPart: ((records: number) => void) | undefined;

  constructor(base: LogBase | undefined, head: LogHead | undefined, onPart?: (records: number) => void) {
    this.base = base;
    this.#onPart = onPart;
    this.#head = head;
    this.#at = base?.link ?? GENESIS;
    this.#highest = this.#at.seq;
    this.#before = [this.#at];
    this.#sawHead = head === undefined || head.link.hash === this.#at.hash;
  }

  flaw(kind: Flaw["kind"], file: string, line: number | undefined, what: string): void {
    if (this.flaws.length < MOST_FLAWS) this.flaws.push({ kind, file, ...(line === undefined ? {} : { line }), what });
  }

  file(path: string, name: string, mayBeMissing: boolean): void {
    this.#endFile();
    this.#file = name;
    this.#line = 0;
    try {
      this.#descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    } catch (error) {
      if (errorCode(error) === "ENOENT" && mayBeMissing) return;
      return this.flaw("unreadable", name, undefined, errorCode(error) === "ENOENT" ? "is gone" : `cannot be read: ${errorCode(error)}`);
    }
    try {
      this.#lines(fstatSync(this.#descriptor).size);
    } finally {
      closeSync(this.#descriptor);
    }
  }

  /** Who was slow may have written behind the record that the next file goes on from: such records nobody vouches for. */
  #endFile(): void {
    const records = this.#recent.flatMap(({ link }) => link ?? []);
    this.#before = [...this.#before, ...records].slice(-MOST_AT_ONCE);
    this.#loose = this.#loose.filter((line) => line.link === undefined).map((line) => ({ ...line, start: -1, end: -1 }));
    this.#recent = [];
  }

  #lines(size: number): void {
    let rest: Buffer = Buffer.alloc(0);
    let start = 0;
    for (let at = 0; at < size; at += CHUNK) {
      const bytes = Buffer.concat([rest, bytesOf(this.#descriptor, at, Math.min(size, at + CHUNK))]);
      let from = 0;
      for (let end = bytes.indexOf(BREAK); end !== -1; end = bytes.indexOf(BREAK, from)) {
        this.#one(bytes.subarray(from, end + 1), start);
        start += end + 1 - from;
        from = end + 1;
      }
      rest = bytes.subarray(from);
      this.#onPart?.(this.records);
    }
    if (rest.length > 0) this.#one(rest, start);
  }

  /** `bytes` with its line break, which the last one may lack. */
  #one(bytes: Buffer, start: number): void {
    this.#line += 1;
    const bare = bytes.at(-1) === BREAK ? bytes.subarray(0, -1) : bytes;
    const found = bytes === bare ? undefined : linkOf(bare);
    const line = { number: this.#line, start, end: start + bytes.length, link: found?.link, whole: found !== undefined || isWhole(bare) };
    if (found === undefined) {
      this.#between.push(Buffer.from(bytes));
      this.#keep(line);
      return;
    }
    const { link, covered, after } = found;
    this.records += 1;
    const between = this.#between;
    this.#between = [];
    const body = bare.subarray(0, covered);
    const again = this.#recent.some((one) => one.link?.hash === link.hash) || this.#before.some((one) => one.hash === link.hash);
    const from = again
      ? undefined
      : (this.#followsLast(link, between, body) ??
        this.#followsEarlier(link, after, start, body) ??
        this.#followsTorn(link, between, bare, covered));
    if (from === undefined) this.#breaks(link, between.length);
    else this.#holds(from, bare);
    this.#at = link;
    this.#highest = Math.max(this.#highest, link.seq);
    if (this.#head?.link.hash === link.hash) this.#sawHead = true;
    this.#keep(line);
  }

  #keep(line: LogLine): void {
    this.#recent.push(line);
    this.#loose.push(line);
    if (this.#recent.length > 2 * MOST_AT_ONCE) this.#recent.splice(0, MOST_AT_ONCE);
    if (this.#loose.length > MOST_AT_ONCE) this.#unvouched(this.#loose.shift());
  }

  #unvouched(line: LogLine | undefined): void {
    if (line !== undefined) this.flaw("outside", this.#file, line.number, "no later record vouches for this line: it was put in");
  }

  /** Nobody else wrote at that moment. Where what it vouches for begins. */
  #followsLast(link: Link, between: readonly Buffer[], body: Buffer): Covered | undefined {
    const bytes = between.length === 0 ? NOTHING : Buffer.concat(between);
    if (linkHash(sha256, this.#at.hash, bytes, body) !== link.hash) return undefined;
    return { from: this.#recent.findLast((line) => line.link !== undefined)?.start ?? -1, to: Infinity };
  }

  /**
   * Others wrote at the same moment: it was to stand right behind what it covers, and others came in between. What it
   * covers are the `after` bytes behind a record.
   */
  #followsEarlier(link: Link, after: number, start: number, body: Buffer): Covered | undefined {
    const ends = new Map(this.#recent.flatMap((line) => (line.link === undefined ? [] : [[line.end, line] as const])));
    const places = [start, ...this.#recent.map((line) => line.start).toReversed()];
    for (const place of places) {
      const followed = ends.get(place - after);
      if (followed?.link === undefined && place !== after) continue;
      const between = after === 0 ? NOTHING : bytesOf(this.#descriptor, place - after, place);
      const candidates = followed?.link === undefined ? this.#before.toReversed() : [followed.link];
      if (candidates.some((candidate) => linkHash(sha256, candidate.hash, between, body) === link.hash))
        return { from: followed?.start ?? -1, to: place };
    }
    return undefined;
  }

  /** Behind a line that was torn by a full disk at the same moment. */
  #followsTorn(link: Link, between: readonly Buffer[], bare: Buffer, covered: number): Covered | undefined {
    const begins = bare.lastIndexOf(RECORD_START, covered);
    if (begins <= 0) return undefined;
    const body = bare.subarray(begins, covered);
    for (const bytes of [NOTHING, Buffer.concat(between), Buffer.concat([...between, bare.subarray(0, begins)])])
      if (linkHash(sha256, this.#at.hash, bytes, body) === link.hash) {
        this.torn += 1;
        return { from: this.#recent.findLast((line) => line.link !== undefined)?.start ?? -1, to: Infinity };
      }
    return undefined;
  }

  /** It vouches for what it covers. */
  #holds({ from, to }: Covered, bare: Buffer): void {
    this.#loose = this.#loose.filter((line) => {
      if (line.start < from || line.end > to) return true;
      this.#count(line);
      return false;
    });
    // What the log says of itself.
    if (bare.includes(LOG_KEY)) this.#notes(bare.toString("utf8"));
  }

  #count(line: LogLine): void {
    if (line.link !== undefined) return;
    if (line.whole) this.unchained += 1;
    else this.torn += 1;
  }

  #breaks(link: Link, between: number): void {
    this.#loose = [];
    const follows = this.#highest + 1;
    const which =
      between === 0 ? "this record was changed" : `this record, or one of the ${between} lines before it, was changed or put in`;
    if (link.seq === follows) return this.flaw("changed", this.#file, this.#line, which);
    if (link.seq > follows) {
      const gone = link.seq - follows;
      return this.flaw(
        "missing",
        this.#file,
        this.#line,
        `${gone === 1 ? `record ${follows} is` : `records ${follows} to ${link.seq - 1} are`} gone before this line`,
      );
    }
    this.flaw("moved", this.#file, this.#line, `record ${link.seq} stands behind record ${this.#at.seq}: moved, or put in twice`);
  }

  #notes(text: string): void {
    const said = fields(JSON.parse(text));
    if (said["log"] === "head-lost")
      this.flaw(
        "head",
        this.#file,
        this.#line,
        "the file that says where the log ends was gone here: what was cut before this line does not show",
      );
    if (said["log"] === "begun-anew")
      this.flaw("missing", this.#file, this.#line, "the log was begun anew here: everything that was logged before is gone");
    if (said["log"] === "dropped" && fields(said["through"])["hash"] === this.base?.link.hash) this.#attested = true;
  }

  end(): void {
    const { base } = this;
    const head = this.#head;
    if (base !== undefined && !this.#attested)
      this.flaw(
        "missing",
        segmentName(base.segment + 1),
        undefined,
        `the records up to ${base.link.seq} are gone, and no record says that they were dropped`,
      );
    if (head !== undefined && head.link.seq > this.#highest) {
      const first = this.#highest + 1;
      this.flaw(
        "cut",
        AUDIT_FILE,
        this.#line + 1,
        `${first === head.link.seq ? `record ${first} is` : `records ${first} to ${head.link.seq} are`} gone from the end`,
      );
    } else if (!this.#sawHead) this.flaw("changed", AUDIT_FILE, this.#line, "the last record is not the one that was written");
    else if (head === undefined && this.records > 0)
      this.flaw(
        "head",
        AUDIT_FILE,
        undefined,
        "the file that says where the log ends (audit.head) is gone: what was cut from the end does not show",
      );
    this.#endOfLog();
  }

  /** Records behind the one that the head names are the last ones that were written: the next one will cover them. */
  #endOfLog(): void {
    const headEnd = this.#recent.find((line) => line.link !== undefined && line.link.hash === this.#head?.link.hash)?.end ?? 0;
    for (const line of this.#loose) if (line.end < headEnd) this.#unvouched(line);
    const lines = this.#loose.filter((line) => line.link === undefined && line.end >= headEnd);
    const whole = lines.filter((line) => line.whole);
    this.torn += lines.length - whole.length;
    if (whole.length > 0)
      this.flaw("outside", AUDIT_FILE, whole[0]?.number, `${whole.length} line(s) at the end that no record vouches for yet`);
  }
}

const NOTHING = new Uint8Array();
const LOG_KEY = Buffer.from('","log":"');
const RECORD_START = Buffer.from('{"v":1,');
const numberOf = (file: string): number | undefined => {
  const digits = /^audit-(\d+)\.jsonl$/.exec(file)?.[1];
  return digits === undefined ? undefined : Number(digits);
};

/** A whole line, as opposed to a torn one. */
const isWhole = (line: Buffer): boolean => attempt(() => typeof JSON.parse(line.toString("utf8")) === "object", false);
