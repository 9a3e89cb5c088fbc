import { brief } from "../../action/index.ts";
import { placeFinder, type Fault, type ObjectMember, type JsonNode, type TextPlace } from "./tree.ts";
import { isNamePart, isNameStart, readNumber, readString } from "./scalars.ts";

/**
 * A reader for JSON5 (https://spec.json5.org) that keeps places and goes on after small mistakes.
 * Stricter than the specification where a policy must not be ambiguous: a duplicate key and a lone surrogate are errors.
 */

/** Far more than a policy needs; bounds the recursion and the time. */
export const MAX_DEPTH = 64;
export const MAX_LENGTH = 1_000_000;
/** A file with more mistakes than this is something else than a policy; the rest of them is not looked for. */
export const MAX_FAULTS = 100;

export interface Json5Reading {
  /** Absent when the text could not be read to its end. */
  readonly root: JsonNode | undefined;
  /** Empty when the text is flawless JSON5. */
  readonly faults: readonly Fault[];
}

export function readJson5(text: string): Json5Reading {
  if (text.length > MAX_LENGTH) {
    const message = `the file is too large: ${text.length} characters, at most ${MAX_LENGTH}`;
    return { root: undefined, faults: [{ offset: 0, path: [], message }] };
  }
  const reader = new Json5Reader(text);
  return { root: reader.file(), faults: reader.faults };
}

const SPACE = /[\t\n\v\f\r \u00a0\u2028\u2029\ufeff\p{Zs}]/u;
const CONSTANTS = new Map<string, boolean | null | number>([
  ["true", true],
  ["false", false],
  ["null", null],
  ["Infinity", Infinity],
  ["NaN", NaN],
]);

// INVARIANT: a method that returns undefined has recorded the fault that ends the reading.
class Json5Reader {
  readonly faults: Fault[] = [];
  readonly #path: (string | number)[] = [];
  readonly #text: string;
  #at = 0;
  #places: ((offset: number) => TextPlace) | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  file(): JsonNode | undefined {
    if (!this.#skip()) return undefined;
    if (this.#at >= this.#text.length) {
      return this.#stop(this.#at, "the file is empty", 'a policy without rules is `{ "version": 1 }`');
    }
    const root = this.#value(0);
    if (root === undefined || !this.#skip()) return undefined;
    if (this.#at < this.#text.length) return this.#stop(this.#at, `unexpected ${this.#found()} after the end of the policy`, this.#hint());
    return root;
  }

  #value(depth: number): JsonNode | undefined {
    const start = this.#at;
    const c = this.#text[start];
    if (c === "{" || c === "[") {
      if (depth >= MAX_DEPTH) return this.#stop(start, `nested more than ${MAX_DEPTH} levels deep`);
      return c === "{" ? this.#object(depth) : this.#array(depth);
    }
    if (c === '"' || c === "'") {
      const value = this.#string();
      return value === undefined ? undefined : { kind: "scalar", value, start, end: this.#at };
    }
    if (c !== undefined && /[\d.+-]/.test(c)) {
      const number = readNumber(this.#text, start);
      this.#at = number.end;
      if (number.problem !== undefined) this.#fault(start, number.problem.message, number.problem.help);
      return this.#over() ? undefined : { kind: "scalar", value: number.value, start, end: this.#at };
    }
    const word = this.#name();
    if (word !== undefined) {
      const value = CONSTANTS.get(word);
      if (value !== undefined) return { kind: "scalar", value, start, end: this.#at };
      return this.#stop(start, `unexpected ${brief(`\`${word}\``)}`, `put text in quotes: ${brief(JSON.stringify(word))}`);
    }
    return this.#stop(start, `expected a value, found ${this.#found()}`, this.#hint());
  }

  #object(depth: number): JsonNode | undefined {
    const start = this.#at++;
    const members: ObjectMember[] = [];
    const firsts = new Map<string, number>();
    for (;;) {
      const step = this.#next(start, "}", members.at(-1)?.value.end);
      if (step === undefined) return undefined;
      if (step === "end") return { kind: "object", members, start, end: this.#at };
      const keyStart = this.#at;
      const key = this.#key();
      if (key === undefined) return undefined;
      const first = firsts.get(key);
      this.#path.push(key);
      if (first === undefined) firsts.set(key, keyStart);
      else this.#fault(keyStart, `duplicate key ${brief(`\`${key}\``)}`, `the first one is at ${this.#place(first)}; join them`);
      if (this.#over() || !this.#skip()) return undefined;
      if (this.#text[this.#at] !== ":") return this.#stop(this.#at, `expected \`:\` after the key, found ${this.#found()}`, this.#hint());
      this.#at++;
      if (!this.#skip()) return undefined;
      const value = this.#value(depth + 1);
      if (value === undefined) return undefined;
      this.#path.pop();
      members.push({ key, keyStart, value });
    }
  }

  #array(depth: number): JsonNode | undefined {
    const start = this.#at++;
    const items: JsonNode[] = [];
    for (;;) {
      this.#path.push(items.length);
      const step = this.#next(start, "]", items.at(-1)?.end);
      if (step === undefined) return undefined;
      const item = step === "end" ? undefined : this.#value(depth + 1);
      if (step !== "end" && item === undefined) return undefined;
      this.#path.pop();
      if (item === undefined) return { kind: "array", items, start, end: this.#at };
      items.push(item);
    }
  }

  /** Moves to the next element of the bracket opened at `open`; `previous` is where the last element ended. */
  #next(open: number, close: "}" | "]", previous: number | undefined): "element" | "end" | undefined {
    if (!this.#skip()) return undefined;
    let commas = 0;
    while (this.#text[this.#at] === ",") {
      if (++commas > (previous === undefined ? 0 : 1)) this.#fault(this.#at, "a value is missing before this `,`", "remove the `,`");
      this.#at++;
      if (this.#over() || !this.#skip()) return undefined;
    }
    const c = this.#text[this.#at];
    if (c === close) {
      this.#at++;
      return "end";
    }
    if (c === undefined) return this.#stop(open, `\`${this.#text[open] ?? ""}\` is never closed`, `add \`${close}\` where it ends`);
    if (previous === undefined || commas > 0) return "element";
    if (!/["'{[\p{L}\d_$.+-]/u.test(c)) {
      return this.#stop(
        this.#at,
        `expected \`,\` or \`${close}\`, found ${this.#found()}`,
        this.#hint() ?? `\`${this.#text[open] ?? ""}\` at ${this.#place(open)} is still open`,
      );
    }
    this.#fault(previous, "missing `,`", "add `,` here");
    return this.#over() ? undefined : "element";
  }

  #key(): string | undefined {
    const start = this.#at;
    const c = this.#text[start];
    if (c === '"' || c === "'") return this.#string();
    return (
      this.#name() ?? this.#stop(start, `expected a key, found ${this.#found()}`, this.#hint() ?? "a key is a name or a text in quotes")
    );
  }

  #string(): string | undefined {
    const start = this.#at;
    const { value, end, problems } = readString(this.#text, start);
    this.#at = end;
    for (const problem of problems) this.#fault(problem.offset, problem.message, problem.help);
    if (value !== undefined && /[\ud800-\udfff]/u.test(value)) {
      this.#fault(start, "the text holds half of a character (a lone surrogate)", "write the character itself");
    }
    return this.#over() ? undefined : value;
  }

  /** An ECMAScript 5.1 identifier name; undefined without a fault when there is none. */
  #name(): string | undefined {
    let name = "";
    for (let at = this.#at; ;) {
      const escaped = /\\u([\da-fA-F]{4})/y;
      escaped.lastIndex = at;
      const code = escaped.exec(this.#text)?.[1];
      const c = code === undefined ? String.fromCodePoint(this.#text.codePointAt(at) ?? 0) : String.fromCharCode(Number.parseInt(code, 16));
      if (!(name === "" ? isNameStart(c) : isNamePart(c))) break;
      name += c;
      at += code === undefined ? c.length : 6;
      this.#at = at;
    }
    return name === "" ? undefined : name;
  }

  /** Skips white space and comments; false when a comment never ends. */
  #skip(): boolean {
    for (;;) {
      const c = this.#text[this.#at];
      if (c === undefined) return true;
      if (SPACE.test(c)) {
        this.#at++;
      } else if (this.#text.startsWith("//", this.#at)) {
        const end = /[\n\r\u2028\u2029]/g;
        end.lastIndex = this.#at;
        this.#at = end.exec(this.#text)?.index ?? this.#text.length;
      } else if (this.#text.startsWith("/*", this.#at)) {
        const end = this.#text.indexOf("*/", this.#at + 2);
        if (end < 0) {
          this.#stop(this.#at, "the comment is never closed", "add `*/` where it ends");
          return false;
        }
        this.#at = end + 2;
      } else return true;
    }
  }

  #fault(offset: number, message: string, help?: string): void {
    this.faults.push({ offset, path: [...this.#path], message, ...(help === undefined ? {} : { help }) });
  }

  #stop(offset: number, message: string, help?: string): undefined {
    this.#fault(offset, message, help);
    return undefined;
  }

  #over(): boolean {
    return this.faults.length >= MAX_FAULTS;
  }

  #place(offset: number): string {
    this.#places ??= placeFinder(this.#text);
    const { line, column } = this.#places(offset);
    return `${line}:${column}`;
  }

  #found(): string {
    const point = this.#text.codePointAt(this.#at);
    return point === undefined ? "the end of the file" : `\`${brief(String.fromCodePoint(point))}\``;
  }

  /** What people who write this character usually mean. */
  #hint(): string | undefined {
    const c = this.#text[this.#at] ?? "";
    if (c === "#") return "comments start with `//`";
    if ("“”„‟«»‘’‚".includes(c) && c !== "") return 'use straight quotes: `"`';
    if (c === "=") return "a key and its value are joined by `:`";
    if (c === ";") return "values are separated by `,`";
    return undefined;
  }
}
