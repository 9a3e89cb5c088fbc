/** A message of JSON-RPC as it crosses the gateway. */
export type Message = Readonly<Record<string, unknown>>;
export type Id = string | number;

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

export const isMessage = (value: unknown): value is Message => typeof value === "object" && value !== null && !Array.isArray(value);
export const isId = (value: unknown): value is Id => typeof value === "string" || typeof value === "number";
/** Ids `1` and `"1"` are two. */
export const keyOf = (id: Id): string => JSON.stringify(id);

/**
 * What a client says, read so that every server reads the same: strict JSON in UTF-8 whose objects have no key twice, in
 * whatever case (Go's servers fold it). What is passed on are the very bytes that were read.
 */
export function readStrictly(line: Buffer): { readonly value: unknown } | { readonly wrong: string } {
  const text = line.toString("utf8");
  if (!Buffer.from(text, "utf8").equals(line)) return { wrong: "it is not UTF-8" };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { wrong: "it is not JSON" };
  }
  const twice = doubledKey(text);
  return twice === undefined ? { value } : { wrong: `the key ${twice} occurs twice` };
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
      for (at += 1; text[at] !== '"'; at += 1) if (text[at] === "\\") at += 1;
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
export function hasOddCase(message: Message): boolean {
  const names = ["jsonrpc", "id", "method", "params", "result", "error"];
  const odd = (object: object, known: readonly string[]): boolean =>
    Object.keys(object).some((key) => !known.includes(key) && known.includes(key.toLowerCase()));
  return odd(message, names) || (isMessage(message["params"]) && odd(message["params"], ["name", "arguments"]));
}
