import { placeFinder, type ArrayNode, type Fault, type ObjectMember, type JsonNode, type ObjectNode } from "../json5/index.ts";

/**
 * A reader for TOML that keeps places, and gives the same tree as the JSON5 reader does. A date stays text.
 * It reads what others have written: what is wrong ends the reading.
 */

export interface TomlRead {
  /** Absent when there is a fault. */
  readonly root: ObjectNode | undefined;
  readonly faults: readonly Fault[];
}

const MAX_LENGTH = 1_000_000;
const MAX_DEPTH = 64;

export function readToml(text: string): TomlRead {
  if (text.length > MAX_LENGTH)
    return { root: undefined, faults: [{ offset: 0, path: [], message: `longer than ${MAX_LENGTH} characters` }] };
  const reader = new TomlReader(text);
  const root = reader.file();
  return root === undefined ? { root, faults: [reader.fault ?? { offset: 0, path: [], message: "cannot be read" }] } : { root, faults: [] };
}

/** A table while it is read. */
interface OpenTable {
  readonly members: Map<string, { readonly keyStart: number; value: OpenTable | List | JsonNode }>;
  readonly start: number;
  end: number;
  /** It has a header of its own, or stands in a value: it may not be opened again. */
  closed: boolean;
}
interface List {
  readonly tables: OpenTable[];
  readonly start: number;
}

const isTable = (value: OpenTable | List | JsonNode | undefined): value is OpenTable =>
  value !== undefined && "members" in value && value.members instanceof Map;
const isList = (value: OpenTable | List | JsonNode | undefined): value is List => value !== undefined && "tables" in value;

interface DottedKey {
  readonly names: readonly string[];
  readonly start: number;
}

// INVARIANT: a method that returns undefined has recorded the fault that ends the reading.
class TomlReader {
  fault: Fault | undefined;
  readonly #text: string;
  #at: number;

  constructor(text: string) {
    this.#text = text;
    this.#at = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  }

  file(): ObjectNode | undefined {
    const root = table(0, true);
    let current: OpenTable = root;
    for (this.#blank(); this.#at < this.#text.length; this.#blank()) {
      if (this.#text.charAt(this.#at) === "[") {
        const opened = this.#header(root);
        if (opened === undefined) return undefined;
        current = opened;
      } else if (!this.#pair(current, 0)) return undefined;
      current.end = this.#at;
      if (!this.#lineEnd()) return undefined;
    }
    root.end = this.#text.length;
    return toObject(root);
  }

  #header(root: OpenTable): OpenTable | undefined {
    const start = this.#at;
    const many = this.#text.startsWith("[[", start);
    this.#at += many ? 2 : 1;
    const key = this.#key();
    if (key === undefined) return undefined;
    if (!this.#text.startsWith(many ? "]]" : "]", this.#at)) return this.#stop(this.#at, `expected \`${many ? "]]" : "]"}\``);
    this.#at += many ? 2 : 1;
    const owner = this.#walk(root, key.names.slice(0, -1), key.start, true);
    if (owner === undefined) return undefined;
    const name = key.names.at(-1) ?? "";
    const there = owner.members.get(name)?.value;
    if (many) {
      const made = table(start, true);
      if (there === undefined) owner.members.set(name, { keyStart: key.start, value: { tables: [made], start } });
      else if (isList(there)) there.tables.push(made);
      else return this.#stop(key.start, `\`${name}\` is not a list of tables`);
      return made;
    }
    if (there === undefined) {
      const made = table(start, true);
      owner.members.set(name, { keyStart: key.start, value: made });
      return made;
    }
    if (!isTable(there) || there.closed) return this.#stop(key.start, this.#twice(name, owner));
    there.closed = true;
    return there;
  }

  /** `key = value` */
  #pair(into: OpenTable, depth: number): boolean {
    const key = this.#key();
    if (key === undefined) return false;
    if (this.#text.charAt(this.#at) !== "=") return this.#stop(this.#at, "expected `=` after the key") ?? false;
    this.#at++;
    this.#space();
    const owner = this.#walk(into, key.names.slice(0, -1), key.start, false);
    if (owner === undefined) return false;
    const name = key.names.at(-1) ?? "";
    if (owner.members.has(name)) return this.#stop(key.start, this.#twice(name, owner)) ?? false;
    const value = this.#value(depth);
    if (value === undefined) return false;
    owner.members.set(name, { keyStart: key.start, value });
    return true;
  }

  #twice(name: string, owner: OpenTable): string {
    const first = owner.members.get(name)?.keyStart ?? 0;
    return `\`${name}\` is there twice, first in line ${placeFinder(this.#text)(first).line}`;
  }

  /** The table at a path of keys, made where it is missing. Of a list of tables the last one is meant. */
  #walk(from: OpenTable, names: readonly string[], start: number, header: boolean): OpenTable | undefined {
    let at = from;
    for (const name of names) {
      const next = at.members.get(name)?.value;
      if (next === undefined) {
        const made = table(start, false);
        at.members.set(name, { keyStart: start, value: made });
        at = made;
      } else if (isList(next) && header) {
        const last = next.tables.at(-1);
        if (last === undefined) return this.#stop(start, `\`${name}\` is empty`);
        at = last;
      } else if (isTable(next)) at = next;
      else return this.#stop(start, `\`${name}\` is not a table`);
    }
    return at;
  }

  #key(): DottedKey | undefined {
    this.#space();
    const start = this.#at;
    const names: string[] = [];
    for (;;) {
      const char = this.#text.charAt(this.#at);
      if (char === '"' || char === "'") {
        const read = readText(this.#text, this.#at);
        if ("message" in read) return this.#wrong(read);
        names.push(read.value);
        this.#at = read.end;
      } else {
        const bare = /[\w-]+/y;
        bare.lastIndex = this.#at;
        const name = bare.exec(this.#text)?.[0];
        if (name === undefined) return this.#stop(this.#at, "expected a key");
        names.push(name);
        this.#at += name.length;
      }
      this.#space();
      if (this.#text.charAt(this.#at) !== ".") return { names, start };
      this.#at++;
      this.#space();
    }
  }

  #value(depth: number): JsonNode | undefined {
    const start = this.#at;
    const char = this.#text.charAt(start);
    if (depth > MAX_DEPTH) return this.#stop(start, `nested more than ${MAX_DEPTH} levels deep`);
    if (char === '"' || char === "'") {
      const read = readText(this.#text, start);
      if ("message" in read) return this.#wrong(read);
      this.#at = read.end;
      return { kind: "scalar", value: read.value, start, end: read.end };
    }
    if (char === "[") return this.#array(depth);
    if (char === "{") return this.#inline(depth);
    const word = /[^\s,\]}#]+(?: \d\d:\d\d[^\s,\]}#]*)?/y;
    word.lastIndex = start;
    const written = word.exec(this.#text)?.[0] ?? "";
    const value = readWord(written);
    if (value === undefined) return this.#stop(start, written === "" ? "expected a value" : `\`${written.slice(0, 40)}\` is not a value`);
    this.#at += written.length;
    return { kind: "scalar", value, start, end: this.#at };
  }

  #array(depth: number): ArrayNode | undefined {
    const start = this.#at++;
    const items: JsonNode[] = [];
    for (;;) {
      this.#blank();
      if (this.#text.charAt(this.#at) === "]") {
        this.#at++;
        return { kind: "array", items, start, end: this.#at };
      }
      const item = this.#value(depth + 1);
      if (item === undefined) return undefined;
      items.push(item);
      this.#blank();
      if (this.#text.charAt(this.#at) === ",") this.#at++;
      else if (this.#text.charAt(this.#at) !== "]") return this.#stop(start, "the list is not closed");
    }
  }

  #inline(depth: number): JsonNode | undefined {
    const start = this.#at++;
    const made = table(start, true);
    for (;;) {
      this.#blank();
      if (this.#text.charAt(this.#at) === "}") {
        made.end = ++this.#at;
        return toObject(made);
      }
      if (!this.#pair(made, depth + 1)) return undefined;
      this.#blank();
      if (this.#text.charAt(this.#at) === ",") this.#at++;
      else if (this.#text.charAt(this.#at) !== "}") return this.#stop(start, "the table is not closed");
    }
  }

  #space(): void {
    while (this.#text.charAt(this.#at) === " " || this.#text.charAt(this.#at) === "\t") this.#at++;
  }

  /** Blanks, line breaks and comments. */
  #blank(): void {
    const blank = /(?:\s|#[^\n]*)*/y;
    blank.lastIndex = this.#at;
    this.#at += blank.exec(this.#text)?.[0].length ?? 0;
  }

  #lineEnd(): boolean {
    this.#space();
    const char = this.#text.charAt(this.#at);
    if (char === "" || char === "\n" || char === "#" || this.#text.startsWith("\r\n", this.#at)) return true;
    return this.#stop(this.#at, "expected the end of the line") ?? false;
  }

  #wrong({ offset, message }: ScalarFault): undefined {
    return this.#stop(offset, message);
  }

  #stop(offset: number, message: string): undefined {
    this.fault ??= { offset, path: [], message };
    return undefined;
  }
}

function table(start: number, closed: boolean): OpenTable {
  return { members: new Map(), start, end: start, closed };
}

function toObject({ members, start, end }: OpenTable): ObjectNode {
  const list = [...members].map(([key, { keyStart, value }]): ObjectMember => ({ key, keyStart, value: toNode(value) }));
  return { kind: "object", members: list, start, end };
}

function toNode(value: OpenTable | List | JsonNode): JsonNode {
  if (isTable(value)) return toObject(value);
  if (!isList(value)) return value;
  const end = value.tables.at(-1)?.end ?? value.start;
  return { kind: "array", items: value.tables.map(toObject), start: value.start, end };
}

/** The scalars of TOML 1.0 (https://toml.io/en/v1.0.0), read at an offset. */

export interface TomlText {
  readonly value: string;
  readonly end: number;
}

interface ScalarFault {
  readonly offset: number;
  readonly message: string;
}

const ESCAPES: Readonly<Record<string, string>> = { b: "\b", t: "\t", n: "\n", f: "\f", r: "\r", e: "\u001b", '"': '"', "\\": "\\" };

/** The text in quotes at `start`: `"…"`, `'…'`, and both three times over several lines. */
function readText(text: string, start: number): TomlText | ScalarFault {
  const quote = text.charAt(start);
  const long = text.startsWith(quote.repeat(3), start);
  const open = start + (long ? 3 : 1);
  // A line break right behind the opening quotes is not part of the text.
  let at = long ? open + (/^\r?\n/.exec(text.slice(open, open + 2))?.[0].length ?? 0) : open;
  let value = "";
  for (;;) {
    const char = text.charAt(at);
    if (char === "" || (!long && char === "\n")) return { offset: start, message: "the text is not closed" };
    if (long ? text.startsWith(quote.repeat(3), at) : char === quote) {
      if (!long) return { value, end: at + 1 };
      // Up to two quotes may stand right before the closing ones.
      let more = 0;
      while (more < 2 && text.charAt(at + 3 + more) === quote) more++;
      return { value: value + quote.repeat(more), end: at + 3 + more };
    }
    if (char === "\\" && quote === '"') {
      const escape = readEscape(text, at, long);
      if ("message" in escape) return escape;
      value += escape.value;
      at = escape.end;
    } else {
      value += char;
      at++;
    }
  }
}

function readEscape(text: string, at: number, long: boolean): TomlText | ScalarFault {
  const wrap = long ? /^\\[ \t]*\r?\n\s*/.exec(text.slice(at)) : null;
  if (wrap !== null) return { value: "", end: at + wrap[0].length };
  const code = /^\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8}))/.exec(text.slice(at, at + 10));
  if (code !== null) {
    const point = Number.parseInt(code[1] ?? code[2] ?? code[3] ?? "", 16);
    if (point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)) return { offset: at, message: "no character has this number" };
    return { value: String.fromCodePoint(point), end: at + code[0].length };
  }
  const value = ESCAPES[text.charAt(at + 1)];
  return value === undefined ? { offset: at, message: `\`\\${text.charAt(at + 1)}\` is not an escape` } : { value, end: at + 2 };
}

/** A number, a boolean, or a date, which stays text; undefined when it is none of them. */
function readWord(word: string): string | number | boolean | undefined {
  if (word === "true" || word === "false") return word === "true";
  if (/^[+-]?(?:inf|nan)$/.test(word)) return word.endsWith("nan") ? Number.NaN : word.startsWith("-") ? -Infinity : Infinity;
  const digits = word.replaceAll(/(?<=[\da-fA-F])_(?=[\da-fA-F])/g, "");
  if (/^0x[\da-fA-F]+$|^0o[0-7]+$|^0b[01]+$/.test(digits)) return Number(digits);
  if (/^[+-]?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(digits)) return Number(digits);
  if (/^\d{4}-\d\d-\d\d(?:[Tt ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:[Zz]|[+-]\d\d:\d\d)?)?$|^\d\d:\d\d(?::\d\d(?:\.\d+)?)?$/.test(word))
    return word;
  return undefined;
}
