import { REDACTED, type LogEntry } from "../audit/index.ts";

/** A request as the log has it, once, with how often it came. */
export interface Past {
  readonly agent: string;
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly cwd: string;
  /** What the command, path or address was. */
  readonly subject: string;
  readonly count: number;
  /** How often a person was asked: by Assent, or by the host where Assent was silent. */
  readonly prompts: number;
  readonly denials: number;
  /** ISO 8601. */
  readonly last: string;
}

export interface History {
  readonly requests: readonly Past[];
  readonly records: number;
  /** Records that cannot be judged again: a secret was taken out, or the line was cut. */
  readonly unreadable: number;
}

/** Kinds of request that are kept apart; what comes after that many is counted as unreadable. */
const MOST_REQUESTS = 20_000;

/** The requests of a log, each once, the most frequent first. */
export function historyOf(entries: Iterable<LogEntry>): History {
  const found = new Map<string, { -readonly [Key in keyof Past]: Past[Key] }>();
  let records = 0;
  let unreadable = 0;
  for (const entry of entries) {
    // What a run was asked by the kernel, and what a person told Assent, is no request of an agent.
    if (entry.point === "run" || entry.point === "command") continue;
    records += 1;
    const text = JSON.stringify(entry.input);
    const { agent, tool, input, cwd, subject } = entry;
    const key = `${agent}\n${tool}\n${cwd}\n${text}`;
    const known = found.get(key);
    if (known === undefined && (isCut(text) || found.size >= MOST_REQUESTS)) {
      unreadable += 1;
      continue;
    }
    const past = known ?? { agent, tool, input, cwd, subject, count: 0, prompts: 0, denials: 0, last: "" };
    past.count += 1;
    if (entry.verdict === "ask" || entry.verdict === "none") past.prompts += 1;
    if (entry.verdict === "deny") past.denials += 1;
    past.last = entry.time;
    found.set(key, past);
  }
  return { requests: [...found.values()].toSorted((a, b) => b.count - a.count), records, unreadable };
}

/** Perhaps not as it was: texts are cut with `…`, secrets are taken out, and a line break looks like the two characters `\\n`. */
const isCut = (text: string): boolean => text.includes(REDACTED) || text.includes("…") || /\\\\(?:[ntr]|u\{)/.test(text);
