import { openSync, readSync } from "node:fs";

declare const __dirname: string;
type Place = readonly [start: number, end: number];
/**
 * Set at build time: where the index and the notes stand in `knowledge.mjs`, and which file has the records from which on, and where.
 * INVARIANT: a file of records is named by what is in it: another build's is not taken for it.
 */
declare const ASSENT_KNOWLEDGE: {
  readonly index: Place;
  readonly notes: Place;
  readonly pieces: readonly (readonly [from: number, file: string, at: number])[];
};

/** In the hook's bundle these stand for `shell/knowledge/records.ts`: a hook needs a few thousand of the files' bytes. */
const descriptors = new Map<string, number>();
let index: string | undefined;
let notes: string | undefined;

function readBytes(file: string, start: number, end: number): string {
  let descriptor = descriptors.get(file);
  if (descriptor === undefined) descriptors.set(file, (descriptor = openSync(`${__dirname}/${file}`, "r")));
  const bytes = Buffer.allocUnsafe(end - start);
  if (readSync(descriptor, bytes, 0, bytes.length, start) !== bytes.length) throw new Error("the knowledge tables are damaged");
  return bytes.toString("latin1");
}

export const readIndex = (): string => (index ??= readBytes("knowledge.mjs", ...ASSENT_KNOWLEDGE.index));

export const readNotes = (): string => (notes ??= readBytes("knowledge.mjs", ...ASSENT_KNOWLEDGE.notes));

export function readRecord(start: number, end: number): string {
  const piece = ASSENT_KNOWLEDGE.pieces.findLast(([from]) => from <= start);
  if (piece === undefined) throw new Error("the knowledge tables are damaged");
  const [from, file, at] = piece;
  return readBytes(file, at + start - from, at + end - from);
}
