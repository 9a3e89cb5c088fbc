import { refusedText } from "./limits.ts";

export interface AwkToken {
  readonly kind: "number" | "string" | "regex" | "name" | "op" | "newline" | "end";
  /** As written; for a string its value, undefined when implementations read its escapes differently. */
  readonly text: string;
  readonly value?: string | undefined;
  /** A name directly followed by `(`: a function call. */
  readonly call?: boolean;
  /** The `(` after `if`, `while`, `for` or `switch`, and its `)`. */
  readonly control?: boolean;
}

const END: AwkToken = { kind: "end", text: "" };
const OPERATOR = /\*\*=|\*\*|\|&|&&|\|\||\+\+|--|\+=|-=|\*=|\/=|%=|\^=|==|!=|<=|>=|>>|!~|[-+*/%^!<>|?:~$=,;(){}[\]@]/y;
/** Words after which `/` starts a regular expression although they look like names. */
const BEFORE_REGEX = new Set("print printf return in else do case exit delete BEGIN END".split(" "));
/** Words after which implementations disagree about `/`. */
const AMBIGUOUS = new Set("getline length if while for switch function func next nextfile break continue".split(" "));

/**
 * The tokens of an awk program, or why they are not certain. mawk, gawk, BWK awk and busybox cut the same text into
 * the same tokens wherever this returns tokens.
 */
export function awkTokens(program: string): readonly AwkToken[] | string {
  const refused = refusedText(program);
  if (refused !== undefined) return refused;
  const tokens: AwkToken[] = [];
  const open: AwkToken[] = [];
  let at = 0;
  while (at < program.length) {
    const c = program.charAt(at);
    const previous = tokens.at(-1) ?? END;
    if (c === " " || c === "\t") at += 1;
    else if (c === "\n") {
      tokens.push({ kind: "newline", text: c });
      at += 1;
    } else if (c === "\\" && program.charAt(at + 1) === "\n") at += 2;
    else if (c === "#") {
      while (at < program.length && program.charAt(at) !== "\n") at += 1;
      if (program.charAt(at - 1) === "\\") return "a comment that ends in a backslash";
    } else if (c === '"') {
      const end = stringEnd(program, at);
      if (end === undefined) return "a string without its closing quote";
      tokens.push({ kind: "string", text: program.slice(at, end), value: stringValue(program.slice(at + 1, end - 1)) });
      at = end;
    } else if (c === "/") {
      const place = slash(previous);
      if (place === undefined) return "a `/` that is a division to some and a pattern to others";
      if (place === "regex") {
        const end = regexEnd(program, at);
        if (end === undefined) return "a pattern that implementations end at different places";
        tokens.push({ kind: "regex", text: program.slice(at, end) });
        at = end;
      } else {
        const text = program.startsWith("/=", at) ? "/=" : "/";
        tokens.push({ kind: "op", text });
        at += text.length;
      }
    } else if (/[0-9.]/.test(c)) {
      const number = match(/(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?/y, program, at);
      // Where a number ends in a letter, implementations differ about where it ends.
      if (number === undefined || /[A-Za-z_.0-9]/.test(program.charAt(at + number.length))) return "an unusual number";
      tokens.push({ kind: "number", text: number });
      at += number.length;
    } else if (/[A-Za-z_]/.test(c)) {
      const name = match(/[A-Za-z_][A-Za-z_0-9]*/y, program, at) ?? c;
      at += name.length;
      tokens.push({ kind: "name", text: name, call: program.charAt(at) === "(" });
    } else {
      const text = match(OPERATOR, program, at);
      if (text === undefined) return `the character \`${c}\``;
      at += text.length;
      const control = text === "(" && previous.kind === "name" && /^(if|while|for|switch)$/.test(previous.text);
      let token: AwkToken = control ? { kind: "op", text, control } : { kind: "op", text };
      if (/^[([{]$/.test(text)) open.push(token);
      else if (/^[)\]}]$/.test(text)) {
        const opened = open.pop();
        if (opened === undefined || opened.text + text !== { ")": "()", "]": "[]", "}": "{}" }[text]) return "brackets that do not match";
        if (opened.control === true) token = { ...token, control: true };
      }
      tokens.push(token);
    }
  }
  if (open.length > 0) return "brackets that do not match";
  return [...tokens, END];
}

function match(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

/** What `/` after this token starts. */
function slash(previous: AwkToken): "regex" | "division" | undefined {
  switch (previous.kind) {
    case "end":
    case "newline":
      return "regex";
    case "number":
      return "division";
    case "string":
    case "regex":
      return undefined;
    case "name":
      if (BEFORE_REGEX.has(previous.text)) return "regex";
      return AMBIGUOUS.has(previous.text) ? undefined : "division";
    default:
      if (previous.text === ")") return previous.control === true ? undefined : "division";
      if (previous.text === "]") return "division";
      return /^(\+\+|--|\$|@|\||\|&|>>?|<)$/.test(previous.text) ? undefined : "regex";
  }
}

function stringEnd(program: string, start: number): number | undefined {
  for (let at = start + 1; at < program.length; at += 1) {
    const c = program.charAt(at);
    if (c === '"') return at + 1;
    if (c === "\n") return undefined;
    if (c === "\\") at += 1;
  }
  return undefined;
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", '"': '"', "\\": "\\" };

function stringValue(body: string): string | undefined {
  let certain = true;
  const value = body.replace(/\\([^])/g, (_, c: string) => {
    const plain = ESCAPES[c];
    certain &&= plain !== undefined;
    return plain ?? "";
  });
  return certain ? value : undefined;
}

/** The end of a pattern, if gawk (which lets `/` stand in brackets) and others (which do not) agree on it. */
function regexEnd(program: string, start: number): number | undefined {
  let bracket = -1;
  for (let at = start + 1; at < program.length; at += 1) {
    const c = program.charAt(at);
    if (c === "\n") return undefined;
    if (c === "/") return bracket < 0 ? at + 1 : undefined;
    if (c === "\\") {
      at += 1;
      if (program.charAt(at) === "\n") return undefined;
    } else if (bracket < 0) {
      if (c !== "[") continue;
      bracket = at + 1;
      if (program.charAt(bracket) === "^") bracket += 1;
      if (program.charAt(bracket) === "]") bracket += 1;
      at = bracket - 1;
    } else if (c === "]") bracket = -1;
    else if (c === "[" && /[:.=]/.test(program.charAt(at + 1))) {
      const name = match(/\[:[a-z]+:\]/y, program, at);
      if (name === undefined) return undefined;
      at += name.length - 1;
    }
  }
  return undefined;
}
