import { unescaped } from "./token-cursor.ts";
import { refusedText } from "./finding.ts";

export interface PythonToken {
  readonly kind: "name" | "keyword" | "number" | "string" | "op" | "newline" | "indent" | "dedent" | "end";
  readonly text: string;
  /** Of a string without odd escapes: what it stands for. */
  readonly value?: string | undefined;
  /** Of an f-string: the source of the expressions in it. */
  readonly fields?: readonly string[];
}

const KEYWORDS = new Set(
  (
    "False None True and as assert async await break class continue def del elif else except finally for from global if " +
    "import in is lambda nonlocal not or pass raise return try while with yield"
  ).split(" "),
);
const NUMBER = /0[xX][0-9a-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+|(?:[0-9][0-9_]*\.?[0-9_]*|\.[0-9][0-9_]*)(?:[eE][-+]?[0-9_]+)?[jJ]?/y;
const NAME = /[A-Za-z_][A-Za-z_0-9]*/y;
const OPERATOR = /\*\*=|\/\/=|>>=|<<=|\.\.\.|!=|->|:=|\*\*|\/\/|<<|>>|<=|>=|==|\+=|-=|\*=|\/=|%=|&=|\|=|\^=|@=|[-+*/%@&|^~<>()[\]{},:.;=]/y;
const STRING = /(?:[rR][bB]?|[bB][rR]?|[uU]|[fF][rR]?|[rR][fF])?("""|'''|"|')/y;
const CLOSES: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" };

/** The tokens of Python source, or why they are not certain. `inside` reads an expression of an f-string: lines do not matter. */
export function pythonTokens(source: string, inside = false): readonly PythonToken[] | string {
  const refused = refusedText(source);
  if (refused !== undefined) return refused;
  // PEP 263: a comment in the first two lines may say that the bytes mean other characters.
  if (source.split("\n", 2).some((line) => /^[ \t]*#.*coding[:=](?![ \t]*utf-?8\b)/i.test(line))) return "an encoding declaration";
  const tokens: PythonToken[] = [];
  const open: string[] = inside ? ["("] : [];
  const indents = [0];
  let at = 0;
  let lineStart = !inside;
  let tabs: boolean | undefined;
  while (at < source.length) {
    if (lineStart && open.length === 0) {
      const indent = match(/[ \t]*/y, source, at) ?? "";
      const next = source.charAt(at + indent.length);
      if (next !== "\n" && next !== "#" && next !== "") {
        if (indent !== "") {
          const tabbed = indent.includes("\t");
          if ((tabbed && indent.includes(" ")) || (tabs ??= tabbed) !== tabbed) return "tabs and blanks mixed";
        }
        const last = indents.at(-1) ?? 0;
        if (indent.length > last) {
          indents.push(indent.length);
          tokens.push({ kind: "indent", text: "" });
        }
        while (indent.length < (indents.at(-1) ?? 0)) {
          indents.pop();
          tokens.push({ kind: "dedent", text: "" });
        }
        if ((indents.at(-1) ?? 0) !== indent.length) return "an indentation that matches no block";
      }
      at += indent.length;
      lineStart = false;
      continue;
    }
    const c = source.charAt(at);
    if (c === " " || c === "\t") at += 1;
    else if (c === "\n") {
      if (open.length === 0 && !/^(newline|indent|dedent)$/.test(tokens.at(-1)?.kind ?? "newline"))
        tokens.push({ kind: "newline", text: c });
      lineStart = true;
      at += 1;
    } else if (c === "#") while (at < source.length && source.charAt(at) !== "\n") at += 1;
    else if (c === "\\" && source.charAt(at + 1) === "\n") at += 2;
    else {
      const opening = match(STRING, source, at);
      if (opening !== undefined) {
        const token = string(source, at, opening);
        if (typeof token === "string") return token;
        tokens.push(token);
        at += token.text.length;
        continue;
      }
      const number = /[0-9.]/.test(c) ? match(NUMBER, source, at) : undefined;
      const name = number === undefined ? match(NAME, source, at) : undefined;
      const text = number ?? name ?? match(OPERATOR, source, at);
      if (text === undefined) return `the character \`${c}\``;
      at += text.length;
      if (name !== undefined) tokens.push({ kind: KEYWORDS.has(name) ? "keyword" : "name", text });
      else tokens.push({ kind: number === undefined ? "op" : "number", text });
      if (/^[([{]$/.test(text)) open.push(text);
      else if (text in CLOSES && open.pop() !== CLOSES[text]) return "brackets that do not match";
    }
  }
  if (open.length !== (inside ? 1 : 0)) return "brackets that do not match";
  if (!inside && !/^(newline|indent|dedent)$/.test(tokens.at(-1)?.kind ?? "newline")) tokens.push({ kind: "newline", text: "" });
  for (let i = 1; i < indents.length; i += 1) tokens.push({ kind: "dedent", text: "" });
  return [...tokens, { kind: "end", text: "" }];
}

function match(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

function string(source: string, start: number, opening: string): PythonToken | string {
  const quote = /["'].*/.exec(opening)?.[0] ?? opening;
  const prefix = opening.slice(0, opening.length - quote.length).toLowerCase();
  let end = start + opening.length;
  while (!source.startsWith(quote, end)) {
    const c = source.charAt(end);
    if (c === "" || (c === "\n" && quote.length === 1)) return "a string without its closing quote";
    end += c === "\\" ? 2 : 1;
  }
  const body = source.slice(start + opening.length, end);
  const text = source.slice(start, end + quote.length);
  if (!prefix.includes("f")) return { kind: "string", text, value: prefix.includes("b") ? undefined : value(body, prefix.includes("r")) };
  const fields = formatFields(body, quote, prefix.includes("r"));
  return fields === undefined ? "an f-string that is not understood" : { kind: "string", text, fields };
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", "'": "'", '"': '"', "\\": "\\" };

const value = (body: string, raw: boolean): string | undefined => (raw ? body : unescaped(body, ESCAPES));

/** The expressions of an f-string body; undefined where Python before and after 3.12 cut it differently. */
function formatFields(body: string, quote: string, raw: boolean): string[] | undefined {
  const fields: string[] = [];
  let at = 0;
  /** Reads from after `{` to after the matching `}`. */
  const field = (depth: number): boolean => {
    const start = at;
    const open: string[] = [];
    for (; ; at += 1) {
      const c = body.charAt(at);
      if (c === "" || c === "\\" || c === "#" || c === "\n" || c === quote.charAt(0)) return false;
      if (c === '"' || c === "'") {
        const close = body.indexOf(c, at + 1);
        if (close < 0 || body.charAt(at + 1) === c) return false;
        if (/[\\\n#]/.test(body.slice(at, close)) || body.slice(at, close).includes(quote.charAt(0))) return false;
        at = close;
      } else if (/[([{]/.test(c)) open.push(c);
      else if (open.length > 0) {
        if (c in CLOSES && open.pop() !== CLOSES[c]) return false;
      } else if (c === "}" || c === ":" || (c === "!" && body.charAt(at + 1) !== "=")) break;
      else if (c === "!") at += 1;
    }
    // `{x=}` shows the expression and its value.
    fields.push(body.slice(start, at).replace(/(?<![=!<>])=\s*$/, ""));
    if (body.charAt(at) === "!") {
      if (!/^![rsa][:}]/.test(body.slice(at, at + 3))) return false;
      at += 2;
    }
    if (body.charAt(at) === ":") {
      for (at += 1; body.charAt(at) !== "}"; at += 1) {
        const c = body.charAt(at);
        if (c === "" || c === "\\" || c === "\n") return false;
        if (c === "{") {
          at += 1;
          if (depth > 0 || !field(depth + 1)) return false;
          at -= 1;
        }
      }
    }
    at += 1;
    return true;
  };
  while (at < body.length) {
    const c = body.charAt(at);
    if (c === "\\" && !raw) {
      if (/[{}N]/.test(body.charAt(at + 1))) return undefined;
      at += 2;
    } else if ((c === "{" || c === "}") && body.charAt(at + 1) === c) at += 2;
    else if (c === "}") return undefined;
    else {
      at += 1;
      if (c === "{" && !field(0)) return undefined;
    }
  }
  return fields;
}
