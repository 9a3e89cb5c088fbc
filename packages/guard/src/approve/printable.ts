import { visible } from "@assent/core/action";

/** Longer text than this is cut in its middle before anything else looks at it. UTF-16 units. */
const LONGEST = 4000;
/** Marks that stand on one letter; more hide what is written around it. */
const MOST_MARKS = 3;

/**
 * Text from a question made safe to show on a terminal: control, invisible and directional characters become escapes,
 * bytes that are no UTF-8 (lone surrogates U+DC80 to U+DCFF, see `pathText`) become `\xff`, stacked marks are taken apart,
 * very long text loses its middle, with the cut and its length shown.
 */
export function printable(text: string, longest = LONGEST): string {
  const short = text.length <= longest ? text : cutMiddle(text, longest);
  const bytes = short.replace(/[\udc80-\udcff]/gu, (unit) => `\\x${(unit.charCodeAt(0) - 0xdc00).toString(16)}`);
  return visible(bytes).replace(/\p{M}+/gu, (run, at: number) => {
    const marks = [...run];
    const kept = at === 0 ? 0 : MOST_MARKS;
    return marks.slice(0, kept).join("") + marks.slice(kept).map(escape).join("");
  });
}

const escape = (char: string): string => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`;

function cutMiddle(text: string, longest: number): string {
  const head = Math.ceil(longest * 0.6);
  const tail = Math.floor(longest * 0.4);
  // A surrogate pair cut in two would become a byte that was never there.
  const start = text.slice(0, head).replace(/[\ud800-\udbff]$/, "");
  const end = text.slice(text.length - tail).replace(/^[\udc00-\udfff]/, "");
  return `${start}…(${text.length - start.length - end.length} more)…${end}`;
}

const WIDE = new RegExp(
  String.raw`[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6` +
    String.raw`\u{16fe0}-\u{18aff}\u{1b000}-\u{1b2ff}\u{1f200}-\u{1f2ff}\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1faff}` +
    String.raw`\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}`,
  "u",
);
const NARROW = /^[\u0020-\u007e]*$/;

/** Columns that printable text takes on a terminal (Unicode Standard Annex 11: wide and fullwidth are two, marks none). */
export function columns(text: string): number {
  if (NARROW.test(text)) return text.length;
  let width = 0;
  for (const char of text) width += columnsOf(char);
  return width;
}

function columnsOf(char: string): number {
  if (char < "\u0300") return 1;
  if (/[\p{Mn}\p{Me}]/u.test(char)) return 0;
  return WIDE.test(char) ? 2 : 1;
}

/** At most `width` columns; what is left out shows as `…`. */
export function clip(text: string, width: number): string {
  return columns(text) <= width ? text : `${take(text, Math.max(0, width - 1))}${width > 0 ? "…" : ""}`;
}

/** The longest beginning of at most `width` columns. */
function take(text: string, width: number): string {
  let used = 0;
  let out = "";
  for (const char of text) {
    used += columnsOf(char);
    if (used > width) break;
    out += char;
  }
  return out;
}

function takeEnd(text: string, width: number): string {
  const chars = [...text];
  let used = 0;
  let from = chars.length;
  while (from > 0) {
    used += columnsOf(chars[from - 1] ?? "");
    if (used > width) break;
    from -= 1;
  }
  return chars.slice(from).join("");
}

/** As `fold`, but between words where there are some. */
export function foldWords(text: string, width: number, most: number): readonly string[] {
  const lines: string[] = [];
  let rest = text;
  while (columns(rest) > width && lines.length < most - 1) {
    const whole = take(rest, width);
    const end = rest[whole.length] === " " ? whole.length : whole.lastIndexOf(" ");
    const line = end > width / 3 ? whole.slice(0, end) : whole;
    if (line === "") break;
    lines.push(line);
    rest = rest.slice(line.length).trimStart();
  }
  return [...lines, ...fold(rest, width, most - lines.length)];
}

/** Lines of at most `width` columns, at most `most` of them: text that needs more loses its middle, its end stays. */
export function fold(text: string, width: number, most: number): readonly string[] {
  const room = width * most;
  let rest = text;
  if (columns(text) > room) {
    const head = take(text, Math.floor(room * 0.6));
    // A wide character may leave a column of each line empty.
    rest = `${head}…${takeEnd(text, Math.max(0, room - columns(head) - 1 - 2 * most))}`;
  }
  const lines: string[] = [];
  while (rest !== "" && lines.length < most) {
    const line = take(rest, width);
    if (line === "") break;
    lines.push(line);
    rest = rest.slice(line.length);
  }
  return lines.length === 0 ? [""] : lines;
}
