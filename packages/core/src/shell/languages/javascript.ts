import { distinct, MAX_DEPTH, type CodeFinding, type ProgramSurroundings } from "./finding.ts";
import { JavascriptExpressions } from "./javascript-expressions.ts";
import { HARMLESS_MODULES, MEMBERS, MODULES, TAKEN, VALUES } from "./javascript-names.ts";
import { javascriptTokens } from "./javascript-tokens.ts";

/**
 * What JavaScript given to `node -e` or `node -p` does besides computing and printing. A whitelist: what is not listed
 * makes it code.
 *
 *     readJavascript("console.log(1+1)")                        // []
 *     readJavascript("require('./package.json').version", here) // file read ./package.json
 *     readJavascript("require('child_process')")                // code: requires child_process
 */
export function readJavascript(source: string, surroundings?: ProgramSurroundings): CodeFinding[] {
  const reader = new JavascriptReader(surroundings);
  reader.program(source);
  return distinct(reader.findings);
}

class JavascriptReader extends JavascriptExpressions {
  program(source: string): void {
    const tokens = javascriptTokens(source);
    if (typeof tokens === "string") return this.fail(`has ${tokens}`);
    this.tokens = tokens;
    while (!this.failed && this.peek().kind !== "end") this.statement();
    for (const name of this.assigned) {
      if (TAKEN.has(name) || this.modules.has(name) || VALUES.has(name)) this.fail(`gives \`${name}\` another meaning`);
      if (MEMBERS[name] !== undefined && !HARMLESS_MODULES.has(name)) this.fail(`gives \`${name}\` another meaning`);
    }
    for (const name of this.modules.keys()) {
      if (VALUES.has(name) || (MEMBERS[name] !== undefined && !MODULES.has(name))) this.fail(`gives \`${name}\` another meaning`);
    }
    for (const name of this.used)
      if (!this.assigned.has(name) && !VALUES.has(name) && MEMBERS[name] === undefined) this.fail(`uses \`${name}\``);
    for (const name of this.indexes)
      if (this.mixed.has(name) || !this.assigned.has(name)) this.fail("reads a property whose name is made while it runs");
  }

  protected block(): void {
    if (this.depth >= MAX_DEPTH) return this.fail("is nested too deeply");
    this.depth += 1;
    this.expect("{");
    while (!this.failed && !this.sees("}")) this.statement();
    this.expect("}");
    this.depth -= 1;
  }

  private endOfStatement(): void {
    if (this.take(";") || this.sees("}")) return;
    // A template on the next line would be an argument.
    if (!this.peek().newline || this.peek().kind === "template") this.unread();
  }

  private nested(): void {
    if (this.depth >= MAX_DEPTH) return this.fail("is nested too deeply");
    this.depth += 1;
    this.statement();
    this.depth -= 1;
  }

  private condition(): void {
    this.expect("(");
    this.list();
    this.expect(")");
  }

  private statement(): void {
    const token = this.peek();
    if (this.sees("{")) return this.block();
    if (this.take(";")) return;
    if (token.kind !== "keyword") return this.simple();
    switch (token.text) {
      case "var":
      case "let":
      case "const":
        this.at += 1;
        this.declarations(false);
        return this.endOfStatement();
      case "if":
        this.at += 1;
        this.condition();
        this.nested();
        if (this.take("else")) this.nested();
        return;
      case "while":
        this.at += 1;
        this.condition();
        return this.nested();
      case "do":
        this.at += 1;
        this.nested();
        this.expect("while");
        this.condition();
        this.take(";");
        return;
      case "for":
        this.at += 1;
        return this.loop();
      case "return":
      case "throw":
        this.at += 1;
        if (!this.sees(";") && !this.sees("}") && this.peek().kind !== "end" && !this.peek().newline) this.list();
        return this.endOfStatement();
      case "break":
      case "continue":
        this.at += 1;
        return this.endOfStatement();
      case "try":
        this.at += 1;
        this.block();
        if (this.take("catch")) {
          if (this.take("(")) {
            this.pattern();
            this.expect(")");
          }
          this.block();
        }
        if (this.take("finally")) this.block();
        return;
      case "switch":
        this.at += 1;
        return this.cases();
      default:
        return this.simple();
    }
  }

  private simple(): void {
    // Standard input may be listened to, but not become a value.
    if (this.peek().text === "process" && this.peek(2).text === "stdin") this.postfix();
    else this.list();
    // A declared function needs no end.
    if (!this.sees("}", -1)) this.endOfStatement();
  }

  private cases(): void {
    this.condition();
    this.expect("{");
    while (!this.failed && !this.sees("}")) {
      if (this.take("case")) this.list();
      else this.expect("default");
      this.expect(":");
      while (!this.failed && !this.sees("case") && !this.sees("default") && !this.sees("}")) this.nested();
    }
    this.expect("}");
  }

  private declarations(loop: boolean): void {
    do {
      const name = this.peek();
      // `const fs = require("fs")` names a module, which is no value.
      if (
        name.kind === "name" &&
        this.sees("=", 1) &&
        this.peek(2).text === "require" &&
        this.peek(4).kind === "string" &&
        this.sees(")", 5)
      ) {
        const module = this.peek(4).value?.replace(/^node:/, "") ?? "";
        if (MODULES.has(module) && !this.assigned.has(name.text) && !TAKEN.has(name.text) && !/^[.[(?]/.test(this.peek(6).text)) {
          this.at += 6;
          this.modules.set(name.text, module);
          continue;
        }
      }
      const number = name.kind === "name" && this.sees("=", 1) && this.peek(2).kind === "number" && /^[,;)]?$/.test(this.peek(3).text);
      const mixed = this.mixed.has(name.text);
      this.pattern();
      if (number && !mixed) this.mixed.delete(name.text);
      if (this.take("=")) this.expression(loop);
    } while (this.take(","));
  }

  private loop(): void {
    this.expect("(");
    if (this.take("var") || this.take("let") || this.take("const")) this.declarations(true);
    else if (!this.sees(";")) {
      const node = this.expression(true);
      if (node.is === "name") this.mixed.add(node.name);
      else if (this.sees("of") || this.sees("in")) this.unread();
    }
    if (this.take("of") || this.take("in")) this.list();
    else {
      this.expect(";");
      if (!this.sees(";")) this.list();
      this.expect(";");
      if (!this.sees(")")) this.list();
    }
    this.expect(")");
    this.nested();
  }
}
