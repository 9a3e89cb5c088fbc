import { FUNCTIONS, isLibrary, PATH_METHODS } from "./library-names.ts";
import { LibraryScope, MOST_OPERANDS, MOST_STEPS } from "./library-scope.ts";
import type { ScriptToken } from "./library-tokens.ts";
import {
  alternatives,
  type CallArguments,
  asPath,
  fill,
  joined,
  type KnownValue,
  MOST_VALUES,
  NO_NAMES,
  type ReadValue,
  text,
  UNKNOWN,
} from "./library-values.ts";
import { MAX_DEPTH } from "./finding.ts";

/** Words in front of an expression that do not change what it is. */
const PREFIXES = new Set(
  "new await yield my our local const let var return not delete lambda void async print say puts raise throw else do then begin static".split(
    " ",
  ),
);
/** Words that end the arguments of a call without brackets. */
const ENDS = new Set("if unless and or for foreach while until do then else end rescue".split(" "));
const EACH = new Set("forEach map each flatMap each_with_index filter then".split(" "));

/** Reads expressions from any place in a program, whatever stands around them. */
export abstract class LibraryExpressions extends LibraryScope {
  /** An expression from a place in the text; `many`: commas make a list. */
  protected expression(at: number, many = false): ReadValue {
    const known = many ? undefined : this.read.get(at);
    if (known !== undefined) return known;
    if (this.depth >= MAX_DEPTH) return { value: UNKNOWN, end: at + 1 };
    this.depth += 1;
    let { value, end } = this.sum(at);
    if (many && this.peek(end) === ",") {
      const items = [value];
      while (this.peek(end) === "," && items.length < 1000) {
        const next = this.sum(end + 1);
        items.push(next.value);
        end = next.end;
      }
      value = { is: "list", items };
    }
    this.depth -= 1;
    const read = { value, end };
    if (!many && this.depth < MAX_DEPTH / 2) this.read.set(at, read);
    return read;
  }

  /** Texts put together by `+` and `.`, paths by `/`, templates by `%`. */
  protected sum(at: number): ReadValue {
    let { value, end } = this.postfix(at);
    for (let steps = 0; ; steps += 1) {
      if (steps >= MOST_OPERANDS) return { value: UNKNOWN, end };
      const operator = this.peek(end);
      const isString = this.tokens[end]?.kind === "string";
      if (isString) return { value, end };
      if (operator === "+" || (operator === "." && this.language === "perl")) {
        const next = this.postfix(end + 1);
        value = joined(value, next.value, value.is === "path" ? "/" : "");
        end = next.end;
      } else if (operator === "/" && (this.language === "python" || this.language === "ruby")) {
        const next = this.postfix(end + 1);
        value = value.is === "path" || next.value.is === "path" || value.is === "any" ? asPath(joined(value, next.value, "/")) : UNKNOWN;
        end = next.end;
      } else if (operator === "%" && value.is === "text") {
        const next = this.postfix(end + 1);
        const filled = next.value.is === "list" ? next.value.items : [next.value];
        value = fill(value.text, filled);
        end = next.end;
      } else if (/^(?:or|\|\||\?\?|and|&&|\/\/)$/.test(operator)) {
        const next = this.postfix(end + 1);
        value = { is: "any", of: [...alternatives(value), ...alternatives(next.value)].slice(0, MOST_VALUES) };
        end = next.end;
      } else return { value, end };
    }
  }

  protected postfix(at: number): ReadValue {
    let { value, end } = this.primary(at);
    for (let steps = 0; steps < 200; steps += 1) {
      const operator = this.peek(end);
      const token = this.tokens[end];
      if (
        token?.kind === "string" &&
        this.language === "javascript" &&
        value.is === "name" &&
        (token.parts !== undefined || value.name.endsWith("$"))
      ) {
        // zx and Bun: $`rm -rf x`
        if (/(?:^|\.)\$$/.test(value.name)) this.shell(token.text);
        end += 1;
        value = UNKNOWN;
      } else if (token?.kind === "op" && /^(?:\.|\?\.|->|::|&\.)$/.test(operator) && this.tokens[end + 1]?.kind === "name") {
        if (this.language === "perl" && operator === ".") break;
        value = this.member(value, this.peek(end + 1), operator === "::");
        end += 2;
        this.bindBlock(value, end);
        const bare = this.bareCall(value, end);
        if (bare !== undefined) return bare;
      } else if (operator === "(" && token?.kind === "op") {
        this.bindBlock(value, end);
        const args = this.arguments(end + 1, ")");
        // `(lambda p: os.remove(p))("x")`, `(p => f(p))("x")`
        if (this.peek(at) === "(" && end > at + 2) this.bindParameters(this.parametersAt(at + 1), args);
        value = this.call(value, args);
        end = (this.matching.get(end) ?? end) + 1;
        if (/^(?:\{|do)$/.test(this.peek(end)) && this.peek(end + 1) === "|") this.bindEach(this.peek(end + 2), value);
      } else if ((operator === "?." || (operator === "." && this.language === "ruby")) && this.peek(end + 1) === "(") end += 1;
      else if (
        operator === "[" &&
        value.is === "text" &&
        this.peek(end + 1).startsWith(":") &&
        this.peek((this.matching.get(end) ?? end) - 2) === "-"
      ) {
        // `"…"[::-1]`
        value = text([...value.text].toReversed().join(""));
        end = (this.matching.get(end) ?? end) + 1;
      } else if (operator === "[" && token?.kind === "op") {
        const index = this.expression(end + 1).value;
        value = this.element(value, index);
        end = (this.matching.get(end) ?? end) + 1;
      } else if (operator === "{" && this.language === "perl" && value.is === "name" && value.name === "$ENV") {
        value = this.environment(text(this.peek(end + 1)));
        end = (this.matching.get(end) ?? end) + 1;
      } else break;
    }
    return { value, end };
  }

  protected primary(at: number): ReadValue {
    const token = this.tokens[at];
    this.budget.steps += 1;
    if (token === undefined || this.budget.steps > MOST_STEPS) return { value: UNKNOWN, end: at + 1 };
    switch (token.kind) {
      case "string":
        return this.string(at);
      case "shell": {
        const value = this.textOf(token);
        if (value.is === "text") this.shell(value.text);
        else this.shell(token.text);
        return { value: UNKNOWN, end: at + 1 };
      }
      case "number":
        return { value: { is: "number", text: token.text }, end: at + 1 };
      case "newline":
        return { value: UNKNOWN, end: at + 1 };
      case "name":
        return this.named(at, token.text);
      case "op":
        return this.bracketed(at, token.text);
    }
  }

  /** `proc { |x| … }["a"]`, `->(x) { … }.("a")`, `lambda { |x| … }.call("a")`. */
  private callLiteral(at: number, from: number): void {
    let open = from;
    while (open < from + 12 && this.peek(open) !== "{") open = (this.matching.get(open) ?? open) + 1;
    const close = this.matching.get(open);
    if (close === undefined || this.peek(open) !== "{") return;
    let next = close + 1;
    if (this.peek(next) === "." && /^(?:call|yield)$/.test(this.peek(next + 1))) next += 2;
    else if (this.peek(next) === "." && this.peek(next + 1) === "(") next += 1;
    const end = this.peek(next) === "(" ? ")" : this.peek(next) === "[" ? "]" : undefined;
    if (end !== undefined) this.bindParameters(this.parametersAt(at), this.arguments(next + 1, end));
  }

  protected bracketed(at: number, operator: string): ReadValue {
    if (operator === "->" && this.language === "ruby") this.callLiteral(at, at + 1);
    const close = this.matching.get(at);
    const end = (close ?? at) + 1;
    switch (operator) {
      case "(": {
        const { all } = this.arguments(at + 1, ")");
        const [only] = all;
        const tuple = all.length !== 1 || (close !== undefined && this.peek(close - 1) === ",");
        return { value: tuple || only === undefined ? { is: "list", items: all } : only, end };
      }
      case "[":
        return { value: { is: "list", items: this.arguments(at + 1, "]").all }, end };
      case "{": {
        if (this.language === "javascript" || this.language === "python") return { value: this.object(at), end };
        const raw = this.tokens.slice(at, Math.min(end, at + 200)).map((one) => one.text);
        return { value: { is: "object", fields: NO_NAMES, raw: raw.join("") }, end };
      }
      case "-": {
        const next = this.primary(at + 1);
        return { value: next.value.is === "number" ? { is: "number", text: `-${next.value.text}` } : UNKNOWN, end: next.end };
      }
      case ":":
        // A symbol of Ruby.
        if (this.language === "ruby" && this.tokens[at + 1]?.kind === "name") return { value: text(this.peek(at + 1)), end: at + 2 };
        return { value: UNKNOWN, end: at + 1 };
      case "*":
      case "**":
      case "\\":
      case "&":
      case "!":
      case "...":
        return this.depth >= MAX_DEPTH ? { value: UNKNOWN, end: at + 1 } : this.expression(at + 1);
      default:
        return { value: UNKNOWN, end: at + 1 };
    }
  }

  protected object(at: number): KnownValue {
    const close = this.matching.get(at) ?? at;
    const fields = new Map<string, KnownValue>();
    for (let i = at + 1; i < close && fields.size < 50;) {
      if (this.peek(i + 1) === ":") {
        const { value, end } = this.expression(i + 2);
        fields.set(this.peek(i), value);
        i = end;
      } else i += 1;
    }
    return {
      is: "object",
      fields,
      raw: this.tokens
        .slice(at, Math.min(close + 1, at + 200))
        .map((one) => one.text)
        .join(""),
    };
  }

  /** Strings that follow each other are one in Python. */
  protected string(at: number): ReadValue {
    const first = this.tokens[at];
    if (first?.words !== undefined) return { value: { is: "list", items: first.words.map(text) }, end: at + 1 };
    let value = first === undefined ? UNKNOWN : this.textOf(first);
    let end = at + 1;
    if (this.language === "python" || this.language === "ruby")
      for (let next = this.tokens[end]; next?.kind === "string" && next.words === undefined; next = this.tokens[end]) {
        value = joined(value, this.textOf(next), "");
        end += 1;
      }
    return { value, end };
  }

  protected textOf(token: ScriptToken): KnownValue {
    if (token.parts === undefined) return text(token.text);
    let value: KnownValue = text("");
    for (const part of token.parts) {
      if (typeof part === "string") value = joined(value, text(part), "");
      else {
        const found = this.within(part.code);
        value = joined(value, found.is === "path" ? text(found.text) : found, "");
      }
    }
    return value;
  }

  protected named(at: number, word: string): ReadValue {
    if (this.language === "ruby" && /^(?:proc|lambda)$/.test(word)) this.callLiteral(at, at + 1);
    if (PREFIXES.has(word) && this.depth < MAX_DEPTH && !this.values.has(word)) return { ...this.expression(at + 1) };
    if (this.language === "perl" && (word === "shift" || (word === "$_" && this.peek(at + 1) === "["))) {
      const items = (this.values.get("@_") ?? []).flatMap((one) => (one.is === "list" ? one.items : []));
      if (items.length > 0 && word === "shift") return { value: { is: "any", of: items.slice(0, MOST_VALUES) }, end: at + 1 };
      if (items.length > 0) return { value: { is: "list", items }, end: at + 1 };
    }
    const known = this.values.get(word);
    if (known !== undefined && known.length > 0) return this.bound(at, word, known);
    if (word === "__dirname" || word === "__dir__") return { value: text("."), end: at + 1 };
    const own = this.mixesIn && FUNCTIONS.ruby.has(`FileUtils.${word}`) ? `FileUtils.${word}` : word;
    const value: KnownValue = { is: "name", name: own };
    return this.bareCall(value, at + 1) ?? { value, end: at + 1 };
  }

  /** A variable; it may be the library's own all the same, where the assignment is another scope's. */
  private bound(at: number, word: string, known: readonly KnownValue[]): ReadValue {
    const own: KnownValue = { is: "name", name: word };
    const bare = FUNCTIONS[this.language].has(word) ? this.bareCall(own, at + 1) : undefined;
    if (bare !== undefined) return bare;
    const other = isLibrary(this.language, word) && !known.some((one) => one.is === "name" && one.name === word);
    const of = other ? [...known, own] : known;
    const [only = UNKNOWN] = of;
    return { value: of.length === 1 ? only : { is: "any", of }, end: at + 1 };
  }

  /** `unlink "x", "y"` and `FileUtils.rm_rf "x"`: calls without brackets. */
  protected bareCall(value: KnownValue, at: number): ReadValue | undefined {
    if (this.language !== "perl" && this.language !== "ruby") return undefined;
    const callable =
      (value.is === "name" && (FUNCTIONS[this.language].has(value.name) || value.name === "glob" || this.parameters.has(value.name))) ||
      (value.is === "method" && PATH_METHODS[this.language].has(value.name));
    const next = this.tokens[at];
    if (!callable || this.peek(at) === "(") return undefined;
    const starts =
      next !== undefined &&
      !(next.kind === "name" && ENDS.has(next.text)) &&
      (/^(?:string|name|number|shell)$/.test(next.kind) || /^(?:\[|\\|:|<|\*|-)$/.test(next.text));
    if (!starts) {
      const topic =
        this.language === "perl" && (/^(?:;|\}|)$/.test(this.peek(at)) || ENDS.has(this.peek(at))) ? this.values.get("$_") : undefined;
      // `eval` alone runs what was read.
      if (this.language === "perl" && value.is === "name" && value.name === "eval" && this.peek(at) !== "{")
        this.findings.push({ does: "limit", why: "the code it runs is made of data" });
      this.call(value, { all: topic ?? [], named: NO_NAMES });
      return undefined;
    }
    const all: KnownValue[] = [];
    let end = at;
    do {
      const read = this.expression(all.length === 0 ? at : end + 1);
      all.push(read.value);
      end = read.end;
    } while (this.peek(end) === "," && all.length < 200);
    return { value: this.call(value, { all, named: NO_NAMES }), end };
  }

  protected arguments(from: number, close: string): CallArguments {
    const all: KnownValue[] = [];
    const named = new Map<string, KnownValue>();
    const last = this.matching.get(from - 1) ?? from;
    let at = from;
    while (at < last && this.peek(at) !== close && all.length < 1000) {
      if (this.tokens[at]?.kind === "newline" || this.peek(at) === ",") {
        at += 1;
        continue;
      }
      if (
        this.tokens[at]?.kind === "name" &&
        /^(?:=|:)$/.test(this.peek(at + 1)) &&
        this.language !== "javascript" &&
        this.language !== "perl"
      ) {
        const { value, end } = this.expression(at + 2);
        named.set(this.peek(at), value);
        at = Math.max(end, at + 3);
      } else {
        const { value, end } = this.expression(at);
        if (/^(?:\*|\.\.\.)$/.test(this.peek(at)) && value.is === "list") all.push(...value.items);
        else if (this.peek(at) === "**" && value.is === "object") for (const [name, field] of value.fields) named.set(name, field);
        else all.push(value);
        at = Math.max(end, at + 1);
      }
      // What follows in the same argument is not understood.
      while (at < last && this.peek(at) !== "," && this.peek(at) !== close) at = (this.matching.get(at) ?? at) + 1;
    }
    return { all, named };
  }

  /** `LIST.forEach(x => …)`, `import(NAME).then(fs => …)`, `LIST.each { |x| … }`: the name stands for each of them. */
  protected bindBlock(callee: KnownValue, at: number): void {
    const value: KnownValue =
      callee.is === "name" && callee.name.endsWith(".then")
        ? { is: "method", of: { is: "name", name: callee.name.slice(0, -5) }, name: "then" }
        : callee;
    if (value.is !== "method" || !EACH.has(value.name)) return;
    const bound: KnownValue = value.of.is === "name" ? { is: "list", items: [value.of] } : value.of;
    const next = this.peek(at);
    if ((next === "{" || next === "do") && this.peek(at + 1) === "|") return this.bindEach(this.peek(at + 2), bound);
    if (next === "{" || next === "do") for (const topic of ["it", "_1"]) this.bindEach(topic, bound);
    if (next !== "(") return;
    let name = at + 1;
    while (/^(?:\(|async|function)$/.test(this.peek(name))) name += 1;
    if (this.peek(name) === "{" && value.of.is === "name") return this.take(name, value.of);
    if (this.peek(name + 1) === "=>" || /^[),]$/.test(this.peek(name + 1))) this.bindEach(this.peek(name), bound);
  }

  protected abstract call(value: KnownValue, args: CallArguments): KnownValue;
  protected abstract element(value: KnownValue, index: KnownValue): KnownValue;
  protected abstract environment(name: KnownValue | undefined): KnownValue;
  protected abstract shell(command: string, folder?: string): void;
  /** The value of code inside a string. */
  protected abstract within(code: string): KnownValue;
}
