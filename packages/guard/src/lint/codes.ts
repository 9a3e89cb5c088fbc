export type Severity = "error" | "warning" | "info";

/** What `assent lint` can say. A code keeps its meaning for ever; docs/lint.md has a part for each. */
export const CODES = {
  AL000: { severity: "error", title: "the file cannot be used" },
  AL001: { severity: "warning", title: "an allow rule lets any code run" },
  AL002: { severity: "warning", title: "an allow rule for a program that runs other programs" },
  AL003: { severity: "warning", title: "an allow rule for every command or tool" },
  AL004: { severity: "warning", title: "an allow rule that is wider than it looks" },
  AL005: { severity: "warning", title: "an allow rule for changes anywhere, or for every host" },
  AL006: { severity: "info", title: "an allow rule for a program that Assent does not know" },
  AL010: { severity: "warning", title: "a rule that never matches" },
  AL011: { severity: "warning", title: "a rule that may not mean what it says" },
  AL020: { severity: "warning", title: "a deny or ask rule for exactly one command line" },
  AL021: { severity: "warning", title: "a deny or ask rule that stops only one way to write a dangerous command" },
  AL022: { severity: "warning", title: "a deny or ask rule for one folder only" },
  AL023: { severity: "warning", title: "a deny or ask rule that stops at the first level" },
  AL024: { severity: "info", title: "a deny rule for edits that leaves deleting and renaming" },
  AL025: { severity: "warning", title: "a deny or ask rule whose `*` is one word" },
  AL026: { severity: "info", title: "a deny or ask rule for every file of the machine" },
  AL027: { severity: "info", title: "an allow rule whose `*` is one word" },
  AL030: { severity: "warning", title: "the same rule twice" },
  AL031: { severity: "warning", title: "a rule that a stricter one always answers for" },
  AL032: { severity: "info", title: "a rule that a broader one makes needless" },
  AL040: { severity: "info", title: "a program that is not there" },
  AL041: { severity: "warning", title: "a wrapper or an alias without effect" },
} as const satisfies Record<string, { readonly severity: Severity; readonly title: string }>;

export type LintCode = keyof typeof CODES;

export interface Finding {
  readonly code: LintCode;
  readonly severity: Severity;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** The rule, as written; empty for a finding about a file. */
  readonly rule: string;
  /** What is found, and why it matters. */
  readonly message: string;
  /** What to write instead. */
  readonly help?: string;
  /** The rule that says what was surely meant: `assent lint --fix` writes it in this one's place. */
  readonly rewrite?: string;
}
