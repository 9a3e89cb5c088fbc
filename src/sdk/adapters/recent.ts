import { jsonOf, type Judged } from "./judge.ts";

/** An SDK asks about a call and runs it a moment later: judged once, logged once. Later it is judged again. */
const MOMENT = 1000;
/** Calls of one run that have not been run yet. */
const MAX_CALLS = 1000;

interface Noted {
  readonly judged: Judged;
  readonly input: string;
  readonly at: number;
}

/** What was said about calls that have not run yet, by run and call. */
export class RecentCalls {
  readonly #runs = new WeakMap<object, Map<string, Noted>>();

  note(run: object, call: string, judged: Judged): Judged {
    const calls = this.#runs.get(run) ?? new Map<string, Noted>();
    this.#runs.set(run, calls);
    const [oldest] = calls.keys();
    if (calls.size >= MAX_CALLS && oldest !== undefined) calls.delete(oldest);
    calls.set(call, { judged, input: jsonOf(judged.from.input), at: performance.now() });
    return judged;
  }

  /** What was said about this call with whatever input. */
  about(run: object, call: string): Judged | undefined {
    return this.#runs.get(run)?.get(call)?.judged;
  }

  /** What was said about this very call just now. */
  justNow(run: object, call: string, input: unknown): Judged | undefined {
    const noted = this.#runs.get(run)?.get(call);
    if (noted === undefined || performance.now() - noted.at > MOMENT) return undefined;
    return noted.input !== "" && noted.input === jsonOf(input) ? noted.judged : undefined;
  }
}
