/**
 * Paths are bytes; policies are text. Bytes that are not UTF-8 become lone surrogates (0xff → U+DCFF, as Python's
 * `surrogateescape`), so that every path has exactly one text and comes back as the same bytes.
 */
export function pathText(bytes: Buffer, start = 0, end = bytes.length): string {
  const text = bytes.toString("utf8", start, end);
  // U+FFFD stands for what could not be decoded, or for itself.
  if (!text.includes("\ufffd")) return text;
  return escaped(bytes.subarray(start, end));
}

export function pathBytes(text: string): Buffer {
  if (!/[\udc80-\udcff]/u.test(text)) return Buffer.from(text, "utf8");
  const parts: Buffer[] = [];
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    parts.push(code >= 0xdc80 && code <= 0xdcff ? Buffer.of(code - 0xdc00) : Buffer.from(char, "utf8"));
  }
  return Buffer.concat(parts);
}

function escaped(bytes: Buffer): string {
  let text = "";
  for (let at = 0; at < bytes.length;) {
    const length = sequenceLength(bytes, at);
    if (length === 0) {
      text += String.fromCharCode(0xdc00 + (bytes[at] ?? 0));
      at += 1;
    } else {
      text += bytes.toString("utf8", at, at + length);
      at += length;
    }
  }
  return text;
}

/** Bytes of the valid UTF-8 sequence at `at` (RFC 3629: no surrogates, no overlong forms, at most U+10FFFF); 0: none. */
function sequenceLength(bytes: Buffer, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return 1;
  const length = first >= 0xc2 && first <= 0xdf ? 2 : first >= 0xe0 && first <= 0xef ? 3 : first >= 0xf0 && first <= 0xf4 ? 4 : 0;
  if (length === 0 || at + length > bytes.length) return 0;
  for (let i = 1; i < length; i++) if (((bytes[at + i] ?? 0) & 0xc0) !== 0x80) return 0;
  const second = bytes[at + 1] ?? 0;
  if ((first === 0xe0 && second < 0xa0) || (first === 0xed && second > 0x9f)) return 0;
  if ((first === 0xf0 && second < 0x90) || (first === 0xf4 && second > 0x8f)) return 0;
  return length;
}
