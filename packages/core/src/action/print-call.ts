import { CALL_ARGUMENTS, type Call, type CallArgument, type CallArgumentKind, NODE_KINDS, OPEN_FLAGS, TWO_PATHS } from "./call.ts";
import { visible } from "./print.ts";

/**
 * A call as one line: `open(/home/me/f, create+write)`, `rename(/a -> /b)`, `exec(/usr/bin/git, [git, commit, -m, 'a b'])`.
 * Nothing is cut off and nothing is ambiguous: read as a call pattern, the line matches exactly this call.
 * Safe to show: whatever a terminal or a reader could be misled by is escaped.
 */
export function printCall({ name, args }: Call): string {
  const between = TWO_PATHS.has(name) && args.length === 2 ? " -> " : ", ";
  return `${name}(${args.map((argument, at) => printArgumentOf(argument, CALL_ARGUMENTS[name][at]?.kind ?? "text")).join(between)})`;
}

function printArgumentOf(argument: CallArgument, kind: CallArgumentKind): string {
  return typeof argument === "string" ? callText(argument, kind) : `[${argument.map((item) => callText(item, "text")).join(", ")}]`;
}

/** Text as it stands in a call pattern for itself: bare where that is clear, else in single quotes. */
export function callText(text: string, kind: CallArgumentKind): string {
  return isClear(text) && fits(text, kind) ? text : quoted(text);
}

/** No wildcard, delimiter or quote, no `_`, `...`, `->` or `~/…`, and no slash at both ends, which would be a regular expression. */
function isClear(text: string): boolean {
  if (text === "_" || text.startsWith("..") || text.startsWith("~") || text === "->" || /^\/.*\/$/.test(text)) return false;
  return /^[\p{L}\p{N}_.+\-:@%=/^&;!?#$|>~]+$/u.test(text) && visible(text) === text;
}

/** The same text, bare, is not read as something else for what it is. */
function fits(text: string, kind: CallArgumentKind): boolean {
  switch (kind) {
    case "path":
      return isPlainPath(text);
    case "place":
      return text.startsWith("/") ? isPlainPath(text) : text === text.toLowerCase();
    case "flags":
      return text === sortedFlags(text);
    case "octal":
      return /^[0-7]{4,}$/.test(text);
    case "number":
      return /^-?\d+$/.test(text);
    case "node":
      return NODE_KINDS.some((name) => name === text);
    case "text":
    case "list":
      return true;
  }
}

/** Absolute, and without what a path pattern resolves: a relative one would mean the project. */
function isPlainPath(text: string): boolean {
  return text.startsWith("/") && !text.includes("//") && !/\/\.\.?(?:\/|$)/.test(text);
}

/** The words of an `open` mode in their order; undefined where one is none. */
export function sortedFlags(text: string): string | undefined {
  const words = text.split("+");
  const known: readonly string[] = OPEN_FLAGS;
  if (words.some((word) => !known.includes(word))) return undefined;
  return OPEN_FLAGS.filter((word) => words.includes(word)).join("+");
}

function quoted(text: string): string {
  let out = "";
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    if (char === "'" || char === "\\") out += `\\${char}`;
    else if (char === "\n") out += "\\n";
    else if (char === "\t") out += "\\t";
    else if (char === "\r") out += "\\r";
    // A byte that is no UTF-8 (see `pathText`).
    else if (code >= 0xdc80 && code <= 0xdcff) out += `\\x${(code - 0xdc00).toString(16)}`;
    else if (visible(char) !== char) out += `\\u{${code.toString(16)}}`;
    else out += char;
  }
  return `'${out}'`;
}
