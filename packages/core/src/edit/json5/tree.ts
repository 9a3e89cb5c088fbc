/** A policy file as read: values with their places, before anything is known about their meaning. */

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

export type JsonNode = ObjectNode | ArrayNode | ScalarNode;

interface NodeExtent {
  /** UTF-16 offset of the first character. */
  readonly start: number;
  /** One past the last character. */
  readonly end: number;
}

export interface ObjectNode extends NodeExtent {
  readonly kind: "object";
  readonly members: readonly ObjectMember[];
}

export interface ArrayNode extends NodeExtent {
  readonly kind: "array";
  readonly items: readonly JsonNode[];
}

export interface ScalarNode extends NodeExtent {
  readonly kind: "scalar";
  readonly value: string | number | boolean | null;
}

export interface ObjectMember {
  readonly key: string;
  readonly keyStart: number;
  readonly value: JsonNode;
}

/** Keys and indexes from the top to a value. */
export type Path = readonly (string | number)[];

/** A mistake at a place in the text. */
export interface Fault {
  readonly offset: number;
  readonly path: Path;
  readonly message: string;
  readonly help?: string;
}

export function toValue(node: JsonNode): Json {
  switch (node.kind) {
    case "scalar":
      return node.value;
    case "array":
      return node.items.map(toValue);
    case "object":
      // fromEntries defines own properties, so `__proto__` is a key like any other.
      return Object.fromEntries(node.members.map((member) => [member.key, toValue(member.value)]));
  }
}

export function member(node: JsonNode | undefined, key: string): ObjectMember | undefined {
  return node?.kind === "object" ? node.members.findLast((candidate) => candidate.key === key) : undefined;
}

/** Where to point for `path`: the value; for a key itself (`onKey`) the key; the nearest enclosing value when it is missing. */
export function offsetOf(root: JsonNode, path: Path, onKey: boolean): number {
  let node = root;
  let offset = root.start;
  for (const step of path) {
    if (typeof step === "number") {
      const item = node.kind === "array" ? node.items[step] : undefined;
      if (item === undefined) return node.start;
      node = item;
      offset = item.start;
    } else {
      const found = member(node, step);
      if (found === undefined) return node.start;
      node = found.value;
      offset = onKey ? found.keyStart : found.value.start;
    }
  }
  return offset;
}

/** `permissions.deny[2].rule` */
export function printPath(path: Path): string {
  let text = "";
  for (const step of path) {
    if (typeof step === "number") text += `[${step}]`;
    else if (/^[\w$]+$/.test(step)) text += text === "" ? step : `.${step}`;
    else text += `[${JSON.stringify(step)}]`;
  }
  return text;
}

/** Line and column, both from 1, as editors count them: columns in UTF-16 units, a byte order mark not counted. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

/** A function from offsets of `text` to places; offsets outside are moved to the nearest end. */
export function placeFinder(text: string): (offset: number) => TextPlace {
  const starts = [text.charCodeAt(0) === 0xfeff ? 1 : 0];
  for (const { index, 0: ending } of text.matchAll(/\r\n|\n|\r/g)) starts.push(index + ending.length);
  return (offset) => {
    const inside = Math.min(Math.max(offset, starts[0] ?? 0), text.length);
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((starts[middle] ?? 0) <= inside) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: inside - (starts[low] ?? 0) + 1 };
  };
}
