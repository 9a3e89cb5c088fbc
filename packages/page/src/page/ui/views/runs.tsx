import { useEffect, useState } from "preact/hooks";
import type { RunList, RunRow } from "../../api/runs.ts";
import { get, messageOf, onNews } from "../client.ts";
import { moveFocus, useKeys } from "../keys.ts";
import { localTime } from "../parts/time.ts";
import { Receipt } from "./run-receipt.tsx";
import type { PageView, ViewProps } from "./view.ts";

const KINDS: Readonly<Record<RunRow["kind"], string>> = {
  run: "run",
  edit: "edit of a tool",
  undo: "undo",
  confined: "sandboxed",
};

/** An agent at work writes to the log all the time. */
const CALM_MS = 2000;

interface Runs {
  readonly runs: readonly RunRow[];
  readonly more: boolean;
  readonly isLoading: boolean;
  readonly problem?: string;
  readonly older: () => void;
  readonly again: () => void;
}

/** The newest runs, and older ones as they are asked for. */
function useRuns(): Runs {
  const [pages, setPages] = useState(1);
  const [round, setRound] = useState(0);
  const [state, setState] = useState<Pick<Runs, "runs" | "more" | "isLoading" | "problem">>({ runs: [], more: false, isLoading: true });
  useEffect(() => {
    const gone = new AbortController();
    const load = async (): Promise<void> => {
      const runs: RunRow[] = [];
      let more = true;
      while (more && runs.length < pages * 100) {
        const found = await get<RunList>("runs", { from: runs.length }, gone.signal);
        runs.push(...found.runs);
        more = found.more;
      }
      setState({ runs, more, isLoading: false });
    };
    load().catch((error: unknown) => {
      if (!gone.signal.aborted) setState((before) => ({ ...before, isLoading: false, problem: messageOf(error) }));
    });
    return () => gone.abort();
  }, [pages, round]);
  // What a run does is in the log.
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const end = onNews("log", () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        setRound((before) => before + 1);
      }, CALM_MS);
    });
    return () => {
      end();
      clearTimeout(timer);
    };
  }, []);
  return { ...state, older: () => setPages((before) => before + 1), again: () => setRound((before) => before + 1) };
}

function RunsView({ query, go }: ViewProps) {
  const { runs, more, isLoading, problem, older, again } = useRuns();
  const id = query.get("run");
  const close = (): void => {
    go("runs");
    document.querySelector<HTMLElement>(`.run-list a[href="#/runs?run=${id ?? ""}"]`)?.focus();
  };
  useKeys({
    j: () => moveFocus(".run-list a", 1),
    k: () => moveFocus(".run-list a", -1),
    Escape: () => (id === null ? false : close()),
  });
  return (
    <>
      {problem === undefined ? null : <p class="deny">{problem}</p>}
      {isLoading || runs.length > 0 ? null : (
        <p class="empty">
          Nothing has run under Assent yet. <code>assent run</code>, sandboxed commands and edits of agents are kept here.
        </p>
      )}
      <div class={id === null ? "timeline-panes" : "timeline-panes two"}>
        <div class="timeline-list">
          <ol class="run-list" reversed>
            {runs.map((run) => (
              <li key={run.id}>
                <a href={`#/runs?run=${run.id}`} aria-current={run.id === id ? "true" : undefined}>
                  <code>{run.what}</code>
                  <span class="faint">
                    {localTime(run.started)} {KINDS[run.kind]}
                    {run.agent === undefined ? "" : ` for ${run.agent}`}, {run.ending}
                    {run.undone ? ", undone" : ""}
                  </span>
                </a>
              </li>
            ))}
          </ol>
          {more ? (
            <button type="button" onClick={older}>
              Show older ones
            </button>
          ) : null}
        </div>
        {id === null ? null : <Receipt key={id} id={id} close={close} changed={again} go={go} />}
      </div>
    </>
  );
}

export const RUNS: PageView = {
  id: "runs",
  title: "Runs",
  keys: [
    { key: "j, k", does: "the next or the previous run" },
    { key: "Enter", does: "show what it did" },
    { key: "u", does: "show what taking it back would do" },
    { key: "Escape", does: "close it" },
  ],
  View: RunsView,
};
