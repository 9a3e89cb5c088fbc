import { attempt } from "../../data/index.ts";
import { compileRegex, mistake, ok, parseRegex, type Result } from "../../pattern/index.ts";
import type { CallPattern } from "./call.ts";

/** The arguments of a pattern as they are written, whatever they mean for the call. */
export interface CallItems {
  readonly items: readonly { readonly pattern: CallPattern; /** Not in quotes. */ readonly bare: boolean }[];
  readonly open: boolean;
  /** Something stands behind `...`. */
  readonly ignored: boolean;
  /** Behind the closing bracket. */
  readonly end: number;
}

type CallItem = CallItems["items"][number];

const MOST_ITEMS = 100_000;

/** Reads from `at`, behind the opening bracket, to the closing one. `arrow`: a lone `->` separates as a comma does. */
export function readItems(text: string, at: number, close: ")" | "]", arrow: boolean): Result<CallItems> {
  const items: CallItem[] = [];
  let open = false;
  let ignored = false;
  let next = skipBlanks(text, at);
  if (text.charAt(next) === close) return ok({ items, open, ignored, end: next + 1 });
  for (;;) {
    if (text.startsWith("...", next) && isDelimiter(text, next + 3)) {
      next = skipBlanks(text, next + 3);
      if (open) ignored = true;
      open = true;
    } else {
      const item = readItem(text, next, close, arrow);
      if (!item.ok) return item;
      next = skipBlanks(text, item.value.end);
      if (open) ignored = true;
      else if (items.push(item.value.item) > MOST_ITEMS) return mistake(`more than ${MOST_ITEMS} arguments`);
    }
    const char = text.charAt(next);
    if (char === close) return ok({ items, open, ignored, end: next + 1 });
    if (char === ",") next = skipBlanks(text, next + 1);
    else if (arrow && text.startsWith("->", next)) next = skipBlanks(text, next + 2);
    else return unexpected(text, next, close);
  }
}

function unexpected(text: string, at: number, close: string): ReturnType<typeof mistake> {
  const rest = text.slice(at, at + 20);
  if (rest === "") return mistake(`\`${close === ")" ? "(" : "["}\` without \`${close}\``, "close it");
  if (/^[)\]]/.test(rest)) return mistake(`\`${rest.charAt(0)}\` in the place of \`${close}\``, "close what was opened last, or quote it");
  return mistake(`\`${rest}\` after a blank`, "put a comma between arguments; text with blanks stands in quotes: 'a b'");
}

function skipBlanks(text: string, at: number): number {
  let next = at;
  while (/\s/.test(text.charAt(next))) next++;
  return next;
}

const isDelimiter = (text: string, at: number): boolean => at >= text.length || /[\s,)\]]/.test(text.charAt(at));

interface ReadItem {
  readonly item: CallItem;
  readonly end: number;
}

function readItem(text: string, at: number, close: ")" | "]", arrow: boolean): Result<ReadItem> {
  const char = text.charAt(at);
  if (char === "[" && close === ")") {
    const list = readItems(text, at + 1, "]", false);
    if (!list.ok) return list;
    const { items, open, end } = list.value;
    return ok({ item: { pattern: { is: "list", items: items.map(({ pattern }) => withoutHome(pattern)), open }, bare: true }, end });
  }
  if (char === "_" && isDelimiter(text, at + 1)) return ok({ item: { pattern: { is: "any" }, bare: true }, end: at + 1 });
  if (char === "/") {
    const source = regexAt(text, at, arrow);
    if (source !== undefined) return readRegex(source, at);
  }
  return readWord(text, at);
}

/** Where no path stands, `~` is a character. */
export function withoutHome(pattern: CallPattern): CallPattern {
  if (pattern.is !== "glob" || pattern.home !== true) return pattern;
  const [first, ...rest] = pattern.parts;
  return wordPattern(typeof first === "string" ? [`~${first}`, ...rest] : ["~", ...pattern.parts]);
}

/** What lies between slashes at both ends of an argument. A comma ends it, unless it stands in brackets or braces of the expression. */
function regexAt(text: string, start: number, arrow: boolean): string | undefined {
  let depth = 0;
  let i = start + 1;
  scan: for (; i < text.length; i++) {
    switch (text.charAt(i)) {
      case "\\":
        i++;
        break;
      case "[": {
        const end = setEnd(text, i);
        if (end === undefined) return undefined;
        i = end;
        break;
      }
      case "{": {
        const repeat = /\{\d*,?\d*\}/y;
        repeat.lastIndex = i;
        if (repeat.test(text)) i = repeat.lastIndex - 1;
        break;
      }
      case "(":
        depth++;
        break;
      case ")":
        if (depth === 0) break scan;
        depth--;
        break;
      case "]":
        break scan;
      case ",":
        if (depth === 0) break scan;
        break;
      case "-":
        if (arrow && depth === 0 && /^\s->\s/.test(text.slice(i - 1, i + 3))) break scan;
    }
  }
  const raw = text.slice(start, i).trimEnd();
  return raw.length > 1 && raw.endsWith("/") ? raw.slice(1, -1) : undefined;
}

/** The closing bracket of a set; the first character in it may be one. */
function setEnd(text: string, open: number): number | undefined {
  let i = open + (text.charAt(open + 1) === "^" ? 3 : 2);
  if (text.charAt(i - 1) === "\\") i++;
  for (; i < text.length; i++) {
    if (text.charAt(i) === "\\") i++;
    else if (text.charAt(i) === "]") return i;
  }
  return undefined;
}

function readRegex(source: string, at: number): Result<ReadItem> {
  const end = at + source.length + 2;
  const parsed = parseRegex(source);
  const compiled = parsed.ok ? compileRegex(parsed.value) : parsed;
  if (compiled.ok) return ok({ item: { pattern: { is: "regex", source }, bare: true }, end });
  const { message, help } = compiled;
  if (source === "") return mistake("`//` is an empty regular expression", "write `/` for the root folder");
  const hint = /^[^\\()[\]|+]*$/.test(source)
    ? `text with a slash at both ends is a regular expression; for a folder write \`/${source.replace(/\/?\**\/?$/, "")}/**\``
    : help;
  return mistake(message, hint);
}

/** Bare text with wildcards; parts of it, or all, in quotes. */
function readWord(text: string, start: number): Result<ReadItem> {
  const parts: (string | 1 | 2)[] = [];
  let literal = "";
  let home = false;
  let bare = false;
  let at = start;
  while (at < text.length) {
    const char = text.charAt(at);
    if (/[\s,)\]]/.test(char)) break;
    if (char === "'" || char === '"') {
      const quoted = readQuoted(text, at);
      if (!quoted.ok) return quoted;
      literal += quoted.value.text;
      // `'it's'` is not to be read as `its`.
      if (!/^[/*]?$/.test(at === start ? "" : text.charAt(at - 1)) || !/^[/*\s,)\]]?$/.test(text.charAt(quoted.value.end)))
        return mistake(`${char} inside an argument`, `write \`\\${char}\` for the character itself; a part in quotes ends at a slash`);
      at = quoted.value.end;
      continue;
    }
    if (char === "[" || char === "(") return mistake(`\`${char}\` inside an argument`, `quote the argument, or write \`\\${char}\``);
    if (char === "*") {
      const from = at;
      while (text.charAt(at) === "*") at++;
      if (literal !== "") parts.push(literal);
      literal = "";
      parts.push(at - from > 1 ? 2 : 1);
      bare = true;
      continue;
    }
    if (char === "\\") {
      const escape = readEscape(text, at);
      if (!escape.ok) return escape;
      literal += escape.value.text;
      at = escape.value.end;
      // What is escaped is literal, whatever else the word holds.
      continue;
    }
    if (char === "~" && at === start && /^[/\s,)\]]?$/.test(text.charAt(at + 1))) home = true;
    else literal += char;
    bare = true;
    at++;
  }
  if (at === start) return mistake("an argument is missing", "write `_` for any, `''` for the empty text");
  if (literal !== "") parts.push(literal);
  return ok({ item: { pattern: home ? { is: "glob", parts, home } : wordPattern(parts), bare }, end: at });
}

function wordPattern(parts: readonly (string | 1 | 2)[]): CallPattern {
  const [only = ""] = parts;
  return parts.length <= 1 && typeof only === "string" ? { is: "text", text: only } : { is: "glob", parts };
}

interface Piece {
  readonly text: string;
  readonly end: number;
}

function readQuoted(text: string, at: number): Result<Piece> {
  const quote = text.charAt(at);
  let out = "";
  let i = at + 1;
  while (i < text.length && text.charAt(i) !== quote) {
    if (text.charAt(i) !== "\\") {
      out += text.charAt(i++);
      continue;
    }
    const escape = readEscape(text, i);
    if (!escape.ok) return escape;
    out += escape.value.text;
    i = escape.value.end;
  }
  return i < text.length
    ? ok({ text: out, end: i + 1 })
    : mistake(`${quote} without an end`, `write \`\\${quote}\` for the character itself`);
}

const NAMED: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" };

/** What stands at a backslash. Bytes in a row that are UTF-8 together are that character. */
function readEscape(text: string, at: number): Result<Piece> {
  const bytes = /(?:\\x[0-9a-fA-F]{2})+/y;
  bytes.lastIndex = at;
  const found = bytes.exec(text);
  if (found !== null) return ok({ text: bytesText(found[0]), end: bytes.lastIndex });
  const unicode = /\\u(?:\{([0-9a-fA-F]{1,6})\}|([0-9a-fA-F]{4}))/y;
  unicode.lastIndex = at;
  const point = unicode.exec(text);
  const code = point === null ? Number.NaN : Number.parseInt(point[1] ?? point[2] ?? "", 16);
  if (code <= 0x10ffff) return ok({ text: String.fromCodePoint(code), end: unicode.lastIndex });
  const next = String.fromCodePoint(text.codePointAt(at + 1) ?? 0);
  if (at + 1 >= text.length) return mistake("the pattern ends in a lone `\\`", "write `\\\\` for a backslash");
  const named = NAMED[next];
  if (named !== undefined) return ok({ text: named, end: at + 2 });
  if (/[\p{L}\p{N}]/u.test(next))
    return mistake(
      `unknown escape \`\\${next}\``,
      `write \`${next}\`, or \`\\\\\` for a backslash; bytes are \`\\xff\`, characters \`\\u{e9}\``,
    );
  return ok({ text: next, end: at + 1 + next.length });
}

/** As paths are made text: what is no UTF-8 becomes a lone surrogate, 0xff U+DCFF. */
function bytesText(escapes: string): string {
  const bytes = Uint8Array.from(escapes.split("\\x").slice(1), (digits) => Number.parseInt(digits, 16));
  let out = "";
  for (let i = 0; i < bytes.length;) {
    const found = [1, 2, 3, 4].map((length) => decoded(bytes.subarray(i, i + length))).find((text) => text !== undefined && text !== "");
    const length = found === undefined ? 1 : new TextEncoder().encode(found).length;
    out += found ?? String.fromCharCode(0xdc00 + (bytes[i] ?? 0));
    i += length;
  }
  return out;
}

function decoded(bytes: Uint8Array): string | undefined {
  return attempt(() => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes), undefined);
}
