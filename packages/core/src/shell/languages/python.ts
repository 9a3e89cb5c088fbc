import { distinct, MAX_DEPTH, type CodeFinding, type ProgramSurroundings } from "./finding.ts";
import { PythonExpressions } from "./python-expressions.ts";
import { BUILTINS, COMPILED_IN, DANGEROUS, LOADED, MODULES } from "./python-names.ts";
import { pythonTokens } from "./python-tokens.ts";

const AUGMENTED = new Set("+= -= *= /= //= %= &= |= ^= >>= <<= **=".split(" "));

/**
 * What Python code does besides computing and printing. A whitelist: names, attributes and statements that are not
 * listed make it code.
 *
 *     readPython("print(1+1)")                  // []
 *     readPython("import os; os.remove('x')")   // code: uses os.remove
 *     readPython("print(open('a').read())")     // file read a
 */
export function readPython(source: string, surroundings?: ProgramSurroundings): CodeFinding[] {
  const reader = new PythonReader(surroundings);
  reader.program(source);
  return distinct(reader.findings);
}

class PythonReader extends PythonExpressions {
  private readonly surroundings: ProgramSurroundings | undefined;

  constructor(surroundings: ProgramSurroundings | undefined) {
    super();
    this.surroundings = surroundings;
  }

  program(source: string): void {
    const tokens = pythonTokens(source);
    if (typeof tokens === "string") return this.fail(`has ${tokens}`);
    this.tokens = tokens;
    while (!this.failed && this.peek().kind !== "end") this.statement();
    this.library();
    for (const name of this.assigned) {
      if (DANGEROUS.has(name) || this.modules.has(name) || this.pristine.has(name) || name.startsWith("__"))
        this.fail(`gives \`${name}\` another meaning`);
    }
    for (const name of this.modules.keys()) if (DANGEROUS.has(name) || BUILTINS.has(name)) this.fail(`gives \`${name}\` another meaning`);
    for (const name of this.used) if (!BUILTINS.has(name) && !this.assigned.has(name)) this.fail(`uses \`${name}\``);
  }

  /** Importing, decoding text and reporting an error load modules by name, the working directory's first. */
  private library(): void {
    if (this.surroundings === undefined) return;
    const names = this.surroundings.names(".");
    if (names === undefined) return this.fail("may load modules of the working directory");
    for (const name of names) {
      const [stem = ""] = name.split(".", 1);
      if (!LOADED.has(stem)) continue;
      const inside = name === stem ? (this.surroundings.names(name) ?? ["__init__.py"]) : [];
      if (/\.(py[cow]?|so|pyd)$/.test(name) || inside.some((part) => part.startsWith("__init__.")))
        this.fail(`may load ${name} of the working directory`);
    }
  }

  private endOfStatement(): void {
    const more = this.take(";");
    if (this.peek().kind === "newline") this.at += 1;
    else if (!more) this.expect("a new line");
  }

  private block(): void {
    this.expect(":");
    if (this.peek().kind !== "newline") return this.line();
    this.at += 1;
    if (this.peek().kind !== "indent" || this.depth >= MAX_DEPTH) return this.fail("has blocks that are not read");
    this.at += 1;
    this.depth += 1;
    while (!this.failed && this.peek().kind !== "dedent" && this.peek().kind !== "end") this.statement();
    this.depth -= 1;
    this.at += 1;
  }

  /** Simple statements up to the end of the line. */
  private line(): void {
    do this.simple();
    while (!this.failed && this.sees(";", -1));
  }

  private statement(): void {
    const word = this.peek().kind === "keyword" ? this.peek().text : "";
    if (word === "if" || word === "while") {
      this.at += 1;
      this.expression();
      this.block();
      while (this.take("elif")) {
        this.expression();
        this.block();
      }
      if (this.take("else")) this.block();
    } else if (this.take("for")) {
      this.targets();
      this.expect("in");
      this.list();
      this.block();
      if (this.take("else")) this.block();
    } else if (this.take("def")) {
      this.assigned.add(this.word());
      this.expect("(");
      this.parameters(")");
      this.expect(")");
      this.block();
    } else if (this.take("with")) {
      do {
        this.expression();
        if (this.take("as")) this.targets();
      } while (this.take(","));
      this.block();
    } else if (this.take("try")) {
      this.block();
      while (this.take("except")) {
        if (this.peek().text !== ":") this.expression();
        if (this.take("as")) this.assigned.add(this.word());
        this.block();
      }
      if (this.take("else")) this.block();
      if (this.take("finally")) this.block();
    } else this.line();
  }

  private simple(): void {
    if (this.take("pass") || this.take("break") || this.take("continue")) return this.endOfStatement();
    if (this.take("import")) {
      do this.importModule();
      while (this.take(","));
    } else if (this.take("from")) this.importFrom();
    else if (this.take("return")) {
      if (!this.atEnd()) this.list();
    } else if (this.take("raise")) {
      if (!this.atEnd()) this.expression();
      if (this.take("from")) this.expression();
    } else if (this.take("assert")) this.list();
    else if (this.take("del")) this.assign(this.list());
    else if (this.take("global") || this.take("nonlocal")) {
      do this.assigned.add(this.word());
      while (this.take(","));
    } else {
      let left = this.list();
      if (this.peek().kind === "op" && AUGMENTED.has(this.peek().text)) {
        this.at += 1;
        this.assign(left);
        this.list();
      } else {
        while (this.take("=")) {
          this.assign(left);
          left = this.list();
        }
      }
    }
    this.endOfStatement();
  }

  private dotted(): string {
    let path = this.word();
    while (this.take(".")) path += `.${this.word()}`;
    return path;
  }

  private load(path: string): void {
    if (MODULES[path] === undefined) this.fail(`imports ${path}`);
    else if (!COMPILED_IN.has(path) && this.surroundings === undefined)
      this.fail(`imports ${path}, which the working directory may replace`);
  }

  private importModule(): void {
    const path = this.dotted();
    this.load(path);
    if (this.take("as")) this.modules.set(this.word(), path);
    else {
      const top = path.split(".", 1)[0] ?? path;
      this.modules.set(top, top);
    }
  }

  private importFrom(): void {
    const path = this.dotted();
    this.load(path);
    this.expect("import");
    const bracket = this.take("(");
    do {
      if (bracket && this.peek().text === ")") break;
      const name = this.word();
      const alias = this.take("as") ? this.word() : name;
      const allowed = MODULES[path]?.has(name) === true && name !== "environ" && name !== "getenv";
      if (!allowed) this.fail(`imports ${name} from ${path}`);
      else if (MODULES[`${path}.${name}`] !== undefined) this.modules.set(alias, `${path}.${name}`);
      else this.assigned.add(alias);
    } while (this.take(","));
    if (bracket) this.expect(")");
  }
}
