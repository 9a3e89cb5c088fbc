import type { RefusedCall } from "@assent/supervisor/supervise/control-channel";

/** Something that a confined command was refused, and how often. */
export interface RefusedInRun extends RefusedCall {
  readonly times: number;
}

const MOST_LINES = 10;
/** A program that tries everything fills no memory. */
const MOST_CALLS = 1000;

/** What a run refused, each thing once, in the order in which it was first wanted. */
export class RefusedCalls {
  readonly #calls = new Map<string, { readonly call: RefusedCall; times: number }>();

  /** False: it was refused before. */
  add(call: RefusedCall): boolean {
    // What is printed may be cut short.
    const key = JSON.stringify([call.program, call.what, call.path, call.host, call.reason]);
    const known = this.#calls.get(key);
    if (known !== undefined) known.times += 1;
    else if (this.#calls.size < MOST_CALLS) this.#calls.set(key, { call, times: 1 });
    return known === undefined;
  }

  get list(): readonly RefusedInRun[] {
    return [...this.#calls.values()].map(({ call, times }) => ({ ...call, times }));
  }
}

/** What the model is told of a confined run, in at most ten lines; none of them is the program's own text. */
export function refusedText(refused: readonly RefusedInRun[]): string {
  const lines = new Map<string, number>();
  for (const { forModel, times } of refused) lines.set(forModel, (lines.get(forModel) ?? 0) + times);
  const all = [...lines].map(([line, times]) => `refused: ${line}${times > 1 ? ` (${times} times)` : ""}`);
  const shown = all.length > MOST_LINES ? all.slice(0, MOST_LINES - 1) : all;
  return (shown.length < all.length ? [...shown, `refused: ${all.length - shown.length} more`] : shown).join("\n");
}
