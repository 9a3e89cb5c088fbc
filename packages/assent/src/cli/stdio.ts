import { readSync, writeSync } from "node:fs";

const MAX_INPUT = 64 << 20;
const CHUNK = 65_536;
const PATIENCE_MS = 30_000;

function code(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

/** Waits without spinning; a hook has nothing else to do. */
function pause(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

/** Everything on standard input, or why it cannot be used. */
export function readStdin(): { readonly text: string } | { readonly problem: string } {
  const read = readBytes();
  if ("problem" in read) return read;
  const text = textOf(read.bytes);
  return text === undefined ? { problem: "standard input is not valid UTF-8" } : { text };
}

/** Standard input line by line, undefined for a line that is not valid UTF-8. */
export function readStdinLines(): { readonly lines: readonly (string | undefined)[] } | { readonly problem: string } {
  const read = readBytes();
  if ("problem" in read) return read;
  const text = textOf(read.bytes);
  if (text !== undefined) return { lines: withoutLast(text.split("\n")) };
  const lines: (string | undefined)[] = [];
  for (let start = 0; start < read.bytes.length;) {
    const end = read.bytes.indexOf(0x0a, start);
    const stop = end === -1 ? read.bytes.length : end;
    lines.push(textOf(read.bytes.subarray(start, stop)));
    start = stop + 1;
  }
  return { lines };
}

/** What stands behind the last line break is a line only if there is something. */
const withoutLast = (lines: readonly string[]): readonly string[] => (lines.at(-1) === "" ? lines.slice(0, -1) : lines);

/** Undefined: it is not UTF-8. */
export function textOf(bytes: Buffer): string | undefined {
  const text = bytes.toString("utf8");
  // A replacement character stands in the input, or for bytes that are no UTF-8.
  return text.includes("\ufffd") && !Buffer.from(text, "utf8").equals(bytes) ? undefined : text;
}

function readBytes(): { readonly bytes: Buffer } | { readonly problem: string } {
  const chunks: Buffer[] = [];
  let size = 0;
  let waited = 0;
  for (;;) {
    const chunk = Buffer.allocUnsafe(size < CHUNK ? CHUNK : 16 * CHUNK);
    let got: number;
    try {
      got = readSync(0, chunk, 0, chunk.length, null);
    } catch (error) {
      if (code(error) === "EAGAIN" && waited < PATIENCE_MS) {
        pause(2);
        waited += 2;
        continue;
      }
      if (code(error) === "EOF") break;
      return { problem: `standard input cannot be read: ${code(error)}` };
    }
    if (got === 0) break;
    size += got;
    if (size > MAX_INPUT) return { problem: `standard input is longer than ${MAX_INPUT} bytes` };
    chunks.push(chunk.subarray(0, got));
  }
  return { bytes: chunks.length === 1 ? (chunks[0] ?? Buffer.alloc(0)) : Buffer.concat(chunks) };
}

/** Why standard output did not take everything; `EPIPE` where its reader has gone. */
let lost: string | undefined;
export const lostOutput = (): string | undefined => lost;

function writeAll(descriptor: number, text: string): void {
  const bytes = Buffer.from(text, "utf8");
  let at = 0;
  let waited = 0;
  while (at < bytes.length) {
    try {
      at += writeSync(descriptor, bytes, at);
    } catch (error) {
      // A reader that is gone hears nothing; a full pipe is waited for.
      if (code(error) !== "EAGAIN" || waited >= PATIENCE_MS) {
        if (descriptor === 1) lost ??= code(error);
        return;
      }
      pause(2);
      waited += 2;
    }
  }
}

/**
 * What JSON lets stand and a terminal obeys: DEL, C1 (U+009B starts a sequence), what turns the direction of text. In JSON
 * the escape means the same; other texts have none of them left.
 */
const OBEYED = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
const inert = (text: string): string => text.replace(OBEYED, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);

export const writeStdout = (text: string): void => writeAll(1, inert(text));
export const writeStderr = (text: string): void => writeAll(2, inert(text));
