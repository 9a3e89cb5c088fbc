import type { FileAction, Verdict } from "../../action/index.ts";

const MOST = 50_000;

/** Verdicts by operation, name of the call and path. */
export class Known {
  readonly #all = new Map<string, Map<string, Map<string, Verdict>>>();
  #count = 0;

  /** Those of actions like this one, by path. */
  of({ operation, call }: FileAction): ReadonlyMap<string, Verdict> | undefined {
    return this.#all.get(operation)?.get(call?.name ?? "");
  }

  add({ operation, call }: FileAction, path: string, verdict: Verdict): void {
    if (++this.#count > MOST) this.clear();
    const calls = this.#all.get(operation) ?? new Map<string, Map<string, Verdict>>();
    this.#all.set(operation, calls);
    const paths = calls.get(call?.name ?? "") ?? new Map<string, Verdict>();
    calls.set(call?.name ?? "", paths);
    paths.set(path, verdict);
  }

  clear(): void {
    this.#all.clear();
    this.#count = 0;
  }
}
