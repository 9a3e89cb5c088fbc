/** Lines as JSON5 counts them: these characters end a `//` comment. */
const BREAK = /[\n\r\u2028\u2029]/;
const BREAKS = /\r\n|[\n\r\u2028\u2029]/g;

export function sameLine(text: string, from: number, to: number): boolean {
  return !BREAK.test(text.slice(from, to));
}

export function countBreaks(text: string): number {
  return text.match(BREAKS)?.length ?? 0;
}

/** Where the line of `at` begins. */
export function lineStart(text: string, at: number): number {
  let start = at;
  while (start > 0 && !BREAK.test(text.charAt(start - 1))) start--;
  return start;
}

/** Where the line of `at` ends, before its line break. */
export function lineEnd(text: string, at: number): number {
  let end = at;
  while (end < text.length && !BREAK.test(text.charAt(end))) end++;
  return end;
}

/** Where the line after that of `at` begins; the end of the text when there is none. */
export function nextLine(text: string, at: number): number {
  const end = lineEnd(text, at);
  return Math.min(text.length, end + (text.startsWith("\r\n", end) ? 2 : 1));
}

export function isBlank(text: string, from: number, to: number): boolean {
  return text.slice(from, to).trim() === "";
}

/** The white space at the start of the line of `at`. */
export function indentAt(text: string, at: number): string {
  // A byte order mark is no indentation.
  return /^[^\S\n\r\u2028\u2029\ufeff]*/.exec(text.slice(lineStart(text, at), at))?.[0] ?? "";
}

/** The first offset from `at` on that holds no blank of this line. */
export function pastBlanks(text: string, at: number): number {
  let end = at;
  while (end < text.length && isBlank(text, end, end + 1) && !BREAK.test(text.charAt(end))) end++;
  return end;
}

/** The first offset up to `at` before which there is no blank of this line. */
export function beforeBlanks(text: string, at: number): number {
  let start = at;
  while (start > 0 && isBlank(text, start - 1, start) && !BREAK.test(text.charAt(start - 1))) start--;
  return start;
}
