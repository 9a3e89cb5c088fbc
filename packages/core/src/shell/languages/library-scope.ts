import type { CodeFinding } from "./finding.ts";
import { FUNCTIONS } from "./library-names.ts";
import type { ScriptLanguage, ScriptToken } from "./library-tokens.ts";
import { alternatives, type CallArguments, type KnownValue, moduleName, MOST_VALUES, type ReadValue, UNKNOWN } from "./library-values.ts";

/** Code in strings of code in strings. */
export const DEEPEST = 3;
export const MOST_FINDINGS = 500;
/** Parts of one text. */
export const MOST_OPERANDS = 24;
/** Terms that are looked at in one program; what is beyond is said not to be. */
export const MOST_STEPS = 40_000;

export interface StepBudget {
  steps: number;
}

/** The names of a program and what they stand for: imports, assignments and loops. */
export abstract class LibraryScope {
  findings: CodeFinding[] = [];
  protected readonly language: ScriptLanguage;
  protected readonly tokens: readonly ScriptToken[];
  protected readonly nesting: number;
  protected readonly budget: StepBudget;
  protected readonly values = new Map<string, KnownValue[]>();
  protected read = new Map<number, ReadValue>();
  protected depth = 0;
  /** The parameters of the program's own functions: they stand for whatever a call gives. */
  protected readonly parameters = new Map<string, readonly string[]>();
  /** Where the program may have moved to. */
  protected readonly folders = new Set<string>();
  protected readonly matching: ReadonlyMap<number, number>;
  protected readonly mixesIn: boolean;

  constructor(language: ScriptLanguage, tokens: readonly ScriptToken[], nesting: number, budget: StepBudget) {
    this.budget = budget;
    this.language = language;
    this.tokens = tokens;
    this.nesting = nesting;
    this.matching = brackets(tokens);
    this.mixesIn = tokens.some((token, at) => /^(?:include|extend)$/.test(token.text) && tokens[at + 1]?.text === "FileUtils");
  }

  begin(): void {
    this.findings = [];
    this.read = new Map();
  }

  scan(): void {
    for (let at = 0; at < this.tokens.length && this.findings.length < MOST_FINDINGS; at += 1) this.statement(at);
  }

  protected peek(at: number): string {
    return this.tokens[at]?.text ?? "";
  }

  protected isString(at: number): boolean {
    return this.tokens[at]?.kind === "string";
  }

  protected bind(name: string, value: KnownValue): void {
    if (value.is === "unknown" || name === "") return;
    const known = this.values.get(name) ?? [];
    const key = JSON.stringify(value);
    if (known.length < MOST_VALUES && !known.some((one) => JSON.stringify(one) === key)) this.values.set(name, [...known, value]);
  }

  protected statement(at: number): void {
    const token = this.tokens[at];
    if (token === undefined || token.kind === "newline") return;
    const word = token.kind === "name" ? token.text : "";
    if (word === "import" || word === "from") this.imports(at);
    if (/^(?:const|let|var)$/.test(word) && this.peek(at + 1) === "{") this.destructure(at + 1);
    if (/^(?:for|foreach)$/.test(word)) this.loop(at);
    if (this.language === "perl" && /^(?:map|grep)$/.test(word) && this.peek(at + 1) === "{")
      this.bindEach("$_", this.expression((this.matching.get(at + 1) ?? at) + 1, true).value);
    if (/^(?:def|function|sub)$/.test(word)) this.define(this.peek(at + 1), at);
    else if (this.peek(at + 1) === "=" && this.language !== "perl" && this.define(word, at + 2)) return;
    if (word !== "" && /^(?::=|=|\|\|=)$/.test(this.peek(at + 1)) && !/^(?:\.|->|\?\.|::)$/.test(this.peek(at - 1)))
      this.bind(this.assigned(at), this.expression(at + 2, word.startsWith("@")).value);
    if (this.language === "perl" && /^(?:my|our|local)$/.test(word) && this.peek(at + 1) === "(") this.takeList(at + 1);
    if (word === "@ARGV" && this.peek(at + 1) === "=") this.file("read", this.expression(at + 2, true).value, false);
    if (!/^(?:\.|->|\?\.|::|&\.)$/.test(this.peek(at - 1))) this.expression(at);
  }

  private define(name: string, at: number): boolean {
    const names = this.parametersAt(at);
    const isFunction = /^\w+$/.test(name) && (names.length > 0 || (this.language === "perl" && this.peek(at) === "sub"));
    if (isFunction) this.parameters.set(name, names);
    return isFunction;
  }

  /** `my ($a, $b) = (…)` */
  private takeList(open: number): void {
    const close = this.matching.get(open) ?? open;
    if (this.peek(close + 1) !== "=") return;
    const value = this.expression(close + 2, true).value;
    const items = value.is === "list" ? value.items : [value];
    this.names(open + 1, ")").forEach((name, i) => this.bind(name, items[i] ?? UNKNOWN));
  }

  /** `def f(a, b=1)`, `function (a)`, `lambda a, b:`, `(a, b) =>`, `a =>`, `sub f { my ($a) = @_`. */
  protected parametersAt(from: number): readonly string[] {
    let at = this.peek(from) === "async" ? from + 1 : from;
    const word = this.peek(at);
    if (this.tokens[at]?.kind === "name" && this.peek(at + 1) === "=>") return [word];
    if (this.language === "ruby" && /^(?:lambda|proc|Proc)$/.test(word)) {
      while (at < from + 6 && this.peek(at) !== "|") at += 1;
      return this.peek(at) === "|" ? this.names(at + 1, "|") : [];
    }
    if (word === "->" && this.peek(at + 1) === "(") return this.names(at + 2, ")");
    if (word === "lambda") return this.names(at + 1, ":");
    if (word === "sub") {
      while (at < from + 6 && this.peek(at) !== "(") at += 1;
      return this.peek(at - 1) === "my" ? this.names(at + 1, ")") : [];
    }
    if (/^(?:def|function)$/.test(word)) {
      while (at < from + 4 && this.peek(at) !== "(") at += 1;
      return this.peek(at) === "(" ? this.names(at + 1, ")") : [];
    }
    return word === "(" && this.peek((this.matching.get(at) ?? at) + 1) === "=>" ? this.names(at + 1, ")") : [];
  }

  private names(from: number, close: string): readonly string[] {
    const found: string[] = [];
    for (let at = from; at < this.tokens.length && this.peek(at) !== close && found.length < 20;) {
      if (this.tokens[at]?.kind === "name") found.push(this.peek(at));
      while (at < this.tokens.length && this.peek(at) !== "," && this.peek(at) !== close) at = (this.matching.get(at) ?? at) + 1;
      if (this.peek(at) === ",") at += 1;
    }
    return found;
  }

  protected bindParameters(names: readonly string[], args: CallArguments): void {
    const given = names.filter((name) => name !== "self" && name !== "cls");
    given.forEach((name, at) => this.bind(name, args.named.get(name) ?? args.all[at] ?? UNKNOWN));
  }

  /** `name: type = value` gives the name a value, not its type. */
  private assigned(at: number): string {
    const isType =
      this.language === "python" &&
      this.peek(at - 1) === ":" &&
      this.tokens[at - 2]?.kind === "name" &&
      this.tokens[at - 3]?.text !== "lambda";
    return this.peek(isType ? at - 2 : at);
  }

  protected imports(at: number): void {
    if (this.language === "javascript") return this.importsOfModule(at);
    if (this.language !== "python") return;
    const dotted = (from: number): { readonly name: string; readonly end: number } => {
      let end = from + 1;
      let name = this.peek(from);
      while (this.peek(end) === ".") {
        name += `.${this.peek(end + 1)}`;
        end += 2;
      }
      return { name, end };
    };
    const first = dotted(at + 1);
    if (this.peek(at) === "import") {
      for (let part = first, more = true; more;) {
        const alias = this.peek(part.end) === "as" ? this.peek(part.end + 1) : undefined;
        const [top = ""] = part.name.split(".");
        this.bind(alias ?? top, { is: "name", name: alias === undefined ? top : part.name });
        const next = alias === undefined ? part.end : part.end + 2;
        more = this.peek(next) === ",";
        part = dotted(next + 1);
      }
      return;
    }
    if (this.peek(first.end) !== "import") return;
    let next = first.end + 1;
    if (this.peek(next) === "(") next += 1;
    if (this.peek(next) === "*") {
      for (const name of FUNCTIONS.python.keys())
        if (name.startsWith(`${first.name}.`)) this.bind(name.slice(first.name.length + 1), { is: "name", name });
      this.bind("Path", { is: "name", name: `${first.name}.Path` });
      return;
    }
    for (;;) {
      while (this.tokens[next]?.kind === "newline") next += 1;
      const name = this.peek(next);
      const alias = this.peek(next + 1) === "as" ? this.peek(next + 2) : name;
      this.bind(alias, { is: "name", name: `${first.name}.${name}` });
      next += alias === name ? 1 : 3;
      if (this.peek(next) !== ",") return;
      next += 1;
    }
  }

  /** `import a, { b as c } from "m"`, `import * as a from "m"`. */
  protected importsOfModule(at: number): void {
    let end = at + 1;
    while (end < this.tokens.length && end < at + 60 && !this.isString(end) && this.peek(end) !== "(" && this.peek(end) !== ";") end += 1;
    if (!this.isString(end) || this.peek(end - 1) !== "from") return;
    const module = moduleName(this.peek(end));
    for (let i = at + 1; i < end - 1; i += 1) {
      if (this.tokens[i]?.kind !== "name" || this.peek(i) === "as" || this.peek(i - 1) === "as") continue;
      const alias = this.peek(i + 1) === "as" ? this.peek(i + 2) : this.peek(i);
      const isMember = this.peek(i - 1) === "{" || (this.peek(i - 1) === "," && this.insideBraces(i, at));
      this.bind(
        alias,
        isMember && this.peek(i) !== "default" ? this.member({ is: "name", name: module }, this.peek(i)) : { is: "name", name: module },
      );
    }
    for (let i = at + 1; i < end - 1; i += 1)
      if (this.peek(i) === "*" && this.peek(i + 1) === "as") this.bind(this.peek(i + 2), { is: "name", name: module });
  }

  protected insideBraces(at: number, from: number): boolean {
    for (let i = at; i > from; i -= 1) if (this.peek(i) === "{") return true;
    return false;
  }

  /** `const { rmSync, execSync: run } = require("fs")` */
  protected destructure(open: number): void {
    const close = this.matching.get(open);
    if (close === undefined || this.peek(close + 1) !== "=") return;
    this.take(open, this.expression(close + 2).value);
  }

  protected take(open: number, value: KnownValue): void {
    const close = this.matching.get(open) ?? open;
    for (let i = open + 1; i < close; i += 1) {
      if (this.tokens[i]?.kind !== "name" || this.peek(i - 1) === ":") continue;
      const alias = this.peek(i + 1) === ":" && this.peek(i + 2) !== "{" ? this.peek(i + 2) : this.peek(i);
      const member = this.member(value, this.peek(i));
      if (this.peek(i + 1) === ":" && this.peek(i + 2) === "{") this.take(i + 2, member);
      else this.bind(alias, member);
    }
  }

  /** `for x in LIST`, `for (const x of LIST)`, `for my $x (LIST)`, `… for LIST`. */
  protected loop(at: number): void {
    let next = at + 1;
    while (/^(?:\(|my|our|const|let|var|await)$/.test(this.peek(next)) && next < at + 4) next += 1;
    const name = this.peek(next);
    if (this.language === "python" && this.peek(next + 1) === ",") return this.loopOverSeveral(next);
    if (/^(?:in|of)$/.test(this.peek(next + 1))) return this.bindEach(name, this.expression(next + 2, true).value);
    if (this.language !== "perl") return;
    if (/^\$\w+$/.test(name) && this.peek(next + 1) === "(") return this.bindEach(name, this.expression(next + 1, true).value);
    this.bindEach("$_", this.expression(at + 1, true).value);
  }

  /** `for root, _, files in os.walk(…)` */
  private loopOverSeveral(from: number): void {
    const names: string[] = [];
    let at = from;
    for (; at < from + 20 && this.peek(at) !== "in"; at += 1) if (this.tokens[at]?.kind === "name") names.push(this.peek(at));
    for (const item of alternatives(this.expression(at + 1).value).flatMap((one) => (one.is === "list" ? one.items : [])))
      if (item.is === "list") names.forEach((name, i) => this.bind(name, item.items[i] ?? UNKNOWN));
  }

  protected bindEach(name: string, value: KnownValue): void {
    for (const one of alternatives(value)) {
      if (one.is === "list") for (const item of one.items) this.bind(name, item);
      else if (one.is === "glob" || one.is === "text") this.bind(name, one);
    }
  }

  /** An expression from a place in the text; `many`: commas make a list. */
  protected abstract expression(at: number, many?: boolean): ReadValue;
  protected abstract member(value: KnownValue, name: string, scope?: boolean): KnownValue;
  protected abstract file(operation: Extract<CodeFinding, { does: "file" }>["operation"], value: KnownValue, tree: boolean): void;
}

function brackets(tokens: readonly ScriptToken[]): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  const open: number[] = [];
  for (const [at, token] of tokens.entries()) {
    if (token.kind !== "op") continue;
    if (/^[([{]$/.test(token.text)) open.push(at);
    else if (/^[)\]}]$/.test(token.text)) {
      const from = open.pop();
      if (from !== undefined) found.set(from, at);
    }
  }
  for (const from of open) found.set(from, tokens.length);
  return found;
}
