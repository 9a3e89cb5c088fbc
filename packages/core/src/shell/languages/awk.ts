import { unescaped } from "./token-cursor.ts";
import { plainVariable } from "./environment.ts";
import { distinct, refusedText, unknown, type CodeFinding } from "./finding.ts";

const STATEMENT_WORDS =
  "BEGIN END BEGINFILE ENDFILE function func if else while for do break continue next nextfile exit return delete in switch case default getline print printf";
/** Functions of POSIX, mawk and gawk that only compute; `close` and `fflush` touch what a redirection opened. */
const FUNCTIONS = new Set(
  `atan2 cos exp int log rand sin sqrt srand gsub index length match split sprintf sub substr tolower toupper close fflush
  asort asorti gensub patsplit strtonum mktime strftime systime and compl lshift or rshift xor isarray typeof mkbool ${STATEMENT_WORDS}`.split(
    /\s+/,
  ),
);
/** gawk's tables of all variables and functions: assigning through them reaches everything. */
const TABLES = new Set(["SYMTAB", "FUNCTAB"]);
const COMPARISONS = new Set(["==", "!=", "~", "!~"]);
const ASSIGNMENTS = new Set(["=", "+=", "-=", "*=", "/=", "%=", "^=", "**=", "++", "--"]);
const NONE: AwkToken = { kind: "end", text: "" };

/**
 * What an awk program does besides reading its input and printing.
 *
 *     readAwk("$3 > 100 {print $1}")       // []
 *     readAwk('{print > "out"}')           // file write out
 *     readAwk('BEGIN{system("id")}')       // shell: id
 */
export function readAwk(program: string): CodeFinding[] {
  const tokens = awkTokens(program);
  if (typeof tokens === "string") return [unknown(`an awk program with ${tokens}`)];
  return distinct(new AwkReader(tokens).read());
}

class AwkReader {
  private readonly findings: CodeFinding[] = [];
  private readonly tokens: readonly AwkToken[];
  private readonly own = new Set<string>();
  /** Open `(`, counted as awk's own scanners do. */
  private depth = 0;
  /** The depth at which the print statement being read stands; -1 outside one. */
  private print = -1;

  constructor(tokens: readonly AwkToken[]) {
    this.tokens = tokens;
    tokens.forEach((token, i) => {
      if (token.kind === "name" && (token.text === "function" || token.text === "func")) this.own.add(this.at(i + 1).text);
    });
  }

  read(): CodeFinding[] {
    let continues = false;
    this.tokens.forEach((token, i) => {
      if (token.kind === "name") this.name(token, i);
      else if (token.kind === "op") this.operator(token.text, i);
      else if (token.kind === "newline" && this.print === this.depth && !continues) this.print = -1;
      // The statement goes on in the next line; after `?` and `:` in gawk only.
      if (token.kind !== "newline") continues = token.kind === "op" && /^(,|&&|\|\||\?|:)$/.test(token.text);
    });
    return this.findings;
  }

  private at(i: number): AwkToken {
    return this.tokens[i] ?? NONE;
  }

  private doubt(why: string): void {
    this.findings.push(unknown(why));
  }

  private operator(text: string, i: number): void {
    switch (text) {
      case "(":
        this.depth += 1;
        return;
      case ")":
        this.depth -= 1;
        if (this.depth < this.print) this.print = -1;
        return;
      case ";":
      case "}":
        if (this.print === this.depth) this.print = -1;
        return;
      case ">":
        if (this.print === this.depth) this.output(i + 1);
        return;
      case ">>":
        this.output(i + 1);
        return;
      case ">=":
        if (this.print === this.depth) this.doubt("`>=` in a print statement may write a file");
        return;
      case "|":
      case "|&":
        this.pipe(i);
        return;
      case "@":
        this.directive(i);
        return;
      case ":":
        if (this.at(i + 1).text === ":") this.doubt("a name in a namespace");
        return;
    }
  }

  /** The value of a string that is a whole operand: nothing after it can belong to it. */
  private whole(i: number, ends: RegExp): string | undefined {
    const next = this.at(i + 1);
    const ended = next.kind === "newline" || next.kind === "end" || (next.kind === "op" && ends.test(next.text));
    return this.at(i).kind === "string" && ended ? this.at(i).value : undefined;
  }

  private output(i: number): void {
    const path = this.whole(i, /^[;}]$/);
    if (path === undefined) this.doubt("it writes a file named while it runs");
    else if (path.startsWith("/inet")) this.network(path);
    else if (path !== "/dev/stdout" && path !== "/dev/stderr") this.findings.push({ does: "file", operation: "write", path });
  }

  private network(path: string): void {
    const host = path.split("/")[4];
    this.findings.push({ does: "net", host: host === undefined || host === "" ? undefined : host });
  }

  private command(command: string | undefined): void {
    if (command === undefined) this.doubt("it runs a command made while it runs");
    else if (command.startsWith("/inet")) this.network(command);
    else if (command !== "") this.findings.push({ does: "shell", command });
  }

  private pipe(i: number): void {
    if (this.at(i + 1).text !== "getline" || this.at(i + 1).kind !== "name") return this.command(this.whole(i + 1, /^[;}]$/));
    // What stands before the string must not belong to it: awks differ about `"a" "b" | getline`.
    const before = this.at(i - 2);
    const starts =
      before.kind === "end" || before.kind === "newline" || (before.kind === "op" && /^(\(|\{|;|\}|=|&&|\|\|)$/.test(before.text));
    const literal = this.at(i - 1).kind === "string" && starts && this.print < 0;
    this.command(literal ? this.at(i - 1).value : undefined);
  }

  private directive(i: number): void {
    const word = this.at(i + 1);
    const what = this.at(i + 2);
    if (word.kind === "name" && (word.text === "include" || word.text === "load") && what.kind === "string") {
      this.findings.push({ does: "code", language: "awk", detail: `@${word.text} ${what.text}` });
    } else this.doubt("it calls a function by a name made while it runs (`@`)");
  }

  private name(token: AwkToken, i: number): void {
    const name = token.text;
    if (name === "print" || name === "printf") this.print = this.depth;
    else if (name === "getline") this.getline(i);
    else if (name === "system") this.system(i);
    else if (name === "ENVIRON") this.environment(i);
    else if (name === "ARGV") this.arguments(i);
    else if (TABLES.has(name)) this.doubt(`it reaches every variable through ${name}`);
    else if (token.call === true && !FUNCTIONS.has(name) && !this.own.has(name)) this.doubt(`it calls the unknown function ${name}`);
  }

  private system(i: number): void {
    const alone = this.at(i + 1).text === "(" && this.at(i + 3).text === ")" && this.at(i + 3).kind === "op";
    this.command(alone && this.at(i + 2).kind === "string" ? this.at(i + 2).value : undefined);
  }

  private environment(i: number): void {
    const key = this.at(i + 2);
    const plain =
      this.at(i + 1).text === "[" &&
      key.kind === "string" &&
      key.value !== undefined &&
      plainVariable(key.value) &&
      this.at(i + 3).text === "]";
    if (!plain) this.findings.push({ does: "environment" });
  }

  /** awk reads the files that ARGV names when it gets to them: only comparing with an element is certainly no change. */
  private arguments(i: number): void {
    const compared = this.at(i - 1).kind === "op" && COMPARISONS.has(this.at(i - 1).text);
    const element = this.at(i + 1).text === "[" && this.at(i + 2).kind === "number" && this.at(i + 3).text === "]";
    const assigned = ASSIGNMENTS.has(this.at(i + 4).text);
    if (!compared || !element || assigned) this.doubt("it may change which files awk reads (ARGV)");
  }

  /** `getline [variable] < file`: any `<` before the expression ends may be the redirection. */
  private getline(i: number): void {
    let depth = 0;
    for (let k = i + 1; k < this.tokens.length; k += 1) {
      const token = this.at(k);
      if (token.kind === "newline" || token.kind === "end") return;
      if (token.text === "getline") return this.doubt("it nests getline");
      if (token.kind !== "op") continue;
      if (/^[([]$/.test(token.text)) depth += 1;
      else if (/^[)\]]$/.test(token.text)) depth -= 1;
      if (depth < 0 || /^[;{}]$/.test(token.text) || (depth === 0 && /^(&&|\|\||\?|,)$/.test(token.text))) return;
      if (token.text === "<" && depth === 0) return this.input(k + 1);
    }
  }

  private input(i: number): void {
    const path = this.whole(i, /^(\)|;|\}|>|<|>=|<=|==|!=|&&|\|\|)$/);
    if (path === undefined) this.doubt("it reads a file named while it runs");
    else if (path.startsWith("/inet")) this.network(path);
    else if (path !== "-" && path !== "/dev/stdin") this.findings.push({ does: "file", operation: "read", path });
  }
}

interface AwkToken {
  readonly kind: "number" | "string" | "regex" | "name" | "op" | "newline" | "end";
  /** As written; for a string its value, undefined when implementations read its escapes differently. */
  readonly text: string;
  readonly value?: string | undefined;
  /** A name directly followed by `(`: a function call. */
  readonly call?: boolean;
  /** The `(` after `if`, `while`, `for` or `switch`, and its `)`. */
  readonly control?: boolean;
}

const END: AwkToken = { kind: "end", text: "" };
const OPERATOR = /\*\*=|\*\*|\|&|&&|\|\||\+\+|--|\+=|-=|\*=|\/=|%=|\^=|==|!=|<=|>=|>>|!~|[-+*/%^!<>|?:~$=,;(){}[\]@]/y;
/** Words after which `/` starts a regular expression although they look like names. */
const BEFORE_REGEX = new Set("print printf return in else do case exit delete BEGIN END".split(" "));
/** Words after which implementations disagree about `/`. */
const AMBIGUOUS = new Set("getline length if while for switch function func next nextfile break continue".split(" "));

/**
 * The tokens of an awk program, or why they are not certain. mawk, gawk, BWK awk and busybox cut the same text into
 * the same tokens wherever this returns tokens.
 */
function awkTokens(program: string): readonly AwkToken[] | string {
  const refused = refusedText(program);
  if (refused !== undefined) return refused;
  const tokens: AwkToken[] = [];
  const open: AwkToken[] = [];
  let at = 0;
  while (at < program.length) {
    const c = program.charAt(at);
    const previous = tokens.at(-1) ?? END;
    if (c === " " || c === "\t") at += 1;
    else if (c === "\n") {
      tokens.push({ kind: "newline", text: c });
      at += 1;
    } else if (c === "\\" && program.charAt(at + 1) === "\n") at += 2;
    else if (c === "#") {
      while (at < program.length && program.charAt(at) !== "\n") at += 1;
      if (program.charAt(at - 1) === "\\") return "a comment that ends in a backslash";
    } else if (c === '"') {
      const end = stringEnd(program, at);
      if (end === undefined) return "a string without its closing quote";
      tokens.push({ kind: "string", text: program.slice(at, end), value: unescaped(program.slice(at + 1, end - 1), ESCAPES) });
      at = end;
    } else if (c === "/") {
      const place = slash(previous);
      if (place === undefined) return "a `/` that is a division to some and a pattern to others";
      if (place === "regex") {
        const end = regexEnd(program, at);
        if (end === undefined) return "a pattern that implementations end at different places";
        tokens.push({ kind: "regex", text: program.slice(at, end) });
        at = end;
      } else {
        const text = program.startsWith("/=", at) ? "/=" : "/";
        tokens.push({ kind: "op", text });
        at += text.length;
      }
    } else if (/[0-9.]/.test(c)) {
      const number = match(/(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?/y, program, at);
      // Where a number ends in a letter, implementations differ about where it ends.
      if (number === undefined || /[A-Za-z_.0-9]/.test(program.charAt(at + number.length))) return "an unusual number";
      tokens.push({ kind: "number", text: number });
      at += number.length;
    } else if (/[A-Za-z_]/.test(c)) {
      const name = match(/[A-Za-z_][A-Za-z_0-9]*/y, program, at) ?? c;
      at += name.length;
      tokens.push({ kind: "name", text: name, call: program.charAt(at) === "(" });
    } else {
      const text = match(OPERATOR, program, at);
      if (text === undefined) return `the character \`${c}\``;
      at += text.length;
      const control = text === "(" && previous.kind === "name" && /^(if|while|for|switch)$/.test(previous.text);
      let token: AwkToken = control ? { kind: "op", text, control } : { kind: "op", text };
      if (/^[([{]$/.test(text)) open.push(token);
      else if (/^[)\]}]$/.test(text)) {
        const opened = open.pop();
        if (opened === undefined || opened.text + text !== { ")": "()", "]": "[]", "}": "{}" }[text]) return "brackets that do not match";
        if (opened.control === true) token = { ...token, control: true };
      }
      tokens.push(token);
    }
  }
  if (open.length > 0) return "brackets that do not match";
  return [...tokens, END];
}

function match(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

/** What `/` after this token starts. */
function slash(previous: AwkToken): "regex" | "division" | undefined {
  switch (previous.kind) {
    case "end":
    case "newline":
      return "regex";
    case "number":
      return "division";
    case "string":
    case "regex":
      return undefined;
    case "name":
      if (BEFORE_REGEX.has(previous.text)) return "regex";
      return AMBIGUOUS.has(previous.text) ? undefined : "division";
    default:
      if (previous.text === ")") return previous.control === true ? undefined : "division";
      if (previous.text === "]") return "division";
      return /^(\+\+|--|\$|@|\||\|&|>>?|<)$/.test(previous.text) ? undefined : "regex";
  }
}

function stringEnd(program: string, start: number): number | undefined {
  for (let at = start + 1; at < program.length; at += 1) {
    const c = program.charAt(at);
    if (c === '"') return at + 1;
    if (c === "\n") return undefined;
    if (c === "\\") at += 1;
  }
  return undefined;
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", '"': '"', "\\": "\\" };

/** The end of a pattern, if gawk (which lets `/` stand in brackets) and others (which do not) agree on it. */
function regexEnd(program: string, start: number): number | undefined {
  let bracket = -1;
  for (let at = start + 1; at < program.length; at += 1) {
    const c = program.charAt(at);
    if (c === "\n") return undefined;
    if (c === "/") return bracket < 0 ? at + 1 : undefined;
    if (c === "\\") {
      at += 1;
      if (program.charAt(at) === "\n") return undefined;
    } else if (bracket < 0) {
      if (c !== "[") continue;
      bracket = at + 1;
      if (program.charAt(bracket) === "^") bracket += 1;
      if (program.charAt(bracket) === "]") bracket += 1;
      at = bracket - 1;
    } else if (c === "]") bracket = -1;
    else if (c === "[" && /[:.=]/.test(program.charAt(at + 1))) {
      const name = match(/\[:[a-z]+:\]/y, program, at);
      if (name === undefined) return undefined;
      at += name.length - 1;
    }
  }
  return undefined;
}
