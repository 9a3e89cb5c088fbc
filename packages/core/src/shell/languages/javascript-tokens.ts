import { unescaped } from "./token-cursor.ts";
import { MAX_DEPTH, refusedText } from "./finding.ts";

export interface JsToken {
  readonly kind: "name" | "keyword" | "number" | "string" | "template" | "regex" | "op" | "end";
  readonly text: string;
  /** A line break stands before it. */
  readonly newline: boolean;
  /** Of a string without odd escapes: what it stands for. */
  readonly value?: string | undefined;
  /** Of a template: the tokens of each `${…}`. */
  readonly fields?: readonly (readonly JsToken[])[];
  /** Of `(`: starts the parameters of an arrow function. */
  arrow?: boolean;
}

const KEYWORDS = new Set(
  (
    "break case catch class const continue debugger default delete do else enum export extends false finally for function " +
    "if import in instanceof new null return super switch this throw true try typeof var void while with yield await let " +
    "static async of get set"
  ).split(" "),
);
/** Keywords that may also be names: what `/` means after them depends on more than the token. */
const CONTEXTUAL = new Set("yield await let static async of get set".split(" "));
const OPERATOR = new RegExp(
  String.raw`\.\.\.|=>|>>>=|\*\*=|<<=|>>=|&&=|\|\|=|\?\?=|===|!==|>>>|\*\*|\?\?|\?\.(?![0-9])|&&|\|\||\+\+|--|<<|>>|<=|>=|==|!=|\+=|` +
    String.raw`-=|\*=|\/=|%=|&=|\|=|\^=|[-+*/%&|^~!<>=?:;,.()[\]{}]`,
  "y",
);
const NUMBER = /0[xX][0-9a-fA-F_]+n?|0[bB][01_]+n?|0[oO][0-7_]+n?|(?:[0-9][0-9_]*\.?[0-9_]*|\.[0-9][0-9_]*)(?:[eE][-+]?[0-9]+)?n?/y;
const NAME = /[A-Za-z_$][A-Za-z_$0-9]*/y;
const PAIRS: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" };

/** The tokens of JavaScript source, or why they are not certain. */
export function javascriptTokens(source: string): readonly JsToken[] | string {
  const refused = refusedText(source);
  if (refused !== undefined) return refused;
  // Line separators end comments, and these two start comments that reach to the end of the line.
  if (/[\u2028\u2029]|<!--|-->/.test(source)) return "comments of an unusual kind";
  const scanner = new Scanner(source);
  const tokens = scanner.tokens(0);
  return scanner.problem ?? tokens;
}

class Scanner {
  problem: string | undefined;
  private at = 0;
  private readonly source: string;

  constructor(source: string) {
    this.source = source;
  }

  private refuse(why: string): void {
    this.problem ??= why;
    this.at = this.source.length;
  }

  private match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    return pattern.exec(this.source)?.[0];
  }

  /** Tokens up to the end, or inside a template up to the `}` that closes its field. */
  tokens(depth: number): JsToken[] {
    const tokens: JsToken[] = [];
    const open: { readonly text: string; readonly index: number; readonly control: boolean }[] = [];
    /** What the last `)` closed. */
    let closed: { readonly index: number; readonly control: boolean } | undefined;
    let newline = false;
    const push = (kind: JsToken["kind"], text: string, more: Partial<JsToken> = {}): void => {
      tokens.push({ kind, text, newline, ...more });
      newline = false;
      this.at += kind === "template" ? 0 : text.length;
    };
    while (this.at < this.source.length) {
      const c = this.source.charAt(this.at);
      const previous = tokens.at(-1);
      if (c === "\n") {
        newline = true;
        this.at += 1;
      } else if (c === " " || c === "\t") this.at += 1;
      else if (this.source.startsWith("//", this.at))
        while (this.at < this.source.length && this.source.charAt(this.at) !== "\n") this.at += 1;
      else if (this.source.startsWith("/*", this.at)) {
        const end = this.source.indexOf("*/", this.at + 2);
        if (end < 0) return (this.refuse("a comment without its end"), tokens);
        if (this.source.slice(this.at, end).includes("\n")) newline = true;
        this.at = end + 2;
      } else if (c === '"' || c === "'") {
        const text = this.string(c);
        if (text !== undefined) push("string", text, { value: unescaped(text.slice(1, -1), ESCAPES) });
      } else if (c === "`") {
        const fields = this.template(depth);
        push("template", "`", { fields });
      } else if (/[0-9]/.test(c) || (c === "." && /[0-9]/.test(this.source.charAt(this.at + 1)))) {
        const number = this.match(NUMBER) ?? c;
        if (/[A-Za-z_$0-9]/.test(this.source.charAt(this.at + number.length))) return (this.refuse("an unusual number"), tokens);
        push("number", number);
      } else if (/[A-Za-z_$]/.test(c)) {
        const name = this.match(NAME) ?? c;
        push(KEYWORDS.has(name) && !(previous?.kind === "op" && /^\??\.$/.test(previous.text)) ? "keyword" : "name", name);
      } else if (c === "/" && this.slash(previous, closed?.control === true) !== "division") {
        const regex = this.slash(previous, closed?.control === true) === "regex" ? this.regex() : undefined;
        if (regex === undefined) return (this.refuse("a `/` that is not certainly a division or a pattern"), tokens);
        push("regex", regex);
      } else {
        const text = this.match(OPERATOR);
        if (text === undefined) return (this.refuse(`the character \`${c}\``), tokens);
        if (text === "}" && open.length === 0 && depth > 0) break;
        if (/^[([{]$/.test(text)) {
          const control = previous?.kind === "keyword" && /^(if|while|for|with)$/.test(previous.text);
          open.push({ text, index: tokens.length, control });
        } else if (text in PAIRS) {
          const opened = open.pop();
          if (opened === undefined || opened.text !== PAIRS[text]) return (this.refuse("brackets that do not match"), tokens);
          closed = opened;
        } else if (text === "=>" && previous?.text === ")" && closed !== undefined) {
          const opening = tokens[closed.index];
          if (opening !== undefined) opening.arrow = true;
        }
        push("op", text);
      }
    }
    if (open.length > 0) this.refuse("brackets that do not match");
    tokens.push({ kind: "end", text: "", newline: true });
    return tokens;
  }

  private slash(previous: JsToken | undefined, control: boolean): "regex" | "division" | undefined {
    if (previous === undefined) return "regex";
    if (previous.kind === "keyword") {
      if (/^(this|super|null|true|false)$/.test(previous.text)) return "division";
      return CONTEXTUAL.has(previous.text) ? undefined : "regex";
    }
    if (previous.kind !== "op") return "division";
    if (previous.text === ")") return control ? "regex" : "division";
    if (previous.text === "]") return "division";
    return /^(\}|\+\+|--)$/.test(previous.text) ? undefined : "regex";
  }

  private string(quote: string): string | undefined {
    for (let end = this.at + 1; end < this.source.length; end += 1) {
      const c = this.source.charAt(end);
      if (c === quote) return this.source.slice(this.at, end + 1);
      if (c === "\n") break;
      if (c === "\\") end += 1;
    }
    this.refuse("a string without its closing quote");
    return undefined;
  }

  private regex(): string | undefined {
    let inClass = false;
    for (let end = this.at + 1; end < this.source.length; end += 1) {
      const c = this.source.charAt(end);
      if (c === "\n") return undefined;
      if (c === "\\") {
        end += 1;
        if (this.source.charAt(end) === "\n") return undefined;
      } else if (c === "[") inClass = true;
      else if (c === "]") inClass = false;
      else if (c === "/" && !inClass) {
        const flags = /^[a-z]*/.exec(this.source.slice(end + 1, end + 20))?.[0] ?? "";
        return this.source.slice(this.at, end + 1 + flags.length);
      }
    }
    return undefined;
  }

  private template(depth: number): JsToken[][] {
    const fields: JsToken[][] = [];
    this.at += 1;
    for (; this.at < this.source.length; this.at += 1) {
      const c = this.source.charAt(this.at);
      if (c === "`") {
        this.at += 1;
        return fields;
      }
      if (c === "\\") this.at += 1;
      else if (c === "$" && this.source.charAt(this.at + 1) === "{") {
        if (depth >= MAX_DEPTH / 4) break;
        this.at += 2;
        fields.push(this.tokens(depth + 1));
      }
    }
    this.refuse("a template without its end");
    return fields;
  }
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", "'": "'", '"': '"', "\\": "\\", "/": "/" };
