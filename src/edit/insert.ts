import { type Box, type Slot, slotOf, startsLine } from "./box.ts";
import { gapBetween } from "./comments.ts";
import { indentAt, sameLine } from "./lines.ts";
import type { Room } from "./print.ts";
import { type Patch, put } from "./splice.ts";
import type { Style } from "./style.ts";

/** The text of what is inserted. */
export type Printer = (room: Room) => string;

/** What a new item is put next to. */
export interface Spot {
  readonly side: "before" | "after";
  readonly index: number;
}

/** Puts an item into a list or an object: on a line of its own where its neighbour has one. */
export function insertion(text: string, box: Box, spot: Spot | undefined, style: Style, lines: boolean, print: Printer): Patch {
  const slot = spot === undefined ? undefined : slotOf(text, box, spot.index);
  if (slot === undefined) return intoEmpty(text, box, style, lines, print);
  return spot?.side === "before" ? putBefore(text, slot, style, print) : putAfter(text, slot, style, print);
}

function putBefore(text: string, slot: Slot, style: Style, print: Printer): Patch {
  if (!startsLine(text, slot)) return [put(slot.lead, `${print({ on: "line" })}${style.comma}`)];
  const indent = indentAt(text, slot.lead);
  return [put(slot.lead, `${print({ on: "lines", indent })},${style.eol}${indent}`)];
}

function putAfter(text: string, slot: Slot, style: Style, print: Printer): Patch {
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

function intoEmpty(text: string, box: Box, style: Style, lines: boolean, print: Printer): Patch {
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
