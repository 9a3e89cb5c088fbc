/** A name as git prints it in quotes: `"a\303\244\t"`. Undefined where the quoting is wrong. */
export function unquote(text: string): string | undefined {
  const bytes: number[] = [];
  const encoder = new TextEncoder();
  const body = text.slice(1, -1);
  if (!text.startsWith('"') || !text.endsWith('"') || text.length < 2) return undefined;
  for (let at = 0; at < body.length; at += 1) {
    const c = body[at] ?? "";
    if (c === '"') return undefined;
    if (c !== "\\") {
      const whole = String.fromCodePoint(body.codePointAt(at) ?? 0);
      bytes.push(...encoder.encode(whole));
      at += whole.length - 1;
      continue;
    }
    const octal = /^[0-3][0-7]{2}/.exec(body.slice(at + 1, at + 4));
    if (octal !== null) {
      bytes.push(Number.parseInt(octal[0], 8));
      at += 3;
      continue;
    }
    const escaped = ESCAPES[body[at + 1] ?? ""];
    if (escaped === undefined) return undefined;
    bytes.push(escaped);
    at += 1;
  }
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes));
  } catch {
    return undefined;
  }
}

/** quote.c of git. */
const ESCAPES: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, '"': 34, "\\": 92 };

/** Where a quoted name at the start of a text ends, the closing quote included; undefined where it does not. */
export function quotedEnd(text: string): number | undefined {
  for (let at = 1; at < text.length; at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === '"') return at + 1;
  }
  return undefined;
}
