import { allComments } from "./container.ts";
import { member, printPath, readJson5, type ArrayNode, type Json, type JsonNode, type ObjectNode, type Path } from "./json5/index.ts";
import { applyPatch, invert, type Patch, type TextRange } from "./splice.ts";

/** What a text shall say after an edit, worked out on values alone: the text that comes out is held against it. */

/** An edit asked for a place that is not there. */
export interface Misplaced {
  readonly ok: false;
  readonly message: string;
}

type FoundNode<T> = { readonly ok: true; readonly node: T } | Misplaced;

const NOWHERE = { start: -1, end: -1 };

/** The tree of a value that stands in no text. */
export function nodeOf(value: Json): JsonNode {
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
export function sameValue(a: JsonNode, b: JsonNode): boolean {
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

export function findList(root: JsonNode, path: Path): FoundNode<ArrayNode> {
  const found = findNode(root, path);
  if (!found.ok) return found;
  return found.node.kind === "array" ? { ok: true, node: found.node } : { ok: false, message: `\`${printPath(path)}\` is not a list` };
}

export function findObject(root: JsonNode, path: Path): FoundNode<ObjectNode> {
  const found = findNode(root, path);
  if (!found.ok) return found;
  return found.node.kind === "object"
    ? { ok: true, node: found.node }
    : { ok: false, message: path.length === 0 ? "the file does not hold an object" : `\`${printPath(path)}\` is not an object` };
}

/** `root` with what `change` makes of the value at `path`. INVARIANT: the path exists. */
export function withNode(root: JsonNode, path: Path, change: (node: JsonNode) => JsonNode): JsonNode {
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
export function verified(text: string, patch: Patch, expected: JsonNode, added: readonly string[] = []): VerifiedEdit {
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
