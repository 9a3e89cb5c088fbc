import {
  containerOf,
  indentAt,
  sameLine,
  beforeBlanks,
  gapBetween,
  isBlank,
  lineEnd,
  lineStart,
  nextLine,
  pastBlanks,
  slotOf,
  startsLine,
  trailOf,
  type Container,
  type ItemSlot,
  allComments,
} from "./container.ts";
import {
  type Fault,
  type Json,
  type JsonNode,
  type Path,
  readJson5,
  toValue,
  member,
  printPath,
  type ArrayNode,
  type ObjectNode,
} from "./json5/index.ts";
import { printComment, printMember, printValue, type Room } from "./print.ts";
import { invert, type Patch, cut, put, type TextRange, applyPatch } from "./splice.ts";
import { styleOf, type TextStyle } from "./style.ts";

/** One change of a JSON5 text. */
export type Edit =
  /** New elements of the list at `list`, one after the other. */
  | ({ readonly do: "insert"; readonly list: Path; readonly place: ItemPlace; readonly also?: readonly NewItem[] } & NewItem)
  /** An element of a list, or a key with its value. */
  | { readonly do: "remove"; readonly path: Path }
  /** A value that is there. */
  | { readonly do: "replace"; readonly path: Path; readonly value: Json }
  /** The value of a key, which is made when it is missing, with the objects around it. */
  | { readonly do: "set"; readonly path: Path; readonly value: Json; /** Put above a key that is made. */ readonly comment?: string };

export interface NewItem {
  readonly value: Json;
  /** Put above it. */
  readonly comment?: string;
}

export type ItemPlace = "end" | { readonly before: number } | { readonly after: number };

export interface Edited {
  readonly ok: true;
  readonly text: string;
  /** What the new text says. */
  readonly value: Json;
  /** What was changed, as splices of the old text. Empty when the text said it already. */
  readonly patch: Patch;
  /** Applied to the new text, gives the old one byte for byte. */
  readonly undo: Patch;
}

export interface RefusedEdit {
  readonly ok: false;
  /** `broken`: the text is not flawless JSON5. `misplaced`: no such place. `unsafe`: the result would not be exactly what was asked. */
  readonly code: "broken" | "misplaced" | "unsafe";
  readonly message: string;
  /** Where a broken text is wrong. */
  readonly faults: readonly Fault[];
}

/** A text change, and what the text must say afterwards. */
interface PlannedEdit {
  readonly ok: true;
  readonly patch: Patch;
  readonly expected: JsonNode;
  /** The only comments that come with it, in their order. */
  readonly comments?: readonly string[];
}

type EditPlan = PlannedEdit | { readonly ok: false; readonly message: string };

/**
 * Changes a JSON5 text by the smallest splices. Comments, order and layout stay; what is new is written as its neighbours
 * are; what goes away takes along only the comments on its own line or directly above it. The result is read again and
 * compared: it says exactly what was asked, and no other comment has changed, or the edit is refused.
 *
 * ```ts
 * edit('{ "allow": [ "a" ] } // mine', { do: "insert", list: ["allow"], place: "end", value: "b" })
 * // { ok: true, text: '{ "allow": [ "a", "b" ] } // mine', … }
 * ```
 */
export function edit(text: string, change: Edit): Edited | RefusedEdit {
  const { root, faults } = readJson5(text);
  if (root === undefined || faults.length > 0)
    return { ok: false, code: "broken", message: faults[0]?.message ?? "the text cannot be read", faults };
  const plan = planned(text, root, change);
  if (!plan.ok) return { ok: false, code: "misplaced", message: plan.message, faults: [] };
  const { patch, expected, comments } = plan;
  const result = verified(text, patch, expected, comments);
  if (!result.ok) return { ok: false, code: "unsafe", message: result.message, faults: [] };
  return { ok: true, text: result.text, value: toValue(expected), patch, undo: invert(patch) };
}

function planned(text: string, root: JsonNode, change: Edit): EditPlan {
  switch (change.do) {
    case "insert":
      return planInsert(text, root, change);
    case "remove":
      return planRemove(text, root, change.path);
    case "replace":
      return planReplace(text, root, change.path, change.value);
    case "set":
      return planSet(text, root, change);
  }
}

function planInsert(text: string, root: JsonNode, change: Extract<Edit, { readonly do: "insert" }>): EditPlan {
  const { list: path, place, also = [] } = change;
  const fresh: readonly NewItem[] = [change, ...also];
  const list = findList(root, path);
  if (!list.ok) return list;
  const { items } = list.node;
  const spot: Spot =
    place === "end"
      ? { side: "after", index: items.length - 1 }
      : "before" in place
        ? { side: "before", index: place.before }
        : { side: "after", index: place.after };
  if (place !== "end" && items[spot.index] === undefined) return { ok: false, message: `the list has no element ${spot.index}` };
  const style = styleOf(text, root);
  const at = spot.index + (spot.side === "after" ? 1 : 0);
  let comments: readonly string[] = [];
  const print: Printer = (room) => {
    comments = fresh.flatMap(({ comment }) => (comment === undefined ? [] : [printComment(comment, room)]));
    const apart = room.on === "lines" ? style.eol + room.indent : " ";
    return fresh
      .map(({ value, comment }) => `${comment === undefined ? "" : printComment(comment, room) + apart}${printValue(value, style, room)}`)
      .join(`,${apart}`);
  };
  // With a line of its own a comment reads best.
  const lines = style.listLines || (change.comment !== undefined && items.length === 0 && !sameLine(text, root.start, root.end));
  const patch = insertion(text, containerOf(list.node), items.length === 0 ? undefined : spot, style, lines, print);
  const nodes = fresh.map(({ value }) => nodeOf(value));
  return {
    ok: true,
    patch,
    comments,
    expected: withNode(root, path, (node) => (node.kind === "array" ? { ...node, items: node.items.toSpliced(at, 0, ...nodes) } : node)),
  };
}

function planRemove(text: string, root: JsonNode, path: Path): EditPlan {
  const found = findNode(root, path);
  if (!found.ok) return found;
  const around = path.slice(0, -1);
  const step = path.at(-1);
  const parent = findNode(root, around);
  if (step === undefined || !parent.ok || parent.node.kind === "scalar") return { ok: false, message: "the whole file cannot be removed" };
  const { node } = parent;
  const index = node.kind === "array" ? node.items.indexOf(found.node) : node.members.findIndex(({ key }) => key === step);
  const without = (owner: JsonNode): JsonNode =>
    owner.kind === "array"
      ? { ...owner, items: owner.items.toSpliced(index, 1) }
      : owner.kind === "object"
        ? { ...owner, members: owner.members.toSpliced(index, 1) }
        : owner;
  return { ok: true, patch: removal(text, containerOf(node), index), expected: withNode(root, around, without) };
}

function planReplace(text: string, root: JsonNode, path: Path, value: Json): EditPlan {
  const found = findNode(root, path);
  if (!found.ok) return found;
  const { node } = found;
  const next = nodeOf(value);
  if (sameValue(node, next)) return { ok: true, patch: [], expected: root };
  const was = text.slice(node.start, node.end);
  const becomes = printValue(value, styleOf(text, root), roomAt(text, root, node));
  return { ok: true, patch: [{ at: node.start, was, becomes }], expected: withNode(root, path, () => next) };
}

/** A file of one line stays one. */
function roomAt(text: string, root: JsonNode, node: JsonNode): Parameters<typeof printValue>[2] {
  return sameLine(text, root.start, root.end) && root.kind !== "scalar"
    ? { on: "line" }
    : { on: "lines", indent: indentAt(text, node.start) };
}

function planSet(text: string, root: JsonNode, { path, value, comment }: Extract<Edit, { readonly do: "set" }>): EditPlan {
  const found = findNode(root, path);
  if (found.ok) return planReplace(text, root, path, value);
  // The longest part of the path that is there.
  let depth = path.length - 1;
  while (depth > 0 && !findNode(root, path.slice(0, depth)).ok) depth--;
  const around = path.slice(0, depth);
  const [key, ...inner] = path.slice(depth);
  if (typeof key !== "string" || inner.some((step) => typeof step === "number")) return found;
  const owner = findObject(root, around);
  if (!owner.ok) return owner;
  const nested = inner.reduceRight<Json>((held, step) => Object.fromEntries([[step, held]]), value);
  const style: TextStyle = styleOf(text, root);
  const { members } = owner.node;
  const spot: Spot | undefined = members.length === 0 ? undefined : { side: "after", index: members.length - 1 };
  let comments: readonly string[] = [];
  const print: Printer = (room) => {
    comments = comment === undefined ? [] : [printComment(comment, room)];
    return [...comments, printMember(key, nested, style, room)].join(room.on === "lines" ? style.eol + room.indent : " ");
  };
  const patch = insertion(text, containerOf(owner.node), spot, style, style.objectLines, print);
  return {
    ok: true,
    patch,
    comments,
    expected: withNode(root, around, (node) =>
      node.kind === "object" ? { ...node, members: [...node.members, { key, keyStart: -1, value: nodeOf(nested) }] } : node,
    ),
  };
}

/** Takes an item out, with its comma and the comments that are its own. */
function removal(text: string, box: Container, index: number): Patch {
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
type Printer = (room: Room) => string;

/** What a new item is put next to. */
interface Spot {
  readonly side: "before" | "after";
  readonly index: number;
}

/** Puts an item into a list or an object: on a line of its own where its neighbour has one. */
function insertion(text: string, box: Container, spot: Spot | undefined, style: TextStyle, lines: boolean, print: Printer): Patch {
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

/** What a text shall say after an edit, worked out on values alone: the text that comes out is held against it. */

/** An edit asked for a place that is not there. */
interface Misplaced {
  readonly ok: false;
  readonly message: string;
}

type FoundNode<T> = { readonly ok: true; readonly node: T } | Misplaced;

const NOWHERE = { start: -1, end: -1 };

/** The tree of a value that stands in no text. */
function nodeOf(value: Json): JsonNode {
  if (isList(value)) return { kind: "array", items: value.map(nodeOf), ...NOWHERE };
  if (typeof value === "object" && value !== null)
    return {
      kind: "object",
      members: Object.entries(value).map(([key, item]) => ({ key, keyStart: -1, value: nodeOf(item) })),
      ...NOWHERE,
    };
  return { kind: "scalar", value, ...NOWHERE };
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

/** The same value, with its members in the same order. */
function sameValue(a: JsonNode, b: JsonNode): boolean {
  if (a.kind === "scalar") return b.kind === "scalar" && Object.is(a.value, b.value);
  if (a.kind === "array")
    return (
      b.kind === "array" && a.items.length === b.items.length && a.items.every((item, at) => sameValue(item, b.items[at] ?? nodeOf(null)))
    );
  return (
    b.kind === "object" &&
    a.members.length === b.members.length &&
    a.members.every(({ key, value }, at) => {
      const other = b.members[at];
      return other !== undefined && other.key === key && sameValue(value, other.value);
    })
  );
}

export function findNode(root: JsonNode, path: Path): FoundNode<JsonNode> {
  let node = root;
  for (const [depth, step] of path.entries()) {
    const next = typeof step === "number" ? (node.kind === "array" ? node.items[step] : undefined) : member(node, step)?.value;
    if (next === undefined) return { ok: false, message: `cannot find \`${printPath(path.slice(0, depth + 1))}\`` };
    node = next;
  }
  return { ok: true, node };
}

function findList(root: JsonNode, path: Path): FoundNode<ArrayNode> {
  const found = findNode(root, path);
  if (!found.ok) return found;
  return found.node.kind === "array" ? { ok: true, node: found.node } : { ok: false, message: `\`${printPath(path)}\` is not a list` };
}

function findObject(root: JsonNode, path: Path): FoundNode<ObjectNode> {
  const found = findNode(root, path);
  if (!found.ok) return found;
  return found.node.kind === "object"
    ? { ok: true, node: found.node }
    : { ok: false, message: path.length === 0 ? "the file does not hold an object" : `\`${printPath(path)}\` is not an object` };
}

/** `root` with what `change` makes of the value at `path`. INVARIANT: the path exists. */
function withNode(root: JsonNode, path: Path, change: (node: JsonNode) => JsonNode): JsonNode {
  const [step, ...rest] = path;
  if (step === undefined) return change(root);
  if (root.kind === "array") return { ...root, items: root.items.map((item, at) => (at === step ? withNode(item, rest, change) : item)) };
  if (root.kind === "scalar") return root;
  return {
    ...root,
    members: root.members.map((entry) => (entry.key === step ? { ...entry, value: withNode(entry.value, rest, change) } : entry)),
  };
}

type VerifiedEdit = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly message: string };

const refuse = (message: string): VerifiedEdit => ({ ok: false, message });

/**
 * The patched text, if it holds what every edit promises: it says exactly what was asked, every comment that no splice
 * touches is there as it was, no other has come but those asked for, and the patch can be taken back.
 */
function verified(text: string, patch: Patch, expected: JsonNode, added: readonly string[] = []): VerifiedEdit {
  const next = applyPatch(text, patch);
  if (next === undefined) return refuse("the changes overlap");
  const { root, faults } = readJson5(next);
  if (root === undefined || faults.length > 0) return refuse(`the result could not be read: ${faults[0]?.message ?? "it is broken"}`);
  if (!sameValue(root, expected)) return refuse("the result would say something else");
  const put = invert(patch);
  const all = allComments(next);
  const isNew = ({ start, end }: TextRange): boolean => put.some(({ at, was }) => at <= start && end <= at + was.length);
  const fresh = all.filter(isNew);
  if (fresh.length !== added.length || fresh.some(({ start, end }, at) => next.slice(start, end) !== added[at]))
    return refuse("a comment would not be as it was asked for");
  const after = all.filter((comment) => !isNew(comment)).map(({ start, end }) => `${start} ${next.slice(start, end)}`);
  const kept = keptComments(text, patch);
  if (after.length !== kept.length || after.some((comment, at) => comment !== kept[at])) return refuse("a comment would be lost");
  if (applyPatch(next, put) !== text) return refuse("the change could not be taken back");
  return { ok: true, text: next };
}

/** The comments outside the splices, each with the offset it moves to. */
function keptComments(text: string, patch: Patch): readonly string[] {
  const kept: string[] = [];
  for (const { start, end } of allComments(text)) {
    let moved = start;
    let touched = false;
    for (const { at, was, becomes } of patch) {
      if (at + was.length <= start) moved += becomes.length - was.length;
      else if (at < end && was !== "") touched = true;
    }
    if (!touched) kept.push(`${moved} ${text.slice(start, end)}`);
  }
  return kept;
}
