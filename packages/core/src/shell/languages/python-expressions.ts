import { plainVariable } from "./environment.ts";
import { MAX_DEPTH, unknown } from "./finding.ts";
import { ATTRIBUTES, DANGEROUS, MODULES } from "./python-names.ts";
import { pythonTokens, type PythonToken } from "./python-tokens.ts";
import { TokenCursor } from "./token-cursor.ts";

const END: PythonToken = { kind: "end", text: "" };
const BINARY = new Set("+ - * / // % @ & | ^ << >> ** < > <= >= == !=".split(" "));

/** Reads expressions; what they use is collected and judged at the end, when every assignment is known. */
export class PythonExpressions extends TokenCursor<PythonToken> {
  protected readonly assigned = new Set<string>();
  protected readonly used = new Set<string>();
  /** Builtins that must mean what they usually do. */
  protected readonly pristine = new Set<string>();
  protected readonly modules = new Map<string, string>();

  constructor() {
    super("python", END);
  }

  protected atEnd(): boolean {
    return this.peek().kind === "newline" || this.peek().kind === "end" || this.peek().text === ";";
  }

  protected assign(node: PythonNode): void {
    if (node.is === "name") this.assigned.add(node.name);
    else if (node.is === "tuple") for (const item of node.items) this.assign(item);
    else if (node.is !== "subscript") this.fail("assigns to something that is not a variable");
  }

  /** The targets of `for` and `as`: names, tuples of names, elements. */
  protected targets(): void {
    const items: PythonNode[] = [];
    do {
      if (this.peek().text === "in") break;
      this.take("*");
      items.push(this.primary());
    } while (this.take(","));
    for (const item of items) this.assign(item);
  }

  protected parameters(end: string): void {
    while (!this.failed && this.peek().text !== end) {
      if (!this.take("*") && !this.take("**")) this.take("/");
      if (this.peek().kind === "name") this.assigned.add(this.word());
      if (end === ")" && this.take(":")) this.expression();
      if (this.take("=")) this.expression();
      if (!this.take(",")) break;
    }
  }

  /** Expressions separated by commas, stars allowed. */
  protected list(): PythonNode {
    const items: PythonNode[] = [];
    let tuple = false;
    while (!this.failed) {
      this.take("*");
      items.push(this.expression());
      if (!this.take(",")) break;
      tuple = true;
      if (this.atEnd() || /^([\])}:=]|[-+*/%&|^@]=|\/\/=|>>=|<<=|\*\*=)$/.test(this.peek().text)) break;
    }
    const [only] = items;
    return tuple || only === undefined ? { is: "tuple", items } : only;
  }

  protected expression(): PythonNode {
    if (this.depth >= MAX_DEPTH) {
      this.fail("is nested too deeply");
      return VALUE;
    }
    this.depth += 1;
    const node = this.conditional();
    this.depth -= 1;
    return node;
  }

  private conditional(): PythonNode {
    if (this.take("lambda")) {
      this.parameters(":");
      this.expect(":");
      this.expression();
      return VALUE;
    }
    let node = this.operand();
    while (!this.failed && this.binary()) {
      this.operand();
      node = VALUE;
    }
    if (this.take(":=")) {
      this.assign(node);
      this.expression();
      return VALUE;
    }
    if (!this.take("if")) return node;
    this.expression();
    // A comprehension's `if` has no else.
    if (this.take("else")) this.expression();
    return VALUE;
  }

  private binary(): boolean {
    const token = this.peek();
    if (token.kind === "op" && BINARY.has(token.text)) this.at += 1;
    else if (token.kind === "keyword" && token.text === "not") {
      this.at += 1;
      this.expect("in");
    } else if (token.kind === "keyword" && /^(and|or|in|is)$/.test(token.text)) {
      this.at += 1;
    } else return false;
    return true;
  }

  private operand(): PythonNode {
    let unary = false;
    while (this.take("not") || this.take("-") || this.take("+") || this.take("~")) unary = true;
    const node = this.primary();
    return unary ? VALUE : node;
  }

  private primary(): PythonNode {
    let node = this.atom();
    while (!this.failed) {
      if (this.take(".")) node = this.attribute(node);
      else if (node.is === "module") this.fail(`uses the module ${node.path} as a value`);
      else if (this.take("(")) {
        this.arguments();
        node = VALUE;
      } else if (this.take("[")) {
        this.subscripts();
        node = { is: "subscript" };
      } else break;
    }
    return node;
  }

  private atom(): PythonNode {
    const token = this.peek();
    this.at += 1;
    switch (token.kind) {
      case "number":
        return { is: "number", text: token.text };
      case "string":
        return this.string(token);
      case "name": {
        const path = this.modules.get(token.text);
        if (path !== undefined) return { is: "module", path };
        if (token.text === "open" && this.take("(")) return this.open();
        if (DANGEROUS.has(token.text)) this.fail(`uses \`${token.text}\``);
        this.used.add(token.text);
        return { is: "name", name: token.text };
      }
      case "keyword":
        if (/^(True|False|None)$/.test(token.text)) return VALUE;
        break;
      case "op":
        if (token.text === "...") return VALUE;
        if (token.text === "(" || token.text === "[" || token.text === "{")
          return this.display({ "(": ")", "[": "]", "{": "}" }[token.text]);
        break;
      default:
        break;
    }
    this.at -= 1;
    this.unread();
    return VALUE;
  }

  /** A string and the ones that follow it directly. */
  private string(first: PythonToken): PythonNode {
    let value: string | undefined = "";
    for (let token = first; ; token = this.peek(-1)) {
      for (const field of token.fields ?? []) this.field(field);
      value = value === undefined || token.value === undefined ? undefined : value + token.value;
      if (this.peek().kind !== "string") return { is: "string", value };
      this.at += 1;
    }
  }

  private field(source: string): void {
    const tokens = pythonTokens(source, true);
    if (typeof tokens === "string") return this.fail(`has an f-string with ${tokens}`);
    const outer = { tokens: this.tokens, at: this.at };
    this.tokens = tokens;
    this.at = 0;
    this.list();
    const whole = this.peek().kind === "end";
    this.tokens = outer.tokens;
    this.at = this.failed ? outer.tokens.length : outer.at;
    if (!whole) this.fail("has an f-string that is not understood");
  }

  /** A tuple, list, set, dictionary or comprehension. */
  private display(close: string): PythonNode {
    const items: PythonNode[] = [];
    let plain = true;
    while (!this.failed && this.peek().text !== close) {
      if (this.take("**") || this.take("*")) plain = false;
      items.push(this.expression());
      if (close === "}" && this.take(":")) this.expression();
      this.comprehension();
      if (!this.take(",")) {
        plain &&= items.length > 1;
        break;
      }
    }
    this.expect(close);
    const [only] = items;
    return close === ")" && !plain && items.length === 1 && only !== undefined ? only : { is: "tuple", items };
  }

  private comprehension(): void {
    while (this.take("for")) {
      this.targets();
      this.expect("in");
      this.expression();
      while (this.take("if")) this.expression();
    }
  }

  private arguments(): void {
    while (!this.failed && this.peek().text !== ")") {
      if (!this.take("**")) this.take("*");
      if (this.peek().kind === "name" && this.peek(1).text === "=" && this.peek(1).kind === "op") this.at += 2;
      this.expression();
      this.comprehension();
      if (!this.take(",")) break;
    }
    this.expect(")");
  }

  private subscripts(): void {
    do {
      if (this.peek().text === "]") break;
      this.take("*");
      if (this.peek().text !== ":") this.expression();
      while (this.take(":")) if (!/^[:,\]]$/.test(this.peek().text)) this.expression();
    } while (!this.failed && this.take(","));
    this.expect("]");
  }

  private attribute(node: PythonNode): PythonNode {
    const name = this.word();
    if (node.is === "module") return this.member(node.path, name);
    if (name === "format" && node.is === "string" && this.peek().text === "(") {
      // A replacement field may read attributes of its argument: only plain fields are harmless.
      const plain = /^(?:[^{}]|\{\{|\}\}|\{\w*(?:![rsa])?(?::[^{}]*(?:\{\w*\}[^{}]*)*)?\})*$/;
      if (node.value === undefined || !plain.test(node.value)) this.fail("formats with fields that read attributes");
    } else if (!ATTRIBUTES.has(name)) this.fail(`uses the attribute \`${name}\``);
    return VALUE;
  }

  private member(module: string, name: string): PythonNode {
    const path = `${module}.${name}`;
    if (MODULES[path] !== undefined) return { is: "module", path };
    if (path === "sys.path" && this.onlyShown()) return VALUE;
    if (MODULES[module]?.has(name) !== true) this.fail(`uses ${path}`);
    else if (path === "os.environ" || path === "os.getenv") this.environment();
    return VALUE;
  }

  /** True inside `print(sys.path)` and the like, where the list cannot be changed. */
  private onlyShown(): boolean {
    const callee = this.peek(-5).text;
    const shown = /^(print|len|repr|str|join)$/.test(callee) && this.peek(-4).text === "(" && this.peek().text === ")";
    return (
      shown && (callee === "join" ? this.peek(-6).text === "." : !this.assigned.has(callee) && this.pristine.add(callee) !== undefined)
    );
  }

  private environment(): void {
    const from = this.peek().text === "." && this.peek(1).text === "get" ? 2 : 0;
    const name = this.peek(from + 1);
    const direct = /^[[(]$/.test(this.peek(from).text) && name.kind === "string" && /^[\]),]$/.test(this.peek(from + 2).text);
    if (!direct || name.value === undefined || !plainVariable(name.value)) this.findings.push({ does: "environment" });
  }

  /** After `open(`: a literal path read or written, or the number of standard input. */
  private open(): PythonNode {
    const path = this.expression();
    let mode: string | undefined = "r";
    while (!this.failed && this.take(",") && this.peek().text !== ")") {
      const keyword = this.peek().kind === "name" && this.peek(1).text === "=" ? this.word() : "";
      if (keyword !== "") this.at += 1;
      const value = this.expression();
      if (keyword === "" || keyword === "mode") mode = value.is === "string" ? value.value : undefined;
      else if (!/^(encoding|errors|newline)$/.test(keyword)) this.fail("opens a file in an unusual way");
    }
    this.expect(")");
    if (mode === undefined || !/^[rwaxbt+]{1,4}$/.test(mode)) this.fail("opens a file in an unusual way");
    else if (path.is === "number" && path.text === "0") return VALUE;
    else if (path.is !== "string" || path.value === undefined) this.findings.push(unknown("it opens a file named while it runs"));
    else if (path.value !== "/dev/stdin") {
      this.findings.push({ does: "file", operation: /^[rbt]+$/.test(mode) ? "read" : "write", path: path.value });
    }
    return VALUE;
  }
}

/** As much of an expression as later steps ask about. */
export type PythonNode =
  | { readonly is: "name"; readonly name: string }
  /** A module, which may only be followed by `.` and a listed name. */
  | { readonly is: "module"; readonly path: string }
  | { readonly is: "string"; readonly value: string | undefined }
  | { readonly is: "number"; readonly text: string }
  | { readonly is: "subscript" }
  | { readonly is: "tuple"; readonly items: readonly PythonNode[] }
  | { readonly is: "value" };

const VALUE: PythonNode = { is: "value" };
