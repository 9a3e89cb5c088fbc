import { type Basis, type Decision, isConfined, type RequestVerdict } from "@assent/core/policy";

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

/** The words of logs and JSON that people read as others. */
export const VERDICT_WORDS: Readonly<Record<string, string>> = { none: "no opinion", confined: "sandboxed" };

/** Of a part, or in few words. */
export const sayDecision = (decision: Decision | "confined"): string =>
  decision === "none" ? "agent decides" : (VERDICT_WORDS[decision] ?? decision);

/** Of a whole request: where Assent has no opinion, who decides stands beside it. */
export function sayVerdict(verdict: RequestVerdict, asksYou: string): string {
  if (isConfined(verdict)) return sayDecision("confined");
  return verdict.decision === "none" ? `no opinion: ${asksYou} asks you` : sayDecision(verdict.decision);
}
