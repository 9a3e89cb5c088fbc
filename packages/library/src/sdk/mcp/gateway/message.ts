import { isObject } from "@assent/core/data";

/** A message of JSON-RPC as it crosses the gateway. */
export type Message = Readonly<Record<string, unknown>>;
export type Id = string | number;

/** A message, and the very bytes it was read from. */
export interface Said {
  readonly message: Message;
  readonly line: Buffer;
}

/** Lines from a stream of bytes; a line is a message. */
export class Lines {
  #parts: Buffer[] = [];

  /** The lines that are whole now, without their ends. */
  add(chunk: Buffer): readonly Buffer[] {
    const lines: Buffer[] = [];
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      lines.push(Buffer.concat([...this.#parts, chunk.subarray(start, end)]));
      this.#parts = [];
      start = end + 1;
    }
    if (start < chunk.length) this.#parts.push(chunk.subarray(start));
    return lines;
  }
}

export const isId = (value: unknown): value is Id => typeof value === "string" || typeof value === "number";
/** Ids `1` and `"1"` are two. */
export const keyOf = (id: Id): string => JSON.stringify(id);

/** The id of a message that wants an answer. */
export function requestId({ id, method }: Message): Id | undefined {
  return typeof method === "string" && isId(id) ? id : undefined;
}

/** A message, or the messages of a batch, which revision 2025-03-26 of the protocol has. */
export type Read = { readonly said: readonly Said[]; readonly batch: boolean } | { readonly wrong: string; readonly id: Id | null };

/**
 * What a client says, read so that every server reads the same: strict JSON in UTF-8 whose objects have no key twice, in
 * whatever case (Go's servers fold it). What is passed on are the very bytes that were read.
 */
export function readClient(bytes: Buffer): Read {
  const text = bytes.toString("utf8");
  if (!Buffer.from(text, "utf8").equals(bytes)) return { wrong: "it is not UTF-8", id: null };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { wrong: "it is not JSON", id: null };
  }
  const twice = doubledKey(text);
  if (twice !== undefined) return { wrong: `the key ${twice} occurs twice`, id: null };
  const batch = Array.isArray(value);
  const said = split(value, bytes, text);
  if (said === undefined || said.length === 0) return { wrong: "it is not an object", id: null };
  const odd = said.find(({ message }) => hasOddCase(message))?.message;
  if (odd !== undefined) return { wrong: "a name of the protocol in another case", id: isId(odd["id"]) ? odd["id"] : null };
  return { said, batch };
}

/** What a server says; undefined: no message. */
export function readServer(bytes: Buffer): readonly Said[] | undefined {
  try {
    const text = bytes.toString("utf8");
    return split(JSON.parse(text), bytes, text);
  } catch {
    return undefined;
  }
}

function split(value: unknown, bytes: Buffer, text: string): readonly Said[] | undefined {
  if (isObject(value)) return [{ message: value, line: bytes }];
  if (!Array.isArray(value) || !value.every(isObject)) return undefined;
  const texts = elements(text);
  return value.map((message, at) => ({ message, line: Buffer.from(texts[at] ?? "", "utf8") }));
}

/** The elements of a JSON array, as they are written. */
function elements(text: string): readonly string[] {
  const found: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    const c = text[at];
    if (c === '"') at = endOfString(text, at);
    else if (c === "[" || c === "{") {
      depth += 1;
      if (depth === 1) start = at + 1;
    } else if (c === "]" || c === "}") {
      depth -= 1;
      if (depth === 0) found.push(text.slice(start, at).trim());
    } else if (c === "," && depth === 1) {
      found.push(text.slice(start, at).trim());
      start = at + 1;
    }
  }
  return found;
}

/** Where a string that begins here has its last quote. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  for (; text[at] !== '"'; at += 1) if (text[at] === "\\") at += 1;
  return at;
}

/** The text is valid JSON. */
function doubledKey(text: string): string | undefined {
  const open: (Set<string> | undefined)[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const c = text[at];
    if (c === "{") open.push(new Set());
    else if (c === "[") open.push(undefined);
    else if (c === "}" || c === "]") open.pop();
    else if (c === '"') {
      const start = at;
      at = endOfString(text, start);
      const keys = open.at(-1);
      if (keys === undefined || !isKey(text, at + 1)) continue;
      const written = text.slice(start, at + 1);
      const key = String(JSON.parse(written)).toLowerCase();
      if (keys.has(key)) return written;
      keys.add(key);
    }
  }
  return undefined;
}

function isKey(text: string, after: number): boolean {
  let at = after;
  while (/[ \t\r\n]/.test(text[at] ?? "")) at += 1;
  return text[at] === ":";
}

/** Names of the protocol in another case: some servers would take them for the real ones. */
function hasOddCase(message: Message): boolean {
  const names = ["jsonrpc", "id", "method", "params", "result", "error"];
  const odd = (object: object, known: readonly string[]): boolean =>
    Object.keys(object).some((key) => !known.includes(key) && known.includes(key.toLowerCase()));
  return odd(message, names) || (isObject(message["params"]) && odd(message["params"], ["name", "arguments"]));
}

/** One line: outside of its strings, where no line can end, JSON may be broken as one likes. */
export function onOneLine(json: Buffer | string): Buffer | string {
  if (typeof json === "string") return json;
  if (!json.includes(10) && !json.includes(13)) return json;
  const line = Buffer.from(json);
  for (let at = 0; at < line.length; at += 1) if (line[at] === 10 || line[at] === 13) line[at] = 32;
  return line;
}
