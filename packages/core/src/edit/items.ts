import {
  beforeBlanks,
  gapBetween,
  indentAt,
  isBlank,
  lineEnd,
  lineStart,
  nextLine,
  pastBlanks,
  sameLine,
  slotOf,
  startsLine,
  trailOf,
  type Container,
  type ItemSlot,
} from "./container.ts";
import type { Room } from "./print.ts";
import { cut, put, type Patch, type TextRange } from "./splice.ts";
import type { TextStyle } from "./style.ts";

/** Takes an item out, with its comma and the comments that are its own. */
export function removal(text: string, box: Container, index: number): Patch {
  const slot = slotOf(text, box, index);
  if (slot === undefined) return [];
  const { after, before, previous } = slot;
  const trail = trailOf(text, slot);
  const kept = after.comments.filter((comment) => !trail.includes(comment));
  if (box.items.length === 1 && kept.length === 0 && !before.comments.some(({ start }) => start < slot.lead))
    return [cut(text, { start: box.open, end: box.close })];

  let start = slot.lead;
  let end = Math.max(slot.end, trail.at(-1)?.end ?? 0);
  const commas: TextRange[] = [];
  if (after.comma !== undefined) {
    if (kept.some((comment) => comment.end <= (after.comma ?? 0)))
      commas.push(tidy(text, box, slot, { start: after.comma, end: after.comma + 1 }));
    else end = Math.max(end, after.comma + 1);
  } else if (previous !== undefined && before.comma !== undefined) {
    // The last item has no comma, so the one before it shall have none either.
    const comma = before.comma;
    if (gapBetween(text, comma, slot.lead).comments.length > 0) commas.push({ start: comma, end: comma + 1 });
    else start = before.comments.some((comment) => comment.end <= comma) ? comma : previous.end;
  }
  return [...commas, tidy(text, box, slot, { start, end })].toSorted((a, b) => a.start - b.start).map((range) => cut(text, range));
}

/** The range with the white space that goes with it. INVARIANT: the line break after a comment that stays, stays. */
function tidy(text: string, box: Container, slot: ItemSlot, { start, end }: TextRange): TextRange {
  const head = isBlank(text, lineStart(text, start), start);
  const tail = isBlank(text, end, lineEnd(text, end));
  if (head && tail) return wholeLines(text, box, { start: lineStart(text, start), end: nextLine(text, end) });
  // The end of the previous item: nothing but it and the rest of the line is left.
  if (start === slot.previous?.end) return { start, end };
  if (tail) return { start: beforeBlanks(text, start), end };
  const next = pastBlanks(text, end);
  if (next === box.close && !head) return { start: beforeBlanks(text, start), end: slot.previous === undefined ? next : end };
  return { start, end: next };
}

/** Blank lines around what goes away do not add up. */
function wholeLines(text: string, box: Container, { start, end }: TextRange): TextRange {
  // A line break of Windows is two characters.
  const above = lineStart(text, text.slice(0, start).endsWith("\r\n") ? start - 2 : Math.max(0, start - 1));
  const blankAbove = above > box.open && isBlank(text, above, start);
  const blankBelow = end < box.close && isBlank(text, end, lineEnd(text, end));
  if (blankAbove && (blankBelow || pastBlanks(text, end) === box.close)) return { start: above, end };
  if (blankBelow && box.open >= above && isBlank(text, box.open, start)) return { start, end: nextLine(text, end) };
  return { start, end };
}

/** The text of what is inserted. */
export type Printer = (room: Room) => string;

/** What a new item is put next to. */
export interface Spot {
  readonly side: "before" | "after";
  readonly index: number;
}

/** Puts an item into a list or an object: on a line of its own where its neighbour has one. */
export function insertion(text: string, box: Container, spot: Spot | undefined, style: TextStyle, lines: boolean, print: Printer): Patch {
  const slot = spot === undefined ? undefined : slotOf(text, box, spot.index);
  if (slot === undefined) return intoEmpty(text, box, style, lines, print);
  return spot?.side === "before" ? putBefore(text, slot, style, print) : putAfter(text, slot, style, print);
}

function putBefore(text: string, slot: ItemSlot, style: TextStyle, print: Printer): Patch {
  if (!startsLine(text, slot)) return [put(slot.lead, `${print({ on: "line" })}${style.comma}`)];
  const indent = indentAt(text, slot.lead);
  return [put(slot.lead, `${print({ on: "lines", indent })},${style.eol}${indent}`)];
}

function putAfter(text: string, slot: ItemSlot, style: TextStyle, print: Printer): Patch {
  const { comma, comments } = slot.after;
  const own = startsLine(text, slot) && (slot.next === undefined || !sameLine(text, slot.end, slot.next.start));
  const from = comma === undefined ? slot.end : comma + 1;
  if (own) {
    const indent = indentAt(text, slot.lead);
    const item = `${style.eol}${indent}${print({ on: "lines", indent })}`;
    // Behind the comments of the neighbour, so that they stay with it.
    const at = comments.findLast(({ start }) => start >= from && sameLine(text, from, start))?.end ?? from;
    if (comma !== undefined) return [put(at, `${item},`)];
    return at === from ? [put(at, `,${item}`)] : [put(from, ","), put(at, item)];
  }
  const item = print({ on: "line" });
  const blank = style.comma.slice(1);
  if (comma !== undefined) return [put(from, `${blank}${item},`)];
  let at = from;
  for (const { start, end } of comments) if (text[start + 1] === "*" && sameLine(text, from, end)) at = end;
  return [put(at, `${style.comma}${item}`)];
}

function intoEmpty(text: string, box: Container, style: TextStyle, lines: boolean, print: Printer): Patch {
  const { open, close } = box;
  const outer = indentAt(text, open);
  const { comments } = gapBetween(text, open, close);
  const last = comments.at(-1);
  const wide = sameLine(text, open, close);
  const end = style.trailingComma ? "," : "";
  if (last === undefined) {
    const was = text.slice(open, close);
    if (wide && !lines) {
      const pad = text[close] === "}" ? style.pad : "";
      return [{ at: open, was, becomes: `${pad}${print({ on: "line" })}${pad}` }];
    }
    const indent = outer + style.unit;
    return [{ at: open, was, becomes: `${style.eol}${indent}${print({ on: "lines", indent })}${end}${style.eol}${outer}` }];
  }
  if (wide) return [put(last.end, ` ${print({ on: "line" })}`)];
  const beside = comments.find(({ start }) => !sameLine(text, open, start));
  const indent = beside === undefined ? outer + style.unit : indentAt(text, beside.start);
  // A blank line between: comments that were there before are not the new item's, and stay when it goes.
  const apart = beside === undefined ? "" : style.eol;
  const closing = sameLine(text, last.end, close) ? `${style.eol}${outer}` : "";
  return [put(last.end, `${apart}${style.eol}${indent}${print({ on: "lines", indent })}${end}${closing}`)];
}
