/** The texts, numbers and names of JSON5. */

interface ScalarProblem {
  readonly offset: number;
  readonly message: string;
  readonly help: string;
}

const NAME_START = /^[\p{L}\p{Nl}$_]$/u;
const NAME_PART = /^[\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}$_\u200c\u200d]$/u;

export function isNameStart(character: string): boolean {
  return NAME_START.test(character);
}

export function isNamePart(character: string): boolean {
  return NAME_PART.test(character);
}

/** `+1`, `.5`, `5.`, `1e3`, `0x1F`, `-Infinity`, `NaN`. A number never starts with a needless 0. */
const NUMBER = /([+-]?)(Infinity|NaN|0[xX][\da-fA-F]+|(?:0|[1-9]\d*)(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)(?![\w$.])/y;

export function readNumber(
  text: string,
  start: number,
): { readonly value: number; readonly end: number; readonly problem?: Omit<ScalarProblem, "offset"> } {
  NUMBER.lastIndex = start;
  const match = NUMBER.exec(text);
  if (match !== null) {
    const size = Number(match[2]);
    return { value: match[1] === "-" ? -size : size, end: start + match[0].length };
  }
  const rest = /[\w$.+-]+/y;
  rest.lastIndex = start;
  const written = rest.exec(text)?.[0] ?? "";
  const shown = written.length > 40 ? `${written.slice(0, 39)}…` : written;
  const help = /^[+-]?0\d/.test(written) ? "a number does not start with 0" : "put text in quotes";
  return { value: 0, end: start + written.length, problem: { message: `\`${shown}\` is not a number`, help } };
}

const ESCAPES = new Map([
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["v", "\v"],
]);

/** Reads the text in quotes at `start`; `value` is absent when it is never closed. */
export function readString(
  text: string,
  start: number,
): { readonly value: string | undefined; readonly end: number; readonly problems: readonly ScalarProblem[] } {
  const quote = text[start] ?? "";
  const special = quote === "'" ? /['\\\n\r]/g : /["\\\n\r]/g;
  const problems: ScalarProblem[] = [];
  let value = "";
  for (let at = start + 1; ;) {
    special.lastIndex = at;
    const stop = special.exec(text)?.index ?? text.length;
    value += text.slice(at, stop);
    const c = text[stop];
    if (c === quote) return { value, end: stop + 1, problems };
    if (c !== "\\") {
      problems.push({
        offset: start,
        message: "the text is not closed on its line",
        help: `close it with \`${quote}\`, or write \`\\n\` for a line break`,
      });
      return { value: undefined, end: stop, problems };
    }
    const escape = readEscape(text, stop);
    value += escape.value;
    at = escape.end;
    if (escape.problem !== undefined) problems.push({ offset: stop, ...escape.problem });
  }
}

function readEscape(
  text: string,
  start: number,
): { readonly value: string; readonly end: number; readonly problem?: Omit<ScalarProblem, "offset"> } {
  const numeric = /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4}))/y;
  numeric.lastIndex = start;
  const match = numeric.exec(text);
  if (match !== null) return { value: String.fromCharCode(Number.parseInt(match[1] ?? match[2] ?? "", 16)), end: start + match[0].length };
  const c = text[start + 1] ?? "";
  const end = start + 1 + c.length;
  if (c === "\r") return { value: "", end: text[end] === "\n" ? end + 1 : end };
  if (c === "\n" || c === "\u2028" || c === "\u2029") return { value: "", end };
  if (c === "0" && !/\d/.test(text[end] ?? "")) return { value: "\0", end };
  if (c === "x" || c === "u" || /\d/.test(c)) {
    const help =
      c === "u" ? "write four hexadecimal digits: `\\u00e9`" : "write two hexadecimal digits: `\\x41`; a backslash itself is `\\\\`";
    return { value: "", end, problem: { message: `\`\\${c}\` is not an escape`, help } };
  }
  return { value: ESCAPES.get(c) ?? c, end };
}
