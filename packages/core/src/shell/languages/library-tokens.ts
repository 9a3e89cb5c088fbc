/** Tokens of four languages, read roughly: what is not understood is passed over, so that nothing hides what stands behind it. */

export type ScriptLanguage = "python" | "javascript" | "perl" | "ruby";

export interface ScriptToken {
  readonly kind: "name" | "string" | "number" | "op" | "shell" | "newline";
  /** A name (with its sigil in Perl and Ruby), an operator, or the text a string stands for. */
  readonly text: string;
  /** Of a string: its parts, where code stands between them (f-strings, templates, `"#{…}"`, `"$x"`). */
  readonly parts?: readonly (string | { readonly code: string })[];
  /** A list of words: `qw(a b)`, `%w[a b]`. */
  readonly words?: readonly string[];
}

const CLOSES: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}", "<": ">" };
const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", "0": "\0", a: "\u0007", e: "\u001b", s: " " };
/** After these a `/` begins a pattern. */
const BEFORE_PATTERN = /^(?:[=(,;:!&|?{}[+\-*%<>~^]|=~|!~|&&|\|\||=>|return|and|or|not|if|unless|split|grep|when|in|of|case|typeof)$/;

export function scriptTokens(source: string, language: ScriptLanguage): readonly ScriptToken[] {
  const lexer = new Lexer(source, language);
  return lexer.read();
}

class Lexer {
  private readonly tokens: ScriptToken[] = [];
  private readonly source: string;
  private readonly language: ScriptLanguage;
  private at = 0;

  constructor(source: string, language: ScriptLanguage) {
    this.source = source;
    this.language = language;
  }

  read(): readonly ScriptToken[] {
    while (this.at < this.source.length) this.next();
    return this.tokens;
  }

  private match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.source)?.[0];
    if (found !== undefined) this.at += found.length;
    return found;
  }

  private push(kind: ScriptToken["kind"], text: string, more: Partial<ScriptToken> = {}): void {
    this.tokens.push({ kind, text, ...more });
  }

  private next(): void {
    const { language } = this;
    if (this.match(/[ \t\r]+|\\\n/y) !== undefined) return;
    if (this.match(/\n/y) !== undefined) return this.push("newline", "\n");
    const comment = language === "javascript" ? this.match(/\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)/y) : this.match(/#[^\n]*/y);
    if (comment !== undefined) return;
    if (this.quoted() || this.pattern()) return;
    const name = this.match(NAMES[language]);
    if (name !== undefined) return this.push("name", name);
    const number = this.match(/0[xob][0-9a-fA-F_]+|[0-9][0-9_]*(?:\.[0-9]+)?n?/y);
    if (number !== undefined) return this.push("number", number.replaceAll("_", ""));
    this.push("op", this.match(/=>|->|::|\?\.|==+|!==?|=~|!~|&&|\|\||\*\*|\/\/|<=|>=|:=|\+=|\.=|\|\|=|\/=|<<|\.\.\.?|[^]/y) ?? "");
  }

  /** A string of any kind, when one begins here. */
  private quoted(): boolean {
    const { language } = this;
    if (language === "python") {
      const opening = this.match(/[rRbBuUfF]{0,2}(?:"""|'''|"|')/y);
      if (opening === undefined) return false;
      const quote = opening.replace(/^[a-zA-Z]+/, "");
      const prefix = opening.slice(0, opening.length - quote.length).toLowerCase();
      this.text(this.until(quote), { raw: prefix.includes("r"), fields: prefix.includes("f") ? /\{([^{}]*)\}/g : undefined });
      return true;
    }
    const plain = this.match(/["'`]/y);
    if (plain !== undefined) {
      const body = this.until(plain);
      if (plain === "`" && language !== "javascript") this.text(body, { fields: FIELDS[language], kind: "shell" });
      else {
        const single = plain === "'" && language !== "javascript";
        this.text(body, { raw: single, fields: single || (language === "javascript" && plain !== "`") ? undefined : FIELDS[language] });
      }
      return true;
    }
    if (language === "javascript") return false;
    const before = this.tokens.at(-1)?.text ?? "";
    if (
      language === "perl" &&
      !/^[\w$@%)\]}"']*[\w)\]}]$/.test(
        before.replace(/^(?:unlink|print|for|foreach|in|return|map|grep|rmtree|chmod|open|rename|system|exec|while|push|die|say)$/, ""),
      )
    ) {
      // `</etc/*>` lists names.
      const names = this.match(/<[^<>\n;=$\s]*[*?~][^<>\n;$]*>/y);
      if (names !== undefined) {
        this.push("name", "glob");
        this.push("op", "(");
        this.push("string", names.slice(1, -1));
        this.push("op", ")");
        return true;
      }
    }
    const opening =
      language === "perl"
        ? this.match(/(?:qq|qw|qx|q)(?=\s*[^\w\s,;=)]|\s*\{)\s*[^\w\s]/y)
        : /[\w)\]"]$/.test(before) &&
            !/\s%[a-zA-Z][({[<|!/]$/.test(this.source.slice(this.at - 1, this.at + 3)) &&
            !/^(?:puts|print|p|system|exec|return|in|do|then)$/.test(before)
          ? undefined
          : this.match(/%(?:[qQwWxiI]?[({[<|!/])/y);
    if (opening === undefined || before === "->") return false;
    const open = opening.slice(-1);
    const word = language === "perl" ? opening.slice(0, -1).trim() : (/^%([a-zA-Z])/.exec(opening)?.[1] ?? "Q");
    const body = this.until(CLOSES[open] ?? open, open in CLOSES ? open : undefined);
    if (/^(?:qw|[wWiI])$/.test(word)) this.push("string", body, { words: body.split(/\s+/).filter((each) => each !== "") });
    else
      this.text(body, {
        raw: word === "q",
        fields: word === "q" ? undefined : FIELDS[language],
        kind: /^(?:qx|x)$/.test(word) ? "shell" : "string",
      });
    return true;
  }

  private until(close: string, open?: string): string {
    const start = this.at;
    let depth = 0;
    while (this.at < this.source.length) {
      if (this.source.charAt(this.at) === "\\") this.at += 2;
      else if (this.source.startsWith(close, this.at) && depth === 0) {
        this.at += close.length;
        return this.source.slice(start, this.at - close.length);
      } else {
        const c = this.source.charAt(this.at);
        if (c === open) depth += 1;
        if (c === close) depth -= 1;
        this.at += 1;
      }
    }
    return this.source.slice(start);
  }

  private text(
    body: string,
    how: { readonly raw?: boolean; readonly fields?: RegExp | undefined; readonly kind?: "string" | "shell" },
  ): void {
    const parts: (string | { readonly code: string })[] = [];
    const plain = (text: string): string => (how.raw === true ? text.replace(/\\(['\\])/g, "$1") : unescaped(text));
    let from = 0;
    for (const field of how.fields === undefined ? [] : body.matchAll(how.fields)) {
      parts.push(plain(body.slice(from, field.index)), { code: field[1] ?? `$${field[2] ?? ""}` });
      from = field.index + field[0].length;
    }
    parts.push(plain(body.slice(from)));
    this.push(how.kind ?? "string", parts.filter((part) => typeof part === "string").join(""), parts.length > 1 ? { parts } : {});
  }

  /** `/…/`, `m{…}`, `s/…/…/`: no code of interest, but quotes in it are none. */
  private pattern(): boolean {
    const { language } = this;
    if (language === "python") return false;
    const before = this.tokens.at(-1);
    if (language === "perl" && before?.text !== "->" && before?.text !== "{") {
      const word = this.match(/(?:s|tr|y|m|qr)(?=\s*[^\w\s,;=)>.-])/y);
      if (word !== undefined) {
        this.match(/\s*/y);
        const open = this.source.charAt(this.at);
        this.at += 1;
        const nested = CLOSES[open];
        this.until(nested ?? open, nested === undefined ? undefined : open);
        if (/^(?:s|tr|y)$/.test(word)) {
          if (nested !== undefined) this.match(/\s*./y);
          this.until(nested ?? open, nested === undefined ? undefined : open);
        }
        this.match(/[a-z]*/y);
        this.push("number", "0");
        return true;
      }
    }
    if (this.source.charAt(this.at) !== "/") return false;
    if (before !== undefined && before.kind !== "newline" && !BEFORE_PATTERN.test(before.text)) return false;
    if (this.match(/\/(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y) === undefined) return false;
    this.push("number", "0");
    return true;
  }
}

const NAMES: Readonly<Record<ScriptLanguage, RegExp>> = {
  python: /[A-Za-z_]\w*/y,
  javascript: /[A-Za-z_$][\w$]*/y,
  perl: /[$@%]?(?:::)?[A-Za-z_]\w*(?:::\w+)*|[$@]_/y,
  ruby: /[$@]{0,2}[A-Za-z_]\w*[?!]?(?!=)|[$@]{0,2}[A-Za-z_]\w*/y,
};

const FIELDS: Readonly<Record<ScriptLanguage, RegExp>> = {
  python: /\{([^{}]*)\}/g,
  javascript: /\$\{([^{}]*)\}/g,
  perl: /(?<!\\)(\$ENV\{\w+\}|\$\w+)|(?<!\\)\$\{(\w+)\}/g,
  ruby: /#\{([^{}]*)\}/g,
};

function unescaped(text: string): string {
  return text.replace(
    /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]+)\}|([0-7]{3})|([^]))/g,
    (_, ...found: (string | undefined)[]) => {
      const [hex, four, long, octal, plain] = found;
      const code = hex ?? four ?? long;
      if (code !== undefined) return Number.parseInt(code, 16) > 0x10_ffff ? "" : String.fromCodePoint(Number.parseInt(code, 16));
      if (octal !== undefined) return String.fromCodePoint(Number.parseInt(octal, 8));
      return plain === "\n" ? "" : (ESCAPES[plain ?? ""] ?? plain ?? "");
    },
  );
}
