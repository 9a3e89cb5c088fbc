import { type Gap, gapBetween } from "./comments.ts";
import type { ArrayNode, Node, ObjectNode } from "./json5/index.ts";
import { countBreaks, isBlank, lineStart, sameLine } from "./lines.ts";
import type { Range } from "./splice.ts";

/** A list or an object as text: its brackets and what stands between them. */
export interface Box {
  /** Just inside the opening bracket. */
  readonly open: number;
  /** At the closing bracket. */
  readonly close: number;
  /** Elements, or members with their keys. */
  readonly items: readonly Range[];
}

export function boxOf(node: ArrayNode | ObjectNode): Box {
  const items =
    node.kind === "array" ? node.items : node.members.map(({ keyStart, value }): Range => ({ start: keyStart, end: value.end }));
  return { open: node.start + 1, close: node.end - 1, items };
}

export function isContainer(node: Node): node is ArrayNode | ObjectNode {
  return node.kind !== "scalar";
}

/** One item with its surroundings. */
export interface Slot extends Range {
  readonly previous: Range | undefined;
  readonly next: Range | undefined;
  /** From the item before, or the bracket. */
  readonly before: Gap;
  /** To the item after, or the bracket. */
  readonly after: Gap;
  /** Where the surroundings end: the next item or the closing bracket. */
  readonly limit: number;
  /** Where the item begins with the comments that are its own: on its line or directly above, no blank line between. */
  readonly lead: number;
}

export function slotOf(text: string, box: Box, index: number): Slot | undefined {
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

function leadOf(text: string, box: Box, item: Range, before: Gap): number {
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
export function startsLine(text: string, { lead }: Slot): boolean {
  return isBlank(text, lineStart(text, lead), lead);
}

/** The comments after an item that are its own. They come before all others. */
export function trailOf(text: string, slot: Slot): readonly Range[] {
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
