import { plainVariable } from "./environment.ts";
import { CONSTRUCTORS, HARMLESS_MODULES, MEMBERS, MODULES, TAKEN, VALUES } from "./javascript-names.ts";
import type { JsToken } from "./javascript-tokens.ts";
import { unknown } from "./limits.ts";
import type { Surroundings } from "./surroundings.ts";
import { TokenCursor } from "./token-cursor.ts";

/** As much of an expression as later steps ask about. */
export type Node =
  | { readonly is: "name"; readonly name: string }
  /** A global or module that only leads on to its listed members. */
  | { readonly is: "path"; readonly path: string }
  | { readonly is: "literal"; readonly value: string | undefined }
  /** A number, if these variables hold numbers only. */
  | { readonly is: "number"; readonly text: string; readonly names: readonly string[] }
  | { readonly is: "property" }
  | { readonly is: "value" };

export const VALUE: Node = { is: "value" };
export const NUMERIC: Node = { is: "number", text: "", names: [] };
const END: JsToken = { kind: "end", text: "", newline: true };
/** What globals and modules lead to. Names are judged at the end, when every declaration is known. */
export abstract class JavascriptHost extends TokenCursor<JsToken> {
  protected readonly assigned = new Set<string>();
  protected readonly used = new Set<string>();
  protected readonly modules = new Map<string, string>();
  /** Variables used as an index, and those that hold anything but numbers. */
  protected readonly indexes = new Set<string>();
  protected readonly mixed = new Set<string>();
  private readonly surroundings: Surroundings | undefined;

  constructor(surroundings: Surroundings | undefined) {
    super("javascript", END);
    this.surroundings = surroundings;
  }

  protected abstract expression(noIn?: boolean): Node;

  /** A global that only leads on must not end up anywhere else. */
  protected settled(node: Node): Node {
    if (node.is === "path" && !VALUES.has(node.path)) this.fail(`uses ${node.path} as a value`);
    return node;
  }

  protected construct(): Node {
    let path = this.word();
    while (this.take(".")) path += `.${this.word()}`;
    if (!CONSTRUCTORS.has(path)) this.fail(`constructs ${path}`);
    this.used.add(path.split(".", 1)[0] ?? path);
    if (this.sees("(")) this.arguments();
    return VALUE;
  }

  protected path(base: string, name: string): Node {
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

  protected call(node: Node): Node {
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

  protected require(): Node {
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
  protected fileCall(name: string): Node {
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

  protected reference(name: string): Node {
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
