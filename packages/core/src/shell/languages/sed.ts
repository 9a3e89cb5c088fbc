import { distinct, MAX_SOURCE, unknown, type CodeFinding } from "./finding.ts";

export interface SedOptions {
  /** `--sandbox`: sed refuses a script with e, r, R, w or W before anything runs. */
  readonly sandbox?: boolean;
  /** `--posix`: /dev/stdout and /dev/stderr are opened like any file. */
  readonly posix?: boolean;
  /** `-E`: changes what a regular expression means, not where it ends. */
  readonly extended?: boolean;
}

/**
 * What a sed script does when it runs on any input. A list stands for several `-e`, in order.
 *
 *     readSed("s/a/b/;1,3p")      // []
 *     readSed("s|x|id|e")         // unknown: runs the result of a substitution
 *     readSed("1e id")            // shell: id
 */
export function readSed(script: string | readonly string[], options: SedOptions = {}): CodeFinding[] {
  const chunks = typeof script === "string" ? [script] : script;
  if (chunks.reduce((sum, chunk) => sum + chunk.length, 0) > MAX_SOURCE)
    return [unknown(`the sed script is longer than ${MAX_SOURCE} characters`)];
  if (chunks.some((chunk) => chunk.includes("\0"))) return [unknown("the sed script contains a NUL character")];
  const usual = new SedReader(chunks, options, new Set());
  usual.read();
  if (usual.failure !== undefined) return distinct([...usual.findings, unknown(usual.failure)]);
  const findings = [...usual.findings];
  for (const others of combinations([...usual.met])) {
    const other = new SedReader(chunks, options, others);
    other.read();
    // A reading that fails is a sed that refuses the script before it runs.
    if (other.failure === undefined) findings.push(...other.findings);
    else if (other.met.has("text")) findings.push(unknown("implementations of sed disagree about this script"));
  }
  return distinct(findings);
}

/** Every non-empty choice among the differences met, themselves included when reading one way reveals another. */
function combinations(met: readonly Difference[]): Set<Difference>[] {
  const all: Difference[] = met.length === 0 ? [] : ["bracket", "control", "label", "text"];
  const sets: Set<Difference>[] = [];
  for (let bits = 1; bits < 1 << all.length; bits += 1) sets.push(new Set(all.filter((_, i) => (bits >> i) & 1)));
  return sets;
}

/** The parts of a sed script that commands share: addresses, delimited expressions, labels, lines. */
class SedScanner {
  readonly met = new Set<Difference>();
  failure: string | undefined;
  protected text = "";
  protected at = 0;
  private delimiter = "";
  private readonly otherwise: ReadonlySet<Difference>;

  constructor(otherwise: ReadonlySet<Difference>) {
    this.otherwise = otherwise;
  }

  protected fail(why: string): void {
    this.failure ??= `not a sed script that is understood (${why})`;
    this.at = this.text.length;
  }

  /** Which way to read where implementations differ; remembers that it mattered. */
  protected differs(difference: Difference): boolean {
    this.met.add(difference);
    return this.otherwise.has(difference);
  }

  protected peek(): string {
    return this.text.charAt(this.at);
  }

  protected blanks(): void {
    while (this.peek() === " " || this.peek() === "\t") this.at += 1;
  }

  protected digits(): void {
    while (/[0-9]/.test(this.peek())) this.at += 1;
  }

  /** Reads one address if there is one. */
  protected readAddress(): boolean {
    const c = this.peek();
    if (c === "$") {
      this.at += 1;
      return true;
    }
    if (/[0-9+~]/.test(c)) {
      this.at += 1;
      this.digits();
      this.blanks();
      if (this.peek() === "~") {
        this.at += 1;
        this.blanks();
      }
      this.digits();
      return true;
    }
    if (c !== "/" && c !== "\\") return false;
    if (c === "\\") this.at += 1;
    if (this.delimited(true) === undefined) return true;
    for (this.blanks(); this.peek() === "I" || this.peek() === "M"; this.blanks()) this.at += 1;
    return true;
  }

  /** Reads from an opening delimiter to the next; the text between, or undefined after a failure. */
  protected delimited(regex: boolean): string | undefined {
    this.delimiter = this.peek();
    this.at += 1;
    if (!/^[ -~\t]$/.test(this.delimiter) || this.delimiter === "\\") {
      this.fail("an unusual delimiter");
      return undefined;
    }
    return this.delimitedAgain(regex);
  }

  protected delimitedAgain(regex: boolean): string | undefined {
    const start = this.at;
    for (let c = this.peek(); c !== "" && c !== "\n"; c = this.peek()) {
      this.at += 1;
      if (c === this.delimiter) return this.text.slice(start, this.at - 1);
      if (c === "\\") {
        // A backslash and any character are one, an escaped newline included.
        if (regex && this.peek() === "c" && this.differs("control")) this.at += 1;
        this.at += 1;
      } else if (c === "[" && regex && !this.bracket()) break;
    }
    this.fail("an expression without its closing delimiter");
    return undefined;
  }

  /** After `[`: reads a bracket expression. Where a delimiter inside matters, the other reading stops at it. */
  private bracket(): boolean {
    let end = this.at;
    if (this.text.charAt(end) === "^") end += 1;
    if (this.text.charAt(end) === "]") end += 1;
    for (;;) {
      const c = this.text.charAt(end);
      if (c === "" || c === "\n") return false;
      if (c === "]") break;
      const kind = this.text.charAt(end + 1);
      if (c === "[" && (kind === "." || kind === ":" || kind === "=")) {
        end += 2;
        while (!this.text.startsWith(`${kind}]`, end)) {
          if (end >= this.text.length || this.text.charAt(end) === "\n") return false;
          end += 1;
        }
        end += 2;
      } else end += 1;
    }
    // A backslash in brackets is an ordinary character to POSIX and an escape to some.
    const inside = this.text.slice(this.at, end);
    if ((inside.includes(this.delimiter) || inside.includes("\\")) && this.differs("bracket")) return true;
    this.at = end + 1;
    return true;
  }

  protected restOfLine(): string {
    const end = this.text.indexOf("\n", this.at);
    const line = end < 0 ? this.text.slice(this.at) : this.text.slice(this.at, end);
    this.at += line.length + 1;
    return line;
  }

  protected label(): void {
    this.blanks();
    const start = this.at;
    while (/[^\s;}]/.test(this.peek())) this.at += 1;
    const comment = this.text.slice(start, this.at).includes("#");
    const end = this.at;
    this.blanks();
    const ends = this.peek() === "" || this.peek() === "\n";
    if ((!ends || comment) && this.differs("label")) this.restOfLine();
    else this.at = end;
  }
}

class SedReader extends SedScanner {
  readonly findings: CodeFinding[] = [];
  private blocks = 0;
  private last = false;
  /** What reads the text that continues in the next chunk. */
  private pending: ((text: string) => void) | undefined;

  private readonly chunks: readonly string[];
  private readonly options: SedOptions;

  constructor(chunks: readonly string[], options: SedOptions, otherwise: ReadonlySet<Difference>) {
    super(otherwise);
    this.chunks = chunks;
    this.options = options;
  }

  read(): void {
    this.chunks.forEach((chunk, i) => {
      this.text = chunk;
      this.at = 0;
      this.last = i === this.chunks.length - 1;
      const pending = this.pending;
      this.pending = undefined;
      if (pending !== undefined) this.readText("", pending);
      while (this.failure === undefined && this.at < this.text.length) this.readCommand();
    });
    if (this.blocks > 0) this.fail("unmatched `{`");
  }

  private readCommand(): void {
    while (/[;\s]/.test(this.peek())) this.at += 1;
    if (this.at >= this.text.length) return;
    if (this.readAddress()) {
      this.blanks();
      if (this.peek() === ",") {
        this.at += 1;
        this.blanks();
        if (!this.readAddress()) return this.fail("no address after `,`");
        this.blanks();
      }
    }
    if (this.peek() === "!") {
      this.at += 1;
      this.blanks();
    }
    const command = this.peek();
    this.at += 1;
    this.run(command);
  }

  private run(command: string): void {
    switch (command) {
      case "#":
        this.restOfLine();
        return;
      case "{":
        this.blocks += 1;
        return;
      case "}":
        this.blocks -= 1;
        if (this.blocks < 0) return this.fail("unmatched `}`");
        return this.endOfCommand();
      case "=":
      case "d":
      case "D":
      case "F":
      case "g":
      case "G":
      case "h":
      case "H":
      case "n":
      case "N":
      case "p":
      case "P":
      case "x":
      case "z":
        return this.endOfCommand();
      case "l":
      case "L":
      case "q":
      case "Q":
        this.blanks();
        this.digits();
        return this.endOfCommand();
      case ":":
      case "b":
      case "t":
      case "T":
      case "v":
        return this.label();
      case "a":
      case "i":
      case "c":
        return this.startText(() => {});
      case "e":
        return this.execute();
      case "r":
      case "R":
        return this.readFile();
      case "w":
      case "W":
        return this.writeFile();
      case "s":
        return this.substitute();
      case "y":
        if (this.delimited(false) !== undefined && this.delimitedAgain(false) !== undefined) this.endOfCommand();
        return;
      case "":
        return this.fail("an address without a command");
      default:
        return this.fail(`unknown command \`${command}\``);
    }
  }

  private endOfCommand(): void {
    this.blanks();
    const c = this.peek();
    if (c === "" || c === "}" || c === "#") return;
    if (c === "\n" || c === ";") this.at += 1;
    else this.fail("extra characters after a command");
  }

  private substitute(): void {
    if (this.delimited(true) === undefined || this.delimitedAgain(false) === undefined) return;
    for (;;) {
      this.blanks();
      const c = this.peek();
      this.at += 1;
      if (c === "e") {
        if (this.options.sandbox !== true) this.findings.push(unknown("it runs the result of a substitution (`s///e`) as a command"));
      } else if (c === "w") return this.writeFile();
      else if (c === "}" || c === "#") {
        this.at -= 1;
        return;
      } else if (c === "" || c === "\n" || c === ";") return;
      else if (!/[iImMgp0-9]/.test(c)) return this.fail(`unknown flag \`${c}\` of \`s\``);
    }
  }

  private fileName(): string | undefined {
    this.blanks();
    const name = this.restOfLine();
    if (name !== "") return name;
    this.fail("a file command without a name");
    return undefined;
  }

  private readFile(): void {
    const path = this.fileName();
    if (path === undefined || this.options.sandbox === true || path === "/dev/stdin") return;
    this.findings.push({ does: "file", operation: "read", path });
  }

  private writeFile(): void {
    const path = this.fileName();
    if (path === undefined || this.options.sandbox === true) return;
    if (this.options.posix !== true && (path === "/dev/stdout" || path === "/dev/stderr")) return;
    this.findings.push({ does: "file", operation: "write", path });
  }

  private execute(): void {
    const sandbox = this.options.sandbox === true;
    this.blanks();
    if (this.peek() === "" || this.peek() === "\n") {
      if (!sandbox) this.findings.push(unknown("it runs its input as a command (`e`)"));
      return;
    }
    this.startText((command) => {
      if (sandbox) return;
      if (command.includes("\\")) this.findings.push(unknown("it runs a command with escapes in it (`e`)"));
      else this.findings.push({ does: "shell", command });
    });
  }

  /** After `a`, `i`, `c` or `e`: text to the end of the line, or from the next line after a backslash. */
  private startText(use: (text: string) => void): void {
    this.blanks();
    const c = this.peek();
    if (c === "") return this.fail("text is missing after `a`, `i`, `c` or `e`");
    if (c !== "\\") return this.readText("", use);
    this.at += 1;
    const next = this.peek();
    if (next === "") {
      if (this.last) use("\\");
      else this.pending = use;
      return;
    }
    this.at += 1;
    if (next === "\n") return this.readText("", use);
    if (/[\s\\]/.test(next) && this.differs("text")) {
      this.at -= 1;
      this.blanks();
      if (this.peek() === "\n") this.at += 1;
      return this.readText("", use);
    }
    this.readText(next, use);
  }

  private readText(first: string, use: (text: string) => void): void {
    const start = this.at;
    for (let c = this.peek(); c !== "\n"; c = this.peek()) {
      if (c === "") break;
      this.at += c === "\\" ? 2 : 1;
      // Whether the text goes on in the next -e is where versions differ; `a\` itself was handled before.
      if (this.at > this.text.length && !this.last) return this.fail("text that goes on in the next script");
    }
    const text = first + this.text.slice(start, this.at);
    this.at += 1;
    use(text);
  }
}

/**
 * Where implementations read the same script differently (GNU sed 4.2 to 4.9 and its current sources, FreeBSD, macOS).
 * The script is read as GNU sed 4.9 does; where a reading meets one of these it is read again the other way and the
 * findings of both count.
 */
type Difference =
  /** A delimiter inside `[…]`: ends the expression (older GNU) or does not. */
  | "bracket"
  /** `\cX` in a regular expression: one escape (newer GNU) or an escape and a character. */
  | "control"
  /** A label ends at `;`, `}` and blanks (GNU) or at the end of the line (BSD, POSIX); `#` may start a comment after it. */
  | "label"
  /** `a\` followed by more than a newline: text from there (GNU 4.9), or text on the next line, or an escape. */
  | "text";
