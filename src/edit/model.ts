import { type ArrayNode, type Json, member, type Node, type ObjectNode, type Path, printPath } from "./json5/index.ts";

/** What a text shall say after an edit, worked out on values alone: the text that comes out is held against it. */

/** An edit asked for a place that is not there. */
export interface Misplaced {
  readonly ok: false;
  readonly message: string;
}

type Found<T> = { readonly ok: true; readonly node: T } | Misplaced;

const NOWHERE = { start: -1, end: -1 };

/** The tree of a value that stands in no text. */
export function nodeOf(value: Json): Node {
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
export function sameValue(a: Node, b: Node): boolean {
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

export function findNode(root: Node, path: Path): Found<Node> {
  let node = root;
  for (const [depth, step] of path.entries()) {
    const next = typeof step === "number" ? (node.kind === "array" ? node.items[step] : undefined) : member(node, step)?.value;
    if (next === undefined) return { ok: false, message: `there is no \`${printPath(path.slice(0, depth + 1))}\`` };
    node = next;
  }
  return { ok: true, node };
}

export function findList(root: Node, path: Path): Found<ArrayNode> {
  const found = findNode(root, path);
  if (!found.ok) return found;
  return found.node.kind === "array" ? { ok: true, node: found.node } : { ok: false, message: `\`${printPath(path)}\` is not a list` };
}

export function findObject(root: Node, path: Path): Found<ObjectNode> {
  const found = findNode(root, path);
  if (!found.ok) return found;
  return found.node.kind === "object"
    ? { ok: true, node: found.node }
    : { ok: false, message: path.length === 0 ? "the file does not hold an object" : `\`${printPath(path)}\` is not an object` };
}

/** `root` with what `change` makes of the value at `path`. INVARIANT: the path exists. */
export function withNode(root: Node, path: Path, change: (node: Node) => Node): Node {
  const [step, ...rest] = path;
  if (step === undefined) return change(root);
  if (root.kind === "array") return { ...root, items: root.items.map((item, at) => (at === step ? withNode(item, rest, change) : item)) };
  if (root.kind === "scalar") return root;
  return {
    ...root,
    members: root.members.map((entry) => (entry.key === step ? { ...entry, value: withNode(entry.value, rest, change) } : entry)),
  };
}
