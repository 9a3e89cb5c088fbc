/**
 * Where implementations read the same script differently (GNU sed 4.2 to 4.9 and its current sources, FreeBSD, macOS).
 * The script is read as GNU sed 4.9 does; where a reading meets one of these it is read again the other way and the
 * findings of both count.
 */
export type Difference =
  /** A delimiter inside `[…]`: ends the expression (older GNU) or does not. */
  | "bracket"
  /** `\cX` in a regular expression: one escape (newer GNU) or an escape and a character. */
  | "control"
  /** A label ends at `;`, `}` and blanks (GNU) or at the end of the line (BSD, POSIX); `#` may start a comment after it. */
  | "label"
  /** `a\` followed by more than a newline: text from there (GNU 4.9), or text on the next line, or an escape. */
  | "text";

/** The parts of a sed script that commands share: addresses, delimited expressions, labels, lines. */
export class SedScanner {
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
