/**
 * The literals of Starlark that a rules file of Codex consists of: calls with named arguments, texts and lists.
 * Whatever else stands there is not run: it is told with its place.
 */

export type Literal = string | boolean | number | readonly Literal[];

export interface StarlarkCall {
  readonly name: string;
  readonly start: number;
  readonly args: ReadonlyMap<string, Literal>;
}

export interface Unread {
  readonly start: number;
  readonly text: string;
  readonly why: string;
}

export interface StarlarkFile {
  readonly calls: readonly StarlarkCall[];
  readonly unread: readonly Unread[];
}

export function readStarlark(text: string): StarlarkFile {
  const calls: StarlarkCall[] = [];
  const unread: Unread[] = [];
  const reader = new Reader(text);
  for (reader.skip(); !reader.ended; reader.skip()) {
    const start = reader.at;
    const call = reader.call();
    if (typeof call !== "string") {
      calls.push(call);
      continue;
    }
    const end = reader.nextStatement(start);
    unread.push({ start, text: text.slice(start, end).split("\n")[0]?.trim() ?? "", why: call });
    reader.at = end;
  }
  return { calls, unread };
}

// INVARIANT: a method that returns a Problem has read nothing that counts.
type Problem = { readonly problem: string };
const wrong = (problem: string): Problem => ({ problem });

class Reader {
  at = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  get ended(): boolean {
    return this.at >= this.#text.length;
  }

  /** Blanks, line breaks, comments, `;`. */
  skip(): void {
    const blank = /(?:[\s;]|#[^\n]*|\\\r?\n)*/y;
    blank.lastIndex = this.at;
    this.at += blank.exec(this.#text)?.[0].length ?? 0;
  }

  /** Where the statement after the one at `start` begins: a line that starts at its first column, outside brackets. */
  nextStatement(start: number): number {
    const next = /\n(?=[A-Za-z_#@])/g;
    next.lastIndex = start;
    const found = next.exec(this.#text);
    return found === null ? this.#text.length : found.index + 1;
  }

  call(): StarlarkCall | string {
    const start = this.at;
    const name = this.#name();
    if (name === undefined) return "it is not a call";
    this.skip();
    if (this.#text.charAt(this.at) !== "(") return "only calls are read, nothing is run";
    this.at++;
    const args = new Map<string, Literal>();
    for (;;) {
      this.skip();
      if (this.#text.charAt(this.at) === ")") {
        this.at++;
        return { name, start, args };
      }
      const key = this.#name();
      if (key === undefined) return this.ended ? "it is not closed" : "an argument without a name";
      this.skip();
      if (this.#text.charAt(this.at) !== "=") return `\`${key}\` is not a literal`;
      this.at++;
      const value = this.#value(0);
      if (isProblem(value)) return `\`${key}\`: ${value.problem}`;
      if (args.has(key)) return `\`${key}\` is there twice`;
      args.set(key, value);
      this.skip();
      const char = this.#text.charAt(this.at);
      if (char === ",") this.at++;
      else if (char !== ")") return this.ended ? "it is not closed" : `\`${key}\` is not a literal`;
    }
  }

  #name(): string | undefined {
    const name = /[A-Za-z_]\w*/y;
    name.lastIndex = this.at;
    const found = name.exec(this.#text)?.[0];
    if (found !== undefined) this.at += found.length;
    return found;
  }

  #value(depth: number): Literal | Problem {
    this.skip();
    if (depth > 16) return wrong("nested too deeply");
    const char = this.#text.charAt(this.at);
    if (char === "[" || char === "(") return this.#list(char === "[" ? "]" : ")", depth);
    if (char === '"' || char === "'") return this.#texts();
    if ((char === "r" || char === "R") && /["']/.test(this.#text.charAt(this.at + 1))) {
      this.at++;
      return this.#quoted(true);
    }
    const word = /(?:True|False|-?\d+)(?![\w.])/y;
    word.lastIndex = this.at;
    const found = word.exec(this.#text)?.[0];
    if (found === undefined) return wrong(this.ended ? "the end of the file" : "no literal");
    this.at += found.length;
    return found === "True" ? true : found === "False" ? false : Number(found);
  }

  #list(close: string, depth: number): Literal | Problem {
    this.at++;
    const items: Literal[] = [];
    for (;;) {
      this.skip();
      if (this.#text.charAt(this.at) === close) {
        this.at++;
        return items;
      }
      const item = this.#value(depth + 1);
      if (isProblem(item)) return item;
      items.push(item);
      this.skip();
      if (this.#text.charAt(this.at) === ",") this.at++;
      else if (this.#text.charAt(this.at) !== close) return wrong(this.ended ? "the list is not closed" : "no literal");
    }
  }

  /** One text, or several joined by `+`. */
  #texts(): string | Problem {
    let value = "";
    for (;;) {
      const part = this.#quoted(false);
      if (typeof part !== "string") return part;
      value += part;
      const joined = /\s*\+\s*(?=["'])/y;
      joined.lastIndex = this.at;
      const plus = joined.exec(this.#text)?.[0];
      if (plus === undefined) return value;
      this.at += plus.length;
    }
  }

  #quoted(raw: boolean): string | Problem {
    const quote = this.#text.charAt(this.at);
    const fence = this.#text.startsWith(quote.repeat(3), this.at) ? quote.repeat(3) : quote;
    let at = this.at + fence.length;
    let value = "";
    while (!this.#text.startsWith(fence, at)) {
      const char = this.#text.charAt(at);
      if (char === "" || (char === "\n" && fence.length === 1)) return wrong("the text is not closed");
      if (char !== "\\") {
        value += char;
        at++;
        continue;
      }
      const escape = raw ? undefined : escapeAt(this.#text, at);
      value += escape?.value ?? this.#text.slice(at, at + 2);
      at = escape?.end ?? at + 2;
    }
    this.at = at + fence.length;
    return value;
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  "\\": "\\",
  "'": "'",
  '"': '"',
  "\n": "",
  a: "\u0007",
  b: "\b",
  f: "\f",
  v: "\v",
};

function escapeAt(text: string, at: number): { readonly value: string; readonly end: number } | undefined {
  const code = /^\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8}))/.exec(text.slice(at, at + 10));
  if (code !== null) {
    const point = Number.parseInt(code[1] ?? code[2] ?? code[3] ?? "", 16);
    return point > 0x10ffff ? undefined : { value: String.fromCodePoint(point), end: at + code[0].length };
  }
  const value = ESCAPES[text.charAt(at + 1)];
  return value === undefined ? undefined : { value, end: at + 2 };
}

function isProblem(value: Literal | Problem): value is Problem {
  return typeof value === "object" && "problem" in value;
}
