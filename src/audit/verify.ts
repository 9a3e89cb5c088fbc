import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync } from "node:fs";
import { errorCode } from "../state/index.ts";
import { GENESIS, linkHash, linkOf, type Link, type Sha256 } from "./chain.ts";
import { AUDIT_FILE, bytesOf, fields, readBase, readHead, segmentName, segments } from "./files.ts";

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

export interface Verified {
  readonly records: number;
  /** Lines left torn by a process that was killed, and lines that were written without the lock. They are vouched for by the record behind them. */
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

/** Reads the whole log of a state folder, a part at a time, and follows its chain. */
export function verifyLog(folder: string): Verified {
  const walk = new Walk(readBase(folder));
  const head = readHead(folder);
  const full = segments(folder).filter((segment) => segment > (walk.base?.segment ?? 0));
  let expected = (walk.base?.segment ?? 0) + 1;
  for (const segment of full) {
    const file = segmentName(segment);
    if (segment !== expected) walk.flaw("missing", file, undefined, `${segment - expected} whole files before it are gone`);
    expected = segment + 1;
    walk.file(`${folder}/${file}`, file, false);
  }
  walk.file(`${folder}/${AUDIT_FILE}`, AUDIT_FILE, head === undefined);
  walk.end(head?.link);
  return { records: walk.records, torn: walk.torn, unchained: walk.unchained, flaws: walk.flaws };
}

class Walk {
  readonly base: ReturnType<typeof readBase>;
  readonly flaws: Flaw[] = [];
  records = 0;
  torn = 0;
  unchained = 0;
  #at: Link;
  /** Lines since the last record. */
  #between: Buffer[] = [];
  #attested = false;
  #line = 0;
  #file = "";

  constructor(base: ReturnType<typeof readBase>) {
    this.base = base;
    this.#at = base?.link ?? GENESIS;
  }

  flaw(kind: Flaw["kind"], file: string, line: number | undefined, what: string): void {
    if (this.flaws.length < MOST_FLAWS) this.flaws.push({ kind, file, ...(line === undefined ? {} : { line }), what });
  }

  file(path: string, name: string, mayBeMissing: boolean): void {
    this.#file = name;
    this.#line = 0;
    let descriptor: number;
    try {
      descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    } catch (error) {
      if (errorCode(error) === "ENOENT" && mayBeMissing) return;
      return this.flaw("unreadable", name, undefined, errorCode(error) === "ENOENT" ? "is gone" : `cannot be read: ${errorCode(error)}`);
    }
    try {
      this.#lines(descriptor, fstatSync(descriptor).size);
    } finally {
      closeSync(descriptor);
    }
  }

  #lines(descriptor: number, size: number): void {
    let rest: Buffer = Buffer.alloc(0);
    for (let at = 0; at < size; at += CHUNK) {
      const bytes = Buffer.concat([rest, bytesOf(descriptor, at, Math.min(size, at + CHUNK))]);
      let from = 0;
      for (let end = bytes.indexOf(BREAK); end !== -1; end = bytes.indexOf(BREAK, from)) {
        this.#one(bytes.subarray(from, end + 1));
        from = end + 1;
      }
      rest = bytes.subarray(from);
    }
    if (rest.length > 0) this.#one(rest);
  }

  /** `line` with its line break, which the last one may lack. */
  #one(line: Buffer): void {
    this.#line += 1;
    const bare = line.at(-1) === BREAK ? line.subarray(0, -1) : line;
    const found = line === bare ? undefined : linkOf(bare);
    if (found === undefined) {
      this.#between.push(Buffer.from(line));
      return;
    }
    const { link, covered } = found;
    this.records += 1;
    const between = this.#between;
    this.#between = [];
    const expected = linkHash(sha256, this.#at.hash, between.length === 0 ? NOTHING : Buffer.concat(between), bare.subarray(0, covered));
    if (expected === link.hash && link.seq === this.#at.seq + 1) this.#holds(bare, between);
    else this.#breaks(link, between.length);
    this.#at = link;
  }

  #holds(bare: Buffer, between: readonly Buffer[]): void {
    for (const line of between) {
      if (isWhole(line)) this.unchained += 1;
      else this.torn += 1;
    }
    // What the log says of itself.
    if (bare.includes(LOG_KEY)) this.#notes(bare.toString("utf8"));
  }

  #breaks(link: Link, between: number): void {
    const follows = this.#at.seq + 1;
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
    if (said["log"] === "dropped" && fields(said["through"])["hash"] === this.base?.link.hash) this.#attested = true;
  }

  end(head: Link | undefined): void {
    const { base } = this;
    if (base !== undefined && !this.#attested)
      this.flaw(
        "missing",
        segmentName(base.segment + 1),
        undefined,
        `the records up to ${base.link.seq} are gone, and no record says that they were dropped`,
      );
    if (head !== undefined && head.seq > this.#at.seq) {
      const first = this.#at.seq + 1;
      this.flaw(
        "cut",
        AUDIT_FILE,
        this.#line + 1,
        `${first === head.seq ? `record ${first} is` : `records ${first} to ${head.seq} are`} gone from the end`,
      );
    } else if (head !== undefined && head.seq === this.#at.seq && head.hash !== this.#at.hash)
      this.flaw("changed", AUDIT_FILE, this.#line, "the last record is not the one that was written");
    else if (head === undefined && this.records > 0)
      this.flaw(
        "head",
        AUDIT_FILE,
        undefined,
        "the file that says where the log ends (audit.head) is gone: what was cut from the end does not show",
      );
    if (this.#between.length > 0) {
      const whole = this.#between.filter(isWhole).length;
      this.torn += this.#between.length - whole;
      if (whole > 0)
        this.flaw(
          "outside",
          AUDIT_FILE,
          this.#line - this.#between.length + 1,
          `${whole} line(s) at the end that no record vouches for yet`,
        );
    }
  }
}

const NOTHING = new Uint8Array();
const LOG_KEY = Buffer.from('","log":"');

/** A whole line, as opposed to a torn one. */
function isWhole(line: Buffer): boolean {
  try {
    JSON.parse(line.toString("utf8"));
    return true;
  } catch {
    return false;
  }
}
