import { member, type JsonNode, placeFinder, readJson5 } from "@assent/core/edit/json5";
import type { Unreadable } from "@assent/import/import";

/** A settings file of a host, with the lines of its parts. */
export interface JsonFile {
  readonly root: JsonNode;
  readonly lineOf: (node: { readonly start: number }) => number;
}

/** Hosts read JSON, with or without comments; of a key that stands twice they take the last. */
export function readJson(text: string): JsonFile | Unreadable {
  const placeOf = placeFinder(text);
  const { root, faults } = readJson5(text);
  const fault = faults.find(({ message }) => !message.startsWith("duplicate key"));
  if (fault !== undefined || root === undefined)
    return { ...placeOf(fault?.offset ?? 0), problem: fault === undefined ? "cannot be read" : fault.message };
  if (root.kind !== "object") return { ...placeOf(root.start), problem: "is not an object" };
  return { root, lineOf: ({ start }) => placeOf(start).line };
}

export interface Item {
  readonly value: string;
  readonly start: number;
}

/** The value at a path of keys. */
export function at(root: JsonNode, ...keys: readonly string[]): JsonNode | undefined {
  let node: JsonNode | undefined = root;
  for (const key of keys) node = member(node, key)?.value;
  return node;
}

export function textOfNode(node: JsonNode | undefined): string | undefined {
  return node?.kind === "scalar" && typeof node.value === "string" ? node.value : undefined;
}

/** The texts of a list; `others` are what is no text. */
export function textsOf(node: JsonNode | undefined): { readonly texts: readonly Item[]; readonly others: readonly JsonNode[] } {
  if (node === undefined) return { texts: [], others: [] };
  if (node.kind !== "array") return { texts: [], others: [node] };
  const texts: Item[] = [];
  const others: JsonNode[] = [];
  for (const item of node.items) {
    const value = textOfNode(item);
    if (value === undefined) others.push(item);
    else texts.push({ value, start: item.start });
  }
  return { texts, others };
}

/** What a table says of a word that others wrote: `constructor` is in no table. */
export function said<Value>(table: Readonly<Record<string, Value>>, word: string): Value | undefined {
  return Object.hasOwn(table, word) ? table[word] : undefined;
}
