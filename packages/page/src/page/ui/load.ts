import { useCallback, useEffect, useState } from "preact/hooks";
import { get, messageOf, onNews } from "./client.ts";

export interface Loaded<T> {
  readonly value: T | undefined;
  readonly problem: string | undefined;
  /** Asks again. */
  readonly again: () => void;
}

/** What an endpoint says, asked anew when the path or the query changes, or when there is news of that name. */
export function useApi<T>(path: string, query: Readonly<Record<string, string | number | undefined>> = {}, news?: string): Loaded<T> {
  const [state, setState] = useState<{ readonly value?: T; readonly problem?: string }>({});
  const [round, setRound] = useState(0);
  const again = useCallback(() => setRound((before) => before + 1), []);
  const key = JSON.stringify(query);
  useEffect(() => {
    const gone = new AbortController();
    get<T>(path, query, gone.signal).then(
      (value) => setState({ value }),
      (error: unknown) => {
        if (!gone.signal.aborted) setState((before) => ({ ...before, problem: messageOf(error) }));
      },
    );
    return () => gone.abort();
  }, [path, key, round]);
  useEffect(() => (news === undefined ? undefined : onNews(news, again)), [news]);
  return { value: state.value, problem: state.problem, again };
}
