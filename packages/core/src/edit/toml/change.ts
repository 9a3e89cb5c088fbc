import { isObject } from "../../data/index.ts";
import { type Fault, type Json, member, type JsonNode, type Path, printPath, toValue } from "../json5/index.ts";
import { readToml } from "./read.ts";

/** A key of a TOML text, in a table at the top: `["features", "hooks"]`. */
type TomlKey = readonly [table: string, key: string];

export type TomlChange =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly message: string; /** Where a broken text is wrong. */ readonly fault?: Fault };

/** Gives a key a value, by the smallest splice. The result is read again: it says what was asked and nothing else has changed. */
export function setTomlKey(text: string, key: TomlKey, value: string | number | boolean): TomlChange {
  return changed(text, key, withKey(key, value), (root) => {
    const [table, name] = key;
    const found = member(root, table)?.value;
    if (found !== undefined && found.kind !== "object") return undefined;
    const old = member(found, name)?.value;
    const written = JSON.stringify(value);
    if (old !== undefined) return old.kind === "scalar" ? splice(text, old.start, old.end, written) : undefined;
    const newline = newlineOf(text);
    if (found === undefined) return atEnd(text, [`[${bare(table)}]`, `${bare(name)} = ${written}`]);
    const header = new RegExp(`^[ \\t]*\\[[ \\t]*${bare(table)}[ \\t]*\\][^\\n]*(?:\\n|$)`, "m").exec(text);
    if (header !== null) {
      const end = header.index + header[0].length;
      return splice(text, end, end, `${header[0].endsWith("\n") ? "" : newline}${bare(name)} = ${written}${newline}`);
    }
    if (text.charAt(found.start) === "{")
      return splice(text, found.start + 1, found.start + 1, ` ${bare(name)} = ${written}${found.members.length === 0 ? " " : ","}`);
    // `features.other = 1`: the new key stands before it.
    const first = found.members[0];
    if (first === undefined) return undefined;
    const line = text.lastIndexOf("\n", first.keyStart - 1) + 1;
    return splice(text, line, line, `${bare(table)}.${bare(name)} = ${written}${newline}`);
  });
}

/** Takes a key and its line out. */
export function removeTomlKey(text: string, key: TomlKey): TomlChange {
  return changed(text, key, withKey(key, undefined), (root) => {
    const found = member(member(root, key[0])?.value, key[1]);
    if (found === undefined) return text;
    const line = text.lastIndexOf("\n", found.keyStart - 1) + 1;
    const end = text.indexOf("\n", found.value.end);
    const rest = text.slice(found.value.end, end < 0 ? undefined : end).trim();
    if (rest !== "" && !rest.startsWith("#")) return undefined;
    return splice(text, line, end < 0 ? text.length : end + 1, "");
  });
}

/** Adds a table to a list of tables at the top: `[[hooks]]`. */
export function addTomlTable(text: string, list: string, value: TomlTable): TomlChange {
  const added = (root: Json): Json => ({ ...record(root), [list]: [...listOf(record(root)[list]), value] });
  return changed(text, [list], added, () =>
    atEnd(text, [`[[${bare(list)}]]`, ...Object.entries(value).map(([name, held]) => `${bare(name)} = ${JSON.stringify(held)}`)]),
  );
}

/** Takes a table out of such a list, with its lines. */
export function removeTomlTable(text: string, list: string, index: number): TomlChange {
  const removed = (root: Json): Json => {
    const { [list]: held, ...rest } = record(root);
    const left = listOf(held).filter((_, at) => at !== index);
    return left.length === 0 ? rest : { ...rest, [list]: left };
  };
  return changed(text, [list, index], removed, (root) => {
    const tables = member(root, list)?.value;
    const found = tables?.kind === "array" ? tables.items[index] : undefined;
    if (found === undefined || !text.startsWith("[[", found.start)) return undefined;
    const line = text.lastIndexOf("\n", found.start) + 1;
    const end = text.indexOf("\n", found.end);
    // The empty line that parts it from what stands before goes with it.
    const [gap = ""] = /(?<=\n)\r?\n$/.exec(text.slice(0, line)) ?? [];
    return splice(text, line - gap.length, end < 0 ? text.length : end + 1, "");
  });
}

const newlineOf = (text: string): string => (text.includes("\r\n") ? "\r\n" : "\n");

function atEnd(text: string, lines: readonly string[]): string {
  const newline = newlineOf(text);
  const gap = text === "" || text.endsWith("\n\n") ? "" : text.endsWith("\n") ? newline : `${newline}${newline}`;
  return `${text}${gap}${lines.join(newline)}${newline}`;
}

const splice = (text: string, from: number, to: number, becomes: string): string => text.slice(0, from) + becomes + text.slice(to);
const bare = (name: string): string => (/^[\w-]+$/.test(name) ? name : JSON.stringify(name));

function changed(text: string, at: Path, expected: (root: Json) => Json, next: (root: JsonNode) => string | undefined): TomlChange {
  const before = readToml(text);
  if (before.root === undefined) {
    const [fault] = before.faults;
    return { ok: false, message: fault?.message ?? "cannot be read", ...(fault === undefined ? {} : { fault }) };
  }
  const result = next(before.root);
  const after = result === undefined ? undefined : readToml(result);
  if (result === undefined || after?.root === undefined || !same(toValue(after.root), expected(toValue(before.root))))
    return { ok: false, message: `\`${printPath(at)}\` cannot be changed safely` };
  return { ok: true, text: result };
}

const withKey =
  ([table, name]: TomlKey, value: Json | undefined) =>
  (root: Json): Json => {
    const top = record(root);
    const { [name]: _old, ...rest } = record(top[table]);
    const own = value === undefined ? rest : { ...rest, [name]: value };
    return value === undefined && top[table] === undefined ? top : { ...top, [table]: own };
  };

type TomlTable = { readonly [key: string]: Json };

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);
const listOf = (value: Json | undefined): readonly Json[] => (value !== undefined && isList(value) ? value : []);
const record = (value: Json | undefined): TomlTable => (isObject(value) ? value : {});

/** In any order of keys. */
function same(a: Json, b: Json): boolean {
  if (isList(a) || isList(b)) return isList(a) && isList(b) && a.length === b.length && a.every((item, at) => same(item, b[at] ?? null));
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return Object.is(a, b);
  const [left, right] = [record(a), record(b)];
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && same(left[key] ?? null, right[key] ?? null))
  );
}
