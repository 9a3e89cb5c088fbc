import type { Basis, Decision } from "../policy/index.ts";

/** How verdicts are put to people. */

/** Where a decision comes from, in the words of docs/glossary.md. */
export const SOURCES: Readonly<Record<Basis, string>> = {
  floor: "never allowed",
  rule: "rule",
  grant: "allowed in advance",
  protection: "built-in protection",
  knowledge: "known program",
  mode: "mode",
  default: "default",
};

/** A decision; nobody has decided what is left to the agent. */
export const sayDecision = (decision: Decision): string => (decision === "none" ? "undecided" : decision);
