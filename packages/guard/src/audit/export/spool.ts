import { closeSync, constants, fstatSync, openSync, statSync } from "node:fs";
import { errorCode } from "../../state/index.ts";
import { linkOf } from "../chain.ts";
import { AUDIT_FILE, bytesOf, readBase, readHead, segmentName, segments } from "../files.ts";
import type { Position } from "./position.ts";

/** A line of the log, as it is stored. */
export interface SpoolLine {
  readonly text: string;
  /** Its place in the chain; undefined for one that was written without a hash. */
  readonly link: { readonly seq: number; readonly hash: string } | undefined;
}

export interface Batch {
  readonly lines: readonly SpoolLine[];
  /** Where to go on once they are sent. */
  readonly next: Position;
  /** Records that were dropped before they could be sent. */
  readonly lost: number;
}

export interface SpoolLimits {
  readonly lines: number;
  readonly bytes: number;
}

const BREAK = 0x0a;
/** Longer than a record can be (`record.ts`). */
const LONGEST = 1 << 20;

/** What has not been sent yet, oldest first, as much as one message may hold. No lines: nothing new. */
export function nextBatch(folder: string, from: Position, limits: SpoolLimits): Batch {
  let at = from;
  for (;;) {
    const { first, last } = bounds(folder);
    // What was to come next is gone.
    if (at.segment < first) at = { ...at, segment: first, offset: 0 };
    const read = readAt(folder, at, last, limits);
    if (read !== undefined && read.lines.length > 0) return withLost(read, from);
    if (at.segment >= last) return { lines: [], next: at.segment === from.segment ? (read?.next ?? at) : at, lost: 0 };
    at = { segment: at.segment + 1, offset: 0, seq: read?.next.seq ?? at.seq };
  }
}

function withLost({ lines, next }: Omit<Batch, "lost">, from: Position): Batch {
  const first = lines.find(({ link }) => link !== undefined)?.link?.seq;
  return { lines, next, lost: first === undefined ? 0 : Math.max(0, first - from.seq - 1) };
}

/** The oldest segment there is, and the one that is written to now. */
function bounds(folder: string): { readonly first: number; readonly last: number } {
  const full = segments(folder);
  const last = Math.max(readHead(folder)?.segment ?? 1, (full.at(-1) ?? 0) + 1);
  return { first: full[0] ?? Math.max(last, (readBase(folder)?.segment ?? 0) + 1), last };
}

function readAt(folder: string, at: Position, last: number, limits: SpoolLimits): Omit<Batch, "lost"> | undefined {
  const descriptor = openSegment(folder, at.segment, last);
  if (descriptor === undefined) return undefined;
  try {
    const { size } = fstatSync(descriptor);
    // Cut meanwhile: `assent log verify` says so. What is written from now on is sent.
    const start = Math.min(at.offset, size);
    const bytes = bytesOf(descriptor, start, Math.min(size, start + Math.max(limits.bytes, LONGEST)));
    const lines: SpoolLine[] = [];
    let { seq } = at;
    let offset = 0;
    for (let end = bytes.indexOf(BREAK); end !== -1 && lines.length < limits.lines; end = bytes.indexOf(BREAK, offset)) {
      if (lines.length > 0 && end > limits.bytes) break;
      const line = bytes.subarray(offset, end);
      const link = linkOf(line)?.link;
      // Torn ones are no JSON.
      if (line.at(0) === 0x7b && line.at(-1) === 0x7d) lines.push({ text: line.toString("utf8"), link });
      seq = Math.max(seq, link?.seq ?? 0);
      offset = end + 1;
    }
    // No line is as long: not ours.
    if (offset === 0 && bytes.length >= LONGEST) offset = bytes.length;
    return { lines, next: { segment: at.segment, offset: start + offset, seq } };
  } finally {
    closeSync(descriptor);
  }
}

/** The file that is written to may be put aside at any moment: afterwards it has its number for a name. */
function openSegment(folder: string, segment: number, last: number): number | undefined {
  const full = `${folder}/${segmentName(segment)}`;
  const descriptor = segment >= last ? open(`${folder}/${AUDIT_FILE}`) : undefined;
  if (statSync(full, { throwIfNoEntry: false }) === undefined) return descriptor;
  if (descriptor !== undefined) closeSync(descriptor);
  return open(full);
}

function open(file: string): number | undefined {
  try {
    return openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
