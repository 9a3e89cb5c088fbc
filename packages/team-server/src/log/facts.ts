import { parseObject } from "@assent/core/data";

/** What is looked for in the log without reading every record. A machine says them of itself: they decide nothing. */
export interface RecordFacts {
  /** ISO 8601. */
  readonly time: string | null;
  readonly verdict: string | null;
  readonly agent: string | null;
  readonly tool: string | null;
}

const MOST = 200;
const NOTHING: RecordFacts = { time: null, verdict: null, agent: null, tool: null };

export function factsOf(body: string): RecordFacts {
  const parsed = parseObject(body);
  if (parsed === undefined) return NOTHING;
  const { time, verdict, agent, tool } = parsed;
  return { time: timeOf(time), verdict: textOf(verdict), agent: textOf(agent), tool: textOf(tool) };
}

/** PostgreSQL keeps no NUL and no half of a surrogate pair, which JSON may write as an escape. */
const textOf = (value: unknown): string | null =>
  typeof value === "string"
    ? value
        .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "�")
        .slice(0, MOST)
        .replace(/\p{Surrogate}/gu, "�")
    : null;

function timeOf(value: unknown): string | null {
  const time = typeof value === "string" && value.length < 40 ? Date.parse(value) : Number.NaN;
  // Four digits for the year: what else ISO 8601 can say PostgreSQL reads otherwise.
  return time >= Date.UTC(1970, 0) && time < Date.UTC(10_000, 0) ? new Date(time).toISOString() : null;
}
