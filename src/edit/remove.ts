import { type Box, type Slot, slotOf, trailOf } from "./box.ts";
import { gapBetween } from "./comments.ts";
import { beforeBlanks, isBlank, lineEnd, lineStart, nextLine, pastBlanks } from "./lines.ts";
import { cut, type Patch, type Range } from "./splice.ts";

/** Takes an item out, with its comma and the comments that are its own. */
export function removal(text: string, box: Box, index: number): Patch {
  const slot = slotOf(text, box, index);
  if (slot === undefined) return [];
  const { after, before, previous } = slot;
  const trail = trailOf(text, slot);
  const kept = after.comments.filter((comment) => !trail.includes(comment));
  if (box.items.length === 1 && kept.length === 0 && !before.comments.some(({ start }) => start < slot.lead))
    return [cut(text, { start: box.open, end: box.close })];

  let start = slot.lead;
  let end = Math.max(slot.end, trail.at(-1)?.end ?? 0);
  const commas: Range[] = [];
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
function tidy(text: string, box: Box, slot: Slot, { start, end }: Range): Range {
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
function wholeLines(text: string, box: Box, { start, end }: Range): Range {
  // A line break of Windows is two characters.
  const above = lineStart(text, text.slice(0, start).endsWith("\r\n") ? start - 2 : Math.max(0, start - 1));
  const blankAbove = above > box.open && isBlank(text, above, start);
  const blankBelow = end < box.close && isBlank(text, end, lineEnd(text, end));
  if (blankAbove && (blankBelow || pastBlanks(text, end) === box.close)) return { start: above, end };
  if (blankBelow && box.open >= above && isBlank(text, box.open, start)) return { start, end: nextLine(text, end) };
  return { start, end };
}
