import { type RequestVerdict, verdictOf } from "../policy/index.ts";

/** The verdict when Assent itself fails: nothing is known, so a person must look. */
export function failedVerdict(error: unknown): RequestVerdict {
  const [message = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
  const reason = `Assent could not judge this: ${message.slice(0, 200)}`;
  return { ...verdictOf("ask", "failure", { reason }), actions: [], unknowns: [] };
}
