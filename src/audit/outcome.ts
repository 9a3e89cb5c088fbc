import type { LogEntry } from "./read.ts";

// What counts as what is said once: `log --stats`, `status` and the page's plots give one number for one thing.

/** What a person told Assent lies beside the decisions, and is none about an agent. */
export const isDecision = ({ point }: LogEntry): boolean => point !== "command";

/** How a decision is named: what goes ahead sandboxed is neither allowed nor asked. */
export const toldBy = ({ verdict, confined }: LogEntry): string => (confined === "yes" ? "confined" : verdict);

/** The person was asked: by Assent, or by the host, which was told nothing. */
export const isQuestion = ({ verdict, answer, answered }: LogEntry): boolean =>
  answer === "ask" || answered !== "" || (verdict === "ask" && answer === "none");

export const isRefusal = ({ answer }: LogEntry): boolean => answer === "deny";
