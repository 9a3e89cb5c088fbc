import { type AwkToken, awkTokens } from "./awk-tokens.ts";
import { plainVariable } from "./environment.ts";
import type { Finding } from "./finding.ts";
import { distinct, unknown } from "./limits.ts";

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
export function readAwk(program: string): Finding[] {
  const tokens = awkTokens(program);
  if (typeof tokens === "string") return [unknown(`an awk program with ${tokens}`)];
  return distinct(new AwkReader(tokens).read());
}

class AwkReader {
  private readonly findings: Finding[] = [];
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

  read(): Finding[] {
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
