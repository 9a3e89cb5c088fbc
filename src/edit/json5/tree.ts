/** A policy file as read: values with their places, before anything is known about their meaning. */

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

export type Node = ObjectNode | ArrayNode | ScalarNode;

interface Extent {
  /** UTF-16 offset of the first character. */
  readonly start: number;
  /** One past the last character. */
  readonly end: number;
}

export interface ObjectNode extends Extent {
  readonly kind: "object";
  readonly members: readonly Member[];
}

export interface ArrayNode extends Extent {
  readonly kind: "array";
  readonly items: readonly Node[];
}

export interface ScalarNode extends Extent {
  readonly kind: "scalar";
  readonly value: string | number | boolean | null;
}

export interface Member {
  readonly key: string;
  readonly keyStart: number;
  readonly value: Node;
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

export function toValue(node: Node): Json {
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

export function member(node: Node | undefined, key: string): Member | undefined {
  return node?.kind === "object" ? node.members.findLast((candidate) => candidate.key === key) : undefined;
}

/** Where to point for `path`: the value; for a key itself (`onKey`) the key; the nearest enclosing value when it is missing. */
export function offsetOf(root: Node, path: Path, onKey: boolean): number {
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
