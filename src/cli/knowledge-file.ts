import { openSync, readSync } from "node:fs";

declare const __dirname: string;
/** Set at build time: where in `knowledge.mjs` the index stands, and where the records begin. */
declare const ASSENT_KNOWLEDGE: { readonly index: readonly [start: number, end: number]; readonly records: number };

/** In the hook's bundle these stand for `shell/knowledge/records.ts`: a hook needs a few thousand of the file's bytes. */
let descriptor: number | undefined;
let index: string | undefined;

function readBytes(start: number, end: number): string {
  descriptor ??= openSync(`${__dirname}/knowledge.mjs`, "r");
  const bytes = Buffer.allocUnsafe(end - start);
  if (readSync(descriptor, bytes, 0, bytes.length, start) !== bytes.length) throw new Error("the knowledge tables are damaged");
  return bytes.toString("latin1");
}

export const readIndex = (): string => (index ??= readBytes(...ASSENT_KNOWLEDGE.index));

export const readRecord = (start: number, end: number): string =>
  readBytes(ASSENT_KNOWLEDGE.records + start, ASSENT_KNOWLEDGE.records + end);
