import type { ArrayNode, JsonNode, ObjectNode } from "./json5/index.ts";
import type { TextRange } from "./splice.ts";

/** A list or an object as text: its brackets and what stands between them. */
export interface Container {
  /** Just inside the opening bracket. */
  readonly open: number;
  /** At the closing bracket. */
  readonly close: number;
  /** Elements, or members with their keys. */
  readonly items: readonly TextRange[];
}

export function containerOf(node: ArrayNode | ObjectNode): Container {
  const items =
    node.kind === "array" ? node.items : node.members.map(({ keyStart, value }): TextRange => ({ start: keyStart, end: value.end }));
  return { open: node.start + 1, close: node.end - 1, items };
}

export function isContainer(node: JsonNode): node is ArrayNode | ObjectNode {
  return node.kind !== "scalar";
}

/** One item with its surroundings. */
export interface ItemSlot extends TextRange {
  readonly previous: TextRange | undefined;
  readonly next: TextRange | undefined;
  /** From the item before, or the bracket. */
  readonly before: Gap;
  /** To the item after, or the bracket. */
  readonly after: Gap;
  /** Where the surroundings end: the next item or the closing bracket. */
  readonly limit: number;
  /** Where the item begins with the comments that are its own: on its line or directly above, no blank line between. */
  readonly lead: number;
}

export function slotOf(text: string, box: Container, index: number): ItemSlot | undefined {
  const item = box.items[index];
  if (item === undefined) return undefined;
  const previous = box.items[index - 1];
  const next = box.items[index + 1];
  const limit = next?.start ?? box.close;
  const before = gapBetween(text, previous?.end ?? box.open, item.start);
  const after = gapBetween(text, item.end, limit);
  const { start, end } = item;
  return { start, end, previous, next, before, after, limit, lead: leadOf(text, box, item, before) };
}

function leadOf(text: string, box: Container, item: TextRange, before: Gap): number {
  const floor = before.comma === undefined ? box.open : before.comma + 1;
  // What begins on the line of the item before, or of the bracket, belongs there, unless this item does too.
  const inline = sameLine(text, floor, item.start);
  let lead = item.start;
  for (const comment of before.comments.toReversed()) {
    if (comment.start < floor || countBreaks(text.slice(comment.end, lead)) > 1) break;
    if (!inline && sameLine(text, floor, comment.start)) break;
    lead = comment.start;
  }
  return lead;
}

/** Nothing but its own comments stands before the item on its line. */
export function startsLine(text: string, { lead }: ItemSlot): boolean {
  return isBlank(text, lineStart(text, lead), lead);
}

/** The comments after an item that are its own. They come before all others. */
export function trailOf(text: string, slot: ItemSlot): readonly TextRange[] {
  const { previous, after, limit } = slot;
  const shared = sameLine(text, slot.end, limit);
  const crowded = previous !== undefined && sameLine(text, previous.end, slot.start);
  return after.comments.filter(({ start, end }) => {
    if (!sameLine(text, slot.end, start)) return false;
    if (after.comma !== undefined && end <= after.comma) return true;
    // On a shared line, a comment behind the comma speaks of what follows; one at the end, of all.
    return shared ? after.comma === undefined : !crowded;
  });
}

/** Lines as JSON5 counts them: these characters end a `//` comment. */
const BREAK = /[\n\r\u2028\u2029]/;
const BREAKS = /\r\n|[\n\r\u2028\u2029]/g;

export function sameLine(text: string, from: number, to: number): boolean {
  return !BREAK.test(text.slice(from, to));
}

function countBreaks(text: string): number {
  return text.match(BREAKS)?.length ?? 0;
}

/** Where the line of `at` begins. */
export function lineStart(text: string, at: number): number {
  let start = at;
  while (start > 0 && !BREAK.test(text.charAt(start - 1))) start--;
  return start;
}

/** Where the line of `at` ends, before its line break. */
export function lineEnd(text: string, at: number): number {
  let end = at;
  while (end < text.length && !BREAK.test(text.charAt(end))) end++;
  return end;
}

/** Where the line after that of `at` begins; the end of the text when there is none. */
export function nextLine(text: string, at: number): number {
  const end = lineEnd(text, at);
  return Math.min(text.length, end + (text.startsWith("\r\n", end) ? 2 : 1));
}

export function isBlank(text: string, from: number, to: number): boolean {
  return text.slice(from, to).trim() === "";
}

/** The white space at the start of the line of `at`. */
export function indentAt(text: string, at: number): string {
  // A byte order mark is no indentation.
  return /^[^\S\n\r\u2028\u2029\ufeff]*/.exec(text.slice(lineStart(text, at), at))?.[0] ?? "";
}

/** The first offset from `at` on that holds no blank of this line. */
export function pastBlanks(text: string, at: number): number {
  let end = at;
  while (end < text.length && isBlank(text, end, end + 1) && !BREAK.test(text.charAt(end))) end++;
  return end;
}

/** The first offset up to `at` before which there is no blank of this line. */
export function beforeBlanks(text: string, at: number): number {
  let start = at;
  while (start > 0 && isBlank(text, start - 1, start) && !BREAK.test(text.charAt(start - 1))) start--;
  return start;
}

/** What stands between two values of a list or an object. */
interface Gap {
  readonly comments: readonly TextRange[];
  /** Offset of the comma. */
  readonly comma: number | undefined;
}

/** INVARIANT: `from` to `to` holds white space, comments and at most one comma. */
export function gapBetween(text: string, from: number, to: number): Gap {
  const comments: TextRange[] = [];
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
export function allComments(text: string): readonly TextRange[] {
  const comments: TextRange[] = [];
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
