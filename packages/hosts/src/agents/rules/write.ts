import { edit, type Edit } from "@assent/core/edit";
import { type Json, member, type JsonNode, type Path, placeFinder, readJson5, toValue } from "@assent/core/edit/json5";

/** The next text of a host's file; `own` are the entries in it that are ours, for the next time. */
export type WrittenExport = { readonly is: "text"; readonly text: string; readonly own: readonly string[] } | Refused;

export interface Refused {
  readonly is: "refused";
  readonly why: string;
  readonly line?: number;
  readonly column?: number;
}

/** A file into which our refusals go beside those of others. */
export type Writer = (now: string | undefined, wanted: readonly string[], owned: readonly string[]) => WrittenExport;

export function applyEdits(text: string, changes: readonly Edit[]): string | Refused {
  let next = text;
  for (const change of changes) {
    const done = edit(next, change);
    if (!done.ok) return { is: "refused", why: `cannot be changed safely: ${done.message}` };
    ({ text: next } = done);
  }
  return next;
}

/** The object that a JSON file is. */
export function readObject(text: string): JsonNode | Refused {
  const { root, faults } = readJson5(text);
  const [fault] = faults;
  if (root === undefined || fault !== undefined)
    return { is: "refused", why: fault?.message ?? "cannot be read", ...placeFinder(text)(fault?.offset ?? 0) };
  return root.kind === "object" ? root : { is: "refused", why: "is not an object" };
}

/** The value at a path of keys. */
export function nodeAt(root: JsonNode, path: Path): JsonNode | undefined {
  let node: JsonNode | undefined = root;
  for (const step of path) node = typeof step === "string" ? member(node, step)?.value : undefined;
  return node;
}

/** A list of texts in a JSON file. */
export function listWriter(list: readonly string[]): Writer {
  return (now, wanted, owned) => {
    if (now === undefined || now.trim() === "") {
      if (wanted.length === 0) return { is: "text", text: now ?? "", own: [] };
      const value = list.reduceRight<Json>((inner, key) => ({ [key]: inner }), [...wanted]);
      return { is: "text", text: `${JSON.stringify(value, undefined, 2)}\n`, own: wanted };
    }
    const root = readObject(now);
    if ("is" in root) return root;
    const node = nodeAt(root, list);
    if (node !== undefined && node.kind !== "array") return { is: "refused", why: `\`${list.join(".")}\` is not a list` };
    const there = node === undefined ? [] : node.items.map(toValue);
    // From the end: what goes moves only what follows.
    const gone = there
      .flatMap((value, at) => (typeof value === "string" && owned.includes(value) && !wanted.includes(value) ? [at] : []))
      .toReversed();
    const fresh = wanted.filter((one) => !there.includes(one));
    const make: readonly Edit[] = node === undefined && fresh.length > 0 ? [{ do: "set", path: list, value: fresh }] : [];
    const inserts = make.length > 0 ? [] : fresh.map((value): Edit => ({ do: "insert", list, place: "end", value }));
    const next = applyEdits(now, [...gone.map((at): Edit => ({ do: "remove", path: [...list, at] })), ...make, ...inserts]);
    if (typeof next !== "string") return next;
    return { is: "text", text: next, own: wanted.filter((one) => fresh.includes(one) || owned.includes(one)) };
  };
}

const MARK = "# Written by `assent export`: your next export replaces it. What you change here is lost.";
export const isExported = (text: string): boolean => text.startsWith(MARK);

/** A file that is ours altogether, told by its first line. */
export const ownFileWriter: Writer = (now, wanted) => {
  if (now !== undefined && now.trim() !== "" && !now.startsWith(MARK))
    return { is: "refused", why: "is there already and was not written by Assent: move it away" };
  if (wanted.length === 0) return { is: "text", text: "", own: [] };
  return { is: "text", text: `${MARK}\n\n${wanted.join("\n")}`, own: wanted };
};

/** Entries as they would stand in a file, for people. */
export const asText = (entries: readonly string[]): string => entries.join("\n");
export const asList =
  (key: "deny" | "allow") =>
  (entries: readonly string[]): string =>
    `${JSON.stringify({ permissions: { [key]: entries } }, undefined, 2)}\n`;
