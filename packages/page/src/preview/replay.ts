import { isConfined, type RequestVerdict } from "@assent/core/policy";
import type { Machine } from "@assent/guard/state";
import type { History, Past } from "@assent/guard/suggest";
import { judgePast, type PastOptions } from "./past.ts";

/** What a request is told, in one word. */
export const TOLD = ["allow", "confined", "ask", "deny", "none"] as const;
export type ToldWord = (typeof TOLD)[number];
const toldBy = (verdict: RequestVerdict): ToldWord => (isConfined(verdict) ? "confined" : verdict.decision);

/** A request of the past that another policy would tell something else. */
export interface ChangedRequest {
  readonly past: Past;
  readonly before: ToldWord;
  readonly after: ToldWord;
  /** Of what would be told. */
  readonly reason: string;
}

export interface Replayed {
  /** The most frequent first. */
  readonly changes: readonly ChangedRequest[];
  readonly before: ReadonlyMap<ToldWord, number>;
  readonly after: ReadonlyMap<ToldWord, number>;
}

/**
 * What the requests of the past are told now (or under what `now` says), and what under another policy. Yields how many have been judged.
 */
export function* replayHistory(
  { requests }: History,
  machine: Machine | ((past: Past) => Machine),
  other: PastOptions,
  now: PastOptions = {},
): Generator<number, Replayed> {
  const changes: ChangedRequest[] = [];
  const counts = { before: new Map<ToldWord, number>(), after: new Map<ToldWord, number>() };
  for (const [at, past] of requests.entries()) {
    yield at;
    const where = typeof machine === "function" ? machine(past) : machine;
    const before = judgePast(past, where, now).verdict;
    const after = judgePast(past, where, other).verdict;
    const [was, is] = [toldBy(before), toldBy(after)];
    counts.before.set(was, (counts.before.get(was) ?? 0) + past.count);
    counts.after.set(is, (counts.after.get(is) ?? 0) + past.count);
    if (was !== is) changes.push({ past, before: was, after: is, reason: after.reason });
  }
  return { changes, ...counts };
}
