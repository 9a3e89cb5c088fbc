import { plainVariable } from "./environment.ts";
import { MAX_DEPTH, unknown, type ProgramSurroundings } from "./finding.ts";
import { CONSTRUCTORS, forbiddenProperty, HARMLESS_MODULES, MEMBERS, METHODS, MODULES, TAKEN, VALUES } from "./javascript-names.ts";
import type { JsToken } from "./javascript-tokens.ts";
import { TokenCursor } from "./token-cursor.ts";

const BINARY = new Set("+ - * / % ** & | ^ << >> >>> < > <= >= == != === !== && || ?? in instanceof".split(" "));
const ARITHMETIC = new Set("- * / % ** & | ^ << >> >>>".split(" "));
const ASSIGNMENT = new Set("= += -= *= /= %= **= &= |= ^= <<= >>= >>>= &&= ||= ??=".split(" "));
const UNARY = new Set("! - + ~ typeof void delete ++ --".split(" "));

/** What globals and modules lead to. Names are judged at the end, when every declaration is known. */
abstract class JavascriptHost extends TokenCursor<JsToken> {
  protected readonly assigned = new Set<string>();
  protected readonly used = new Set<string>();
  protected readonly modules = new Map<string, string>();
  /** Variables used as an index, and those that hold anything but numbers. */
  protected readonly indexes = new Set<string>();
  protected readonly mixed = new Set<string>();
  private readonly surroundings: ProgramSurroundings | undefined;

  constructor(surroundings: ProgramSurroundings | undefined) {
    super("javascript", END);
    this.surroundings = surroundings;
  }

  protected abstract expression(noIn?: boolean): JavascriptNode;

  /** A global that only leads on must not end up anywhere else. */
  protected settled(node: JavascriptNode): JavascriptNode {
    if (node.is === "path" && !VALUES.has(node.path)) this.fail(`uses ${node.path} as a value`);
    return node;
  }

  protected construct(): JavascriptNode {
    let path = this.word();
    while (this.take(".")) path += `.${this.word()}`;
    if (!CONSTRUCTORS.has(path)) this.fail(`constructs ${path}`);
    this.used.add(path.split(".", 1)[0] ?? path);
    if (this.sees("(")) this.arguments();
    return VALUE;
  }

  protected path(base: string, name: string): JavascriptNode {
    const path = `${base}.${name}`;
    if (MEMBERS[base]?.has(name) !== true) return (this.fail(`uses ${path}`), VALUE);
    if (path === "process.env") {
      const next = this.peek(1);
      const plain = this.sees(".") && next.kind === "name" && plainVariable(next.text);
      if (!plain) this.findings.push({ does: "environment" });
      return VALUE;
    }
    if (path === "process.exitCode" && this.sees("=")) return { is: "property" };
    if (base === "fs") return this.fileCall(name);
    if (MEMBERS[path] !== undefined || CONSTRUCTORS.has(path)) return { is: "path", path };
    if (path === "process.stdin.isTTY" || base !== "process.stdin") return VALUE;
    if (this.sees("(")) this.arguments();
    return { is: "path", path: base };
  }

  protected call(node: JavascriptNode): JavascriptNode {
    if (node.is === "path") {
      if (node.path === "require") return this.require();
      // The end of a chain on standard input: `process.stdin.on(…)` was read with its arguments.
      if (!CONSTRUCTORS.has(node.path) && !VALUES.has(node.path)) this.fail(`calls ${node.path}`);
    }
    this.arguments();
    return node.is === "path" && node.path === "Number" ? NUMERIC : VALUE;
  }

  protected arguments(): void {
    this.expect("(");
    while (!this.failed && !this.sees(")")) {
      this.take("...");
      this.expression();
      if (!this.take(",")) break;
    }
    this.expect(")");
  }

  protected require(): JavascriptNode {
    const token = this.peek(1);
    const name = token.value?.replace(/^node:/, "");
    if (token.kind !== "string" || name === undefined || !this.sees(")", 2))
      return (this.fail("requires a module named while it runs"), VALUE);
    this.at += 3;
    if (MODULES.has(name)) return { is: "path", path: name };
    if (!/^(\.{0,2}\/).*\.json$/.test(name)) return (this.fail(`requires ${name}`), VALUE);
    this.findings.push({ does: "file", operation: "read", path: name });
    // Node.js tries `x.json.js` and `x.json/index.js` when there is no such file.
    if (this.surroundings?.isFile(name) !== true) this.fail(`requires ${name}, which may be code`);
    return VALUE;
  }

  /** A function of `fs` whose first argument is a path; what follows may only be an encoding or the content. */
  protected fileCall(name: string): JavascriptNode {
    this.expect("(");
    const path = this.expression();
    const writes = name === "writeFileSync" || name === "appendFileSync";
    if (writes && this.take(",")) this.expression();
    if (this.take(",") && !this.sees(")") && this.expression().is !== "literal") this.fail(`gives options to ${name}`);
    this.expect(")");
    if (path.is === "number" && path.text === "0" && !writes) return VALUE;
    const operation = writes ? "write" : name === "readdirSync" ? "list" : "read";
    if (path.is !== "literal" || path.value === undefined)
      this.findings.push(unknown(`it ${writes ? "writes" : "reads"} a file named while it runs`));
    else if (path.value !== "/dev/stdin") this.findings.push({ does: "file", operation, path: path.value });
    return VALUE;
  }

  protected reference(name: string): JavascriptNode {
    const module = this.modules.get(name);
    if (module !== undefined) return { is: "path", path: module };
    if (name === "require") return { is: "path", path: "require" };
    this.used.add(name);
    if (this.assigned.has(name)) return { is: "name", name };
    return MEMBERS[name] !== undefined || VALUES.has(name) ? { is: "path", path: name } : { is: "name", name };
  }

  protected declare(name: string): void {
    if (TAKEN.has(name) || VALUES.has(name) || (MEMBERS[name] !== undefined && !HARMLESS_MODULES.has(name)))
      this.fail(`gives \`${name}\` another meaning`);
    this.assigned.add(name);
    this.mixed.add(name);
  }
}

const END: JsToken = { kind: "end", text: "", newline: true };

const VALUE: JavascriptNode = { is: "value" };
const NUMERIC: JavascriptNode = { is: "number", text: "", names: [] };

/** Reads expressions and binding patterns. */
export abstract class JavascriptExpressions extends JavascriptHost {
  protected abstract block(): void;

  /** `a, b, c` */
  protected list(): JavascriptNode {
    let node = this.expression();
    while (this.take(",")) node = this.expression();
    return node;
  }

  protected expression(noIn = false): JavascriptNode {
    if (this.depth >= MAX_DEPTH) this.fail("is nested too deeply");
    if (this.failed) return VALUE;
    this.depth += 1;
    const node = this.assignment(noIn);
    this.depth -= 1;
    return node;
  }

  private assignment(noIn: boolean): JavascriptNode {
    if (this.peek().kind === "name" && this.sees("=>", 1)) {
      this.declare(this.word());
      return this.arrow();
    }
    if (this.sees("(") && this.peek().arrow === true) {
      this.at += 1;
      this.parameters();
      return this.arrow();
    }
    const { node, bare } = this.binary(noIn);
    const operator = this.peek();
    if (operator.kind === "op" && ASSIGNMENT.has(operator.text)) {
      this.at += 1;
      if (!bare) return (this.unread(), VALUE);
      const value = this.expression(noIn);
      if (node.is === "name") {
        this.assigned.add(node.name);
        if (value.is !== "number" || value.names.length > 0) this.mixed.add(node.name);
      } else if (node.is !== "property") this.fail("assigns to something that is not a variable");
      return VALUE;
    }
    if (!this.take("?")) return this.settled(node);
    this.settled(node);
    this.expression();
    this.expect(":");
    this.expression(noIn);
    return VALUE;
  }

  private arrow(): JavascriptNode {
    this.expect("=>");
    if (this.sees("{")) this.block();
    else this.expression();
    return VALUE;
  }

  private binary(noIn: boolean): { readonly node: JavascriptNode; readonly bare: boolean } {
    const first = this.unary();
    const operands = [first.node];
    let arithmetic = true;
    let sums = true;
    for (let token = this.peek(); !this.failed && (token.kind === "op" || token.kind === "keyword"); token = this.peek()) {
      if (!BINARY.has(token.text) || (noIn && token.text === "in")) break;
      this.at += 1;
      arithmetic &&= ARITHMETIC.has(token.text);
      sums &&= token.text === "+" || ARITHMETIC.has(token.text);
      operands.push(this.unary().node);
    }
    if (operands.length === 1) return first;
    for (const node of operands) this.settled(node);
    if (arithmetic) return { node: NUMERIC, bare: false };
    const numbers = sums && operands.every((node) => node.is === "number" || node.is === "name");
    const names = operands.flatMap((node) => (node.is === "name" ? [node.name] : node.is === "number" ? node.names : []));
    return { node: numbers ? { is: "number", text: "", names } : VALUE, bare: false };
  }

  private unary(): { readonly node: JavascriptNode; readonly bare: boolean } {
    let bare = true;
    let numeric: boolean | undefined;
    let steps = false;
    for (let token = this.peek(); (token.kind === "op" || token.kind === "keyword") && UNARY.has(token.text); token = this.peek()) {
      this.at += 1;
      bare = false;
      steps ||= token.text === "++" || token.text === "--";
      numeric ??= /^[-+~]$/.test(token.text);
    }
    const node = this.postfix();
    if (bare && !this.peek().newline && (this.take("++") || this.take("--"))) {
      steps = true;
      bare = false;
    }
    if (steps) {
      if (node.is === "name") this.assigned.add(node.name);
      else if (node.is !== "property") this.fail("assigns to something that is not a variable");
    }
    if (bare) return { node, bare };
    this.settled(node);
    return { node: numeric === true || steps ? NUMERIC : VALUE, bare };
  }

  protected postfix(): JavascriptNode {
    let node = this.take("new") ? this.construct() : this.atom();
    while (!this.failed) {
      if (this.take("?.")) {
        if (this.sees("(") || this.sees("[")) continue;
        node = this.member(node);
      } else if (this.take(".")) node = this.member(node);
      else if (this.sees("(")) node = this.call(node);
      else if (this.take("[")) {
        this.settled(node);
        this.index();
        node = { is: "property" };
      } else if (this.peek().kind === "template" && node.is === "path" && node.path === "String.raw") node = this.atom();
      else break;
    }
    return node;
  }

  private index(): void {
    const node = this.expression();
    this.expect("]");
    if (node.is === "number") for (const name of node.names) this.indexes.add(name);
    else if (node.is === "literal" && node.value !== undefined && !forbiddenProperty(node.value)) return;
    else if (node.is === "name") this.indexes.add(node.name);
    else this.fail("reads a property whose name is made while it runs");
  }

  private member(node: JavascriptNode): JavascriptNode {
    const token = this.peek();
    if (token.kind !== "name") return (this.unread(), VALUE);
    this.at += 1;
    const name = token.text;
    if (node.is === "path" && MEMBERS[node.path] !== undefined) return this.path(node.path, name);
    this.settled(node);
    if (forbiddenProperty(name)) this.fail(`uses the property \`${name}\``);
    if (this.sees("(") && !METHODS.has(name)) this.fail(`calls the method \`${name}\``);
    return { is: "property" };
  }

  private atom(): JavascriptNode {
    const token = this.peek();
    this.at += 1;
    switch (token.kind) {
      case "number":
        return { is: "number", text: token.text, names: [] };
      case "string":
        return { is: "literal", value: token.value };
      case "regex":
        return VALUE;
      case "template":
        for (const field of token.fields ?? []) this.field(field);
        return VALUE;
      case "name":
        return this.reference(token.text);
      case "keyword":
        if (/^(true|false|null)$/.test(token.text)) return VALUE;
        if (token.text === "function") {
          if (this.peek().kind === "name") this.declare(this.word());
          this.expect("(");
          this.parameters();
          this.block();
          return VALUE;
        }
        break;
      case "op":
        if (token.text === "(") {
          const node = this.list();
          this.expect(")");
          return /^(name|path|number)$/.test(node.is) ? node : VALUE;
        }
        if (token.text === "[") return this.array();
        if (token.text === "{") return this.object();
        break;
      case "end":
        break;
    }
    this.at -= 1;
    this.unread();
    return VALUE;
  }

  private field(tokens: readonly JsToken[]): void {
    const outer = { tokens: this.tokens, at: this.at };
    this.tokens = tokens;
    this.at = 0;
    this.list();
    if (this.peek().kind !== "end") this.unread();
    this.tokens = outer.tokens;
    this.at = this.failed ? outer.tokens.length : outer.at;
  }

  private array(): JavascriptNode {
    while (!this.failed && !this.sees("]")) {
      this.take("...");
      if (!this.sees(",")) this.expression();
      if (!this.take(",")) break;
    }
    this.expect("]");
    return VALUE;
  }

  private object(): JavascriptNode {
    while (!this.failed && !this.sees("}")) {
      const key = this.peek();
      if (this.take("...")) this.expression();
      else {
        this.at += 1;
        if (!/^(name|keyword|number|string)$/.test(key.kind) || (key.value ?? key.text) === "__proto__") this.unread();
        else if (this.take(":")) this.expression();
        else if (this.take("(")) {
          this.parameters();
          this.block();
        } else if (key.kind === "name") this.settled(this.reference(key.text));
        else this.unread();
      }
      if (!this.take(",")) break;
    }
    this.expect("}");
    return VALUE;
  }

  /** Parameters and their closing bracket. */
  protected parameters(): void {
    while (!this.failed && !this.sees(")")) {
      this.take("...");
      this.pattern();
      if (this.take("=")) this.expression();
      if (!this.take(",")) break;
    }
    this.expect(")");
  }

  /** What a declaration binds: a name, or names inside brackets. */
  protected pattern(): void {
    if (this.take("[")) {
      while (!this.failed && !this.sees("]")) {
        this.take("...");
        if (!this.sees(",")) this.element();
        if (!this.take(",")) break;
      }
      this.expect("]");
    } else if (this.take("{")) {
      while (!this.failed && !this.sees("}")) {
        if (this.take("...")) this.declare(this.word());
        else {
          const key = this.peek();
          const name = key.kind === "string" ? key.value : key.text;
          if (!/^(name|keyword|number|string)$/.test(key.kind) || name === undefined || forbiddenProperty(name)) this.unread();
          if (this.sees(":", 1)) {
            this.at += 2;
            this.element();
          } else this.element();
        }
        if (!this.take(",")) break;
      }
      this.expect("}");
    } else this.declare(this.word());
  }

  private element(): void {
    if (this.depth >= MAX_DEPTH) return this.fail("is nested too deeply");
    this.depth += 1;
    this.pattern();
    if (this.take("=")) this.expression();
    this.depth -= 1;
  }
}

/** As much of an expression as later steps ask about. */
export type JavascriptNode =
  | { readonly is: "name"; readonly name: string }
  /** A global or module that only leads on to its listed members. */
  | { readonly is: "path"; readonly path: string }
  | { readonly is: "literal"; readonly value: string | undefined }
  /** A number, if these variables hold numbers only. */
  | { readonly is: "number"; readonly text: string; readonly names: readonly string[] }
  | { readonly is: "property" }
  | { readonly is: "value" };
