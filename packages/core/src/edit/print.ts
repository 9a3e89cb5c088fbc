import type { Json } from "./json5/index.ts";
import { isName, type TextStyle } from "./style.ts";

/** Where a value is printed: on the line it stands on, or with lines of its own, whose indentation is `indent`. */
export type Room = { readonly on: "line" } | { readonly on: "lines"; readonly indent: string };

/** What stands on one line is not longer than this, unless it must. */
const WIDTH = 100;

/** The text of a value in the manner of the file. */
export function printValue(value: Json, style: TextStyle, room: Room): string {
  if (isList(value)) {
    const wide = room.on === "line" || (!style.listLines && value.every((item) => !isFilled(item)));
    return print("[", "]", wide, value.length, (at, inner) => printValue(value[at] ?? null, style, inner), style, room, "");
  }
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value);
    const wide = room.on === "line" || members.every(([, item]) => !isFilled(item));
    const member = (at: number, inner: Room): string => {
      const [key, item] = members[at] ?? ["", null];
      return printMember(key, item, style, inner);
    };
    return print("{", "}", wide, members.length, member, style, room, style.pad);
  }
  if (typeof value === "string") return printText(value, style);
  return Object.is(value, -0) ? "-0" : String(value);
}

export function printMember(key: string, value: Json, style: TextStyle, room: Room): string {
  return `${style.bareKeys && isName(key) ? key : printText(key, style)}${style.colon}${printValue(value, style, room)}`;
}

/** A comment on one line, whatever its text holds. */
export function printComment(text: string, room: Room): string {
  const line = text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, " ").trim();
  return room.on === "lines" ? `// ${line}` : `/* ${line.replaceAll("*/", "* /")} */`;
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

function isFilled(value: Json): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length > 0;
}

function print(
  open: string,
  close: string,
  wide: boolean,
  count: number,
  item: (at: number, room: Room) => string,
  style: TextStyle,
  room: Room,
  pad: string,
): string {
  if (count === 0) return open + close;
  const all = (inner: Room): string[] => Array.from({ length: count }, (_, at) => item(at, inner));
  if (wide) {
    const line = `${open}${pad}${all({ on: "line" }).join(style.comma)}${pad}${close}`;
    if (room.on === "line" || room.indent.length + line.length <= WIDTH) return line;
  }
  if (room.on === "line") return open + close;
  const indent = room.indent + style.unit;
  const lines = all({ on: "lines", indent }).map((text) => `${style.eol}${indent}${text}`);
  return `${open}${lines.join(",")}${style.trailingComma ? "," : ""}${style.eol}${room.indent}${close}`;
}

function printText(text: string, { quote }: TextStyle): string {
  const json = JSON.stringify(text).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
  return quote === '"' ? json : `'${json.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}
