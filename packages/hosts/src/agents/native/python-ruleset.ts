import { type JsonNode, type ObjectMember, placeFinder } from "@assent/core/edit/json5";
import type { Unreadable } from "@assent/import/import";
import type { JsonFile } from "../rules/json.ts";

/**
 * A ruleset as it stands in Python: `PermissionRuleset(default="ask", read=OperationPermissions(rules=[PermissionRule(…)]))` somewhere in a
 * file, or a file that is one dict. Nothing is run: what is no literal is told with its place, and then nothing is read.
 */
const CALLS: ReadonlySet<string> = new Set(["PermissionRuleset", "OperationPermissions", "PermissionRule"]);
const MOST_DEPTH = 16;

/** The one ruleset of a text; undefined where the text is neither a dict nor holds one. */
export function readPythonRuleset(text: string): JsonFile | Unreadable | undefined {
  const placeOf = placeFinder(text);
  const starts = rulesetsIn(text);
  const [start, second] = starts;
  if (second !== undefined) return { ...placeOf(second), problem: "this file holds several rulesets: put each into a file of its own" };
  const reader = new PythonReader(text, start ?? 0);
  try {
    const root = start === undefined ? reader.onlyDict() : reader.whole();
    return root === undefined ? undefined : { root, lineOf: (node) => placeOf(node.start).line };
  } catch (error) {
    if (!(error instanceof NoLiteral)) throw error;
    return start === undefined ? undefined : { ...placeOf(error.at), problem: error.message };
  }
}

/** Comments, texts, what is being defined, names. */
const PARTS = new RegExp(
  [
    String.raw`#[^\n]*`,
    String.raw`[rRbBuUfF]{0,2}(?:"""(?:[^\\]|\\[\s\S])*?"""|'''(?:[^\\]|\\[\s\S])*?'''|"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*')`,
    String.raw`(?<![\w.])(?:class|def)\s+\w+`,
    String.raw`(?<![\w.])[\w.]+`,
  ].join("|"),
  "g",
);

/** Where `PermissionRuleset(…)` stands outside of texts and comments, and is not being defined. */
function rulesetsIn(text: string): readonly number[] {
  const found: number[] = [];
  for (const { 0: part, index } of text.matchAll(PARTS)) {
    const isName = part === "PermissionRuleset" || part.endsWith(".PermissionRuleset");
    if (isName && /^[ \t]*\(/.test(text.slice(index + part.length, index + part.length + 100))) found.push(index);
  }
  return found;
}

class NoLiteral extends Error {
  readonly at: number;
  constructor(at: number, what: string) {
    super(`${what}: only what stands there is read, and nothing is run; what \`model_dump_json()\` prints can be read`);
    this.at = at;
  }
}

class PythonReader {
  readonly #text: string;
  #at: number;

  constructor(text: string, at: number) {
    this.#text = text;
    this.#at = at;
  }

  /** A text that is one dict, perhaps with a name. */
  onlyDict(): JsonNode | undefined {
    this.#take(/[A-Za-z_]\w*\s*(?::[^=\n]*)?=/y);
    this.#skip();
    if (this.#text.charAt(this.#at) !== "{") return undefined;
    const value = this.value(0);
    this.#skip();
    return this.#at === this.#text.length ? value : undefined;
  }

  /** A value that nothing is done with where it stands. */
  whole(): JsonNode {
    const value = this.value(0);
    const behind = /[^ \t]?/y;
    this.#take(/[ \t]*/y);
    behind.lastIndex = this.#at;
    if (!/^[\r\n#,;)\]}]?$/.test(behind.exec(this.#text)?.[0] ?? "")) throw new NoLiteral(this.#at, "something is done with the ruleset");
    this.#skip();
    if (this.#text.charAt(this.#at) === ".") throw new NoLiteral(this.#at, "something is done with the ruleset");
    return value;
  }

  value(depth: number): JsonNode {
    this.#skip();
    const start = this.#at;
    if (depth > MOST_DEPTH) throw new NoLiteral(start, "nested too deeply");
    const char = this.#text.charAt(start);
    if (char === "{") return { kind: "object", start, members: this.#dict(depth), end: this.#at };
    if (char === "[" || char === "(") return this.#list(char === "[" ? "]" : ")", depth);
    const text = this.#texts();
    if (text !== undefined) return { kind: "scalar", value: text, start, end: this.#at };
    const word = this.#take(/-?\d+(?:\.\d+)?(?![\w.])|[A-Za-z_][\w.]*/y);
    if (word === undefined) throw new NoLiteral(start, this.#at >= this.#text.length ? "it is not closed" : "this is not a literal");
    if (/^-?\d/.test(word)) return { kind: "scalar", value: Number(word), start, end: this.#at };
    const constant = CONSTANTS.get(word);
    if (constant !== undefined) return { kind: "scalar", value: constant.value, start, end: this.#at };
    const name = word.slice(word.lastIndexOf(".") + 1);
    this.#skip();
    if (!CALLS.has(name) || this.#text.charAt(this.#at) !== "(") throw new NoLiteral(start, `\`${word}\` is known when Python runs`);
    return { kind: "object", start, members: this.#arguments(depth), end: this.#at };
  }

  #arguments(depth: number): readonly ObjectMember[] {
    return this.#members(")", () => {
      const keyStart = this.#at;
      const key = this.#take(/[A-Za-z_]\w*(?=\s*=(?!=))/y);
      if (key === undefined) throw new NoLiteral(keyStart, "an argument without a name");
      this.#take(/\s*=/y);
      return { key, keyStart, value: this.value(depth + 1) };
    });
  }

  #dict(depth: number): readonly ObjectMember[] {
    return this.#members("}", () => {
      const keyStart = this.#at;
      const key = this.#texts();
      this.#skip();
      if (key === undefined || this.#text.charAt(this.#at) !== ":") throw new NoLiteral(keyStart, "this is not a key of a dict");
      this.#at += 1;
      return { key, keyStart, value: this.value(depth + 1) };
    });
  }

  #members(close: string, one: () => ObjectMember): readonly ObjectMember[] {
    const members: ObjectMember[] = [];
    this.#items(close, () => {
      const next = one();
      if (members.some(({ key }) => key === next.key)) throw new NoLiteral(next.keyStart, `\`${next.key}\` is there twice`);
      members.push(next);
    });
    return members;
  }

  #list(close: string, depth: number): JsonNode {
    const start = this.#at;
    const items: JsonNode[] = [];
    const { commas } = this.#items(close, () => items.push(this.value(depth + 1)));
    const [only] = items;
    // Brackets around one value are not a tuple.
    if (close === ")" && items.length === 1 && commas === 0 && only !== undefined) return only;
    return { kind: "array", start, items, end: this.#at };
  }

  #items(close: string, one: () => void): { readonly commas: number } {
    this.#at += 1;
    for (let commas = 0; ; commas += 1) {
      this.#skip();
      if (this.#text.charAt(this.#at) !== close) {
        one();
        this.#skip();
      } else {
        this.#at += 1;
        return { commas };
      }
      const char = this.#text.charAt(this.#at);
      if (char === close) {
        this.#at += 1;
        return { commas };
      }
      if (char !== ",") throw new NoLiteral(this.#at, char === "" ? "it is not closed" : "this is not a literal");
      this.#at += 1;
    }
  }

  /** One text, or several one after the other, which are one. */
  #texts(): string | undefined {
    let whole: string | undefined;
    for (;;) {
      const before = this.#at;
      if (whole !== undefined) this.#skip();
      const start = this.#at;
      const prefix = this.#take(/[A-Za-z]{0,2}(?=["'])/y);
      if (prefix === undefined) {
        this.#at = before;
        return whole;
      }
      if (!/^[rRuU]?$/.test(prefix)) throw new NoLiteral(start, `a text with the prefix \`${prefix}\``);
      whole = (whole ?? "") + this.#quoted(/^[rR]$/.test(prefix));
    }
  }

  #quoted(raw: boolean): string {
    const start = this.#at;
    const quote = this.#text.charAt(start);
    const fence = this.#text.startsWith(quote.repeat(3), start) ? quote.repeat(3) : quote;
    let at = start + fence.length;
    let value = "";
    while (!this.#text.startsWith(fence, at)) {
      const char = this.#text.charAt(at);
      if (char === "" || (char === "\n" && fence.length === 1)) throw new NoLiteral(start, "the text is not closed");
      if (char !== "\\" || raw) {
        // In a raw text a backslash stays, and still keeps a quote from ending it.
        const length = char === "\\" ? 2 : 1;
        value += this.#text.slice(at, at + length);
        at += length;
        continue;
      }
      const [all = "", one = "", code = ""] = /^\\(?:([\n\\'"abfnrtv])|x([\da-fA-F]{2}))/.exec(this.#text.slice(at, at + 4)) ?? [];
      if (all === "") throw new NoLiteral(at, "an escape that is not read here");
      value += code === "" ? (ESCAPES.get(one) ?? one) : String.fromCharCode(Number.parseInt(code, 16));
      at += all.length;
    }
    this.#at = at + fence.length;
    return value;
  }

  /** Blanks, line breaks, comments. */
  #skip(): void {
    this.#take(/(?:\s|#[^\n]*|\\\r?\n)*/y);
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }
}

const CONSTANTS: ReadonlyMap<string, { readonly value: boolean | null }> = new Map([
  ["None", { value: null }],
  ["True", { value: true }],
  ["False", { value: false }],
]);

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ["\n", ""],
  ["a", "\u0007"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["v", "\v"],
]);
