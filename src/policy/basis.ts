export type Decision = "allow" | "ask" | "deny" | "none";

/**
 * What kind of statement the verdict rests on.
 * Hosts are told of an `ask` unless it rests on a `default` and they have an approval flow of their own.
 */
export type Basis = "floor" | "rule" | "grant" | "protection" | "knowledge" | "mode" | "default";

/** The rule behind a verdict, as written, with its place. */
export interface RuleSource {
  readonly text: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** The remembered answer behind a verdict. */
export interface GrantSource {
  readonly id: string;
  /** The rule it was given as. */
  readonly rule: string;
  /** Uses it had left, this one among them; absent: any number. */
  readonly left?: number;
}
