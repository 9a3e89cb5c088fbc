import type { Range } from "./splice.ts";

/** What stands between two values of a list or an object. */
export interface Gap {
  readonly comments: readonly Range[];
  /** Offset of the comma. */
  readonly comma: number | undefined;
}

/** INVARIANT: `from` to `to` holds white space, comments and at most one comma. */
export function gapBetween(text: string, from: number, to: number): Gap {
  const comments: Range[] = [];
  let comma: number | undefined;
  for (let at = from; at < to;) {
    const end = commentEnd(text, at);
    if (end !== undefined) comments.push({ start: at, end });
    else if (text[at] === ",") comma = at;
    at = end ?? at + 1;
  }
  return { comments, comma };
}

/** Every comment of a JSON5 text, found without the reader, which it is held against. */
export function allComments(text: string): readonly Range[] {
  const comments: Range[] = [];
  for (let at = 0; at < text.length;) {
    const end = commentEnd(text, at);
    if (end !== undefined) comments.push({ start: at, end });
    const c = text[at];
    at = end ?? (c === '"' || c === "'" ? stringEnd(text, at, c) : at + 1);
  }
  return comments;
}

function commentEnd(text: string, at: number): number | undefined {
  if (text.startsWith("//", at)) {
    const end = /[\n\r\u2028\u2029]/g;
    end.lastIndex = at;
    return end.exec(text)?.index ?? text.length;
  }
  if (!text.startsWith("/*", at)) return undefined;
  const end = text.indexOf("*/", at + 2);
  return end < 0 ? text.length : end + 2;
}

function stringEnd(text: string, start: number, quote: string): number {
  let at = start + 1;
  while (at < text.length && text[at] !== quote) at += text[at] === "\\" ? 2 : 1;
  return at + 1;
}
