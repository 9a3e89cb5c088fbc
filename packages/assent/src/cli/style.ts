/** Colours where a person reads: a terminal, and NO_COLOR is not set (no-color.org). */
export interface TerminalStyle {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly verdict: (decision: string, text?: string) => string;
  readonly width: number;
}

const COLOURS: Readonly<Record<string, number>> = { allow: 32, confined: 32, sandboxed: 32, ask: 33, deny: 31, none: 36, "no opinion": 36 };

export function styleFor(
  stream: { readonly isTTY?: boolean; readonly columns?: number },
  env: Readonly<Record<string, string | undefined>>,
): TerminalStyle {
  const forced = env["FORCE_COLOR"];
  const colour =
    (env["NO_COLOR"] ?? "") === "" && (forced === undefined ? stream.isTTY === true : forced !== "0") && env["TERM"] !== "dumb";
  const paint = (code: number) => (text: string) => (colour ? `\u001b[${code}m${text}\u001b[0m` : text);
  return {
    bold: paint(1),
    dim: paint(2),
    verdict: (decision, text = decision) => paint(COLOURS[decision.replace(/:.*/, "")] ?? 0)(text),
    width: Math.max(60, Math.min(stream.isTTY === true ? (stream.columns ?? 100) : 120, 160)),
  };
}

/** Cut or padded to exactly `width` columns of plain text. */
export function fit(text: string, width: number): string {
  return text.length > width ? `${text.slice(0, width - 1)}…` : text.padEnd(width);
}
