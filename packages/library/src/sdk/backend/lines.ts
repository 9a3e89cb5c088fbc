import { createHash } from "node:crypto";
import { failure, type Failure } from "./result.ts";

/** A line's address: its number, from 1, and the hash of its text. */
export interface LineAddress {
  readonly line: number;
  readonly hash: string;
}

/**
 * A change of whole lines, addressed by number and hash, so that it lands where it was meant or nowhere.
 * `to` is the last line replaced (by default the same); `text` takes their place: `""` removes them. `after` puts the text
 * behind the line instead.
 */
export interface LineEdit {
  readonly at: LineAddress;
  readonly to?: LineAddress;
  readonly text: string;
  readonly after?: boolean;
}

/** Six hexadecimal digits of a line's text, without its line break. */
export function hashLine(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 6);
}

/** The lines of a text, each with its own line break, so that joining them gives the text back. */
export function splitLines(text: string): readonly string[] {
  const lines = text.split(/(?<=\n)/);
  return lines.length === 1 && lines[0] === "" ? [] : lines;
}

export const bare = (line: string): string => line.replace(/\r?\n$/, "");

/** As a model reads it: `12:a1b2c3|text`. */
export function withHashes(lines: readonly string[], first: number): string {
  return lines.map((line, at) => `${first + at}:${hashLine(bare(line))}|${line}`).join("");
}

/** All edits or none. They mean the lines of the text as it is; where two touch the same line, none is made. */
export function applyLineEdits(text: string, edits: readonly LineEdit[]): string | Failure {
  const lines = [...splitLines(text)];
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const taken = new Set<number>();
  const splices: { readonly from: number; readonly count: number; readonly text: string }[] = [];
  for (const { at, to = at, text: put, after = false } of edits) {
    for (const address of [at, to]) {
      const found = lines[address.line - 1];
      if (!Number.isInteger(address.line) || found === undefined)
        return failure("range", `the file has no line ${address.line}: the file has ${lines.length}`);
      if (hashLine(bare(found)) !== address.hash)
        return failure(
          "changed",
          `line ${address.line} is not what it was: its hash is ${hashLine(bare(found))}, not ${address.hash}; read the file again`,
        );
    }
    if (to.line < at.line) return failure("range", `the edit ends in line ${to.line}, before it begins in line ${at.line}`);
    for (let line = at.line; line <= to.line; line += 1) {
      if (taken.has(line)) return failure("range", `two edits touch line ${line}`);
      taken.add(line);
    }
    const whole = put === "" || put.endsWith("\n") ? put : `${put}${newline}`;
    splices.push(after ? { from: to.line, count: 0, text: whole } : { from: at.line - 1, count: to.line - at.line + 1, text: whole });
  }
  for (const { from, count, text: put } of splices.toSorted((a, b) => b.from - a.from)) {
    // Behind a last line without a line break.
    const previous = lines[from - 1];
    if (put !== "" && previous !== undefined && !previous.endsWith("\n")) lines[from - 1] = `${previous}${newline}`;
    lines.splice(from, count, ...(put === "" ? [] : [put]));
  }
  return lines.join("");
}
