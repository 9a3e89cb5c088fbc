import type { LogEntry } from "./read.ts";

// What counts as what is said once: `log --stats`, `status` and the page's plots give one number for one thing.

/** What a person told Assent lies beside the decisions, and is none about an agent. */
export const isDecision = ({ point }: LogEntry): boolean => point !== "command";

/** How a decision is named: what goes ahead sandboxed is neither allowed nor asked. */
export const toldBy = ({ verdict, confined }: LogEntry): string => (confined === "yes" ? "confined" : verdict);

/** The person was asked: by Assent, or by the host, which was told nothing and skips no questions. */
export const isQuestion = (entry: LogEntry): boolean =>
  entry.answer === "ask" || entry.answered !== "" || (entry.verdict === "ask" && decidedBy(entry) !== undefined && entry.bypass === "");

/** Who decides where the host was told nothing. `default` is the word of all hosts for the mode in which they ask. */
export function decidedBy({ answer, point, agent, mode, bypass, confined }: LogEntry): string | undefined {
  if (answer !== "none" || confined === "yes") return undefined;
  if (bypass !== "") return `bypass mode, it runs (${bypass})`;
  if (point !== "hook") return `${agent} decides`;
  return isHostsQuestion(mode) ? `${agent} asks you` : `${agent} decides, in its mode ${mode}`;
}

const isHostsQuestion = (mode: string): boolean => mode === "" || mode === "default";

/** Assent had no opinion, and the host asks by itself, unless it has a rule of its own. */
export const isLeftToHost = (entry: LogEntry): boolean =>
  decidedBy(entry) !== undefined && entry.bypass === "" && entry.point === "hook" && isHostsQuestion(entry.mode);

export const isRefusal = ({ answer }: LogEntry): boolean => answer === "deny";
