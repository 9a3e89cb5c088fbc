import { isWithin } from "@assent/core/path";
import { ofProject } from "./run.ts";
import { isRunning, listRuns, type RunRecord, undoneIn } from "./run-folder.ts";

/** What one session of an agent did: its confined commands and its tools' edits. */
export interface AgentSession {
  readonly agent: string;
  /** The host's id of it. */
  readonly session: string;
  /** Oldest first, no undos among them. */
  readonly runs: readonly RunRecord[];
}

/** Several runs that are looked at, or taken back, as one. */
export interface RunSpan {
  /** Absent: all that was kept since a time. */
  readonly of?: AgentSession;
  /** Oldest first, with the undos of some of them. */
  readonly runs: readonly RunRecord[];
}

export interface SpanWanted {
  /** Id of a session, or how it begins, `AGENT/` before it where two agents have the same; empty: the last one in `cwd`. Absent: any run. */
  readonly session?: string;
  /** Milliseconds since the epoch: what ended before is left out. */
  readonly since?: number;
  readonly cwd: string;
}

/** Whose session the run belongs to; undefined: a person's, or its host has no sessions. */
function sessionOf({ confined, edit }: RunRecord): { readonly agent: string; readonly session: string } | undefined {
  const { agent, session } = confined ?? edit ?? {};
  return agent === undefined || session === undefined ? undefined : { agent, session };
}

/** `all`: oldest first. The session that did something last comes last. */
export function listSessions(all: readonly RunRecord[]): readonly AgentSession[] {
  const found = new Map<string, AgentSession & { readonly runs: RunRecord[] }>();
  for (const run of all) {
    const of = run.undoes === undefined ? sessionOf(run) : undefined;
    if (of === undefined) continue;
    const key = JSON.stringify([of.agent, of.session]);
    const known = found.get(key);
    known?.runs.push(run);
    const session = known ?? { ...of, runs: [run] };
    found.delete(key);
    found.set(key, session);
  }
  return [...found.values()];
}

/** The runs that are meant, or in words why there are none. */
export function findSpan(runs: string, { session, since, cwd }: SpanWanted): RunSpan | { readonly problem: string } {
  const all = listRuns(runs);
  const isOfProject = ofProject(cwd);
  const here = (run: RunRecord): boolean => isWithin(run.cwd, cwd) || isOfProject(run);
  const late = (run: RunRecord): boolean => since === undefined || (run.ended ?? (isRunning(run.folder) ? Infinity : run.started)) >= since;
  if (session === undefined) {
    const chosen = all.filter((run) => run.undoes === undefined && here(run) && late(run));
    return chosen.length === 0 ? { problem: "nothing was run here since then" } : { runs: withUndos(all, chosen) };
  }
  const sessions = listSessions(all);
  const found =
    session === ""
      ? sessions.filter(({ runs: its }) => its.some(here)).slice(-1)
      : exactly(
          sessions.filter((one) => one.session.startsWith(session) || `${one.agent}/${one.session}`.startsWith(session)),
          session,
        );
  const [of] = found;
  if (of === undefined)
    return { problem: session === "" ? "no session of an agent has changed anything here under Assent" : "unknown session" };
  if (found.length > 1) return { problem: "several sessions begin so" };
  const chosen = of.runs.filter(late);
  return chosen.length === 0 ? { problem: "that session did nothing since then" } : { of, runs: withUndos(all, chosen) };
}

function exactly(found: readonly AgentSession[], word: string): readonly AgentSession[] {
  const exact = found.filter((one) => one.session === word || `${one.agent}/${one.session}` === word);
  return exact.length === 1 ? exact : found;
}

/** And the undos of them, and the undos of those. One that was killed is no part of it: it goes on first. */
function withUndos(all: readonly RunRecord[], chosen: readonly RunRecord[]): readonly RunRecord[] {
  const ids = new Set(chosen.map(({ id }) => id));
  const left = new Set(all);
  for (const run of chosen) left.delete(run);
  const runs = [...chosen];
  for (let more = true; more;) {
    more = false;
    for (const run of left) {
      // One that took back others, too, is somebody else's.
      if (run.ended === undefined || run.undoes === undefined || !undoneIn(run).every((id) => ids.has(id))) continue;
      ids.add(run.id);
      runs.push(run);
      left.delete(run);
      more = true;
    }
  }
  const order = new Map(all.map((run, at) => [run.id, at]));
  return runs.sort((a, b) => (order.get(a.id) ?? 0) - (order.get(b.id) ?? 0));
}
