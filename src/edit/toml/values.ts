/** The scalars of TOML 1.0 (https://toml.io/en/v1.0.0), read at an offset. */

export interface ReadText {
  readonly value: string;
  readonly end: number;
}

export interface Wrong {
  readonly offset: number;
  readonly message: string;
}

const ESCAPES: Readonly<Record<string, string>> = { b: "\b", t: "\t", n: "\n", f: "\f", r: "\r", e: "\u001b", '"': '"', "\\": "\\" };

/** The text in quotes at `start`: `"…"`, `'…'`, and both three times over several lines. */
export function readText(text: string, start: number): ReadText | Wrong {
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

function readEscape(text: string, at: number, long: boolean): ReadText | Wrong {
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
export function readWord(word: string): string | number | boolean | undefined {
  if (word === "true" || word === "false") return word === "true";
  if (/^[+-]?(?:inf|nan)$/.test(word)) return word.endsWith("nan") ? Number.NaN : word.startsWith("-") ? -Infinity : Infinity;
  const digits = word.replaceAll(/(?<=[\da-fA-F])_(?=[\da-fA-F])/g, "");
  if (/^0x[\da-fA-F]+$|^0o[0-7]+$|^0b[01]+$/.test(digits)) return Number(digits);
  if (/^[+-]?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(digits)) return Number(digits);
  if (/^\d{4}-\d\d-\d\d(?:[Tt ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:[Zz]|[+-]\d\d:\d\d)?)?$|^\d\d:\d\d(?::\d\d(?:\.\d+)?)?$/.test(word))
    return word;
  return undefined;
}
