import { containerOf, indentAt, sameLine } from "./container.ts";
import { insertion, removal, type Printer, type Spot } from "./items.ts";
import { type Fault, type Json, type JsonNode, type Path, readJson5, toValue } from "./json5/index.ts";
import { findList, findNode, findObject, nodeOf, sameValue, verified, withNode } from "./model.ts";
import { printComment, printMember, printValue } from "./print.ts";
import { invert, type Patch } from "./splice.ts";
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
