import type { CodeFinding } from "./finding.ts";

export interface SourceToken {
  readonly kind: string;
  readonly text: string;
}

/**
 * A place in a list of tokens, for readers that accept what they know and make everything else `code`.
 * After a failure the cursor stands at the end, so every loop over tokens ends by itself.
 */
export class TokenCursor<T extends SourceToken> {
  readonly findings: CodeFinding[] = [];
  protected tokens: readonly T[] = [];
  protected at = 0;
  protected depth = 0;
  protected failed = false;
  private readonly language: string;
  private readonly end: T;

  constructor(language: string, end: T) {
    this.language = language;
    this.end = end;
  }

  protected fail(detail: string): undefined {
    if (!this.failed) this.findings.push({ does: "code", language: this.language, detail });
    this.failed = true;
    this.at = this.tokens.length;
  }

  protected unread(): undefined {
    return this.fail(`has syntax that is not read: \`${this.peek().text.slice(0, 20)}\``);
  }

  protected peek(ahead = 0): T {
    return this.tokens[this.at + ahead] ?? this.end;
  }

  /** True when the next token is this operator or keyword. */
  protected sees(text: string, ahead = 0): boolean {
    const token = this.peek(ahead);
    return (token.kind === "op" || token.kind === "keyword") && token.text === text;
  }

  /** Takes the next token when it is this operator or keyword. */
  protected take(text: string): boolean {
    if (!this.sees(text)) return false;
    this.at += 1;
    return true;
  }

  protected expect(text: string): void {
    if (!this.take(text)) this.unread();
  }

  protected word(): string {
    const token = this.peek();
    if (token.kind !== "name") this.unread();
    this.at += 1;
    return token.text;
  }
}

/** The text of a string whose escapes are all among these; undefined: one is another. */
export function unescaped(body: string, escapes: Readonly<Record<string, string>>): string | undefined {
  let certain = true;
  const text = body.replace(/\\([^])/g, (_, c: string) => {
    const plain = escapes[c];
    certain &&= plain !== undefined;
    return plain ?? "";
  });
  return certain ? text : undefined;
}
