import type { Finding } from "./finding.ts";
import { type Difference, SedScanner } from "./sed-scanner.ts";
import { distinct, MAX_SOURCE, unknown } from "./limits.ts";

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
export function readSed(script: string | readonly string[], options: SedOptions = {}): Finding[] {
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

class SedReader extends SedScanner {
  readonly findings: Finding[] = [];
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
