import { entriesFrom, isDecision, isQuestion, isRefusal, type LogEntry, logSegments, toldBy } from "@assent/guard/audit";

/** What happened on one day (UTC), counted. */
export interface DayTally {
  /** `2026-11-26`. */
  readonly day: string;
  readonly verdicts: Readonly<Record<TallyVerdict, number>>;
  /** How often a person was asked. */
  readonly asked: number;
  /** What was asked about: a program, else a tool. */
  readonly asks: ReadonlyMap<string, number>;
  /** By agent. */
  readonly refusals: ReadonlyMap<string, number>;
  /** How many took at most so long, by `LATENCIES`; the last: longer. */
  readonly latency: readonly number[];
}

export const TALLY_VERDICTS = ["allow", "confined", "none", "ask", "deny"] as const;
export type TallyVerdict = (typeof TALLY_VERDICTS)[number];
/** Milliseconds. */
export const LATENCIES = [0.25, 0.5, 1, 2, 4, 8, 16, 32, 64] as const;

/** Kinds that are told apart on a day: an attacker names as many as he likes. */
const MOST_KINDS = 300;
const DAY_MS = 86_400_000;

interface Day {
  readonly day: string;
  readonly verdicts: Record<TallyVerdict, number>;
  asked: number;
  readonly asks: Map<string, number>;
  readonly refusals: Map<string, number>;
  readonly latency: number[];
}

const newDay = (day: string): Day => ({
  day,
  verdicts: { allow: 0, confined: 0, none: 0, ask: 0, deny: 0 },
  asked: 0,
  asks: new Map(),
  refusals: new Map(),
  latency: Array.from({ length: LATENCIES.length + 1 }, () => 0),
});

function add(counts: Map<string, number>, name: string, count: number): void {
  const before = counts.get(name);
  if (before !== undefined || counts.size < MOST_KINDS) counts.set(name, (before ?? 0) + count);
}

const isVerdict = (text: string): text is TallyVerdict => Object.hasOwn(newDay("").verdicts, text);

function count(days: Map<string, Day>, entry: LogEntry): void {
  const name = entry.time.slice(0, 10);
  const verdict = toldBy(entry);
  if (!/^\d{4}-\d\d-\d\d$/.test(name) || !isVerdict(verdict) || !isDecision(entry)) return;
  const day = days.get(name) ?? newDay(name);
  days.set(name, day);
  day.verdicts[verdict] += entry.count;
  if (isQuestion(entry)) {
    day.asked += entry.count;
    add(day.asks, entry.programs[0] ?? entry.tool, entry.count);
  } else if (isRefusal(entry)) add(day.refusals, entry.agent, entry.count);
  const at = LATENCIES.findIndex((most) => entry.milliseconds <= most);
  const slot = at === -1 ? LATENCIES.length : at;
  // A record that stands for many says nothing of how long each took.
  if (entry.count === 1 && entry.milliseconds > 0) day.latency[slot] = (day.latency[slot] ?? 0) + 1;
}

interface Counted {
  at: number;
  readonly days: Map<string, Day>;
}

/** Counts a log once: what was counted stays counted, and what has come since is added. */
export class LogTally {
  readonly #folder: string;
  readonly #segments = new Map<number, Counted>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Counts what is not counted yet of the last days, a little at a step; each says which part is done, of 1. */
  *update(days: number, now = Date.now()): Generator<number, readonly DayTally[]> {
    const segments = logSegments(this.#folder);
    const kept = new Set(segments.map(({ segment }) => segment));
    for (const segment of this.#segments.keys()) if (!kept.has(segment)) this.#segments.delete(segment);
    const since = now - days * DAY_MS;
    const wanted = segments.filter(({ changed }) => changed >= since);
    const all = wanted.reduce((sum, { size }) => sum + size, 0);
    let done = 0;
    for (const { segment, size } of wanted) {
      const counted = this.#segments.get(segment) ?? { at: 0, days: new Map<string, Day>() };
      this.#segments.set(segment, counted);
      done += Math.min(counted.at, size);
      while (counted.at < size) {
        const { entries, next } = entriesFrom(this.#folder, { segment, at: counted.at });
        for (const entry of entries) count(counted.days, entry);
        done += next - counted.at;
        if (next === counted.at) break;
        counted.at = next;
        yield all === 0 ? 1 : done / all;
      }
    }
    return this.#last(days, now);
  }

  #last(days: number, now: number): readonly DayTally[] {
    return Array.from({ length: days }, (_, back) => {
      const name = new Date(now - (days - 1 - back) * DAY_MS).toISOString().slice(0, 10);
      const sum = newDay(name);
      for (const { days: own } of this.#segments.values()) {
        const day = own.get(name);
        if (day === undefined) continue;
        for (const verdict of TALLY_VERDICTS) sum.verdicts[verdict] += day.verdicts[verdict];
        sum.asked += day.asked;
        for (const [what, number] of day.asks) add(sum.asks, what, number);
        for (const [agent, number] of day.refusals) add(sum.refusals, agent, number);
        for (const [at, number] of day.latency.entries()) sum.latency[at] = (sum.latency[at] ?? 0) + number;
      }
      return sum;
    });
  }
}

/** The most frequent of several days. */
export function topOf(days: readonly DayTally[], of: "asks" | "refusals", most: number): readonly (readonly [string, number])[] {
  const sums = new Map<string, number>();
  for (const day of days) for (const [name, number] of day[of]) sums.set(name, (sums.get(name) ?? 0) + number);
  return [...sums].toSorted((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, most);
}
