import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { TimelineExtent, TimelineFound, TimelineRow } from "../../api/timeline.ts";
import { get, messageOf, onNews } from "../client.ts";

/** Rows of a list, the newest first, as far as they are known. */
export interface RowSource {
  readonly count: number;
  /** Those of one line; `wait`: not here yet. Nothing: a note that the log made for itself. */
  readonly at: (index: number) => readonly TimelineRow[] | "wait";
  readonly keyOf: (index: number) => string | number;
  /** How many have come before the first since the list was opened. */
  readonly added: number;
  readonly onRange: (from: number, to: number) => void;
  /** Nothing has been heard yet. */
  readonly isLoading: boolean;
  /** There may be more behind the last. */
  readonly isPartial: boolean;
  readonly problem: string | undefined;
}

const CHUNK = 100;
/** What is kept: some screens around where somebody is, and where he was. */
const MOST_CHUNKS = 60;
/** Whoever drags the bar does not want what lies between. */
const CALM_MS = 40;

/** All records, by their numbers: any of a million is a jump away. */
export function useAllRows(): RowSource {
  const [extent, setExtent] = useState<TimelineExtent>();
  const [problem, setProblem] = useState<string>();
  const [, paint] = useState(0);
  const chunks = useRef(new Map<number, ReadonlyMap<number, readonly TimelineRow[]>>());
  const asked = useRef(new Set<number>());
  const first = useRef<number | undefined>(undefined);
  const seen = useRef<readonly [number, number]>([0, 0]);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);

  const load = useCallback(async (chunk: number) => {
    if (asked.current.has(chunk)) return;
    asked.current.add(chunk);
    try {
      const low = chunk * CHUNK;
      const { rows } = await get<TimelineFound>("log/between", { low, high: low + CHUNK - 1 });
      const bySeq = new Map<number, TimelineRow[]>();
      for (const row of rows) bySeq.set(row.seq, [...(bySeq.get(row.seq) ?? []), row]);
      chunks.current.delete(chunk);
      chunks.current.set(chunk, bySeq);
      for (const old of chunks.current.keys()) if (chunks.current.size > MOST_CHUNKS) chunks.current.delete(old);
      setProblem(undefined);
      paint((round) => round + 1);
    } catch (error) {
      setProblem(messageOf(error));
    } finally {
      asked.current.delete(chunk);
    }
  }, []);

  const last = extent?.last ?? 0;
  const loadSeen = useCallback((from: number, to: number, newest: number) => {
    const [high, low] = [newest - from, newest - to];
    for (let chunk = Math.floor(Math.max(0, high) / CHUNK); chunk >= Math.floor(Math.max(0, low) / CHUNK); chunk--)
      if (!chunks.current.has(chunk)) void load(chunk);
  }, []);

  useEffect(() => {
    const look = async (): Promise<void> => {
      try {
        const next = await get<TimelineExtent>("log");
        first.current ??= next.last;
        setExtent((before) => {
          // What was the newest part has more by now.
          for (let chunk = Math.floor((before?.last ?? next.last) / CHUNK); chunk <= Math.floor(next.last / CHUNK); chunk++)
            chunks.current.delete(chunk);
          return next;
        });
        const [from, to] = seen.current;
        loadSeen(from, Math.max(to, from + 30), next.last);
      } catch (error) {
        setProblem(messageOf(error));
      }
    };
    void look();
    return onNews("log", () => void look());
  }, []);

  const onRange = useCallback(
    (from: number, to: number) => {
      seen.current = [from, to];
      clearTimeout(timer.current);
      timer.current = setTimeout(() => loadSeen(from, to, last), CALM_MS);
    },
    [last],
  );

  return {
    count: extent === undefined || extent.last === 0 ? 0 : extent.last - extent.first + 1,
    at: (index) => {
      const seq = last - index;
      const chunk = chunks.current.get(Math.floor(seq / CHUNK));
      return chunk === undefined ? "wait" : (chunk.get(seq) ?? []);
    },
    keyOf: (index) => last - index,
    added: first.current === undefined ? 0 : last - first.current,
    onRange,
    isLoading: extent === undefined,
    isPartial: false,
    problem,
  };
}

/** So many rows are kept of a search; who wants more asks for less. */
export const MOST_FOUND = 20_000;
const AHEAD = 60;

type Found = Readonly<Record<string, string | number | undefined>>;

interface FoundState {
  readonly rows: readonly TimelineRow[];
  readonly next: string | undefined;
  /** The newest record of all that was looked at. */
  readonly last: number;
  readonly added: number;
  readonly isLoading: boolean;
  readonly problem?: string;
}

const NOTHING: FoundState = { rows: [], next: undefined, last: 0, added: 0, isLoading: true };

/** What a filter lets through: looked for from the newest back, and on as somebody scrolls. */
export function useFoundRows(filter: Found): RowSource {
  const [state, setState] = useState(NOTHING);
  const key = JSON.stringify(filter);
  const now = useRef(state);
  now.current = state;
  const gone = useRef(new AbortController());
  const busy = useRef(false);
  const wanted = useRef(AHEAD);

  const more = useCallback(async (): Promise<void> => {
    const { signal } = gone.current;
    if (busy.current) return;
    busy.current = true;
    try {
      for (;;) {
        const { rows, next, isLoading } = now.current;
        const isEnough = !isLoading && (next === undefined || rows.length >= wanted.current || rows.length >= MOST_FOUND);
        if (signal.aborted || isEnough) break;
        const found = await get<TimelineFound>("log/find", { ...filter, before: next }, signal);
        if (signal.aborted) return;
        // It was begun anew meanwhile.
        if (now.current.next !== next) continue;
        const { problem: _problem, ...before } = now.current;
        now.current = {
          ...before,
          rows: [...before.rows, ...found.rows],
          next: found.next,
          last: before.isLoading ? found.last : before.last,
          isLoading: false,
        };
        setState(now.current);
      }
    } catch (error) {
      if (!signal.aborted) setState({ ...now.current, isLoading: false, problem: messageOf(error) });
    } finally {
      if (!signal.aborted) busy.current = false;
    }
  }, [key]);

  useEffect(() => {
    gone.current = new AbortController();
    busy.current = false;
    wanted.current = AHEAD;
    now.current = NOTHING;
    setState(NOTHING);
    void more();
    const { current: own } = gone;
    const newer = async (signal: AbortSignal): Promise<void> => {
      if (now.current.isLoading) return;
      try {
        // Of two that were written at the same moment one may have come later.
        const { rows, last, next } = await get<TimelineFound>("log/find", { ...filter, after: Math.max(0, now.current.last - 1) }, signal);
        if (signal.aborted) return;
        const known = new Set(now.current.rows.slice(0, 5).map(({ place }) => place));
        const fresh = rows.filter(({ place }) => !known.has(place));
        const added = now.current.added + fresh.length;
        // More has come than one answer holds: what is known would leave a gap.
        const before = next === undefined ? now.current : { ...now.current, rows: [], next };
        now.current = { ...before, rows: [...fresh, ...before.rows], added, last };
        setState(now.current);
      } catch {
        // It is asked again with the next news.
      }
    };
    const end = onNews("log", () => void newer(own.signal));
    return () => {
      end();
      own.abort();
    };
  }, [key]);

  const { rows, next, added, isLoading, problem } = state;
  return {
    count: rows.length,
    at: (index) => {
      const row = rows[index];
      return row === undefined ? "wait" : [row];
    },
    keyOf: (index) => rows[index]?.place ?? index,
    added,
    onRange: (_, to) => {
      wanted.current = to + AHEAD;
      void more();
    },
    isLoading,
    isPartial: next !== undefined,
    problem,
  };
}
